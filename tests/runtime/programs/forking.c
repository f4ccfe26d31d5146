/* An entry that forks within, called in process: its child passes the parent's traps on. */
#include "jcprof.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

int work(int n);

#if JCPROF_LIVE
#define work jcprof_body_work
JCPROF_BODY static int work(int);
#endif
int work(int n) {
  int status = 0;
  pid_t child;
  JCPROF_TRAP_D(1);
  child = fork();
  if (child != 0) waitpid(child, &status, 0);
  JCPROF_TRAP(2);
  if (child == 0) _exit(n);
  return WEXITSTATUS(status);
}
#if JCPROF_LIVE
#undef work
int work(int jcprof_1) {
  JCPROF_ROOT(int);
  return jcprof_body_work(jcprof_1);
}
#endif

int main(void) {
  struct jcprof_run run;
  jcprof_u32 ids[9];
  const int before = getpid();
  int result;
  jcprof_arm(&run, 2, 1);
  result = work(42);
  if (getpid() != before) printf("a child came back\n");
  printf("%d, trap %u\n", result, (unsigned)run.head.trap);
  jcprof_arm_trace(&run, 0, ids, 9);
  result = work(42);
  printf("%d, %u events\n", result, (unsigned)run.head.events);
  return 0;
}
