/* A handler that records, before each instruction or each so-manieth: record_steps EACH MARKS [BEFORE FROM].
   BEFORE traps run ahead of the first step, and the handler records from step FROM on. Prints how many events there
   were. */
#include "jcprof.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static volatile long steps, recorded;
static volatile int is_on;
static long each, from;

static void handle(int number) {
  (void)number;
  if (!is_on || ++steps % each != 0 || steps < from) return;
  recorded++;
  JCPROF_TRAP(2);
}

static void step(int on) {
  is_on = on;
  if (on) {
    __asm__ __volatile__("subq $128, %%rsp\n\tpushfq\n\torq $0x100, (%%rsp)\n\tpopfq\n\taddq $128, %%rsp"
                         :
                         :
                         : "memory", "cc");
  } else {
    __asm__ __volatile__("subq $128, %%rsp\n\tpushfq\n\tandq $~0x100, (%%rsp)\n\tpopfq\n\taddq $128, %%rsp"
                         :
                         :
                         : "memory", "cc");
  }
}

int main(int argc, char** argv) {
  struct sigaction action;
  long i, marks, before;
  each = argc > 1 ? atol(argv[1]) : 1;
  marks = argc > 2 ? atol(argv[2]) : 1;
  before = argc > 3 ? atol(argv[3]) : 1;
  from = argc > 4 ? atol(argv[4]) : 1;
  memset(&action, 0, sizeof action);
  action.sa_handler = handle;
  sigaction(SIGTRAP, &action, NULL);
  for (i = 0; i < before; i++) JCPROF_TRAP(1);
  step(1);
  for (i = 1; i <= marks; i++) {
    JCPROF_MARK("step", i);
    JCPROF_TRAP(1);
  }
  step(0);
  printf("%ld\n", before + 2 * marks + recorded);
  return 0;
}
