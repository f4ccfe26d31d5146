/* A clock of the program's own, that stands, leaps and steps back. Prints how often it was read. */
static unsigned long ticks = 1000;
static int reads;

static unsigned long read_clock(void) {
  reads++;
  return ticks;
}

#define JCPROF_CLOCK read_clock()
#include "jcprof.h"

#include <stdio.h>

int main(void) {
  JCPROF_TRAP(1);
  ticks += 5;
  JCPROF_TRAP(2);
  ticks += (1ul << 40) - 6;
  JCPROF_TRAP(3);
  ticks += 1;
  JCPROF_TRAP(4);
  ticks += 1ul << 50;
  JCPROF_TRAP(5);
  ticks -= 1ul << 45;
  JCPROF_TRAP(6);
  JCPROF_MARK("back", 7);
  ticks -= 1;
  JCPROF_MARK("further back", 8);
  printf("%d\n", reads);
  return 0;
}
