/* Handlers that record, whatever they interrupt: record_storm return|leap EVENTS. Prints how many events
   there were, and how many handlers ran. */
#include "jcprof.h"

#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

static volatile sig_atomic_t handled;
static volatile sig_atomic_t may_leap;
static sigjmp_buf out;

static void handle(int number) {
  int i;
  (void)number;
  handled++;
  for (i = 0; i < 3; i++) JCPROF_TRAP(2);
  if (may_leap) {
    may_leap = 0;
    siglongjmp(out, 1);
  }
}

int main(int argc, char** argv) {
  const int leaps = argc > 1 && strcmp(argv[1], "leap") == 0;
  const long least = argc > 2 ? atol(argv[2]) : 0;
  struct sigaction action;
  struct itimerval often;
  volatile long passed = 0;
  memset(&action, 0, sizeof action);
  memset(&often, 0, sizeof often);
  action.sa_handler = handle;
  sigaction(SIGALRM, &action, NULL);
  often.it_interval.tv_usec = often.it_value.tv_usec = 50;
  setitimer(ITIMER_REAL, &often, NULL);
  sigsetjmp(out, 1);
  while (passed < least || handled < 500) {
    may_leap = leaps;
    passed++;
    JCPROF_TRAP(1);
  }
  may_leap = 0;
  memset(&often, 0, sizeof often);
  setitimer(ITIMER_REAL, &often, NULL);
  printf("%ld %ld\n", passed + 3 * (long)handled, (long)handled);
  return 0;
}
