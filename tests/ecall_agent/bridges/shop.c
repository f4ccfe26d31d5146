/* SPDX-License-Identifier: Apache-2.0 */
/* A bridge by hand: the ecall is a plain function of this file with traps from jcprof.h. FAULT is what a stop, or the
   ecall by itself, does wrong. Its path: 1, 2, then 3 and 4 for each unit of work, 5, 6. At 4 it holds what it took. */
#include "templates/jcprof.h"
#include "templates/jcprof_plugin.h"
#include "tests/support/virtual_time.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef __cplusplus
#include <stdexcept>
#endif

#define NONE 0
#define LEAK 1     /* what is held is never given back: then the answer is another one, */
#define LEAK_END 2 /* or it aborts, */
#define LEAK_LIE 3 /* or it goes on without, by another way that passes the later traps */
#define MUTEX 4    /* stays locked: the next one waits for ever */
#define ABORT 5    /* the next one finds what was not given back, and aborts, */
#define WRITE 6    /* or writes to where something was, */
#define THROW 7    /* or throws */
#define SPIN 8     /* trap 5 cannot be stopped at: it never returns, */
#define CRASH 9    /* or crashes */
#define WEAR 10    /* each stop makes it slower */
#define NEVER 11   /* it crashes when it is called */
#define NO_LOAD 12 /* there is no enclave to be had */
#define ONE_LOAD 13 /* there is one a process */
#define FICKLE 14  /* the answer is another one each time */
#define LOCKED_IN 15 /* unloading waits for what a stop holds */
#define NO_PREPARE 16
#define EMPTY_INPUT 17
#define FOREIGN_TLS 18 /* its thread-local storage is the host's */
#define NO_STOPS 19 /* it is of a time when stops were not calibrated */

#ifndef FAULT
#define FAULT NONE
#endif
#ifndef FLAGS
#define FLAGS 0
#endif
#ifndef VERSION
#define VERSION JCPROF_PLUGIN_VERSION
#endif
#ifndef ECALLS
#define ECALLS "ecall_work"
#endif

static struct jcprof_run run;
static struct jcprof_window *window;

#define PASS(id)                                                   \
  do {                                                             \
    if (window != JCPROF_NULL_) window->last = (id);               \
    JCPROF_TRAP(id);                                               \
  } while (0)

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int held;
static int calls;
static int loads;

static unsigned char input_bytes[64];
static size_t input_size;
static unsigned char output_byte;
static uint32_t result;

static volatile uintptr_t nowhere = 64;

/* So much that what really passes is small, on a busy machine too. */
static void spend(int milliseconds) { pass_time(milliseconds * INT64_C(1000000)); }

static int take(void) {
  if ((FAULT == LEAK || FAULT == LEAK_END || FAULT == LEAK_LIE) && held == 40) {
    if (FAULT == LEAK_END) abort();
    return 0;
  }
  if (FAULT == MUTEX || FAULT == LOCKED_IN) pthread_mutex_lock(&lock);
  if (FAULT == ABORT && held != 0) abort();
  if (FAULT == WRITE && held != 0) *(volatile char *)nowhere = 1;
#ifdef __cplusplus
  if (FAULT == THROW && held != 0) throw std::runtime_error("not given back");
#endif
  held++;
  return 1;
}

static void give_back(void) {
  held--;
  if (FAULT == MUTEX || FAULT == LOCKED_IN) pthread_mutex_unlock(&lock);
}

static int wants_a_stop_at(jcprof_u32 trap) { return run.trap == trap; }

JCPROF_BODY static uint32_t body(void) {
  int i;
  int worn = held;
  PASS(1);
  PASS(2);
  if (FAULT == NEVER) abort();
  for (i = 0; i < (input_size > 0 ? input_bytes[0] : 3); i++) {
    PASS(3);
    if (take()) {
      spend(10);
      if (FAULT == WEAR) spend(20 * worn);
      PASS(4);
      give_back();
    } else if (FAULT == LEAK) {
      return 13;
    }
  }
  if (FAULT == SPIN && wants_a_stop_at(5)) {
    for (;;) pause();
  }
  if (FAULT == CRASH && wants_a_stop_at(5)) *(volatile char *)nowhere = 1;
  PASS(5);
  output_byte = (unsigned char)(FAULT == FICKLE ? ++calls : 7);
  PASS(6);
  return 42;
}

static uint32_t ecall_work(void) {
  JCPROF_ROOT(uint32_t);
  return body();
}

static int load(void) {
  if (FAULT == NO_LOAD || (FAULT == ONE_LOAD && loads > 0)) return 7;
  loads++;
  held = 0;
  calls = 0;
  printf("loaded\n");
  return 0;
}

static void unload(void) {
  if (FAULT == LOCKED_IN) pthread_mutex_lock(&lock);
}

static int control(uint32_t verb, struct jcprof_window *to) {
  struct jcprof_head *head = (struct jcprof_head *)(void *)to;
  if (FAULT == FOREIGN_TLS) {
    to->fault = 1;
    return 0;
  }
  if (verb == JCPROF_PLUGIN_RETURNED || verb == JCPROF_PLUGIN_STOP) {
    to->trap = FAULT != NO_STOPS && jcprof_calibrate_root(verb == JCPROF_PLUGIN_STOP, to->passes) > 0;
    return 0;
  }
  if (verb != JCPROF_PLUGIN_ARM) {
    jcprof_calibrate((enum jcprof_calibration)(verb - JCPROF_PLUGIN_EMPTY), to->passes);
    return 0;
  }
  jcprof_arm(&run, to->trap, to->hit);
  if (to->room > 0) jcprof_arm_trace(&run, to->from, (uint32_t *)(void *)(to + 1), to->room);
  to->trap = 0;
  to->hit = 0;
#ifdef BUILD
  to->build = BUILD;
#endif
  run.to = head;
  window = to;
  return 0;
}

static int prepare(uint32_t ecall, const unsigned char *input, size_t size) {
  if (ecall != 0 || FAULT == NO_PREPARE) return 8;
  input_size = size < sizeof input_bytes ? size : sizeof input_bytes;
  if (size > 0) memcpy(input_bytes, input, input_size);
  return 0;
}

static int call(void) {
  result = ecall_work();
  return 0;
}

static size_t reply(unsigned char *bytes, size_t room, uint32_t *status) {
  if (room > 0) bytes[0] = output_byte;
  *status = result;
  return 1;
}

static const char *why(int code) { return code == 7 ? "out of enclave memory" : "no such ecall"; }

#ifdef __cplusplus
extern "C"
#endif
const struct jcprof_bridge *jcprof_plugin(void) {
  static const char *const names[] = {ECALLS, JCPROF_NULL_};
  static const char *const notes[] = {"", "ecall_other gets null for host"};
  static const struct jcprof_bridge bridge = {VERSION, FLAGS, "a shop, no enclave", names, load, unload,
                                              control, prepare, call, reply, why, notes};
  return &bridge;
}
