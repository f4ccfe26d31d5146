/* Every way in which C goes from one statement to another, as C90. */
#include "jcprof.h"

#include <setjmp.h>
#include <stdlib.h>

int work(int n);

static jmp_buf out;

static int factorial(int n) {
  int r;
  JCPROF_TRAP(20);
  if (n < 2) {
    JCPROF_TRAP(21);
    return 1;
  }
  r = n * factorial(n - 1);
  JCPROF_TRAP_V(22, r);
  return r;
}

static int by_value(const void *a, const void *b) {
  const int *left = (const int *)a;
  const int *right = (const int *)b;
  JCPROF_TRAP(30);
  return JCPROF_VALUE(int, 31, *left - *right);
}

static int fall(int n) {
  int r = 0;
  switch (n) {
    case 0:
      JCPROF_TRAP(40);
      r += 1;
      /* fall through */
    case 1:
      JCPROF_TRAP(41);
      r += 2;
      break;
    default:
      JCPROF_TRAP(42);
      r += 4;
  }
  JCPROF_TRAP(43);
  return r;
}

static int again(void) {
  int i = 0;
once_more:
  JCPROF_TRAP(50);
  if (++i < 3) goto once_more;
  JCPROF_TRAP(51);
  return i;
}

static int leap(int depth) {
  JCPROF_TRAP(60);
  if (depth == 0) longjmp(out, 7);
  return depth < 0 ? 0 : leap(depth - 1);
}

static int sign(int n) {
  JCPROF_TRAP_DV(70000, n);
  int r = 0;
  if (n < 0) {
    r = -1;
  } else if (JCPROF_TRAP_E(131071), n == 0) {
    r = 0;
  } else {
    JCPROF_TRAP(4294967295u);
    r = 1;
  }
  return r;
}

#if JCPROF_LIVE
#define work jcprof_body_work
JCPROF_BODY static int work(int);
#endif
int work(int n) {
  JCPROF_TRAP_D(1);
  volatile int sum = 0;
  int one[1];
  one[0] = n;
  JCPROF_TRAP(2);
  sum += factorial(n);
  JCPROF_TRAP(3);
  sum += bsearch(&n, one, 1, sizeof one[0], by_value) == one;
  JCPROF_TRAP(4);
  sum += fall(0) + fall(1) + fall(2);
  sum += again();
  JCPROF_TRAP(5);
  if (setjmp(out) == 0) {
    sum += leap(1);
  } else {
    JCPROF_TRAP(6);
    sum += 100;
  }
  sum += sign(-1);
  sum += sign(0);
  sum += sign(1);
  if (n == 3) sum += work(2);
  JCPROF_TRAP(7);
  return sum;
}
#if JCPROF_LIVE
#undef work
int work(int jcprof_1) {
  JCPROF_ROOT(int);
  return jcprof_body_work(jcprof_1);
}
#endif
