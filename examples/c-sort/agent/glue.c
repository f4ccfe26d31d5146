/* SPDX-License-Identifier: Apache-2.0 */
/* What the agent calls in the instrumented library: one run of the entry against the clock, or along its path. In C and not
   in Python, so that the clock is read next to the call; in the library, so that it arms the library's own traps. */
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "jcprof_tree.h"

#ifndef ENTRY
#define ENTRY sort_text
#endif
int ENTRY(const unsigned char *input, size_t size);

struct shot {
  uint32_t trap; /* asked for, and then what it stopped at; 0: none */
  uint64_t hit;
  int64_t delay_ns;
  int64_t ticks;
  int32_t status;
};

struct path {
  uint64_t from, room;
  uint32_t *ids;
  uint64_t in_window, events; /* the answer, and the signature */
  uint32_t before;
};

static int64_t read_clock(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

/* Processor time of this thread: whoever else runs on the machine is not in it. */
static int64_t now_ns(void) {
  return read_clock(CLOCK_THREAD_CPUTIME_ID);
}

void agent_shoot(struct shot *shot, const unsigned char *input, size_t size) {
  struct jcprof_run run;
  int64_t begin = read_clock(CLOCK_MONOTONIC) + shot->delay_ns;
  while (read_clock(CLOCK_MONOTONIC) < begin) {
  }
  jcprof_arm(&run, shot->trap, shot->hit);
  begin = now_ns();
  shot->status = ENTRY(input, size);
  shot->ticks = now_ns() - begin;
  shot->trap = run.head.trap;
  shot->hit = run.head.hit;
}

void agent_trace(struct path *path, const unsigned char *input, size_t size) {
  struct jcprof_run run;
  jcprof_arm_trace(&run, path->from, path->ids, path->room);
  ENTRY(input, size);
  path->in_window = jcprof_in_window(&run.head);
  path->events = run.head.events;
  path->before = run.head.before;
}

int64_t agent_calibrate(int counting, uint64_t passes) {
  const int64_t begin = now_ns();
  jcprof_calibrate(counting ? JCPROF_COUNTING : JCPROF_UNARMED, passes);
  return now_ns() - begin;
}
