/* SPDX-License-Identifier: Apache-2.0 */
/* The program without jcprof: prints each step with the return addresses of all calls that are under way then, which the
   unwinder knows and no trap. */
#include <execinfo.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "steps.h"

#define DEEPEST 128

static void *waiting[DEEPEST];
static int waiting_depth;
static __thread int is_worker;

static void tell(int n, void **calls, int depth) {
  printf("%d", n);
  for (int i = 0; i < depth; i++) printf(" %p", calls[i]);
  printf("\n");
}

int steps(int n) {
  void *calls[DEEPEST];
  if (is_worker)
    tell(n, waiting, waiting_depth);
  else
    tell(n, calls, backtrace(calls, DEEPEST));
  return n;
}

int pure_steps(int n) {
  void *calls[DEEPEST];
  tell(n, calls, backtrace(calls, DEEPEST));
  return n;
}

static void *worker(void *work) {
  is_worker = 1;
  (*(void (**)(void))work)();
  return NULL;
}

void on_thread(void (*work)(void)) {
  pthread_t thread;
  waiting_depth = backtrace(waiting, DEEPEST);
  if (pthread_create(&thread, NULL, worker, &work) != 0) abort();
  pthread_join(thread, NULL);
}
