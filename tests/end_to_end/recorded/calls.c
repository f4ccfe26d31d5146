/* SPDX-License-Identifier: Apache-2.0 */
/* A program whose events are known: compiled with -finstrument-functions, of which `work` and what it calls
 * are seen. */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define UNSEEN __attribute__((no_instrument_function))

static long calls;
static long calls_between_rests;

UNSEEN static void rest(void) {
  const struct timespec millisecond = {0, 1000000};
  nanosleep(&millisecond, NULL);
}

__attribute__((noinline)) void leaf(long i) {
  __asm__ volatile("" : : "r"(i));
  if (calls_between_rests != 0 && i % calls_between_rests == 0) rest();
}

/* 2 + 2 * calls events. */
__attribute__((noinline)) void* work(void* unused) {
  for (long i = 1; i <= calls; i++) leaf(i);
  return unused;
}

__attribute__((noinline)) void crash(void) {
  leaf(1);
  raise(SIGSEGV);
}

__attribute__((noinline)) void leave(int status) {
  exit(status);
}

UNSEEN static void run_threads(int threads, int at_once) {
  pthread_t running[64];
  for (int begun = 0; begun < threads; begun += at_once) {
    for (int i = 0; i < at_once; i++) pthread_create(&running[i], NULL, work, NULL);
    for (int i = 0; i < at_once; i++) pthread_join(running[i], NULL);
  }
}

UNSEEN static void wait_for(const char* file) {
  while (access(file, F_OK) != 0) rest();
}

static volatile sig_atomic_t heard;
UNSEEN static void hear(int signal) {
  heard = signal;
}

/* Says what it hears, and ends with 40 + the signal. */
UNSEEN static int listen_for_signals(void) {
  signal(SIGINT, hear);
  signal(SIGTERM, hear);
  puts("ready");
  fflush(stdout);
  while (heard == 0) rest();
  printf("heard %d\n", (int)heard);
  return 40 + heard;
}

UNSEEN static int copy_input(void) {
  char bytes[4096];
  size_t count;
  while ((count = fread(bytes, 1, sizeof bytes, stdin)) != 0) fwrite(bytes, 1, count, stdout);
  fputs("to stderr\n", stderr);
  work(NULL);
  return 7;
}

/* A child in our memory takes chunks, and is gone when we go on in the last one. */
UNSEEN static void work_behind_child(void) {
  work(NULL);
  if (vfork() == 0) {
    work(NULL);
    _exit(0);
  }
}

UNSEEN int main(int count, char** arguments) {
  const char* const verb = arguments[1];
  calls = count > 2 ? atol(arguments[2]) : 10;
  if (strcmp(verb, "work") == 0) work(NULL);
  if (strcmp(verb, "slowly") == 0) {
    calls_between_rests = 10000;
    work(NULL);
  }
  if (strcmp(verb, "threads") == 0) run_threads(atoi(arguments[3]), atoi(arguments[4]));
  if (strcmp(verb, "crash") == 0) {
    work(NULL);
    crash();
  }
  if (strcmp(verb, "vfork") == 0) work_behind_child();
  if (strcmp(verb, "leave") == 0) leave(9);
  if (strcmp(verb, "copy") == 0) return copy_input();
  if (strcmp(verb, "become") == 0) { /* ./calls become N VERB M */
    work(NULL);
    arguments[2] = arguments[0];
    execv(arguments[0], arguments + 2);
  }
  if (strcmp(verb, "listen") == 0) return listen_for_signals();
  if (strcmp(verb, "thrice") == 0) { /* each time when the next file is there */
    for (int i = 3; i < 6; i++) {
      if (i < count) wait_for(arguments[i]);
      work(NULL);
      printf("worked %d\n", i - 2);
      fflush(stdout);
    }
  }
  return 0;
}
