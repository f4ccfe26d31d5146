/* SPDX-License-Identifier: Apache-2.0 */
/* Each function moves control another way in C. Its steps stand where its statements begin. */
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>

#include "../device/steps.h"

static jmp_buf landing;
static sigjmp_buf handled;
static volatile int caught;

static int plain(int n) {
  steps(n);
  return steps(2);
}

static int doubled(int n) { return 2 * plain(n) + steps(1); }

static int loops(int n) {
  int total = 0, i;
  for (i = 0; i < n; i += steps(1)) { /* not by line */
    if (i == 1) continue;            /* not by line: what follows it in the loop's head is its own */
    if (i == 5) break;
    total += steps(2);
  }
  while (steps(3) + total < 20) total += steps(4);
  do { /* not by line */
    steps(5);
    if (i == 4) continue; /* not by line */
    steps(2);
  } while (steps(1) + --i > 2); /* not by line: the statement begins above */
  for (i = steps(4); plain(1) && i > 0; i -= steps(1))
    for (int j = 0; j < 2; j++) steps(7);
  return total;
}

static int passes_often(void) {
  int total = 0;
  for (int i = 0; i < 40; i++) {
    total += steps(2);
    steps(3);
  }
  return total;
}

static int falls_through(int n) {
  int total = 0;
  switch (steps(1) + n) {
    case 1:
      total += steps(2);
      /* fall through */
    case 2:
      total += steps(3);
      break;
    case 3: {
      total += steps(4);
      break;
    }
    default:
      total += steps(7);
      /* fall through */
    case 9:
      total += plain(1);
  }
  switch (n)
    case 0:
      total += steps(11);
  return total;
}

static int duff(int n) {
  int passes = (n + 3) / 4;
  switch (n % 4) {
    case 0:
      do {
        steps(1);
    case 3:
        steps(2);
    case 2:
        steps(3);
    case 1:
        steps(4);
      } while (--passes > 0);
  }
  return passes;
}

static int leaves_early(int n) {
  if (n == 0) return steps(3);
  if (steps(1) && n == 1) return plain(4) + steps(5);
  else if (steps(2) + n > 5) steps(1);
  else return plain(steps(2));
  if (n > 100) {
    steps(1);
    return 0;
  }
  return steps(10);
}

static int conditions(int n) {
  int total = n > 1 ? steps(2) : plain(3);
  total += (steps(1) && plain(1)) || steps(100);
  total += steps(1), total += steps(2);
  if (n > 1 && steps(3) == 3 && plain(1) == 2) total++;
  return n > 1 ? plain(2) : steps(5);
}

static int nested_calls(int n) {
  return plain(plain(plain(n) + steps(1)) + doubled(steps(2)));
}

static int falls(int n) {
  steps(1);
  if (n < 2) return steps(2);
  return falls(n - 1) + falls(n - 2) + steps(1);
}

static int odd(int n);

static int even(int n) {
  steps(2);
  return n == 0 ? steps(1) : odd(n - 1);
}

static int odd(int n) {
  if (steps(3) && n == 0) return 0;
  return even(n - 1);
}

static int tail(int n) {
  if (n == 0) return steps(1);
  steps(2);
  return tail(n - 1);
}

static int jumps(int n) {
  int i = 0, j;
again:
  steps(1);
  if (++i < 3) goto again;
  for (j = 0; j < 4; j++) {
    while (1) {
      steps(2);
      if (i++ > 5) goto out;
      if (i % 2) break;
    }
    steps(3);
  }
  steps(100);
out:
  steps(4);
  goto end;
end:
  return steps(n);
}

static int computed_jumps(int n) {
  static const void *const places[] = {&&first, &&second, &&last};
  goto *places[n % 2];
first:
  steps(1);
second:
  steps(2);
  goto *places[2];
last:
  return steps(3);
}

static void leaps(int n) {
  steps(1);
  if (n == 0) longjmp(landing, steps(2));
  leaps(n - 1);
  steps(100);
}

static int lands(void) {
  int leapt = setjmp(landing);
  if (leapt == 0) {
    steps(3);
    leaps(3);
    steps(100);
  }
  steps(4);
  return leapt + plain(1);
}

static int compare(const void *left, const void *right) {
  steps(1);
  return *(const int *)left - *(const int *)right;
}

static int sorts(void) {
  int values[] = {5, 3, 9, 1, 7, 2};
  steps(1);
  qsort(values, 6, sizeof(values[0]), compare);
  steps(2);
  return *(int *)bsearch(&values[3], values, 6, sizeof(values[0]), compare) + steps(3);
}

static void handles(int signal) {
  caught = signal;
  steps(5);
}

static void handles_and_leaps(int signal) {
  steps(6);
  siglongjmp(handled, signal);
}

static int signals(void) {
  signal(SIGUSR1, handles);
  signal(SIGUSR2, handles_and_leaps);
  steps(1);
  raise(SIGUSR1);
  steps(2);
  if (sigsetjmp(handled, 1) == 0) {
    steps(3);
    raise(SIGUSR2);
    steps(100);
  }
  steps(4);
  return caught;
}

static int expressions(int n) {
  int total = ({ int t = steps(2); t + plain(n); });
  return total + steps(1);
}

static int through_pointer(int (*f)(int), int n) {
  int (*const table[])(int) = {f, doubled};
  steps(1);
  return f(n) + (*table[1])(1) + (n > 1 ? plain : doubled)(3);
}

struct both {
  int a, b[2];
};

static int variable_length(int n) { /* not by line */
  int values[steps(2) + n];         /* not by line: a declaration without a value has no trap */
  values[0] = steps(1);
  struct both both = {steps(1), {plain(1), steps(2)}};
  return values[0] + both.b[1];
}

static int else_ifs(int n) {
  if (steps(1) > n) steps(10);
  else if (steps(2) > n) steps(11);
  else if (steps(3) > n) steps(12);
  else steps(13);
  if (n)
    if (n > 5) steps(1);
    else steps(2);
  return 0;
}

static void nothing_but_a_call(void) { plain(1); }

static void returns_void(int n) {
  steps(1);
  if (n > 0) return;
  steps(2);
}

/* Without traps: its steps count for who calls. */
static int unseen(int n) { return steps(3) + plain(n); } /* no traps */

static int calls_unseen(void) {
  steps(1);
  unseen(2);
  return unseen(1) + steps(2);
}

int exact(int group) {
  steps(1);
  switch (group) {
    case 0:
      loops(8);
      passes_often();
      duff(7);
      computed_jumps(0);
      computed_jumps(1);
      jumps(1);
      break;
    case 1:
      for (int i = 0; i < 5; i++) falls_through(i);
      for (int i = 0; i < 5; i++) leaves_early(i * i);
      for (int i = 0; i < 4; i++) else_ifs(i * 2);
      nothing_but_a_call();
      returns_void(0);
      returns_void(1);
      break;
    case 2:
      conditions(1);
      conditions(2);
      nested_calls(1);
      falls(4);
      even(5);
      tail(4);
      break;
    case 3:
      lands();
      sorts();
      signals();
      calls_unseen();
      break;
    case 4:
      expressions(1);
      through_pointer(plain, 2);
      variable_length(3);
      break;
    default:
      return -1;
  }
  return steps(5) - 5;
}
