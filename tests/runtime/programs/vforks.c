/* Children of vfork pass a trap of their parent's, in whose memory they run. */
#include "jcprof.h"

#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void) {
  pid_t child;
  int i;
  JCPROF_BEGIN(1);
  for (i = 0; i < 3; i++) {
    child = vfork();
    JCPROF_TRAP(2);
    if (child == 0) _exit(0);
    waitpid(child, NULL, 0);
  }
  JCPROF_TRAP(3);
  printf("parent\n");
  return 0;
}
