/* A clock_gettime of the program's own. "traps": it has a trap. It leaps by ten minutes, and forks once.
   "threads": it stands, for whoever calibrates, until another thread has begun its chunk. */
#define _GNU_SOURCE
#include "jcprof.h"

#include <pthread.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int has_traps, forks, leap, asked, begun;
static pid_t child = -1;

int clock_gettime(clockid_t clock, struct timespec *time) {
  const int status = (int)syscall(SYS_clock_gettime, clock, time);
  if (has_traps) JCPROF_TRAP(9);
  time->tv_sec += leap;
  if (forks) {
    forks = 0;
    child = fork();
  }
  if (!has_traps && !__atomic_exchange_n(&asked, 1, __ATOMIC_SEQ_CST))
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
  return argc > 1 && strcmp(argv[1], "traps") == 0 ? with_traps() : with_threads();
}
