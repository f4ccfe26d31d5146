/* Threads that come and go: record_threads ROUNDS AT_ONCE MARKS. Each marks its way from 1 on. The main thread passes a
   trap before, as that of a program with traps does: who comes while the log is opened loses events. */
#include "jcprof.h"

#include <pthread.h>
#include <stdlib.h>

#define MOST 64

static long marks;

static void* mark(void* nothing) {
  long i;
  for (i = 1; i <= marks; i++) JCPROF_MARK("step", i);
  return nothing;
}

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? atoi(argv[1]) : 1;
  const int at_once = argc > 2 ? atoi(argv[2]) : 1;
  pthread_t threads[MOST];
  int round, i;
  JCPROF_TRAP(1);
  marks = argc > 3 ? atol(argv[3]) : 1;
  for (round = 0; round < rounds; round++) {
    for (i = 0; i < at_once && i < MOST; i++) pthread_create(&threads[i], NULL, mark, NULL);
    for (i = 0; i < at_once && i < MOST; i++) pthread_join(threads[i], NULL);
  }
  return 0;
}
