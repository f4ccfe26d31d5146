/* Work of known ratio per line, with traps set by hand: each pass of spin() takes the same time. */
#include <stddef.h>

#include "jcprof_tree.h"

static volatile unsigned sink;

static void spin(unsigned units) {
  unsigned long pass, passes = units * 500000ul;
  for (pass = 0; pass < passes; pass++) sink = sink * 5u + 1u;
}

static int descend(unsigned depth) {
  JCPROF_TRAP(3);
  spin(1);
  JCPROF_TRAP(4);
  if (depth > 0) {
    JCPROF_TRAP(5);
    descend(depth - 1);
  }
  JCPROF_TRAP(6);
  return 0;
}

#ifdef IN_PROCESS
static int body(const unsigned char *input, size_t size) JCPROF_BODY;
int known_work(const unsigned char *input, size_t size) {
  JCPROF_ROOT(int);
  return body(input, size);
}
static int body(const unsigned char *input, size_t size)
#else
int main(void)
#endif
{
  int i;
  JCPROF_BEGIN(1);
  JCPROF_TRAP(2);
  spin(4);
  JCPROF_TRAP(7);
  spin(8);
  JCPROF_TRAP(8);
  spin(16);
  JCPROF_TRAP(9);
  for (i = 0; i < 4; i++) {
    JCPROF_TRAP(10);
    spin(2);
  }
  JCPROF_TRAP(11);
  descend(3);
  JCPROF_TRAP(12);
#ifdef IN_PROCESS
  (void)input, (void)size;
#endif
  return 0;
}
