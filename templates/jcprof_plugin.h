/* SPDX-License-Identifier: Apache-2.0 */
/* The ABI of a bridge: a shared object through which jcprof-agent-ecall loads an enclave and makes one of its ecalls.
   C90 (with <stdint.h>) and C++. docs/sgx.md says how the two work together; nothing in here is for the trusted side. */
#ifndef JCPROF_PLUGIN_H
#define JCPROF_PLUGIN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Goes up when a bridge that was built before would no longer work. */
#define JCPROF_PLUGIN_VERSION 1u

/* jcprof_bridge.flags */
#define JCPROF_PLUGIN_SIMULATED 1u   /* times are those of a simulation; reports say so */
#define JCPROF_PLUGIN_NEW_PROCESS 2u /* unload() does not bring back the first state: a reload is a new process */
#define JCPROF_PLUGIN_NOTES 4u       /* the bridge has `notes` */

/* Verbs of control(). */
#define JCPROF_PLUGIN_ARM 0u      /* the next entry of the profiled ecall is armed, or traced */
#define JCPROF_PLUGIN_EMPTY 1u    /* so many passes of an empty loop, */
#define JCPROF_PLUGIN_UNARMED 2u  /* of a trap that is not armed, */
#define JCPROF_PLUGIN_COUNTING 3u /* of one that counts and does not stop */
#define JCPROF_PLUGIN_RETURNED 8u /* so many entries of an armed function that return, */
#define JCPROF_PLUGIN_STOP 9u     /* or are left by a stop: the window has it afterwards */
#define JCPROF_PLUGIN_RECORD 6u   /* of an enclave that was built to record: `window` is the log (jcprof_log.h), from here on */

/* What the agent and the enclave tell each other, in host memory; the enclave gets it as a user_check pointer. `room`
   trap ids follow, as uint32_t. The layout is that of `struct jcprof_head` in jcprof.h.
   Before control(JCPROF_PLUGIN_ARM, …) the agent sets `trap`, `hit`, `from` and `room`: stop when `trap` is passed for the
   `hit`-th time, from 1; trap 0: run to the end; room above 0: trace, and note the events from the `from`-th on, from 0.
   When that control() has returned, `trap`, `hit`, `events`, `before`, `all` and `last` are 0, unless `fault` is not. */
struct jcprof_window {
  char magic[8];   /* "JCPROF1\n" */
  uint32_t build;  /* set by arming: of the sources that the enclave was made of */
  uint32_t trap;   /* after the ecall: the trap that stopped it; 0: it ran to its end */
  uint64_t hit;    /* of that trap */
  uint64_t from;   /* first event wanted */
  uint64_t room;   /* ids that fit behind */
  uint64_t events; /* passed, where they are traced */
  uint32_t before; /* signature of the events before `from` */
  uint32_t all;    /* signature of all */
  uint64_t passes; /* of a calibration, set by the agent */
  uint32_t last;   /* trap passed last, stored at each trap: it is known even where the ecall never returns */
  uint32_t fault;  /* set by control(): 1 where the enclave's thread-local storage is the host's, and nothing was done */
};

/* All functions are called by one thread, of a process that the agent has forked for the enclave: never by the agent's
   own. That process may be ended at any point, without unload(). Functions that return int return 0, or a code other
   than 0 that why() puts into words, and then nothing of them holds. A bridge may print: its standard output goes to the
   agent's log. */
struct jcprof_bridge {
  uint32_t version; /* JCPROF_PLUGIN_VERSION */
  uint32_t flags;

  /* What is measured, for reports: "host build, no enclave", "SGX simulation". Read after load(). */
  const char *device;

  /* Names of the ecalls that it can make, a null pointer behind the last. */
  const char *const *ecalls;

  /* Makes the enclave. Called first, and again after each unload(). */
  int (*load)(void);

  /* Destroys it. */
  void (*unload)(void);

  /* Our own ecall: `verb` is one of those above. The window stays where it is until unload(). A calibration is timed from outside, by the agent. */
  int (*control)(uint32_t verb, struct jcprof_window *window);

  /* Gets everything ready for one call of ecalls[ecall] with these bytes, which stay until reply() has returned. Called
     once before each call(), outside of the clock and before the arming, so it may make ecalls of its own. */
  int (*prepare)(uint32_t ecall, const unsigned char *input, size_t size);

  /* The prepared ecall, and nothing else: this is what is timed. 0: the ecall returned, with whatever result, or was
     stopped; else it was not made, or the enclave is lost. */
  int (*call)(void);

  /* What came back of a call() that returned 0 and was not stopped: up to `room` bytes to `bytes`, and the status, the
     ecall's result. Returns the size of the whole reply. */
  size_t (*reply)(unsigned char *bytes, size_t room, uint32_t *status);

  /* A code of the functions above in words, such as "SGX_ERROR_OUT_OF_EPC (0x1011): …"; never null. */
  const char *(*why)(int code);

  /* With JCPROF_PLUGIN_NOTES: one for each of `ecalls`, which becomes a warning of its profiles; empty: there is none. */
  const char *const *notes;
};

/* The one symbol that a bridge exports. What it returns lives as long as the process. */
#if defined(__GNUC__)
__attribute__((__visibility__("default")))
#endif
const struct jcprof_bridge *jcprof_plugin(void);

#ifdef __cplusplus
}
#endif

#endif /* JCPROF_PLUGIN_H */
