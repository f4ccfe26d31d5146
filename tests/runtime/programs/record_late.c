/* Waits, works for 30 ms, and waits again for as long. */
#define _GNU_SOURCE
#include "jcprof.h"

#include <time.h>

static void rest(void) {
  const struct timespec time = {0, 30 * 1000 * 1000};
  nanosleep(&time, NULL);
}

static double worked(void) {
  struct timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

int main(void) {
  double end;
  JCPROF_TRAP(1);
  rest();
  JCPROF_TRAP(2);
  end = worked() + 30;
  while (worked() < end) continue;
  JCPROF_TRAP(3);
  rest();
  JCPROF_MARK("behind", 1);
  JCPROF_TRAP(4);
  return 0;
}
