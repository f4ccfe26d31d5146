/* SPDX-License-Identifier: Apache-2.0 */
/* The ABI of a bridge: a shared object by which jcprof-agent-ecall loads an enclave and makes one of its ecalls. For C90 (with
   <stdint.h>) and C++. docs/sgx.md explains how the two work together. Nothing in here is for the trusted side. */
#ifndef JCPROF_PLUGIN_H
#define JCPROF_PLUGIN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version grows when bridges that were built before no longer work. */
#define JCPROF_PLUGIN_VERSION 1u

/* jcprof_bridge.flags */
#define JCPROF_PLUGIN_SIMULATED 1u   /* times are those of a simulation; reports say so */
#define JCPROF_PLUGIN_NEW_PROCESS 2u /* unload() does not restore the first state: the agent reloads in a new process */
#define JCPROF_PLUGIN_NOTES 4u       /* the bridge has `notes` */

/* Verbs of control(). */
#define JCPROF_PLUGIN_ARM 0u      /* the next entry of the profiled ecall is armed, or traced */
#define JCPROF_PLUGIN_EMPTY 1u    /* makes the window's `passes` of an empty loop */
#define JCPROF_PLUGIN_UNARMED 2u  /* the same of a trap that is not armed */
#define JCPROF_PLUGIN_COUNTING 3u /* the same of a trap that counts and does not stop */
#define JCPROF_PLUGIN_RETURNED 8u /* enters an armed function as often; it returns */
#define JCPROF_PLUGIN_STOP 9u     /* the same; a stop leaves the function, and the window has the stop afterwards */
#define JCPROF_PLUGIN_RECORD 6u   /* for an enclave built to record: from here on `window` is the log (jcprof_log.h) */

/* The window: the agent and the enclave exchange orders and results in it. It lies in host memory, and the enclave gets it as a
   user_check pointer. `room` trap ids follow, as uint32_t. The layout is `struct jcprof_head` in jcprof.h. Before
   control(JCPROF_PLUGIN_ARM, …) the agent sets `trap`, `hit`, `from` and `room`. The ecall stops at the `hit`-th pass of `trap`,
   counted from 1. With trap 0 it runs to its end. With room above 0 it traces, and notes the events from number `from` on (the first
   is 0). control() sets `trap`, `hit`, `events`, `before`, `all` and `last` to 0, unless it sets `fault`. */
struct jcprof_window {
  char magic[8];   /* "JCPROF1\n" */
  uint32_t build;  /* set by arming: the build of the sources that the enclave was made of */
  uint32_t trap;   /* after the ecall: the trap that stopped it; 0: it ran to its end */
  uint64_t hit;    /* the hit of that trap */
  uint64_t from;   /* the first event wanted */
  uint64_t room;   /* ids that fit behind */
  uint64_t events; /* passed, if they are traced */
  uint32_t before; /* signature of the events before `from` */
  uint32_t all;    /* signature of all */
  uint64_t passes; /* of a calibration, set by the agent */
  uint32_t last;   /* the trap passed last; each trap stores it, so it is known even if the ecall never returns */
  uint32_t fault;  /* set by control(): 1 if the enclave's thread-local storage is the host's; then nothing was done */
};

/* One thread calls all functions. It belongs to a process that the agent forks for the enclave. The agent may end
   that process at any point, without unload(). Functions that return int return 0 for success, or a code that why()
   puts into words, and then their results are not valid. A bridge may print: its standard output goes to the log of
   the agent. */
struct jcprof_bridge {
  uint32_t version; /* JCPROF_PLUGIN_VERSION */
  uint32_t flags;

  /* The name of the target for reports: "host build, no enclave", "SGX simulation". The agent reads it after load(). */
  const char *device;

  /* The names of the ecalls that the bridge can make. A null pointer ends the list. */
  const char *const *ecalls;

  /* Makes the enclave. The agent calls it first, and again after each unload(). */
  int (*load)(void);

  /* Destroys the enclave. */
  void (*unload)(void);

  /* Our own ecall: `verb` is one of those above. The window stays in place until unload(). The agent times calibrations from outside. */
  int (*control)(uint32_t verb, struct jcprof_window *window);

  /* Prepares one call of ecalls[ecall] with these bytes, which stay valid until reply() returns. The agent calls it
     once before each call(), outside of the clock and before the arming, so it may make ecalls of its own. */
  int (*prepare)(uint32_t ecall, const unsigned char *input, size_t size);

  /* Makes the prepared ecall, and nothing else: the agent times this. It returns 0 if the ecall returned, with any
     result, or was stopped. Else the ecall was not made, or the enclave is lost. */
  int (*call)(void);

  /* Gives the reply of a call() that returned 0 and was not stopped: up to `room` bytes to `bytes`, and the result of
     the ecall to `status`. Returns the size of the whole reply. */
  size_t (*reply)(unsigned char *bytes, size_t room, uint32_t *status);

  /* Puts a code of the functions above into words, such as "SGX_ERROR_OUT_OF_EPC (0x2005): …". Never null. */
  const char *(*why)(int code);

  /* With JCPROF_PLUGIN_NOTES: one note for each of `ecalls`, which becomes a warning in its profiles. An empty note is none. */
  const char *const *notes;
};

/* The one symbol that a bridge exports. Its result lives as long as the process. */
#if defined(__GNUC__)
__attribute__((__visibility__("default")))
#endif
const struct jcprof_bridge *jcprof_plugin(void);

#ifdef __cplusplus
}
#endif

#endif /* JCPROF_PLUGIN_H */
