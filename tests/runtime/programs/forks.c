/* A child of fork passes the parent's traps, and starts a program. */
#include "jcprof.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static void passes(int n) {
  int i;
  for (i = 0; i < n; i++) JCPROF_TRAP(2);
}

int main(void) {
  int status = 0;
  pid_t child;
  JCPROF_BEGIN(1);
  child = fork();
  if (child == 0) {
    passes(5);
    _exit(getenv("JCPROF_TRAP") == 0 && getenv("JCPROF_TRACE") == 0 ? 42 : 43);
  }
  waitpid(child, &status, 0);
  printf("child %d\n", WEXITSTATUS(status));
  fflush(stdout);
  passes(3);
  JCPROF_TRAP(3);
  printf("parent\n");
  return 0;
}
