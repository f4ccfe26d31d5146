/* Two threads pass the same traps; one is armed. The agent is the main thread. */
#include "jcprof.h"

#include <pthread.h>
#include <stdio.h>

static int loop(int n) {
  int i, sum = 0;
  for (i = 0; i < n; i++) {
    JCPROF_TRAP(2);
    sum += i;
  }
  JCPROF_TRAP(3);
  return sum;
}

static void *others(void *sum) {
  *(int *)sum = loop(1000);
  return sum;
}

int main(void) {
  pthread_t thread;
  int sum = 0;
  JCPROF_BEGIN(1);
  if (pthread_create(&thread, 0, others, &sum) != 0) return 2;
  pthread_join(thread, 0);
  printf("%d\n", sum);
  fflush(stdout);
  printf("%d\n", loop(3));
  return 0;
}
