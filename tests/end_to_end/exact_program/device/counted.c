/* SPDX-License-Identifier: Apache-2.0 */
#include <pthread.h>
#include <stdlib.h>

#include "steps.h"

static unsigned long taken;

int steps(int n) {
  __atomic_fetch_add(&taken, (unsigned long)n, __ATOMIC_SEQ_CST);
  return n;
}

int pure_steps(int n) { return steps(n); }

unsigned long steps_taken(void) {
  return __atomic_load_n(&taken, __ATOMIC_SEQ_CST);
}

static void *worker(void *work) {
  (*(void (**)(void))work)();
  return NULL;
}

void on_thread(void (*work)(void)) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, worker, &work) != 0) abort();
  pthread_join(thread, NULL);
}
