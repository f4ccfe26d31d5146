/* A clock_gettime of the program's own. "traps": it has a trap. It leaps by ten minutes, and forks once.
   "busy K": its K-th reading for a late event passes 3000 traps. It prints how many traps there were.
   "threads": it stands, for whoever calibrates, until another thread has begun its chunk. */
#define _GNU_SOURCE
#include "jcprof.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int has_traps, waits, forks, leap, asked, begun, busy_in;
static pid_t child = -1;

int clock_gettime(clockid_t clock, struct timespec *time) {
  const int status = (int)syscall(SYS_clock_gettime, clock, time);
  int i;
  if (has_traps) JCPROF_TRAP(9);
  if (busy_in > 0 && --busy_in == 0)
    for (i = 0; i < 3000; i++) JCPROF_TRAP(9);
  time->tv_sec += leap;
  if (forks) {
    forks = 0;
    child = fork();
  }
  if (waits && !__atomic_exchange_n(&asked, 1, __ATOMIC_SEQ_CST))
    while (!__atomic_load_n(&begun, __ATOMIC_SEQ_CST)) usleep(1000);
  return status;
}

/* Longer than any late event needs. */
static void rest(void) { usleep(100 * 1000); }

static int with_traps(void) {
  int status = 0;
  has_traps = 1;
  JCPROF_TRAP(1);
  rest();
  JCPROF_TRAP(2);
  leap = 600;
  rest();
  JCPROF_TRAP(3);
  forks = 1;
  rest();
  JCPROF_TRAP(4);
  if (child != 0) {
    waitpid(child, &status, 0);
    rest();
  }
  JCPROF_TRAP(child == 0 ? 6 : 5);
  return status;
}

static int with_busy_clock(int reading) {
  int i;
  JCPROF_TRAP(1);
  for (i = 0; i < 600; i++) JCPROF_TRAP(2);
  leap = 600;
  busy_in = reading;
  for (i = 0; i < 600; i++) JCPROF_TRAP(3);
  printf("%d\n", 1 + 2 * 600 + (busy_in == 0 ? 3000 : 0));
  return 0;
}

static void *begin_meanwhile(void *unused) {
  while (!__atomic_load_n(&asked, __ATOMIC_SEQ_CST)) usleep(1000);
  JCPROF_TRAP(2);
  __atomic_store_n(&begun, 1, __ATOMIC_SEQ_CST);
  rest();
  rest();
  JCPROF_TRAP(3);
  rest();
  JCPROF_TRAP(4);
  return unused;
}

static int with_threads(void) {
  pthread_t other;
  pthread_create(&other, NULL, begin_meanwhile, NULL);
  JCPROF_TRAP(1);
  pthread_join(other, NULL);
  return 0;
}

int main(int argc, char **argv) {
  if (argc > 2) return with_busy_clock(atoi(argv[2]));
  waits = argc > 1 && strcmp(argv[1], "threads") == 0;
  return waits ? with_threads() : with_traps();
}
