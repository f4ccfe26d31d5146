/* SPDX-License-Identifier: Apache-2.0 */
/* The part of jcprof that runs in C and C++ targets: traps that stop a run or log its path, and the code that arms
   them. With JCPROF_RECORD the traps record the run (jcprof_record.h). For C90 to C2x and C++98 to C++20, gcc and clang.
   It includes no system header and allocates nothing. It leaves nothing in a program that is compiled without JCPROF or
   with JCPROF_OFF. docs/instrument-by-hand.md explains its use by hand. */
#ifndef JCPROF_H
#define JCPROF_H

/* Compilers do not warn about this file or about traps. Our own tests want to see the warnings. */
#if defined(__GNUC__) && !defined(JCPROF_SHOW_WARNINGS)
#pragma GCC system_header
#endif

/* A marker: jcprof-gen puts a numbered trap beside it. */
#ifndef PM_CHECK
#define PM_CHECK
#endif

#if defined(JCPROF) && !defined(JCPROF_OFF)
#define JCPROF_LIVE 1
#else
#define JCPROF_LIVE 0
#endif

/* Outside functions get names of our own here, so that they cannot conflict with your declarations. */
#define JCPROF_TEXT_2_(x) #x
#define JCPROF_TEXT_(x) JCPROF_TEXT_2_(x)
#define JCPROF_OUTSIDE_(name) __asm__(JCPROF_TEXT_(__USER_LABEL_PREFIX__) #name)

/* A type, such as `struct a`, as one word. */
#if defined(__cplusplus) && __cplusplus >= 201103L
extern "C++" {
template <class T>
using jcprof_type = T;
}
#endif

#if !JCPROF_LIVE || !defined(JCPROF_RECORD)
/* For record mode. A mark has a name, which is the same string each time, and 64 bits of your own. Between
   JCPROF_PAUSE() and JCPROF_RESUME() nothing is recorded. */
#define JCPROF_MARK(name, payload) (0 ? (void)(payload) : (void)0)
#define JCPROF_PAUSE() ((void)0)
#define JCPROF_RESUME() ((void)0)
#endif

/* Our own ecall. The header that the SDK makes from the EDL declares it too. */
#ifdef __cplusplus
#define JCPROF_ENCLAVE_(name, body)                                                 \
  extern "C" void jcprof_ecall(unsigned verb, void *window) JCPROF_OUTSIDE_(name); \
  extern "C" void jcprof_ecall(unsigned verb, void *window) { body; }
#else
#define JCPROF_ENCLAVE_(name, body)                                      \
  void jcprof_ecall(unsigned verb, void *window) JCPROF_OUTSIDE_(name); \
  void jcprof_ecall(unsigned verb, void *window) { body; }
#endif

#if !JCPROF_LIVE

#define JCPROF_TRAP(id) ((void)0)
#define JCPROF_TRAP_V(id, x) ((void)0)
#define JCPROF_TRAP_E(id) ((void)0)
#define JCPROF_VALUE(type, id, x) (x)
#define JCPROF_KEEP(x) ((void)0)
#define JCPROF_AFTER(id) ((void)0)
#define JCPROF_LAST_E(id) ((void)0)
#define JCPROF_BEGIN(id) ((void)0)
#ifdef __cplusplus
#define JCPROF_HELD static_cast
#define JCPROF_HELD_AUTO
#define JCPROF_HELD_WHOLE static_cast
#define JCPROF_LAST(id) ((void)0)
#if __cplusplus >= 201103L
#define JCPROF_RESULT(id, ...) static_cast<__VA_ARGS__>
#endif
#else
#define JCPROF_LAST(id) struct jcprof_nothing_##id
#endif
/* These are declarations, because in C90 no statement may stand in front of a declaration. */
#define JCPROF_TRAP_D(id) struct jcprof_nothing_##id
#define JCPROF_TRAP_DV(id, x) struct jcprof_nothing_##id
#define JCPROF_BEGIN_D(id) struct jcprof_nothing_##id
#define JCPROF_ENCLAVE(name) JCPROF_ENCLAVE_(name, (void)verb; (void)window)

#else

/* ---- what a target may choose ---- */

#ifndef JCPROF_BUILD
#define JCPROF_BUILD 0u /* ties a report to the traps.json of the same build */
#endif
/* Targets that are linked as one, share nothing and have no fork: an enclave, and a trusted application of OP-TEE. In a
   trusted application one thread runs at a time. */
#ifdef JCPROF_TA_BUILD
#define JCPROF_THREAD
#endif
#if defined(JCPROF_ENCLAVE_BUILD) || defined(JCPROF_TA_BUILD)
#define JCPROF_ALONE_ 1
#else
#define JCPROF_ALONE_ 0
#endif
#ifndef JCPROF_PROCESS /* int (*)(void): tells one process from another; null where there is no fork */
#if defined(__linux__) && !JCPROF_ALONE_
#define JCPROF_PROCESS jcprof_libc_getpid
#else
#define JCPROF_PROCESS JCPROF_NULL_
#endif
#endif
#ifndef JCPROF_HOOK_ENTER
#define JCPROF_HOOK_ENTER ((void)0) /* an armed run enters the root */
#endif
#ifndef JCPROF_HOOK_LEAVE
#define JCPROF_HOOK_LEAVE ((void)0) /* and leaves it, at its end or by a stop */
#endif

#ifndef __ELF__
#define JCPROF_VISIBLE_
#elif JCPROF_ALONE_
#define JCPROF_VISIBLE_ __attribute__((__visibility__("hidden")))
#else
#define JCPROF_VISIBLE_ __attribute__((__visibility__("default")))
#endif
#if defined(JCPROF_THREAD) || !defined(__ELF__)
#define JCPROF_TLS_MODEL_
#else
#define JCPROF_TLS_MODEL_ __attribute__((__tls_model__("initial-exec")))
#endif
#define JCPROF_TLS_ JCPROF_VISIBLE_ JCPROF_TLS_MODEL_
#ifndef JCPROF_THREAD
#define JCPROF_THREAD __thread /* empty where there are no threads */
#endif
/* Set JCPROF_DEFINE for compilers without weak symbols: 1 in one file of the program, 0 in all others. */
#ifndef JCPROF_DEFINE
#define JCPROF_DEFINED_HERE_ 1
#define JCPROF_WEAK_ __attribute__((__weak__))
#else
#define JCPROF_DEFINED_HERE_ JCPROF_DEFINE
#define JCPROF_WEAK_
#endif
#define JCPROF_BARE_ __attribute__((__no_instrument_function__))
/* Stands in front of a wrapper, which is not your function. Our own command of a TA enters it too. */
#define JCPROF_WRAPPER JCPROF_BARE_
/* clang also warns if something is declared unused and is used. In a system header neither is needed. */
#ifdef JCPROF_SHOW_WARNINGS
#define JCPROF_LOCAL_ JCPROF_BARE_ static __attribute__((__unused__))
#else
#define JCPROF_LOCAL_ JCPROF_BARE_ static
#endif
#define JCPROF_HOT_ __inline__ __attribute__((__always_inline__))
#define JCPROF_COLD_ __attribute__((__cold__, __noinline__))
/* Traps that record call it each time. gcc takes code in front of a cold call and behind it for never executed: it moves work
   there, and makes it small instead of fast. */
#ifdef JCPROF_RECORD
#define JCPROF_RARE_ __attribute__((__noinline__))
#else
#define JCPROF_RARE_ JCPROF_COLD_
#endif
/* gcc may jump to a trap at the end of a body instead of calling it. The trap's frame then lies where the root's does. One
   byte lower counts as within the root. clang must not jump, and is told so. It may inline the root's function into its
   caller, which gcc never does with a setjmp. Traps of that caller lie there too, once the root is gone. */
#ifdef __clang__
#define JCPROF_CALLED_ __attribute__((__not_tail_called__))
#define JCPROF_JUMPED_ 0
#else
#define JCPROF_CALLED_
#define JCPROF_JUMPED_ 1
#endif

#ifdef __cplusplus
#if __cplusplus >= 201103L
#define JCPROF_NULL_ nullptr
#define JCPROF_NOTHROW_ noexcept
#define JCPROF_PASS_(parameter) static_cast<decltype(parameter) &&>(parameter)
#define JCPROF_CONSTANT_ constexpr
#define JCPROF_DELETED_ = delete
#else /* the copies of an object that has none are declared only */
#define JCPROF_NULL_ __null
#define JCPROF_NOTHROW_ throw()
#define JCPROF_PASS_(parameter) (parameter)
#define JCPROF_CONSTANT_
#define JCPROF_DELETED_
#endif
#define JCPROF_TO_(type, x) static_cast<type>(x)
#define JCPROF_AS_(type, x) reinterpret_cast<type>(x)
#else
#define JCPROF_NULL_ ((void *)0)
#define JCPROF_NOTHROW_
#define JCPROF_TO_(type, x) ((type)(x))
#define JCPROF_AS_(type, x) ((type)(x))
#endif

/* A root's setjmp: the target's, if it defines the three macros. Else the compiler's own, where that is known to work.
   Else that of <setjmp.h>, which only a file with JCPROF_ROOT_HERE includes. */
#ifdef JCPROF_RECORD
#define JCPROF_HAS_ROOT_ 0
#elif defined(JCPROF_SETJMP)
#define JCPROF_HAS_ROOT_ 1
#elif defined(__x86_64__) || defined(__i386__)
#define JCPROF_HAS_ROOT_ 1
#define JCPROF_JMP_BUF jcprof_words
#define JCPROF_SETJMP(buffer) __builtin_setjmp(buffer)
#define JCPROF_LONGJMP(buffer) __builtin_longjmp(buffer, 1)
#elif defined(JCPROF_ROOT_HERE)
#ifdef __cplusplus
extern "C" { /* OP-TEE's header has no extern "C" */
#include <setjmp.h>
}
#else
#include <setjmp.h>
#endif
#define JCPROF_HAS_ROOT_ 1
#define JCPROF_JMP_BUF jmp_buf
#define JCPROF_SETJMP(buffer) setjmp(buffer)
#define JCPROF_LONGJMP(buffer) longjmp(buffer, 1)
#else
#define JCPROF_HAS_ROOT_ 0
#endif

#ifdef __cplusplus
extern "C++" {
extern "C" {
#endif

#if defined(JCPROF_PROGRAM) || (defined(JCPROF_RECORD) && defined(__linux__) && !JCPROF_ALONE_)
extern int jcprof_libc_getpid(void) JCPROF_OUTSIDE_(getpid);
#elif defined(__linux__) && !JCPROF_ALONE_
extern int jcprof_libc_getpid(void) JCPROF_OUTSIDE_(getpid) __attribute__((__weak__));
#endif

/* ---- values ---- */

typedef __UINT32_TYPE__ jcprof_u32;
__extension__ typedef __UINT64_TYPE__ jcprof_u64;
typedef void *jcprof_words[5];

/* The order for a run, and its result. A report file begins with this. */
struct jcprof_head {
  char magic[8]; /* of files: "JCPROF1\n" */
  jcprof_u32 build;
  jcprof_u32 trap;   /* the trap that stopped the run; 0: none */
  jcprof_u64 hit;    /* the hit of that trap */
  jcprof_u64 from;   /* first event wanted, from 0 */
  jcprof_u64 room;   /* events that fit in the window */
  jcprof_u64 events; /* passed so far, if they are traced */
  jcprof_u32 before; /* signature of the events before `from` */
  jcprof_u32 all;    /* signature of all */
  jcprof_u64 passes; /* of a calibration */
#ifdef JCPROF_ENCLAVE_BUILD
  jcprof_u32 last;  /* the trap passed last */
  jcprof_u32 fault; /* set by arming: 1 if jcprof_has_foreign_tls() */
#else
  jcprof_u64 zero;
#endif
};

#ifdef JCPROF_TA_BUILD
/* Our command: docs/optee.md. */
#define JCPROF_TA_TYPES_ 0x17u /* TEE_PARAM_TYPES(TEE_PARAM_TYPE_MEMREF_INOUT, TEE_PARAM_TYPE_VALUE_INPUT, 0, 0) */
#define JCPROF_BAD_PARAMETERS_ 0xFFFF0006u
#define JCPROF_SHORT_BUFFER_ 0xFFFF0010u
#define JCPROF_SERVE_(command, types, answer) \
  if ((command) == JCPROF_COMMAND) return (types) != JCPROF_TA_TYPES_ ? JCPROF_BAD_PARAMETERS_ : (answer)
#endif

#if defined(JCPROF_ENCLAVE_BUILD) && defined(__x86_64__)

static JCPROF_THREAD volatile jcprof_u32 jcprof_word JCPROF_TLS_MODEL_ __attribute__((__unused__));

/* A function apart from the one that takes the address, or the compiler might read by that address. The read stands beside
   an atomic load: clang without optimisation goes by the base of %fs there and nowhere else. */
JCPROF_LOCAL_ JCPROF_COLD_ int jcprof_word_is(const jcprof_u32 *value) {
  return jcprof_word == __atomic_load_n(value, __ATOMIC_RELAXED);
}

/* If the SDK simulates SGX, an ecall finds the data of its thread at %fs:0. The base of %fs stays the host's. Code that was
   compiled without -mno-tls-direct-seg-refs reaches thread-local storage by that base: it reads and writes the host's.
   Addresses are made of %fs:0 in any case, so this function writes to the enclave's. */
JCPROF_LOCAL_ int jcprof_has_foreign_tls(void) {
  volatile jcprof_u32 *word = &jcprof_word;
  jcprof_u32 i;
  __asm__ __volatile__("" : "+r"(word));
  for (i = 1; i <= 2; i++) {
    *word = i;
    if (!jcprof_word_is(&i)) return 1;
  }
  return 0;
}

#elif defined(JCPROF_ENCLAVE_BUILD)
#define jcprof_has_foreign_tls() 0
#endif

#ifdef JCPROF_RECORD

#include "jcprof_record.h"

#else

/* One run, in memory of the caller that outlives it. Read `head`; the rest belongs to the runtime. */
struct jcprof_run {
#ifndef JCPROF_ENCLAVE_BUILD
  struct jcprof_head head;
#endif
  struct jcprof_head *to; /* `head`, or that of a file or of the host */
  jcprof_u32 *ids;        /* the window */
  jcprof_u32 trap;
  jcprof_u32 mask; /* all ones: only `trap` is slow; 0: every trap is */
  jcprof_u64 hit;
  jcprof_u64 left; /* hits until the stop */
  int stopped;     /* every root of it is left */
  void *root;      /* the innermost; null: not yet entered */
  void *frame;     /* of the root; null: nothing is left by a leap */
  void (*leave)(struct jcprof_run *run);
  int (*process)(void); /* tells which process runs; null: nobody forks */
  int owner;            /* the process that armed the run */
};

/* Macros of yours might change the fields that our macros name. So these have names of our own. They are volatile: each
   trap loads both of them, so that each costs the same, and calibration holds for all. */
struct jcprof_state {
  volatile jcprof_u32 jcprof_armed;
  volatile jcprof_u32 jcprof_mask;
  struct jcprof_run *run; /* armed or pending; null: none */
#ifdef JCPROF_ENCLAVE_BUILD
  /* Each trap stores its id at this distance from jcprof_last: 0, or the distance of the window's `last`. A pointer would
     need an address in the initialiser, and threads would fight for a dummy that they share. */
  volatile __UINTPTR_TYPE__ jcprof_away;
  volatile jcprof_u32 jcprof_last;
  jcprof_u32 shot; /* the shot of `run` */
#endif
};

#ifdef JCPROF_ENCLAVE_BUILD
/* The order from our ecall. It belongs to the enclave and not to a thread: the host decides who makes the next ecall. */
struct jcprof_wish {
  struct jcprof_head *window; /* pending; null: none */
  jcprof_u32 trap;
  jcprof_u32 shot; /* goes up with each order */
  jcprof_u64 hit;
};
extern struct jcprof_wish jcprof_wanted JCPROF_VISIBLE_;
#endif

extern JCPROF_THREAD struct jcprof_state jcprof_now JCPROF_TLS_;
JCPROF_VISIBLE_ JCPROF_BARE_ JCPROF_COLD_ JCPROF_CALLED_ void jcprof_passed(jcprof_u32 id) JCPROF_NOTHROW_;

/* ---- the slow path ---- */

JCPROF_LOCAL_ void jcprof_disarm(void) {
  jcprof_now.jcprof_armed = 0;
  jcprof_now.jcprof_mask = ~0u;
  jcprof_now.run = JCPROF_NULL_;
#ifdef JCPROF_ENCLAVE_BUILD
  jcprof_now.jcprof_away = 0;
#endif
}

/* Did a longjmp of yours leave the root without our knowledge? Stacks grow downwards, so the root's frame is gone if this
   frame lies at it or above. Far above is another stack, such as that of a coroutine. */
JCPROF_LOCAL_ int jcprof_root_gone(const struct jcprof_run *run, const void *frame) {
  const __UINTPTR_TYPE__ above = JCPROF_AS_(__UINTPTR_TYPE__, frame) - JCPROF_AS_(__UINTPTR_TYPE__, run->frame);
  return run->frame != JCPROF_NULL_ && above < 0x100000u;
}

/* The run of this thread. In an enclave it is never a run of an earlier shot, because its memory is gone. */
JCPROF_LOCAL_ struct jcprof_run *jcprof_current(void) {
#ifdef JCPROF_ENCLAVE_BUILD
  if (jcprof_now.shot != __atomic_load_n(&jcprof_wanted.shot, __ATOMIC_RELAXED)) jcprof_disarm();
#endif
  return jcprof_now.run;
}

#if JCPROF_DEFINED_HERE_

#ifndef JCPROF_ENCLAVE_BUILD
JCPROF_WEAK_ JCPROF_THREAD struct jcprof_state jcprof_now JCPROF_TLS_ = {0, ~0u, JCPROF_NULL_};
#else
JCPROF_WEAK_ JCPROF_THREAD struct jcprof_state jcprof_now JCPROF_TLS_ = {0, ~0u, JCPROF_NULL_, 0, 0, 0};
JCPROF_WEAK_ struct jcprof_wish jcprof_wanted JCPROF_VISIBLE_ = {JCPROF_NULL_, 0, 0, 0};
#endif

JCPROF_LOCAL_ jcprof_u32 jcprof_sign(jcprof_u32 signature, jcprof_u32 part) {
  const jcprof_u32 a = ((signature >> 16) * 251u + part) & 0xFFFFu;
  return a << 16 | ((signature + a) & 0xFFFFu);
}

JCPROF_LOCAL_ void jcprof_log(struct jcprof_run *run, jcprof_u32 id) {
  struct jcprof_head *to = run->to;
  const jcprof_u64 event = to->events++;
  if (id >> 16 != 0) to->all = jcprof_sign(to->all, id >> 16);
  to->all = jcprof_sign(to->all, id & 0xFFFFu);
  if (event < to->from) {
    to->before = to->all;
  } else if (event - to->from < to->room) {
    run->ids[event - to->from] = id;
  }
}

/* A child of fork has all our memory, but it is not the run that was armed. */
JCPROF_LOCAL_ int jcprof_forked(const struct jcprof_run *run) {
  return run->process != JCPROF_NULL_ && run->process() != run->owner;
}

/* From here on each trap is slow. So code outside of the root that this stop leaves ends at its next trap. */
JCPROF_LOCAL_ void jcprof_stop(struct jcprof_run *run, jcprof_u32 id) {
  if (jcprof_root_gone(run, JCPROF_TO_(char *, __builtin_frame_address(0)) - JCPROF_JUMPED_)) {
    jcprof_disarm();
    return;
  }
  if (!run->stopped) {
    run->to->trap = id;
    run->to->hit = run->hit;
    run->stopped = 1;
    jcprof_now.jcprof_mask = 0;
  }
  run->leave(run);
}

JCPROF_WEAK_ void jcprof_passed(jcprof_u32 id) JCPROF_NOTHROW_ {
  struct jcprof_run *run = jcprof_current();
  if (run == JCPROF_NULL_) return;
  if (!run->stopped) {
    if (jcprof_now.jcprof_mask == 0) {
      if (jcprof_forked(run)) return;
      jcprof_log(run, id);
    }
    if (id != jcprof_now.jcprof_armed || --run->left != 0) return;
    if (jcprof_forked(run)) {
      run->left = 1; /* a child of vfork counts in its parent's memory, and the parent stops */
      return;
    }
  }
  jcprof_stop(run, id);
}

#endif

/* ---- arming ---- */

#ifndef JCPROF_ENCLAVE_BUILD

/* Disarms this thread, and makes `run` a run without an order. */
JCPROF_LOCAL_ void jcprof_clear(struct jcprof_run *run) {
  static struct jcprof_run nothing; /* a const would need an initialiser, in C++ another one than in C */
  jcprof_disarm();
  *run = nothing;
  run->head.build = JCPROF_BUILD;
  run->to = &run->head;
  run->mask = ~0u;
}

JCPROF_LOCAL_ void jcprof_own(struct jcprof_run *run) {
  run->process = JCPROF_PROCESS;
  if (run->process != JCPROF_NULL_) run->owner = run->process();
}

/* The next entry of this thread into a root stops at the `hit`-th pass of `trap`, counted from 1. With trap 0 it runs
   to its end. Read run->head.trap afterwards. This holds for one entry: the entry after that is not armed. */
JCPROF_LOCAL_ void jcprof_arm(struct jcprof_run *run, jcprof_u32 trap, jcprof_u64 hit) {
  jcprof_clear(run);
  run->trap = trap;
  run->hit = hit;
  run->left = hit;
  jcprof_own(run);
  jcprof_now.run = run;
}

/* The next entry counts its events, and logs those from number `from` on (the first is 0), as long as there is room. */
JCPROF_LOCAL_ void jcprof_arm_trace(struct jcprof_run *run, jcprof_u64 from, jcprof_u32 *ids, jcprof_u64 room) {
  jcprof_arm(run, 0, 0);
  run->mask = 0;
  run->ids = ids;
  run->head.from = from;
  run->head.room = room;
}

/* The number of ids that the window of a trace holds. */
JCPROF_LOCAL_ jcprof_u64 jcprof_in_window(const struct jcprof_head *head) {
  const jcprof_u64 behind = head->events > head->from ? head->events - head->from : 0;
  return behind < head->room ? behind : head->room;
}

#else

/* Makes `run` the run of the thread, without an order. It sets each field by itself, or compilers call memset. */
JCPROF_LOCAL_ void jcprof_clear(struct jcprof_run *run) {
  run->to = JCPROF_NULL_;
  run->ids = JCPROF_NULL_;
  run->trap = 0;
  run->mask = ~0u;
  run->hit = 0;
  run->left = 0;
  run->stopped = 0;
  run->root = JCPROF_NULL_;
  run->frame = JCPROF_NULL_;
  run->leave = JCPROF_NULL_;
  run->process = JCPROF_NULL_;
  run->owner = 0;
  jcprof_now.shot = __atomic_load_n(&jcprof_wanted.shot, __ATOMIC_RELAXED);
}

/* From the next trap on, the window shows the last trap that was passed. */
JCPROF_LOCAL_ void jcprof_show(struct jcprof_head *window) {
  jcprof_now.jcprof_away =
      JCPROF_AS_(__UINTPTR_TYPE__, &window->last) - JCPROF_AS_(__UINTPTR_TYPE__, &jcprof_now.jcprof_last);
}

/* Moves the pending order to the thread that comes first, into `run`. */
JCPROF_LOCAL_ void jcprof_take(struct jcprof_run *run) {
  struct jcprof_head *window = __atomic_exchange_n(
      &jcprof_wanted.window, JCPROF_TO_(struct jcprof_head *, JCPROF_NULL_), __ATOMIC_ACQUIRE);
  if (window == JCPROF_NULL_) return;
  jcprof_clear(run);
  run->to = window;
  run->ids = JCPROF_AS_(jcprof_u32 *, window + 1);
  run->trap = jcprof_wanted.trap;
  run->hit = jcprof_wanted.hit;
  run->left = run->hit;
  if (window->room != 0) run->mask = 0;
  jcprof_show(window);
  jcprof_now.run = run;
}

JCPROF_LOCAL_ JCPROF_HOT_ void jcprof_note(jcprof_u32 id) JCPROF_NOTHROW_ {
  const __UINTPTR_TYPE__ here = JCPROF_AS_(__UINTPTR_TYPE__, &jcprof_now.jcprof_last);
  *JCPROF_AS_(volatile jcprof_u32 *, here + jcprof_now.jcprof_away) = id;
}

#endif

/* ---- traps ---- */

#ifdef JCPROF_ENCLAVE_BUILD
#define JCPROF_NOTE_(id) jcprof_note(0u + (id)),
#else
#define JCPROF_NOTE_(id)
#endif
#define JCPROF_MEETS_(id) (JCPROF_NOTE_(id) JCPROF_SELDOM_(((jcprof_now.jcprof_armed ^ (0u + (id))) & jcprof_now.jcprof_mask) == 0))
/* Uses the types of its prototype: gcc's -Wtraditional-conversion warns of others, even in system headers. */
#define JCPROF_SELDOM_(x) __builtin_expect(JCPROF_TO_(long, x), 0L)

/* In a TA in C on AArch64, a trap that lets the run pass is always the same seven instructions, for any compiler and any
   options. So calibration is exact. The slow path lies aside, and saves the registers that a call would change. */
#if defined(JCPROF_TA_BUILD) && defined(__aarch64__) && !defined(__cplusplus)
#define JCPROF_FIXED_(low, high)                                                     \
  __asm__ __volatile__(                                                              \
      "adrp x16, jcprof_now\n\tldr x16, [x16, :lo12:jcprof_now]\n\t"                 \
      "movz w17, #%c0\n\tmovk w17, #%c1, lsl #16\n\t"                                \
      "eor x17, x17, x16\n\ttst x17, x16, lsr #32\n\tb.eq 1f\n2:\n\t"               \
      ".subsection 1\n1:\teor w17, w17, w16\n\tstp x17, x30, [sp, #-16]!\n\t"       \
      "bl jcprof_trapped\n\tldp x17, x30, [sp], #16\n\tb 2b\n\t.previous"            \
      :                                                                              \
      : "i"(low), "i"(high)                                                          \
      : "x16", "x17", "cc", "memory")
#define JCPROF_TRAP_E(id) (__extension__({ JCPROF_FIXED_((id) & 0xFFFFu, (0u + (id)) >> 16); }))
#if JCPROF_DEFINED_HERE_
#define JCPROF_EACH_(work) ".irp n,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,18\n\t" work "\n\t.endr\n\t"
#ifdef __ARM_NEON
#define JCPROF_EACH_Q_(work) \
  ".irp n,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31\n\t" work "\n\t.endr\n\t"
#else
#define JCPROF_EACH_Q_(work)
#endif
__asm__(".pushsection .text.jcprof_trapped,\"axG\",%progbits,jcprof_trapped,comdat\n\t"
        ".weak jcprof_trapped\n\t.hidden jcprof_trapped\n\t.type jcprof_trapped,%function\n\t.p2align 2\n"
        "jcprof_trapped:\n\tsub sp, sp, #672\n\tstr x30, [sp, #152]\n\t"
        JCPROF_EACH_("str x\\n, [sp, #8 * \\n]") JCPROF_EACH_Q_("str q\\n, [sp, #160 + 16 * \\n]")
        "ldr w0, [sp, #672]\n\tbl jcprof_passed\n\t"
        JCPROF_EACH_Q_("ldr q\\n, [sp, #160 + 16 * \\n]") JCPROF_EACH_("ldr x\\n, [sp, #8 * \\n]")
        "ldr x30, [sp, #152]\n\tadd sp, sp, #672\n\tret\n\t.popsection");
#endif

/* A trap: an expression of type void. clang's -Wcomma needs the cast, and g++'s -Wuseless-cast needs something to cast. */
#elif defined(__cplusplus)
#define JCPROF_TRAP_E(id) (static_cast<void>(jcprof_meets(id) && (jcprof_passed(id), true)))
#elif defined(JCPROF_JUDGED) /* for jcprof-gen, which looks at diagnostics only: compilers read a mere call sooner */
#define JCPROF_TRAP_E(id) jcprof_passed(id)
#define JCPROF_TRAP jcprof_passed
#else
#define JCPROF_TRAP_E(id) ((void)(JCPROF_MEETS_(id) && (jcprof_passed(id), 1)))
#endif

#endif

#ifndef JCPROF_TRAP
#define JCPROF_TRAP(id) JCPROF_TRAP_E(id)
#endif

/* A trap that is a declaration, for C where declarations come first. */
#define JCPROF_TRAP_D(id) int jcprof_d##id __attribute__((__unused__)) = (JCPROF_TRAP_E(id), 0)

/* A trap behind an assignment to the scalar place `x`, and the same as a declaration. `x` is neither volatile nor a
   bit-field. The optimiser must have its value here, or it would move the work below the trap. The constraint is not "X",
   any register at all: gcc 12 crashes over a long double in a register of the x87. */
#define JCPROF_KEEP_(x) __asm__ __volatile__("" : : "g"(x))
/* For `x`, a variable of another type can stand as JCPROF_WHOLE(v), and two values as JCPROF_BOTH(a, b). The asm names a
   copy in memory, so that the variable itself can stay in registers. */
#ifndef __cplusplus
#define JCPROF_KEEP(x) JCPROF_KEEP_(x)
#define JCPROF_BOTH(a, b) (__extension__({ JCPROF_KEEP_(a); b; }))
#define JCPROF_WHOLE(v)                         \
  (__extension__({                              \
    __typeof__(v) jcprof_w = (v);               \
    __asm__ __volatile__("" : : "m"(jcprof_w)); \
    0;                                          \
  }))
#define JCPROF_TRAP_V(id, x) \
  do {                       \
    JCPROF_KEEP_(x);         \
    JCPROF_TRAP(id);         \
  } while (0)
#define JCPROF_TRAP_DV(id, x)                    \
  int jcprof_d##id __attribute__((__unused__)) = \
      (__extension__({ JCPROF_TRAP_V(id, x); 0; }))
#else
#if __cplusplus >= 201103L
#define JCPROF_KEPT_(x) static_cast<void>(jcprof_keep(x))
#else /* a template takes no local type */
#define JCPROF_KEPT_(x) __extension__({ JCPROF_KEEP_(x); })
#endif
#define JCPROF_BOTH(a, b) (JCPROF_KEPT_(a), b)
#define JCPROF_TRAP_V(id, x) (JCPROF_KEPT_(x), JCPROF_TRAP_E(id))
#define JCPROF_TRAP_DV(id, x) int jcprof_d##id __attribute__((__unused__)) = (JCPROF_TRAP_V(id, x), 0)
#endif

/* The scalar `e`. The trap follows once its value is known. */
#define JCPROF_VALUE(type, id, e)               \
  (__extension__({                              \
    __typeof__(type) jcprof_r##id = (e);        \
    JCPROF_TRAP_V(id, jcprof_r##id);            \
    jcprof_r##id;                               \
  }))

/* For C: the trap at the end of a function. It is the first declaration, so that the cleanups of the others run before it. */
#ifndef __cplusplus
JCPROF_LOCAL_ JCPROF_HOT_ void jcprof_clean(const jcprof_u32 *id) {
  if (JCPROF_MEETS_(*id)) jcprof_passed(*id);
}
#define JCPROF_LAST(id) \
  const jcprof_u32 jcprof_l##id __attribute__((__cleanup__(jcprof_clean), __unused__)) = (id)
#endif

/* ---- C++ ---- */

#ifdef __cplusplus

struct jcprof_exceptions {
  void *caught;
  unsigned uncaught;
};
extern jcprof_exceptions *jcprof_exceptions_now(void) JCPROF_OUTSIDE_(__cxa_get_globals) __attribute__((__weak__));

} /* extern "C" */

/* A guard with a destructor can stand in constexpr functions from C++20 on. */
#if __cplusplus >= 202002L
#define JCPROF_CONSTEXPR_ constexpr
#else
#define JCPROF_CONSTEXPR_
#endif
#if defined(__has_builtin)
#if __has_builtin(__builtin_is_constant_evaluated)
#define JCPROF_RUNS_ !__builtin_is_constant_evaluated()
#endif
#endif
#ifndef JCPROF_RUNS_
#define JCPROF_RUNS_ true
#endif
#define JCPROF_INLINE_ inline __attribute__((__always_inline__, __artificial__, __no_instrument_function__))

/* A function and not a macro, because g++ calls the test for constant evaluation a tautology in a condition. */
JCPROF_CONSTANT_ JCPROF_INLINE_ bool jcprof_meets(jcprof_u32 id) JCPROF_NOTHROW_ { return JCPROF_RUNS_ && JCPROF_MEETS_(id); }
#ifdef JCPROF_RECORD
JCPROF_CONSTANT_ JCPROF_INLINE_ bool jcprof_records(jcprof_u32 what) JCPROF_NOTHROW_ {
  return JCPROF_RUNS_ && (jcprof_record(what), true);
}

template <class T>
JCPROF_CONSTANT_ JCPROF_INLINE_ jcprof_u64 jcprof_payload(T x) JCPROF_NOTHROW_ {
  return static_cast<jcprof_u64>(x);
}
#endif

template <class T>
JCPROF_INLINE_ void jcprof_name(const T &x) JCPROF_NOTHROW_ {
  JCPROF_KEEP_(x);
}

template <class T>
JCPROF_CONSTANT_ JCPROF_INLINE_ bool jcprof_keep(const T &x) JCPROF_NOTHROW_ {
  return JCPROF_RUNS_ && (jcprof_name(x), true);
}

/* A small value is copied byte by byte. A reference has no bytes of its own, and a copy of others may do anything. */
template <class V, bool has_bytes = (__is_trivially_copyable(V) && sizeof(V) <= 32)>
struct jcprof_whole {
  JCPROF_INLINE_ static void name(const volatile V &x) JCPROF_NOTHROW_ {
    struct {
      unsigned char of[sizeof(V)];
    } bytes;
    __builtin_memcpy(bytes.of, const_cast<const unsigned char *>(&reinterpret_cast<const volatile unsigned char &>(x)),
                     sizeof(V));
    __asm__ __volatile__("" : : "m"(bytes));
  }
};
template <class V>
struct jcprof_whole<V, false> {
  JCPROF_INLINE_ static void name(const volatile V &) JCPROF_NOTHROW_ {}
};

template <class V>
JCPROF_CONSTANT_ JCPROF_INLINE_ bool jcprof_keep_whole(const volatile V &x) JCPROF_NOTHROW_ {
  return JCPROF_RUNS_ && (jcprof_whole<V>::name(x), true);
}
#if __cplusplus >= 201103L
#define JCPROF_WHOLE(v) jcprof_keep_whole<decltype(v)>(v)
#else
#define JCPROF_WHOLE(v) (__extension__({ __asm__ __volatile__("" : : "m"(v)); 0; }))
#endif

/* A returned value, which is known before the guards of its function are destroyed. */
template <class T>
JCPROF_CONSTANT_ JCPROF_INLINE_ T jcprof_held(T x) JCPROF_NOTHROW_ {
  return static_cast<void>(jcprof_keep(x)), x;
}
template <class T>
JCPROF_CONSTANT_ JCPROF_INLINE_ T jcprof_held_whole(T x) JCPROF_NOTHROW_ {
  return static_cast<void>(jcprof_keep_whole<T>(x)), x;
}
#define JCPROF_HELD jcprof_held
#define JCPROF_HELD_AUTO jcprof_held
#define JCPROF_HELD_WHOLE jcprof_held_whole

/* A trap at the end of a block. A return passes it too, but an exception that unwinds the block does not. */
class jcprof_after {
 public:
  JCPROF_BARE_ explicit JCPROF_CONSTEXPR_ jcprof_after(jcprof_u32 id) JCPROF_NOTHROW_ : id_(id) {}
  JCPROF_BARE_ JCPROF_CONSTEXPR_ ~jcprof_after() JCPROF_NOTHROW_ {
    if (jcprof_meets(id_)) passed(id_);
  }
  jcprof_after(const jcprof_after &) JCPROF_DELETED_;
  jcprof_after &operator=(const jcprof_after &) JCPROF_DELETED_;

 private:
  JCPROF_BARE_ JCPROF_RARE_ static void passed(jcprof_u32 id) JCPROF_NOTHROW_ {
    const bool unwinding = jcprof_exceptions_now != JCPROF_NULL_ && jcprof_exceptions_now()->uncaught != 0;
    if (!unwinding) jcprof_passed(id);
  }

  const jcprof_u32 id_;
};
#define JCPROF_AFTER(id) const jcprof_after jcprof_a##id(id)

/* The trap at the end of a function. It stands first in the body, so that all other objects are destroyed before it. An
   exception that leaves the function passes it too. */
class jcprof_last {
 public:
  JCPROF_BARE_ explicit JCPROF_CONSTEXPR_ jcprof_last(jcprof_u32 id) JCPROF_NOTHROW_ : id_(id) {}
  JCPROF_BARE_ JCPROF_CONSTEXPR_ ~jcprof_last() JCPROF_NOTHROW_ {
    if (jcprof_meets(id_)) jcprof_passed(id_);
  }
  jcprof_last(const jcprof_last &) JCPROF_DELETED_;
  jcprof_last &operator=(const jcprof_last &) JCPROF_DELETED_;

 private:
  const jcprof_u32 id_;
};
#define JCPROF_LAST(id) const jcprof_last jcprof_l##id(id)
/* The same for the end of an expression. It stands in front of it, because temporaries are destroyed last to first. */
#define JCPROF_LAST_E(id) (static_cast<void>(jcprof_last(id)))

#if __cplusplus >= 201103L
/* A returned value, and the trap once it is known. For constexpr functions, which allow no guard. */
template <class T>
class jcprof_result {
 public:
  JCPROF_BARE_ explicit constexpr jcprof_result(jcprof_u32 id) noexcept : id_(id) {}
  JCPROF_BARE_ constexpr T operator()(T x) const noexcept {
    return static_cast<void>(JCPROF_RUNS_ && (needed(x), true)),
           static_cast<void>(jcprof_meets(id_) && (jcprof_passed(id_), true)), x;
  }

 private:
  JCPROF_INLINE_ static void needed(const T &x) noexcept { __asm__ __volatile__("" : : "m"(x)); }

  const jcprof_u32 id_;
};
#define JCPROF_RESULT(id, ...) jcprof_result<__VA_ARGS__>(id)
#endif

extern "C" {

#endif

#ifndef JCPROF_RECORD

/* ---- calibration ---- */

enum jcprof_calibration { JCPROF_EMPTY, JCPROF_UNARMED, JCPROF_COUNTING };
#define JCPROF_CALIBRATION_TRAP_ 0x7FFFFFFFu

/* For timing: makes so many passes of nothing, of an unarmed trap, or of a trap that counts and does not stop. */
JCPROF_LOCAL_ __attribute__((__noinline__)) void jcprof_calibrate(enum jcprof_calibration kind, jcprof_u64 passes) {
  struct jcprof_run run;
  if (passes == 0) return;
  jcprof_clear(&run);
  run.left = ~run.left;
  jcprof_now.run = &run;
  if (kind == JCPROF_COUNTING) jcprof_now.jcprof_armed = JCPROF_CALIBRATION_TRAP_;
  /* The test is at the end. Else compilers put it in front in one loop, and not in the other. */
  if (kind == JCPROF_EMPTY) {
    do {
      __asm__ __volatile__("" : : : "memory");
    } while (--passes != 0);
  } else {
    do {
      __asm__ __volatile__("" : : : "memory");
      JCPROF_TRAP(JCPROF_CALIBRATION_TRAP_);
    } while (--passes != 0);
  }
  jcprof_disarm();
}

/* ---- in process: a root that a stop leaps to ---- */

#if JCPROF_HAS_ROOT_

struct jcprof_root {
  struct jcprof_run *run; /* null: no root of an armed run */
  void *outer;            /* root of the same run; null: it is the outermost */
  void *outer_frame;
  int left; /* a leap left it */
  JCPROF_JMP_BUF jcprof_jump;
#ifdef JCPROF_ENCLAVE_BUILD
  struct jcprof_run own; /* used by the outermost root */
#endif
#ifdef __cplusplus
  jcprof_exceptions exceptions;
#endif
};

JCPROF_LOCAL_ __attribute__((__noreturn__)) void jcprof_leap(struct jcprof_run *run) {
  struct jcprof_root *root = JCPROF_TO_(struct jcprof_root *, run->root);
  root->left = 1;
  JCPROF_LONGJMP(root->jcprof_jump);
}

/* Makes `root` the innermost. */
JCPROF_LOCAL_ void jcprof_push(struct jcprof_root *root, struct jcprof_run *run, void *frame) {
#ifdef __cplusplus
  if (jcprof_exceptions_now != JCPROF_NULL_) root->exceptions = *jcprof_exceptions_now();
#endif
  root->run = run;
  root->outer = run->root;
  root->outer_frame = run->frame;
  root->left = 0;
  run->root = root;
  run->frame = frame;
  run->leave = jcprof_leap;
}

/* Enters a root while the run has one. In process this is a callback, and the first root stays. In an enclave it may lie
   behind an ocall, and no stop leaps across that. */
JCPROF_LOCAL_ int jcprof_nest(struct jcprof_root *root, struct jcprof_run *run, void *frame) {
  if (jcprof_root_gone(run, frame)) {
    jcprof_disarm(); /* a longjmp of yours has left the other root */
    return 0;
  }
#ifdef JCPROF_ENCLAVE_BUILD
  jcprof_push(root, run, frame);
  return 1;
#else
  (void)root;
  return 0;
#endif
}

/* A longjmp of yours does not leave the root of a TA. */
#ifdef JCPROF_TA_BUILD
#define JCPROF_FRAME_ JCPROF_NULL_
#else
#define JCPROF_FRAME_ __builtin_frame_address(0)
#endif

/* True: the pending order holds from here on, and the caller sets the jump. */
JCPROF_LOCAL_ __attribute__((__noinline__)) int jcprof_enter(struct jcprof_root *root) {
  struct jcprof_run *run = jcprof_current();
  root->run = JCPROF_NULL_;
#ifdef JCPROF_ENCLAVE_BUILD
  if (run == JCPROF_NULL_) jcprof_take(&root->own);
  run = jcprof_now.run;
#endif
  if (run == JCPROF_NULL_) return 0;
  if (run->root != JCPROF_NULL_) return jcprof_nest(root, run, __builtin_frame_address(0));
  jcprof_push(root, run, JCPROF_FRAME_);
  JCPROF_HOOK_ENTER;
  jcprof_now.jcprof_armed = run->trap;
  jcprof_now.jcprof_mask = run->mask;
  return 1;
}

JCPROF_LOCAL_ void jcprof_leave(struct jcprof_root *root) {
  const int is_current = root->run == jcprof_now.run;
  if (root->run == JCPROF_NULL_) return;
#ifdef __cplusplus
  /* A stop in a handler, or while an exception unwinds, leaves that exception undestroyed. */
  if (root->left && jcprof_exceptions_now != JCPROF_NULL_) *jcprof_exceptions_now() = root->exceptions;
#endif
  if (root->outer != JCPROF_NULL_) {
    if (is_current) root->run->root = root->outer;
    if (is_current) root->run->frame = root->outer_frame;
    return;
  }
  if (is_current) jcprof_disarm();
  JCPROF_HOOK_LEAVE;
}

/* Stands first in the wrapper of an entry (docs/c.md shows it). A stop makes the wrapper return a zero of its type. It
   is not in the entry itself, because setjmp there would keep your variables out of registers. */
#define JCPROF_ROOT_(enter)                                                  \
  struct jcprof_root jcprof_here __attribute__((__cleanup__(jcprof_leave))); \
  if (enter && JCPROF_SETJMP(jcprof_here.jcprof_jump) != 0) return
#ifdef __cplusplus
#define JCPROF_ROOT_OF_(type, enter) JCPROF_ROOT_(enter) __typeof__(type)()
#else
#define JCPROF_ROOT_OF_(type, enter)   \
  static __typeof__(type) jcprof_none; \
  JCPROF_ROOT_(enter) jcprof_none
#endif
#define JCPROF_ROOT_VOID JCPROF_ROOT_(jcprof_enter(&jcprof_here))
#define JCPROF_ROOT(type) JCPROF_ROOT_OF_(type, jcprof_enter(&jcprof_here))
/* Stands in front of the declaration of the wrapped body. Inlined into the wrapper, the body would share a function with setjmp. */
#define JCPROF_BODY __attribute__((__noinline__))

/* The root of a calibration, and its body. */
JCPROF_LOCAL_ JCPROF_BODY void jcprof_body_calibrated(int stops) {
  __asm__ __volatile__("" : : : "memory");
  if (stops) JCPROF_TRAP(JCPROF_CALIBRATION_TRAP_);
}
JCPROF_LOCAL_ JCPROF_BODY void jcprof_root_calibrated(int stops) {
  JCPROF_ROOT_VOID;
  jcprof_body_calibrated(stops);
}

/* For timing: makes so many entries into an armed root. Each ends by a stop, or returns. Time one at a time, because
   the first stop of a command may cost more. It returns the number of stops. */
#ifndef JCPROF_ENCLAVE_BUILD
JCPROF_LOCAL_ __attribute__((__noinline__)) jcprof_u64 jcprof_calibrate_root(int stops, jcprof_u64 passes) {
  struct jcprof_run run;
  jcprof_u64 stopped = 0;
  for (; passes != 0; passes--) {
    jcprof_arm(&run, JCPROF_CALIBRATION_TRAP_, 1);
    jcprof_root_calibrated(stops);
    if (run.head.trap != 0) stopped++;
  }
  jcprof_disarm();
  return stopped;
}
#endif

#endif

/* ---- an enclave: armed by an ecall of our own ---- */

#ifdef JCPROF_ENCLAVE_BUILD

/* For an ecall that an ocall may make. It never takes the pending order. */
JCPROF_LOCAL_ __attribute__((__noinline__)) int jcprof_enter_nested(struct jcprof_root *root) {
  struct jcprof_run *run = jcprof_current();
  root->run = JCPROF_NULL_;
  return run != JCPROF_NULL_ && jcprof_nest(root, run, __builtin_frame_address(0));
}

#define JCPROF_ROOT_NESTED_VOID JCPROF_ROOT_(jcprof_enter_nested(&jcprof_here))
#define JCPROF_ROOT_NESTED(type) JCPROF_ROOT_OF_(type, jcprof_enter_nested(&jcprof_here))

/* Discards the pending order, and all that an entry left on this thread if it never returned. */
JCPROF_LOCAL_ void jcprof_arm_enclave(struct jcprof_head *window) {
  __atomic_store_n(&jcprof_wanted.window, JCPROF_TO_(struct jcprof_head *, JCPROF_NULL_), __ATOMIC_RELEASE);
  __atomic_fetch_add(&jcprof_wanted.shot, 1, __ATOMIC_RELAXED);
  jcprof_wanted.trap = window->trap;
  jcprof_wanted.hit = window->hit;
  window->trap = 0;
  window->hit = 0;
  window->events = 0;
  window->before = 0;
  window->all = 0;
  window->last = 0;
  __atomic_store_n(&jcprof_wanted.window, window, __ATOMIC_RELEASE);
}

/* Afterwards the window shows the stop, if there was one. */
JCPROF_LOCAL_ __attribute__((__noinline__)) void jcprof_calibrate_enclave(struct jcprof_head *window, int stops) {
  jcprof_u64 left;
  for (left = window->passes; left != 0; left--) {
    window->trap = JCPROF_CALIBRATION_TRAP_;
    window->hit = 1;
    jcprof_disarm();
    jcprof_arm_enclave(window);
    jcprof_root_calibrated(stops);
  }
}

/* 0 arms the next entry. 1, 2 and 3 make passes. 8 and 9 make entries that return, or end by a stop. If the state of
   the thread would be the host's, it does nothing. */
JCPROF_LOCAL_ void jcprof_serve(unsigned verb, void *memory) {
  struct jcprof_head *window = JCPROF_TO_(struct jcprof_head *, memory);
  window->build = JCPROF_BUILD;
  window->fault = jcprof_has_foreign_tls() ? 1 : 0;
  if (window->fault != 0) return;
  if (verb == 0) {
    jcprof_disarm();
    jcprof_arm_enclave(window);
    return;
  }
  jcprof_show(window);
  if (verb == 1) jcprof_calibrate(JCPROF_EMPTY, window->passes);
  if (verb == 2) jcprof_calibrate(JCPROF_UNARMED, window->passes);
  if (verb == 3) jcprof_calibrate(JCPROF_COUNTING, window->passes);
  if (verb == 8 || verb == 9) jcprof_calibrate_enclave(window, verb == 9);
  jcprof_disarm();
  window->last = 0;
}

#define JCPROF_ENCLAVE(name) JCPROF_ENCLAVE_(name, jcprof_serve(verb, window))

#endif

/* ---- a trusted application: armed by a command of our own ---- */

/* Only the file with the wrapper has this. */
#if defined(JCPROF_TA_BUILD) && JCPROF_HAS_ROOT_ && defined(JCPROF_ROOT_HERE)

#ifndef JCPROF_ROOM
#define JCPROF_ROOM 16384 /* ids of a trace that it keeps */
#endif

/* Belongs to the instance: the run, its ids, and the session that armed it. */
struct jcprof_shot {
  struct jcprof_run run;
  const void *session;
  jcprof_u32 ids[JCPROF_ROOM];
};
static struct jcprof_shot jcprof_latest;

/* Only the session that armed the trap runs armed, and our own command does not. */
JCPROF_LOCAL_ __attribute__((__noinline__)) int jcprof_enter_session(struct jcprof_root *root, const void *session,
                                                                     jcprof_u32 command) {
  root->run = JCPROF_NULL_;
  return command != JCPROF_COMMAND && session == jcprof_latest.session && jcprof_enter(root);
}

/* Ids of the window from number `first` on, as many as fit. */
JCPROF_LOCAL_ void jcprof_report(char *to, __SIZE_TYPE__ size, jcprof_u64 first) {
  const jcprof_u64 count = jcprof_in_window(&jcprof_latest.run.head);
  const jcprof_u64 fit = size / sizeof(jcprof_u32);
  if (first > count) first = count;
  __builtin_memcpy(to, jcprof_latest.ids + first,
                   sizeof(jcprof_u32) * JCPROF_TO_(__SIZE_TYPE__, count - first < fit ? count - first : fit));
}

/* See docs/optee.md, "Our command". The normal world shares the memory, which need not be aligned. */
JCPROF_LOCAL_ __attribute__((__noinline__)) jcprof_u32 jcprof_serve(const void *session, void *window, __SIZE_TYPE__ size,
                                                                    jcprof_u32 verb, jcprof_u32 first) {
  struct jcprof_shot *const shot = &jcprof_latest;
  struct jcprof_head wish;
  if (size < sizeof(wish)) return JCPROF_SHORT_BUFFER_;
  __builtin_memcpy(&wish, window, sizeof(wish));
  if (verb == 0 && wish.room == 0) jcprof_arm(&shot->run, wish.trap, wish.hit);
  if (verb == 0 && wish.room != 0)
    jcprof_arm_trace(&shot->run, wish.from, shot->ids, wish.room < JCPROF_ROOM ? wish.room : JCPROF_ROOM);
  if (verb == 0) shot->session = session;
  if (verb == 0) shot->run.head.magic[0] = 'J'; /* it was used, however its agent ended */
  if (verb == 1) jcprof_calibrate(JCPROF_EMPTY, wish.passes);
  if (verb == 2) jcprof_calibrate(JCPROF_UNARMED, wish.passes);
  if (verb == 3) jcprof_calibrate(JCPROF_COUNTING, wish.passes);
  if (verb == 8 || verb == 9) shot->run.head.passes = jcprof_calibrate_root(verb == 9, wish.passes);
  if (verb == 5) __builtin_trap();
  if (verb == 6 || verb == 7 || verb > 9) return JCPROF_BAD_PARAMETERS_; /* only a build that records has these */
  if (verb == 4) jcprof_report(JCPROF_TO_(char *, window) + sizeof(wish), size - sizeof(wish), first);
  shot->run.head.build = JCPROF_BUILD;
  __builtin_memcpy(window, &shot->run.head, sizeof(wish));
  return 0;
}

/* Stands first in the wrapper of TA_InvokeCommandEntryPoint, and takes its arguments: the root, and our command. */
#define JCPROF_TA(type, session, command, types, params)                               \
  JCPROF_ROOT_OF_(type, jcprof_enter_session(&jcprof_here, session, command));         \
  JCPROF_SERVE_(command, types, jcprof_serve(session, (params)[0].memref.buffer, (params)[0].memref.size, (params)[1].value.a, \
                (params)[1].value.b))

#endif

/* ---- a program for each shot: armed by environment, stopped by _exit ---- */

#ifndef JCPROF_PROGRAM

#define JCPROF_BEGIN(id) JCPROF_TRAP(id)
#define JCPROF_BEGIN_D(id) JCPROF_TRAP_D(id)

#else

extern char *jcprof_libc_getenv(const char *name) JCPROF_OUTSIDE_(getenv);
extern int jcprof_libc_unsetenv(const char *name) JCPROF_OUTSIDE_(unsetenv);
extern int jcprof_libc_open(const char *path, int flags, ...) JCPROF_OUTSIDE_(open);
extern int jcprof_libc_creat(const char *path, unsigned mode) JCPROF_OUTSIDE_(creat);
extern int jcprof_libc_close(int file) JCPROF_OUTSIDE_(close);
extern int jcprof_libc_ftruncate(int file, long size) JCPROF_OUTSIDE_(ftruncate);
extern long jcprof_libc_lseek(int file, long offset, int from) JCPROF_OUTSIDE_(lseek);
extern void *jcprof_libc_mmap(void *at, __SIZE_TYPE__ size, int protection, int flags, int file, long offset)
    JCPROF_OUTSIDE_(mmap);
extern long jcprof_libc_write(int file, const void *bytes, __SIZE_TYPE__ count) JCPROF_OUTSIDE_(write);
extern void jcprof_libc_exit(int status) JCPROF_OUTSIDE_(_exit) __attribute__((__noreturn__));

#define JCPROF_STOPPED_STATUS 86
#define JCPROF_FAILED_STATUS 87
#define JCPROF_DEFAULT_ROOM 1048576

JCPROF_LOCAL_ __attribute__((__noreturn__)) void jcprof_exit_stopped(struct jcprof_run *run) {
  (void)run;
  jcprof_libc_exit(JCPROF_STOPPED_STATUS);
}

JCPROF_LOCAL_ __attribute__((__noreturn__)) void jcprof_fail(const char *variable, const char *what) {
  const char *parts[4];
  int i;
  parts[0] = "jcprof: ";
  parts[1] = variable;
  parts[2] = what;
  parts[3] = "\n";
  for (i = 0; i < 4; i++) {
    __SIZE_TYPE__ length = 0;
    while (parts[i][length] != 0) length++;
    if (jcprof_libc_write(2, parts[i], length) < 0) break;
  }
  jcprof_libc_exit(JCPROF_FAILED_STATUS);
}

/* A decimal number of at most 32 bits: no value here needs more. */
JCPROF_LOCAL_ jcprof_u32 jcprof_number(const char *variable, const char *digits) {
  jcprof_u64 value = 0;
  const char *digit;
  for (digit = digits; *digit >= '0' && *digit <= '9' && value <= 0xFFFFFFFFu; digit++) {
    value = value * 10 + JCPROF_TO_(jcprof_u64, *digit - '0');
  }
  if (digit == digits || *digit != 0 || value > 0xFFFFFFFFu) jcprof_fail(variable, " is not a number that fits");
  return JCPROF_TO_(jcprof_u32, value);
}

/* The head of a report file, followed by its window. It is made if it is missing or empty. */
JCPROF_LOCAL_ struct jcprof_head *jcprof_map(const char *variable, const char *path, jcprof_u64 room) {
  static const char magic[] = "JCPROF1\n";
  const jcprof_u64 least = sizeof(struct jcprof_head);
  struct jcprof_head *head;
  void *base;
  long size;
  int fresh, i;
  int file = jcprof_libc_open(path, 2);
  if (file < 0) {
    file = jcprof_libc_creat(path, 438);
    if (file >= 0) jcprof_libc_close(file);
    file = jcprof_libc_open(path, 2);
  }
  size = file < 0 ? -1 : jcprof_libc_lseek(file, 0, 2);
  fresh = size == 0;
  if (fresh) {
    size = JCPROF_TO_(long, least + room * sizeof(jcprof_u32));
    if (jcprof_libc_ftruncate(file, size) != 0) size = -1;
  }
  if (size < 0) jcprof_fail(variable, ": that file cannot be written");
  if (JCPROF_TO_(jcprof_u64, size) < least) jcprof_fail(variable, ": that file is not of jcprof");
  base = jcprof_libc_mmap(JCPROF_NULL_, JCPROF_TO_(__SIZE_TYPE__, size), 3, 1, file, 0);
  jcprof_libc_close(file);
  if (JCPROF_AS_(__INTPTR_TYPE__, base) == -1) jcprof_fail(variable, ": that file cannot be mapped");
  head = JCPROF_TO_(struct jcprof_head *, base);
  for (i = 0; i < 8; i++) {
    if (fresh) head->magic[i] = magic[i];
    if (head->magic[i] != magic[i]) jcprof_fail(variable, ": that file is not of jcprof");
  }
  room = (JCPROF_TO_(jcprof_u64, size) - least) / sizeof(jcprof_u32);
  if (fresh || head->room > room) head->room = room;
  return head;
}

/* The text behind `prefix`; null if `text` does not begin with it. */
JCPROF_LOCAL_ const char *jcprof_behind(const char *text, const char *prefix) {
  for (; *prefix != 0; prefix++, text++) {
    if (*text != *prefix) return JCPROF_NULL_;
  }
  return text;
}

JCPROF_LOCAL_ __attribute__((__noreturn__)) void jcprof_calibrate_program(struct jcprof_head *to, const char *wish) {
  static const char *const kinds[] = {"empty:", "unarmed:", "counting:"};
  static const enum jcprof_calibration values[] = {JCPROF_EMPTY, JCPROF_UNARMED, JCPROF_COUNTING};
  int i;
  for (i = 0; i < 3; i++) {
    const char *digits = jcprof_behind(wish, kinds[i]);
    if (digits == JCPROF_NULL_) continue;
    jcprof_calibrate(values[i], jcprof_number("JCPROF_CALIBRATE", digits));
    to->passes = jcprof_number("JCPROF_CALIBRATE", digits);
    jcprof_libc_exit(0);
  }
  jcprof_fail("JCPROF_CALIBRATE", " is neither empty:N nor unarmed:N nor counting:N");
}

JCPROF_LOCAL_ void jcprof_reset(struct jcprof_head *head) {
  head->build = JCPROF_BUILD;
  head->trap = 0;
  head->hit = 0;
  head->events = 0;
  head->before = 0;
  head->all = 0;
  head->passes = 0;
}

/* A function of its own, so that an entry that is called often costs only one more test. */
JCPROF_LOCAL_ JCPROF_COLD_ void jcprof_arm_program(void) {
  static const char *const names[] = {"JCPROF_TRAP", "JCPROF_HIT", "JCPROF_TRACE", "JCPROF_REPORT", "JCPROF_CALIBRATE"};
  static struct jcprof_run run;
  const char *wishes[5];
  int wished = 0, i;
  for (i = 0; i < 5; i++) {
    wishes[i] = jcprof_libc_getenv(names[i]);
    wished |= wishes[i] != JCPROF_NULL_;
  }
  if (!wished) return;
  jcprof_clear(&run);
  if (wishes[0] != JCPROF_NULL_) run.trap = jcprof_number(names[0], wishes[0]);
  run.hit = wishes[1] != JCPROF_NULL_ ? jcprof_number(names[1], wishes[1]) : 1;
  if (run.hit == 0) jcprof_fail(names[1], " is not a number that fits");
  run.left = run.hit;
  if (wishes[2] != JCPROF_NULL_) {
    run.to = jcprof_map(names[2], wishes[2], JCPROF_DEFAULT_ROOM);
    run.mask = 0;
  } else if (wishes[3] != JCPROF_NULL_) {
    run.to = jcprof_map(names[3], wishes[3], 0);
  }
  jcprof_reset(run.to);
  run.ids = JCPROF_AS_(jcprof_u32 *, run.to + 1);
  if (wishes[4] != JCPROF_NULL_) jcprof_calibrate_program(run.to, wishes[4]);
  run.root = &run;
  run.leave = jcprof_exit_stopped;
  jcprof_own(&run);
  for (i = 0; i < 5; i++) jcprof_libc_unsetenv(names[i]);
  jcprof_now.run = &run;
  jcprof_now.jcprof_armed = run.trap;
  jcprof_now.jcprof_mask = run.mask;
}

/* Arms the thread that comes here first. */
JCPROF_LOCAL_ void jcprof_begin(void) {
  static int begun;
  if (__atomic_load_n(&begun, __ATOMIC_RELAXED) || __atomic_exchange_n(&begun, 1, __ATOMIC_RELAXED)) return;
  jcprof_arm_program();
}

/* Stands first in the entry, with its first trap. */
#define JCPROF_BEGIN(id) (jcprof_begin(), JCPROF_TRAP_E(id))
#define JCPROF_BEGIN_D(id)                                              \
  int jcprof_b##id __attribute__((__unused__)) = (jcprof_begin(), 0);   \
  JCPROF_TRAP_D(id)

#endif

#endif /* JCPROF_RECORD */

#ifdef __cplusplus
} /* extern "C" */
} /* extern "C++" */
#endif

#endif /* JCPROF_LIVE */

#endif /* JCPROF_H */
