/* SPDX-License-Identifier: Apache-2.0 */
/* Makes a library of it that is ready as soon as it is loaded. */
#include "pin.h"

__attribute__((constructor)) static void prepare(void) {
  prepare_pin();
}
