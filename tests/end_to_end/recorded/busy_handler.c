/* A handler that makes far more calls than fit between two others: it interrupts calls that are being
 * recorded. */
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/time.h>

static volatile long sum;

__attribute__((noinline)) static void step(void) {
  sum++;
}

static void on_tick(int number) {
  int i;
  (void)number;
  for (i = 0; i < 2000; i++) step();
}

int main(void) {
  struct sigaction action;
  struct itimerval every = {{0, 2000}, {0, 2000}};
  long i;
  memset(&action, 0, sizeof action);
  action.sa_handler = on_tick;
  action.sa_flags = SA_RESTART;
  sigaction(SIGALRM, &action, NULL);
  setitimer(ITIMER_REAL, &every, NULL);
  for (i = 0; i < 10000000; i++) step();
  return 0;
}
