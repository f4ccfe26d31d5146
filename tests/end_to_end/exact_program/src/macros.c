/* SPDX-License-Identifier: Apache-2.0 */
/* Macros return. No trap can stand behind such a return, and none within the macro. */
#include "../device/steps.h"

#define RETURN(x) return x
#define LEAVE return
#define RETURN_BOTH(x, y)    \
  do {                       \
    if ((x) > 0) return (x); \
    return (y);              \
  } while (0)

static int plain(int n) {
  steps(n);
  return steps(2);
}

static int always(int n) {
  steps(1);
  RETURN(plain(n) + steps(3));
}

static int one_line(void) { RETURN(steps(4)); }

static int either(int n) {
  steps(1);
  RETURN_BOTH(steps(n) - 2, plain(3));
}

static int sometimes(int n) {
  if (n == 0) RETURN(steps(5));
  if (n == 1) return steps(6);
  steps(1);
  RETURN(plain(n));
}

static void leaves(int n) {
  steps(1);
  if (n > 1) LEAVE;
  steps(n + 2);
}

static int in_loops(int most) {
  for (int i = 0;; i++) {
    steps(2);
    if (i == most) RETURN(plain(i));
  }
}

static int recurses(int n) {
  if (n == 0) RETURN(steps(1));
  RETURN(recurses(n - 1) + steps(2));
}

static int odd(int n);

static int even(int n) {
  if (n == 0) RETURN(steps(1));
  RETURN(odd(n - 1) + steps(1));
}

static int odd(int n) {
  if (n == 0) return steps(3);
  RETURN(even(n - 1));
}

/* The caller goes on in the line in which it called. */
static int caller(void) {
  int total = always(1) + steps(7);
  total += either(1) + either(5) + steps(1);
  leaves(1), leaves(2), steps(3);
  return total + one_line() + steps(2);
}

int exact(int group) {
  switch (group) {
    case 0:
      caller();
      for (int i = 0; i < 4; i++) sometimes(i);
      in_loops(2);
      break;
    case 1:
      recurses(3);
      even(4);
      odd(2);
      break;
    default:
      return -1;
  }
  steps(1);
  RETURN(steps(5) - 5);
}
