/* A child of fork, one of vfork, one that becomes another program, and that in the end. */
#include "jcprof.h"

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int wait_for(int child) {
  int status = 0;
  waitpid(child, &status, 0);
  return WEXITSTATUS(status);
}

int main(int argc, char** argv) {
  int child, statuses = 0;
  if (argc > 1) {
    JCPROF_TRAP(99);
    return 7;
  }
  JCPROF_TRAP(1);
  child = fork();
  if (child == 0) {
    JCPROF_TRAP(20);
    JCPROF_TRAP(21);
    _exit(5);
  }
  statuses += wait_for(child);
  JCPROF_TRAP(2);
  child = vfork();
  if (child == 0) {
    JCPROF_TRAP(30);
    _exit(6);
  }
  statuses += wait_for(child);
  JCPROF_TRAP(3);
  child = fork();
  if (child == 0) {
    execl(argv[0], argv[0], "again", (char*)NULL);
    _exit(100);
  }
  statuses += wait_for(child);
  JCPROF_TRAP(4);
  printf("%d %d\n", getpid(), statuses);
  fflush(stdout);
  execl(argv[0], argv[0], "again", (char*)NULL);
  return 100;
}
