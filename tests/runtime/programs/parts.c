/* An entry with a part in another unit or in a shared object, called by program.c or agent.c. */
#include "jcprof.h"

int part(int n);
int work(int n);

#if JCPROF_LIVE
#define work jcprof_body_work
JCPROF_BODY static int work(int);
#endif
int work(int n) {
  JCPROF_TRAP(10);
  n = part(n) + part(n);
  JCPROF_TRAP(11);
  return n;
}
#if JCPROF_LIVE
#undef work
int work(int jcprof_1) {
  JCPROF_ROOT(int);
  return jcprof_body_work(jcprof_1);
}
#endif
