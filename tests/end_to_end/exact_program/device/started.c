/* SPDX-License-Identifier: Apache-2.0 */
/* A program to be recorded: the group of functions is its argument. */
#include <stdlib.h>

#include "steps.h"

int main(int count, char **words) {
  return count == 2 && exact(atoi(words[1])) == 0 ? 0 : 1;
}
