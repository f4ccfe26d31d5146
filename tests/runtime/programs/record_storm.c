/* Handlers that record, whatever they interrupt: record_storm return|leap EVENTS. Prints how many events
   there were, and how many handlers ran. */
#include "jcprof.h"

#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static volatile sig_atomic_t handled;
static volatile sig_atomic_t may_leap;
static volatile sig_atomic_t is_over;
static sigjmp_buf out;
static timer_t storm;

/* One at a time: where handlers take longer than that, signals at an interval would leave the program no time. */
static void come_soon(void) {
  struct itimerspec soon;
  memset(&soon, 0, sizeof soon);
  soon.it_value.tv_nsec = 50 * 1000;
  timer_settime(storm, 0, &soon, NULL);
}

static void handle(int number) {
  int i;
  (void)number;
  if (is_over) return;
  handled++;
  for (i = 0; i < 3; i++) JCPROF_TRAP(2);
  come_soon();
  if (may_leap) {
    may_leap = 0;
    siglongjmp(out, 1);
  }
}

int main(int argc, char** argv) {
  const int leaps = argc > 1 && strcmp(argv[1], "leap") == 0;
  const long least = argc > 2 ? atol(argv[2]) : 0;
  struct sigaction action;
  struct sigevent event;
  volatile long passed = 0;
  memset(&action, 0, sizeof action);
  memset(&event, 0, sizeof event);
  action.sa_handler = handle;
  sigaction(SIGALRM, &action, NULL);
  event.sigev_notify = SIGEV_SIGNAL;
  event.sigev_signo = SIGALRM;
  if (timer_create(CLOCK_MONOTONIC, &event, &storm) != 0) return 1;
  come_soon();
  sigsetjmp(out, 1);
  while (passed < least || handled < 500) {
    may_leap = leaps;
    /* The thread sanitizer may swallow one. */
    if (++passed % 100000 == 0) come_soon();
    JCPROF_TRAP(1);
  }
  may_leap = 0;
  is_over = 1;
  printf("%ld %ld\n", passed + 3 * (long)handled, (long)handled);
  return 0;
}
