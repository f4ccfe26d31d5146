/* SPDX-License-Identifier: Apache-2.0 */
/* Each function is left behind its last statement: a variable of it is cleaned up there, or a macro returns. */
#include <setjmp.h>

#include "../device/steps.h"

#define WIPED __attribute__((cleanup(wipe)))
#define DROPPED __attribute__((__cleanup__(drop)))
#define RETURN_ABOVE(n, most) \
  if ((n) > (most)) return steps(n)

static jmp_buf landing;

static void wipe(int *n) { steps(*n); }

/* As a library's: its steps count for who leaves the scope. */
static void drop(const int *n) { steps(*n); } /* no traps */

static int plain(int n) {
  steps(n);
  return steps(2);
}

static void ends(void) {
  int n WIPED = 3;
  steps(1);
}

static void ends_silently(void) {
  const int n DROPPED = 4; /* not by line */
  steps(1);
} /* not by line: what is cleaned up says nothing */

static int returns_early(int n) {
  int outer WIPED = 2;
  if (n == 0) return steps(1);
  {
    int inner WIPED = 3;
    if (n == 1) return plain(inner) + steps(2);
    steps(1);
  }
  return plain(n) + outer;
}

static int returns_silently(int n) {
  steps(1);
  const int kept DROPPED = 5; /* not by line */
  if (n > 0) return kept; /* not by line */
  return plain(n);        /* not by line */
}                         /* not by line */

static int loops(void) {
  for (int i = 0; i < 4; i++) { /* not by line */
    int n WIPED = 2;
    if (i == 1) continue; /* not by line: what follows it in the head of the loop is its own */
    steps(n);
    if (i == 2) break;
  }
  return steps(1);
}

static int jumps(int n) {
again: {
  int outer WIPED = 1;
  if (n < 2) {
    int inner WIPED = 2;
    n += steps(1);
    if (n == 1) goto again;
    goto out;
  }
  steps(outer);
}
out:
  return plain(n);
}

static int recurses(int n) {
  int kept WIPED = n;
  if (n == 0) return steps(1);
  return recurses(n - 1) + steps(2);
}

static int hidden(int n) {
  RETURN_ABOVE(n, 2);
  return plain(n);
}

static int calls_hidden(void) {
  int total = hidden(3) + steps(4);
  total += hidden(1);
  return total + hidden(5) + steps(1);
}

static void leaps(int n) {
  int kept WIPED = 100; /* a leap leaves it */
  steps(1);
  if (n == 0) longjmp(landing, 1);
  leaps(n - 1);
}

static int lands(void) {
  int kept WIPED = 3;
  if (setjmp(landing) == 0) leaps(2);
  return plain(1);
}

int exact(int group) {
  int last WIPED = 2;
  switch (group) {
    case 0:
      ends();
      ends_silently();
      for (int i = 0; i < 3; i++) returns_early(i);
      returns_silently(0);
      returns_silently(1);
      loops();
      break;
    case 1:
      jumps(0);
      recurses(3);
      calls_hidden();
      lands();
      break;
    default:
      return -1;
  }
  return steps(5) - 5;
}
