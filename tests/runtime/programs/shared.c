/* Part of a shared object: it passes traps and knows nothing of who armed them. */
#include "jcprof.h"

__attribute__((visibility("default"))) int part(int n);

int part(int n) {
  JCPROF_TRAP(20);
  return n + 1;
}
