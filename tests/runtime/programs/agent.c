/* An agent that calls work(3): unarmed, traced, and stopped at each event of the path for so many times.
   agent ROUNDS FROM ROOM */
#include "jcprof.h"

#include <stdio.h>
#include <stdlib.h>

int work(int n);

static jcprof_u32 path[1000];
static jcprof_u32 window[1000];
static struct jcprof_run run;

static unsigned hit_of(unsigned event) {
  unsigned hit = 0;
  unsigned i;
  for (i = 0; i <= event; i++) hit += path[i] == path[event];
  return hit;
}

static void trace(jcprof_u64 from, jcprof_u32 *ids, jcprof_u64 room) {
  jcprof_u64 i;
  int result;
  jcprof_arm_trace(&run, from, ids, room);
  result = work(3);
  printf("result %d, %lu events, before %08lx, all %08lx:", result, (unsigned long)run.head.events,
         (unsigned long)run.head.before, (unsigned long)run.head.all);
  for (i = 0; i < jcprof_in_window(&run.head); i++) printf(" %lu", (unsigned long)ids[i]);
  printf("\n");
}

int main(int count, char **arguments) {
  unsigned rounds;
  unsigned events;
  unsigned event;
  unsigned wrong = 0;
  if (count != 4) return 2;
  printf("result %d\n", work(3));
  trace(0, path, 1000);
  events = (unsigned)run.head.events;
  trace((jcprof_u64)atol(arguments[2]), window, (jcprof_u64)atol(arguments[3]));
  for (rounds = (unsigned)atol(arguments[1]); rounds > 0; rounds--) {
    for (event = 0; event < events; event++) {
      jcprof_arm(&run, path[event], hit_of(event));
      wrong += work(3) != 0 || run.head.trap != path[event] || run.head.hit != hit_of(event);
    }
  }
  printf("%u wrong stops\n", wrong);
  jcprof_arm(&run, path[0], 1000);
  printf("result %d", work(3));
  printf(", trap %lu\n", (unsigned long)run.head.trap);
  jcprof_arm(&run, 0, 1);
  printf("result %d", work(3));
  printf(", trap %lu\n", (unsigned long)run.head.trap);
  printf("%lu and ", (unsigned long)jcprof_calibrate_root(0, 5));
  printf("%lu calibrated stops\n", (unsigned long)jcprof_calibrate_root(1, 5));
  printf("result %d\n", work(3));
  return 0;
}
