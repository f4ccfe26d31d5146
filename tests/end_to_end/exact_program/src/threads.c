/* SPDX-License-Identifier: Apache-2.0 */
/* Work on other threads: their traps mean nothing to a stop, and the waiting takes as long as they do. */
#include "../device/steps.h"

static int plain(int n) {
  steps(n);
  return steps(2);
}

static void on_another(void) {
  for (int i = 0; i < 3; i++) plain(i);
  steps(9);
}

static void waits(void) {
  steps(1);
  on_thread(on_another);
  steps(2);
}

static int waits_in_an_expression(int n) {
  if (plain(n) > 100 || (on_thread(on_another), steps(3)) > 2) return plain(3);
  return steps(100);
}

int exact(int group) {
  waits();
  plain(4);
  waits_in_an_expression(1);
  on_another();
  return steps(5) + group - 5;
}
