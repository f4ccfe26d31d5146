/* SPDX-License-Identifier: Apache-2.0 */
/* Preloaded into the programs of a test: clocks go on as ever, and jump where a program of the test says that it has
   worked (tests/support/virtual_time.h), and where jcprof pauses between commands. Each look takes 20 us, so that a
   program that waits awake does not wait long. A JVM keeps its own time, by which its threads wait. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <string.h>
#include <time.h>

#include "tests/support/virtual_time.h"

static const int64_t ns_of_look = 20000;
static volatile int64_t *passed;
static int pauses_pass;
static int (*real_time)(clockid_t, struct timespec *);
static int (*real_pause)(const struct timespec *, struct timespec *);

__attribute__((constructor)) static void find_clocks(void) {
  *(void **)&real_time = dlsym(RTLD_NEXT, "clock_gettime");
  *(void **)&real_pause = dlsym(RTLD_NEXT, "nanosleep");
  if (strncmp(program_invocation_short_name, "java", 4) != 0) passed = virtual_time();
  /* An agent that sleeps watches a command, and must not add to its time. */
  pauses_pass = passed != NULL && strcmp(program_invocation_short_name, "jcprof") == 0;
}

int clock_gettime(clockid_t clock, struct timespec *now) {
  const int result = real_time(clock, now);
  if (passed != NULL && (clock == CLOCK_MONOTONIC || clock == CLOCK_THREAD_CPUTIME_ID)) {
    const int64_t ns = now->tv_nsec + __atomic_add_fetch(passed, ns_of_look, __ATOMIC_SEQ_CST);
    now->tv_sec += ns / 1000000000;
    now->tv_nsec = ns % 1000000000;
  }
  return result;
}

int nanosleep(const struct timespec *asked, struct timespec *left) {
  if (!pauses_pass) return real_pause(asked, left);
  *passed += asked->tv_sec * INT64_C(1000000000) + asked->tv_nsec;
  return 0;
}
