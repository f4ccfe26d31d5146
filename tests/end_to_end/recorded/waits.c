/* SPDX-License-Identifier: Apache-2.0 */
/* A hot function that works, and cold ones that are off their processor for much longer: waits MS OF WORK, MS OF WAIT.
   Compiled with -finstrument-functions. */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define UNSEEN __attribute__((no_instrument_function))

UNSEEN static void rest(long milliseconds) {
  const struct timespec time = {milliseconds / 1000, milliseconds % 1000 * 1000000};
  nanosleep(&time, NULL);
}

UNSEEN static double worked(void) {
  struct timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

__attribute__((noinline)) void step(void) {
  for (volatile int i = 0; i < 1000; i++) continue;
}

/* So long on a processor, however long that takes. */
__attribute__((noinline)) void hot(long milliseconds) {
  const double end = worked() + (double)milliseconds;
  while (worked() < end)
    for (volatile int i = 0; i < 20000; i++) continue;
}

/* As a processor that others have. */
__attribute__((noinline)) void preempted(long milliseconds) {
  const pid_t self = getpid();
  const pid_t child = fork();
  if (child == 0) {
    rest(milliseconds);
    kill(self, SIGCONT);
    _exit(0);
  }
  raise(SIGSTOP);
  waitpid(child, NULL, 0);
}

__attribute__((noinline)) void blocked(long milliseconds) {
  rest(milliseconds);
}

UNSEEN static void* hold(void* milliseconds) {
  rest(*(const long*)milliseconds);
  return NULL;
}

__attribute__((noinline)) void joined(long milliseconds) {
  pthread_t other;
  pthread_create(&other, NULL, hold, &milliseconds);
  pthread_join(other, NULL);
}

__attribute__((noinline)) void work(long milliseconds, long wait) {
  preempted(wait);
  hot(milliseconds);
  blocked(wait);
  step();
  joined(wait);
}

UNSEEN int main(int count, char** arguments) {
  work(atol(arguments[1]), atol(arguments[2]));
  return count == 3 ? 0 : 1;
}
