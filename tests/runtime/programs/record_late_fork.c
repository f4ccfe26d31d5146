/* A child that is forked while another thread waits for a log, and a thread with events meanwhile. */
#define _GNU_SOURCE
#include "jcprof.h"

#include <pthread.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void* look(void* nothing) {
  JCPROF_TRAP(1);
  return nothing;
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec + time.tv_nsec / 1e9;
}

int main(void) {
  pthread_t thread;
  double begin;
  int i, child, status = 0;
  pthread_create(&thread, NULL, look, NULL);
  usleep(100000);
  child = fork();
  if (child == 0) {
    JCPROF_TRAP(2);
    _exit(5);
  }
  begin = now();
  for (i = 0; i < 1000; i++) JCPROF_TRAP(3);
  if (now() - begin > 0.7) status = 1 << 8; /* it waits 0.2 s once */
  else waitpid(child, &status, 0);
  pthread_join(thread, NULL);
  return WEXITSTATUS(status);
}
