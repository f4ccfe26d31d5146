/* An entry that is left by the caller's own longjmp: what was armed is over with it, though nobody told the runtime. */
#include "jcprof.h"

#include <setjmp.h>
#include <stdio.h>

int work(int n);
void last(int *n);

static jmp_buf out;
static struct jcprof_run run;

#define work jcprof_body_work
JCPROF_BODY static int work(int);
int work(int n) {
  JCPROF_TRAP(1);
  if (n == 0) longjmp(out, 1);
  JCPROF_TRAP(2);
  return n;
}
#undef work
int work(int jcprof_1) {
  JCPROF_ROOT(int);
  return jcprof_body_work(jcprof_1);
}

#define last jcprof_body_last
JCPROF_BODY static void last(int *);
void last(int *n) {
  ++*n;
  JCPROF_TRAP(3);
}
#undef last
void last(int *jcprof_1) {
  JCPROF_ROOT_VOID;
  jcprof_body_last(jcprof_1);
}

int main(void) {
  int n = 0;
  jcprof_arm(&run, 2, 1);
  if (setjmp(out) == 0) work(0);
  printf("left, trap %lu\n", (unsigned long)run.head.trap);
  JCPROF_TRAP(2);
  printf("passed in no root\n");
  jcprof_arm(&run, 2, 1);
  if (setjmp(out) == 0) work(0);
  printf("again %d", work(5));
  printf(", trap %lu\n", (unsigned long)run.head.trap);
  jcprof_arm(&run, 2, 1);
  printf("armed anew %d", work(5));
  printf(", trap %lu\n", (unsigned long)run.head.trap);
  jcprof_arm(&run, 3, 1);
  last(&n);
  printf("at the end %d, trap %lu\n", n, (unsigned long)run.head.trap);
  return 0;
}
