/* Marks and pauses. */
#include "jcprof.h"

static void session(unsigned size) {
  JCPROF_MARK("session", size);
  JCPROF_TRAP(5);
}

int main(void) {
  const char zero = 0;
  JCPROF_TRAP(1);
  session(17);
  JCPROF_MARK("a pause", zero);
  JCPROF_PAUSE();
  JCPROF_PAUSE();
  JCPROF_TRAP(2);
  session(18);
  JCPROF_RESUME();
  JCPROF_RESUME();
  session(19);
  JCPROF_MARK("session", -1);
  JCPROF_TRAP(3);
  return 0;
}
