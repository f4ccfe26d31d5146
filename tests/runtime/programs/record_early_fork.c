/* A child that is forked while another thread looks for the log, which the child never sees. */
#define _GNU_SOURCE
#include "jcprof.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char** environ;
static int looks, has_forked;

/* Instead of libc's: the runtime asks it where the log is. */
char* getenv(const char* name) {
  size_t length = strlen(name);
  char** at = environ;
  if (strcmp(name, "JCPROF_RECORD") == 0) {
    __atomic_store_n(&looks, 1, __ATOMIC_SEQ_CST);
    while (!__atomic_load_n(&has_forked, __ATOMIC_SEQ_CST)) usleep(1000);
  }
  for (; *at != NULL; at++)
    if (strncmp(*at, name, length) == 0 && (*at)[length] == '=') return *at + length + 1;
  return NULL;
}

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
  int child, status = 0;
  pthread_create(&thread, NULL, look, NULL);
  while (!__atomic_load_n(&looks, __ATOMIC_SEQ_CST)) usleep(1000);
  child = fork();
  if (child == 0) {
    const double begin = now();
    int i;
    for (i = 0; i < 1000; i++) JCPROF_TRAP(2);
    _exit(now() - begin < 10 ? 5 : 6); /* 200 s where each event waits */
  }
  __atomic_store_n(&has_forked, 1, __ATOMIC_SEQ_CST);
  waitpid(child, &status, 0);
  pthread_join(thread, NULL);
  JCPROF_TRAP(3);
  return WEXITSTATUS(status);
}
