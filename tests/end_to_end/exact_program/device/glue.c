/* SPDX-License-Identifier: Apache-2.0 */
/* What the agent calls in the instrumented library. Each run is a child of its own: nothing that a stop leaves behind
   (exceptions under way, masked signals, locked initialisations) is there for the next one. */
#include <stdint.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "jcprof_tree.h"
#include "steps.h"

#define ROOM 65536

struct outcome {
  uint32_t trap; /* 0: it ended */
  uint32_t has_come_back;
  uint64_t hit;
  uint64_t ticks;
  uint64_t events, in_window; /* of a trace */
  uint32_t before;
  uint32_t status;
  uint32_t ids[ROOM];
};

static void run(int group, struct outcome *outcome, struct jcprof_run *armed) {
  const unsigned long begin = steps_taken();
  outcome->status = (uint32_t)exact(group);
  outcome->ticks = steps_taken() - begin;
  outcome->trap = armed->head.trap;
  outcome->hit = armed->head.hit;
  outcome->events = armed->head.events;
  outcome->in_window = jcprof_in_window(&armed->head);
  outcome->before = armed->head.before;
  outcome->has_come_back = 1;
}

/* Traces from the `from`-th event on where no hit is asked for. */
const struct outcome *agent_run(int group, uint32_t trap, uint64_t hit, uint64_t from) {
  static struct outcome *outcome;
  struct jcprof_run armed;
  if (outcome == NULL)
    outcome = mmap(NULL, sizeof(*outcome), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  outcome->has_come_back = 0;
  const pid_t child = fork();
  if (child == 0) {
    if (hit == 0)
      jcprof_arm_trace(&armed, from, outcome->ids, ROOM);
    else
      jcprof_arm(&armed, trap, hit);
    run(group, outcome, &armed);
    _exit(0);
  }
  waitpid(child, NULL, 0);
  return outcome;
}

uint64_t agent_calibrate(int kind, uint64_t passes) {
  const unsigned long begin = steps_taken();
  jcprof_calibrate((enum jcprof_calibration)kind, passes);
  return steps_taken() - begin;
}
