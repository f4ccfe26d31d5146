/* SPDX-License-Identifier: Apache-2.0 */
/* The target's side of record mode (docs/record.md). Traps, calls and marks write to a log that the recorder shares,
   and stop nothing. Only jcprof.h includes this file, where JCPROF_RECORD is defined. */
#ifndef JCPROF_RECORD_H
#define JCPROF_RECORD_H

#include "jcprof_log.h"

/* JCPROF_CLOCK is an expression of 64 bits. If it calls a function, compile that function without hooks. JCPROF_CLOCK_HZ
   says how many of its ticks a second has. */
#ifdef JCPROF_CLOCK_SHARED
#define JCPROF_TICKS_ __atomic_load_n(&jcprof_recorder.log->now, __ATOMIC_RELAXED)
#elif defined(JCPROF_CLOCK)
#define JCPROF_TICKS_ (JCPROF_CLOCK)
#elif defined(__x86_64__) || defined(__i386__)
#define JCPROF_TICKS_ __builtin_ia32_rdtsc()
#elif defined(__aarch64__) && defined(JCPROF_TA_BUILD)
#define JCPROF_TICKS_ jcprof_counter()
/* The counter of the secure world. A TA panics here if OP-TEE keeps the counter from it: docs/optee.md. */
JCPROF_LOCAL_ JCPROF_HOT_ jcprof_log_u64 jcprof_counter(void) JCPROF_NOTHROW_ {
  jcprof_log_u64 ticks;
  __asm__ __volatile__("mrs %0, pmccntr_el0" : "=r"(ticks) : : "memory");
  return ticks;
}
#elif defined(__aarch64__)
#define JCPROF_TICKS_ jcprof_counter()
JCPROF_LOCAL_ JCPROF_HOT_ jcprof_log_u64 jcprof_counter(void) JCPROF_NOTHROW_ {
  jcprof_log_u64 ticks;
  __asm__ __volatile__("mrs %0, cntvct_el0" : "=r"(ticks));
  return ticks;
}
#else
#error "jcprof: this processor's clock is not known: define JCPROF_CLOCK or JCPROF_CLOCK_SHARED"
#endif

/* An event waits for the loads ahead of it, and reads the clock then. Otherwise a load that misses the cache would be
   time of the function that comes behind the event. AArch64 may read its counter before `dsb` is done, but not before
   `isb`. Other processors do not wait. */
#if defined(__x86_64__) || defined(__i386__)
#define JCPROF_WAITS_ 1
#define JCPROF_WAIT_FOR_LOADS_ __asm__ __volatile__("lfence" : : : "memory")
#elif defined(__aarch64__)
#define JCPROF_WAITS_ 1
#define JCPROF_WAIT_FOR_LOADS_ __asm__ __volatile__("dsb nshld\n\tisb" : : : "memory")
#else
#define JCPROF_WAITS_ 0
#define JCPROF_WAIT_FOR_LOADS_ ((void)0)
#endif

/* The log's `clock_hz`. */
#if !defined(JCPROF_CLOCK) || defined(JCPROF_CLOCK_SHARED)
#define JCPROF_HZ_ JCPROF_TO_(jcprof_log_u64, 0)
#elif defined(JCPROF_CLOCK_HZ)
#define JCPROF_HZ_ JCPROF_TO_(jcprof_log_u64, JCPROF_CLOCK_HZ)
#else
#define JCPROF_HZ_ (~JCPROF_TO_(jcprof_log_u64, 0))
#endif

/* A program on Linux finds its log by the environment. Other targets get theirs from outside. */
#if defined(__linux__) && !JCPROF_ALONE_
#define JCPROF_BY_PATH_ 1
#else
#define JCPROF_BY_PATH_ 0
#endif

#if JCPROF_BY_PATH_
#define JCPROF_O_CLOEXEC_ 02000000
#define JCPROF_MADV_POPULATE_WRITE_ 23
#define JCPROF_AT_RANDOM_ 25
#define JCPROF_SIG_SETMASK_ 2
#define JCPROF_CLOCK_THREAD_ 3 /* CLOCK_THREAD_CPUTIME_ID */
extern char *jcprof_libc_getenv(const char *name) JCPROF_OUTSIDE_(getenv);
extern int jcprof_libc_open(const char *path, int flags, ...) JCPROF_OUTSIDE_(open);
extern int jcprof_libc_close(int file) JCPROF_OUTSIDE_(close);
extern long jcprof_libc_lseek(int file, long offset, int from) JCPROF_OUTSIDE_(lseek);
extern long jcprof_libc_read(int file, void *bytes, __SIZE_TYPE__ count) JCPROF_OUTSIDE_(read);
extern void *jcprof_libc_mmap(void *at, __SIZE_TYPE__ size, int protection, int flags, int file, long offset)
    JCPROF_OUTSIDE_(mmap);
extern int jcprof_libc_munmap(void *at, __SIZE_TYPE__ size) JCPROF_OUTSIDE_(munmap);
extern int jcprof_libc_sigmask(int how, const void *to, void *from) JCPROF_OUTSIDE_(sigprocmask);
extern int *jcprof_libc_errno(void) JCPROF_OUTSIDE_(__errno_location) __attribute__((__weak__));
extern long jcprof_libc_readlink(const char *path, char *to, __SIZE_TYPE__ size) JCPROF_OUTSIDE_(readlink);
extern int jcprof_libc_poll(void *files, unsigned long count, int milliseconds) JCPROF_OUTSIDE_(poll);
extern int jcprof_libc_gettid(void) JCPROF_OUTSIDE_(gettid) __attribute__((__weak__));
extern __UINTPTR_TYPE__ jcprof_libc_getauxval(unsigned long type) JCPROF_OUTSIDE_(getauxval) __attribute__((__weak__));
extern int jcprof_libc_madvise(void *at, __SIZE_TYPE__ size, int advice) JCPROF_OUTSIDE_(madvise)
    __attribute__((__weak__));
extern int jcprof_libc_clock(int clock, void *time) JCPROF_OUTSIDE_(clock_gettime) __attribute__((__weak__));
extern int jcprof_libc_key_create(unsigned *key, void (*end)(void *value)) JCPROF_OUTSIDE_(pthread_key_create)
    __attribute__((__weak__));
extern int jcprof_libc_setspecific(unsigned key, const void *value) JCPROF_OUTSIDE_(pthread_setspecific)
    __attribute__((__weak__));
extern int jcprof_libc_register_atfork(void (*before)(void), void (*parent)(void), void (*child)(void), void *object)
    JCPROF_OUTSIDE_(__register_atfork) __attribute__((__weak__));
extern int jcprof_libc_atfork(void (*before)(void), void (*parent)(void), void (*child)(void))
    JCPROF_OUTSIDE_(pthread_atfork) __attribute__((__weak__));
#endif

/* ---- state ---- */

/* The state of a thread. A signal handler may see it between any two instructions. */
struct jcprof_writer {
  struct jcprof_log_head *volatile head; /* null: the thread has not begun */
  jcprof_log_u64 *volatile next;         /* slot that is taken next */
  jcprof_log_u64 *volatile begin;        /* first of its chunk; null: it has none */
  __UINTPTR_TYPE__ room;                 /* bytes of slots, less one slot: a mark that begins in the last one needs two */
  volatile jcprof_log_u64 base;
  volatile jcprof_log_u64 last; /* tick of its last event */
  jcprof_log_u64 late;          /* an event is late if it comes more ticks after `last` */
  jcprof_log_u64 *functions;
  int shift; /* of a hash to the right: the rest is a slot of `functions` */
  jcprof_log_u32 ordered; /* as the log's */
  volatile jcprof_log_u32 busy; /* 0: not on the slow path; or 1, and the handlers refused since its last step */
  struct jcprof_log_chunk *volatile chunk;
  volatile jcprof_log_u64 lost; /* since its last chunk */
  jcprof_log_u32 thread;
  jcprof_log_u32 number;
  jcprof_log_u32 probe;    /* chunk that is looked at next */
  jcprof_log_u32 starved;  /* the last look at all chunks found none */
  jcprof_log_u32 refusals; /* in a row, by an unwritten slot */
  jcprof_log_u32 waited;   /* for another thread that looks for the log: once is enough */
  int error;
#ifdef JCPROF_ENCLAVE_BUILD
  struct jcprof_kept *kept; /* null: there is no room for it */
#endif
};

#ifdef JCPROF_ENCLAVE_BUILD
/* The SDK makes the storage of an unbound thread anew before each root ecall, at the same place. The thread then
   continues with this. */
struct jcprof_kept {
  struct jcprof_writer *owner; /* null: nobody's */
  struct jcprof_log_chunk *chunk;
  jcprof_log_u64 *next; /* next slot of the chunk, when the thread took the chunk or continued with it */
  jcprof_log_u64 base;
  jcprof_log_u64 lost;
  jcprof_log_u32 thread;
  jcprof_log_u32 number;
};
#define JCPROF_KEPT_ 256 /* threads; any further thread starts anew */
extern struct jcprof_kept jcprof_kept[JCPROF_KEPT_] JCPROF_VISIBLE_;
#endif

#define JCPROF_UNATTACHED_ 0u
#define JCPROF_ATTACHING_ 1u
#define JCPROF_ATTACHED_ 2u /* or looked for in vain */

/* The state of the program. */
struct jcprof_recorder {
  struct jcprof_log_head *log; /* null: none, or not looked for */
  jcprof_log_u32 wanted;       /* a thread that has not begun should */
  jcprof_log_u32 attached;     /* JCPROF_UNATTACHED_ and so on */
  unsigned key;                /* of threads; ~0: none */
  jcprof_log_u64 early;        /* lost by threads that had not begun; not yet in the log */
#if JCPROF_BY_PATH_
  jcprof_log_u32 process;  /* our number, if the recorder knows us by it; else 0 */
  jcprof_log_u32 finder;   /* process that looked for the log */
  jcprof_log_u32 readings; /* of maps, asked for */
  int maps;                /* the file */
  unsigned at, count;      /* in `bytes` */
  char bytes[512];
  char path[4096];
#endif
};

extern JCPROF_THREAD struct jcprof_writer jcprof_writing JCPROF_TLS_;
extern struct jcprof_recorder jcprof_recorder JCPROF_VISIBLE_;
#if JCPROF_ALONE_
extern char jcprof_log_anchor JCPROF_VISIBLE_;
#endif

/* Returns true once the thread has begun. */
JCPROF_VISIBLE_ JCPROF_COLD_ JCPROF_BARE_ int jcprof_begin_record(void) JCPROF_NOTHROW_;
/* Writes an event that comes late or did not fit. `slot` was taken and is empty. */
JCPROF_VISIBLE_ JCPROF_COLD_ JCPROF_BARE_ void jcprof_record_late(jcprof_log_u32 what, jcprof_log_u64 payload,
                                                                  jcprof_log_u64 *slot) JCPROF_NOTHROW_;
JCPROF_VISIBLE_ JCPROF_BARE_ jcprof_log_u32 jcprof_find_function(__UINTPTR_TYPE__ address) JCPROF_NOTHROW_;
JCPROF_VISIBLE_ JCPROF_BARE_ void jcprof_record_mark(jcprof_log_u32 *id, const char *name,
                                                     jcprof_log_u64 payload) JCPROF_NOTHROW_;
JCPROF_VISIBLE_ JCPROF_RARE_ JCPROF_BARE_ void jcprof_record_switch(jcprof_log_u32 kind) JCPROF_NOTHROW_;
/* The thread goes on on another stack: the payload of JCPROF_LOG_STACK. A pause does not hide that. */
JCPROF_VISIBLE_ JCPROF_COLD_ JCPROF_BARE_ void jcprof_record_stack(jcprof_log_u64 stack) JCPROF_NOTHROW_;
/* `log` is memory with a log that nobody else attaches. A program keeps the first log that it is given. */
JCPROF_VISIBLE_ JCPROF_COLD_ JCPROF_BARE_ void jcprof_record_attach(void *log) JCPROF_NOTHROW_;

/* ---- the hot path ---- */

/* Where a handler can interrupt, this is one instruction: a handler before or behind it takes slots of its own. */
JCPROF_LOCAL_ JCPROF_HOT_ jcprof_log_u64 *jcprof_take_slots(__UINTPTR_TYPE__ bytes) JCPROF_NOTHROW_ {
#if defined(__x86_64__) || defined(__i386__)
  __asm__ __volatile__("xadd %0, %1" : "+r"(bytes), "+m"(jcprof_writing.next) : : "cc");
  return JCPROF_AS_(jcprof_log_u64 *, bytes);
#elif defined(JCPROF_TA_BUILD)
  jcprof_log_u64 *const slot = jcprof_writing.next;
  jcprof_writing.next = slot + bytes / sizeof(jcprof_log_u64);
  return slot;
#elif defined(__aarch64__)
  jcprof_log_u64 *slot, *next;
  unsigned failed;
  __asm__ __volatile__("1:\tldxr %0, %3\n\tadd %1, %0, %4\n\tstxr %w2, %1, %3\n\tcbnz %w2, 1b"
                       : "=&r"(slot), "=&r"(next), "=&r"(failed), "+Q"(jcprof_writing.next)
                       : "r"(bytes));
  return slot;
#else
  return __atomic_fetch_add(&jcprof_writing.next, bytes, __ATOMIC_RELAXED);
#endif
}

/* The distance in bytes. It is huge if `slot` lies before `begin`. */
JCPROF_LOCAL_ JCPROF_HOT_ __UINTPTR_TYPE__ jcprof_offset(const jcprof_log_u64 *slot,
                                                         const jcprof_log_u64 *begin) JCPROF_NOTHROW_ {
  return JCPROF_AS_(__UINTPTR_TYPE__, slot) - JCPROF_AS_(__UINTPTR_TYPE__, begin);
}

JCPROF_LOCAL_ JCPROF_HOT_ jcprof_log_u64 jcprof_ticks(void) JCPROF_NOTHROW_ {
  if (__builtin_expect(jcprof_writing.ordered != 0, 1)) JCPROF_WAIT_FOR_LOADS_;
  return JCPROF_TICKS_;
}

/* The slow path finds out whether the thread waited. It keeps the chunk for the first half of the ticks that 40 bits
   hold. JCPROF_LATE_MOST_ for each slot is the other half, so the tick of an event that is not late fits. */
JCPROF_LOCAL_ JCPROF_HOT_ int jcprof_is_late(jcprof_log_u64 tick) JCPROF_NOTHROW_ {
#if JCPROF_BY_PATH_
  if (__builtin_expect(tick - jcprof_writing.last > jcprof_writing.late, 0)) return 1;
  jcprof_writing.last = tick;
  return 0;
#else
  return __builtin_expect((tick - jcprof_writing.base) >> JCPROF_LOG_TICK_BITS != 0, 0);
#endif
}

/* A slot that is taken and not yet written keeps its chunk, until a handler runs out of patience. A slot of an earlier
   chunk, or of none, lies outside. The base is read before the slot is looked at: then it is that of the slot's chunk,
   whenever a handler changes to another one. False: there is no room, or the event is late; a taken `slot` stays
   empty. */
JCPROF_LOCAL_ JCPROF_HOT_ int jcprof_write(jcprof_log_u32 what, jcprof_log_u64 payload,
                                           jcprof_log_u64 **slot) JCPROF_NOTHROW_ {
  const int is_mark = (what & 3u) == JCPROF_LOG_MARK;
  jcprof_log_u64 tick, base;
  *slot = jcprof_take_slots(is_mark ? 2 * sizeof(jcprof_log_u64) : sizeof(jcprof_log_u64));
  base = jcprof_writing.base;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  if (__builtin_expect(jcprof_offset(*slot, jcprof_writing.begin) >= jcprof_writing.room, 0)) return 0;
  tick = jcprof_ticks();
  if (jcprof_is_late(tick)) return 0;
  if (is_mark) {
    __atomic_store_n(*slot + 1, payload, __ATOMIC_RELAXED);
    __atomic_signal_fence(__ATOMIC_RELEASE);
  }
  __atomic_store_n(*slot, (tick - base) << 24 | what, __ATOMIC_RELAXED);
  return 1;
}

JCPROF_LOCAL_ JCPROF_HOT_ int jcprof_records_now(void) JCPROF_NOTHROW_ {
  const struct jcprof_log_head *head = jcprof_writing.head;
  if (__builtin_expect(head == JCPROF_NULL_, 0)) {
    if (!__atomic_load_n(&jcprof_recorder.wanted, __ATOMIC_RELAXED) || !jcprof_begin_record()) return 0;
    head = jcprof_writing.head;
  }
  return __atomic_load_n(&head->off, __ATOMIC_RELAXED) == 0;
}

JCPROF_LOCAL_ JCPROF_HOT_ void jcprof_record(jcprof_log_u32 what) JCPROF_NOTHROW_ {
  jcprof_log_u64 *slot;
  if (jcprof_records_now() && !jcprof_write(what, 0, &slot)) jcprof_record_late(what, 0, slot);
}

/* The search for an address begins at this slot: the address times 2^64 over the golden ratio (Knuth, 6.4). */
JCPROF_LOCAL_ JCPROF_HOT_ jcprof_log_u64 jcprof_first_slot(__UINTPTR_TYPE__ address) JCPROF_NOTHROW_ {
  const jcprof_log_u64 wide = address;
  return wide * (JCPROF_TO_(jcprof_log_u64, 0x9E3779B9u) << 32 | 0x7F4A7C15u) >> jcprof_writing.shift;
}

JCPROF_LOCAL_ JCPROF_HOT_ void jcprof_record_call(void *function, jcprof_log_u32 kind) JCPROF_NOTHROW_ {
  const __UINTPTR_TYPE__ address = JCPROF_AS_(__UINTPTR_TYPE__, function);
  jcprof_log_u64 first, *slot;
  jcprof_log_u32 what;
  if (!jcprof_records_now()) return;
  first = jcprof_first_slot(address);
  if (__builtin_expect(__atomic_load_n(jcprof_writing.functions + first, __ATOMIC_RELAXED) == address, 1)) {
    what = JCPROF_TO_(jcprof_log_u32, first + 1) << 2 | kind;
  } else {
    what = jcprof_find_function(address);
    if (what == 0) return;
    what = what << 2 | kind;
  }
  if (!jcprof_write(what, 0, &slot)) jcprof_record_late(what, 0, slot);
}

/* ---- macros ---- */

#define JCPROF_LINE_(id) (((0u + (id)) & JCPROF_LOG_ID_MOST) << 2 | JCPROF_LOG_LINE)
#ifdef __cplusplus
#define JCPROF_TRAP_E(id) (static_cast<void>(jcprof_records(JCPROF_LINE_(id))))
#else
#define JCPROF_TRAP_E(id) (jcprof_record(JCPROF_LINE_(id)))
#endif
JCPROF_LOCAL_ JCPROF_CALLED_ void jcprof_passed(jcprof_u32 id) JCPROF_NOTHROW_ { jcprof_record(JCPROF_LINE_(id)); }
#define JCPROF_MEETS_(id) ((void)(id), jcprof_records_now())

/* g++ 12 warns of a cast to the same type, but not in a template. */
#ifdef __cplusplus
#define JCPROF_PAYLOAD_(x) jcprof_payload(x)
#else
#define JCPROF_PAYLOAD_(x) ((jcprof_log_u64)(x))
#endif
#define JCPROF_MARK(name, payload)                                       \
  do {                                                                   \
    static jcprof_log_u32 jcprof_id;                                     \
    jcprof_record_mark(&jcprof_id, name, JCPROF_PAYLOAD_(payload));      \
  } while (0)
#define JCPROF_PAUSE() jcprof_record_switch(JCPROF_LOG_PAUSE)
#define JCPROF_RESUME() jcprof_record_switch(JCPROF_LOG_RESUME)

#define JCPROF_BEGIN(id) JCPROF_TRAP(id)
#define JCPROF_BEGIN_D(id) JCPROF_TRAP_D(id)
#define JCPROF_ROOT(type) ((void)0)
#define JCPROF_ROOT_VOID ((void)0)
#define JCPROF_ROOT_NESTED(type) ((void)0)
#define JCPROF_ROOT_NESTED_VOID ((void)0)
#define JCPROF_BODY
#define JCPROF_ENCLAVE(name) JCPROF_ENCLAVE_(name, if (verb == 6) jcprof_record_attach(window))

/* ---- the slow path: nothing in it allocates or is not safe in a handler; only the first threads wait, for the log ---- */

#if JCPROF_DEFINED_HERE_

/* gcc's helpers for atomic operations need a libc. */
#if defined(JCPROF_TA_BUILD) && defined(__aarch64__) && !defined(__clang__)
#pragma GCC push_options
#pragma GCC target("no-outline-atomics")
#endif

/* Slots that are taken without a chunk lie here, behind all chunks. */
#define JCPROF_NOWHERE_ JCPROF_AS_(jcprof_log_u64 *, ~JCPROF_TO_(__UINTPTR_TYPE__, 0xFFFF))
/* A handler must leave the chunk alone, and loses events, while its thread is on the slow path or has a slot that is
   not written. A handler that left by longjmp leaves the same state behind. After so many refusals, and no step of the
   slow path meanwhile, the thread assumes that, and gives the chunk up for good. */
#define JCPROF_PATIENCE_ 1024u
#define JCPROF_PROBES_ 64 /* slots of the table that are looked at for a function */
#define JCPROF_STEPS_APART_ 32 /* of work, which takes longer than reading a clock */
#define JCPROF_LATE_MOST_ (1u << 26) /* for each of the 2^13 slots of the largest chunk */

JCPROF_WEAK_ JCPROF_THREAD struct jcprof_writer jcprof_writing JCPROF_TLS_;
JCPROF_WEAK_ struct jcprof_recorder jcprof_recorder JCPROF_VISIBLE_ = {JCPROF_NULL_, JCPROF_BY_PATH_, 0, ~0u, 0
#if JCPROF_BY_PATH_
                                                                       , 0, 0, 0, 0, 0, 0, {0}, {0}
#endif
};
#if JCPROF_ALONE_
JCPROF_WEAK_ char jcprof_log_anchor JCPROF_VISIBLE_;
#endif
#ifdef JCPROF_ENCLAVE_BUILD
JCPROF_WEAK_ struct jcprof_kept jcprof_kept[JCPROF_KEPT_] JCPROF_VISIBLE_;
#endif

JCPROF_LOCAL_ void *jcprof_in_log(struct jcprof_log_head *log, jcprof_log_u64 offset) {
  return JCPROF_AS_(char *, log) + offset;
}

/* Nanoseconds that this thread has spent on a processor; 0: unknown. */
JCPROF_LOCAL_ jcprof_log_u64 jcprof_processor_ns(void) {
#if JCPROF_BY_PATH_
  struct {
    long seconds, nanoseconds;
  } time = {0, 0};
  if (jcprof_libc_clock != JCPROF_NULL_ && jcprof_libc_clock(JCPROF_CLOCK_THREAD_, &time) == 0)
    return JCPROF_TO_(jcprof_log_u64, time.seconds) * 1000000000u + JCPROF_TO_(jcprof_log_u64, time.nanoseconds);
#endif
  return 0;
}

/* ---- entries ---- */

JCPROF_LOCAL_ void jcprof_append(jcprof_log_u32 kind, jcprof_log_u64 a, jcprof_log_u64 b, jcprof_log_u64 c,
                                 const char *text, jcprof_log_u32 length) {
  struct jcprof_log_head *const log = jcprof_recorder.log;
  const jcprof_log_u32 head = sizeof(struct jcprof_log_entry);
  const jcprof_log_u32 bytes = (head + length + 8) & ~7u;
  struct jcprof_log_entry *entry;
  char *to;
  jcprof_log_u32 at, i;
  if (__atomic_load_n(&log->entries_used, __ATOMIC_RELAXED) > log->entry_bytes) return;
  at = __atomic_fetch_add(&log->entries_used, bytes, __ATOMIC_RELAXED);
  if (at > log->entry_bytes || bytes > log->entry_bytes - at) return;
  entry = JCPROF_TO_(struct jcprof_log_entry *, jcprof_in_log(log, log->entries_at + at));
  __atomic_store_n(&entry->bytes, bytes, __ATOMIC_RELAXED);
  entry->a = a;
  entry->b = b;
  entry->c = c;
  to = JCPROF_AS_(char *, entry + 1);
  for (i = 0; i < length; i++) to[i] = text[i];
  __atomic_store_n(&entry->kind, kind, __ATOMIC_RELEASE);
}

/* The first entry, or the one behind `entry`; null: there are no more. */
JCPROF_LOCAL_ const struct jcprof_log_entry *jcprof_next_entry(const struct jcprof_log_entry *entry) {
  struct jcprof_log_head *const log = jcprof_recorder.log;
  const char *const first = JCPROF_TO_(const char *, jcprof_in_log(log, log->entries_at));
  const jcprof_log_u32 used = __atomic_load_n(&log->entries_used, __ATOMIC_RELAXED);
  const jcprof_log_u32 end = used < log->entry_bytes ? used : log->entry_bytes;
  const char *const here = entry == JCPROF_NULL_
                               ? first
                               : JCPROF_AS_(const char *, entry) + __atomic_load_n(&entry->bytes, __ATOMIC_RELAXED);
  const void *next = here;
  if (here - first + JCPROF_TO_(__INTPTR_TYPE__, sizeof *entry) > JCPROF_TO_(__INTPTR_TYPE__, end)) return JCPROF_NULL_;
  entry = JCPROF_TO_(const struct jcprof_log_entry *, next);
  return __atomic_load_n(&entry->bytes, __ATOMIC_RELAXED) == 0 ? JCPROF_NULL_ : entry;
}

JCPROF_LOCAL_ int jcprof_is_entry(const struct jcprof_log_entry *entry, jcprof_log_u32 kind) {
  return __atomic_load_n(&entry->kind, __ATOMIC_ACQUIRE) == kind;
}

JCPROF_LOCAL_ int jcprof_is_text(const struct jcprof_log_entry *entry, const char *text) {
  const char *here = JCPROF_AS_(const char *, entry + 1);
  for (; *text != 0; text++, here++) {
    if (*here != *text) return 0;
  }
  return *here == 0;
}

/* The id of a mark's name. */
JCPROF_LOCAL_ jcprof_log_u32 jcprof_name_id(const char *name) {
  const struct jcprof_log_entry *entry = jcprof_next_entry(JCPROF_NULL_);
  jcprof_log_u32 id, length = 0;
  for (; entry != JCPROF_NULL_; entry = jcprof_next_entry(entry)) {
    if (jcprof_is_entry(entry, JCPROF_LOG_NAME) && jcprof_is_text(entry, name))
      return JCPROF_TO_(jcprof_log_u32, entry->a);
  }
  while (name[length] != 0 && length < 4095) length++;
  id = (__atomic_fetch_add(&jcprof_recorder.log->names, 1, __ATOMIC_RELAXED) + 1) & JCPROF_LOG_ID_MOST;
  jcprof_append(JCPROF_LOG_NAME, id, 0, 0, name, length);
  return id;
}

/* ---- modules ---- */

#if JCPROF_BY_PATH_

JCPROF_LOCAL_ int jcprof_is_in_module(__UINTPTR_TYPE__ address) {
  const struct jcprof_log_entry *entry = jcprof_next_entry(JCPROF_NULL_);
  for (; entry != JCPROF_NULL_; entry = jcprof_next_entry(entry)) {
    if (jcprof_is_entry(entry, JCPROF_LOG_MODULE) && entry->a <= address && address < entry->b) return 1;
  }
  return 0;
}

/* -1: there are no more. */
JCPROF_LOCAL_ int jcprof_next_byte(struct jcprof_recorder *from) {
  if (from->at == from->count) {
    const long count = jcprof_libc_read(from->maps, from->bytes, sizeof from->bytes);
    from->at = 0;
    from->count = count > 0 ? JCPROF_TO_(unsigned, count) : 0;
    if (count <= 0) return -1;
  }
  return JCPROF_TO_(unsigned char, from->bytes[from->at++]);
}

/* Reads the byte behind the number, too. */
JCPROF_LOCAL_ jcprof_log_u64 jcprof_next_number(struct jcprof_recorder *from) {
  jcprof_log_u64 value = 0;
  for (;;) {
    const int byte = jcprof_next_byte(from);
    if (byte >= '0' && byte <= '9') {
      value = value << 4 | JCPROF_TO_(unsigned, byte - '0');
    } else if (byte >= 'a' && byte <= 'f') {
      value = value << 4 | JCPROF_TO_(unsigned, byte - 'a' + 10);
    } else {
      return value;
    }
  }
}

JCPROF_LOCAL_ jcprof_log_u32 jcprof_next_path(struct jcprof_recorder *from) {
  jcprof_log_u32 length = 0;
  int byte = jcprof_next_byte(from);
  while (byte == ' ') byte = jcprof_next_byte(from);
  for (; byte >= 0 && byte != '\n'; byte = jcprof_next_byte(from)) {
    if (length < sizeof from->path) from->path[length++] = JCPROF_TO_(char, byte);
  }
  return length < sizeof from->path ? length : 0;
}

JCPROF_LOCAL_ int jcprof_is_listed(jcprof_log_u64 start, jcprof_log_u64 end, jcprof_log_u64 offset) {
  const struct jcprof_log_entry *entry = jcprof_next_entry(JCPROF_NULL_);
  for (; entry != JCPROF_NULL_; entry = jcprof_next_entry(entry)) {
    if (jcprof_is_entry(entry, JCPROF_LOG_MODULE) && entry->a == start && entry->b == end && entry->c == offset)
      return 1;
  }
  return 0;
}

/* A line: "55e0-55f0 r-xp 00001000 fe:01 1234   /usr/bin/words". */
JCPROF_LOCAL_ void jcprof_read_maps(struct jcprof_recorder *from) {
  from->at = from->count = 0;
  from->maps = jcprof_libc_open("/proc/self/maps", JCPROF_O_CLOEXEC_);
  if (from->maps < 0) return;
  for (;;) {
    const jcprof_log_u64 start = jcprof_next_number(from);
    const jcprof_log_u64 end = jcprof_next_number(from);
    jcprof_log_u64 offset;
    jcprof_log_u32 length;
    int i, runs = 0;
    if (end == 0) break;
    for (i = 0; i < 5; i++) runs |= jcprof_next_byte(from) == 'x';
    offset = jcprof_next_number(from);
    for (i = 0; i < 3; i++) jcprof_next_number(from); /* device and inode, which is decimal */
    length = jcprof_next_path(from);
    if (runs && length != 0 && from->path[0] == '/' && !jcprof_is_listed(start, end, offset))
      jcprof_append(JCPROF_LOG_MODULE, start, end, offset, from->path, length);
  }
  jcprof_libc_close(from->maps);
}

/* One thread reads for all threads that ask meanwhile, and reads again for them. */
JCPROF_LOCAL_ void jcprof_know_module(__UINTPTR_TYPE__ address) {
  struct jcprof_recorder *const all = &jcprof_recorder;
  jcprof_log_u32 asked;
  if (jcprof_is_in_module(address) || __atomic_fetch_add(&all->readings, 1, __ATOMIC_ACQUIRE) != 0) return;
  do {
    asked = __atomic_load_n(&all->readings, __ATOMIC_ACQUIRE);
    jcprof_read_maps(all);
  } while (__atomic_sub_fetch(&all->readings, asked, __ATOMIC_RELEASE) != 0);
}

#endif

/* ---- chunks ---- */

JCPROF_LOCAL_ int jcprof_errno(const int *to) {
#if JCPROF_BY_PATH_
  if (jcprof_libc_errno == JCPROF_NULL_) return 0;
  if (to != JCPROF_NULL_) *jcprof_libc_errno() = *to;
  return *jcprof_libc_errno();
#else
  (void)to;
  return 0;
#endif
}

#ifdef JCPROF_ENCLAVE_BUILD

/* The place of this thread. Null: other threads have all places. */
JCPROF_LOCAL_ struct jcprof_kept *jcprof_find_kept(void) {
  struct jcprof_writer *const own = &jcprof_writing;
  int i;
  for (i = 0; i < JCPROF_KEPT_; i++) {
    struct jcprof_writer *owner = __atomic_load_n(&jcprof_kept[i].owner, __ATOMIC_RELAXED);
    if (owner == JCPROF_NULL_ && __atomic_compare_exchange_n(&jcprof_kept[i].owner, &owner, own, 0, __ATOMIC_RELAXED,
                                                             __ATOMIC_RELAXED))
      owner = own;
    if (owner == own) return &jcprof_kept[i];
  }
  return JCPROF_NULL_;
}

/* A leap may have left a hole of one word, and a mark's payload may be 0. */
JCPROF_LOCAL_ jcprof_log_u64 *jcprof_behind_records(jcprof_log_u64 *here, const jcprof_log_u64 *end) {
  while (here < end && (here[0] | here[1]) != 0) here += (*here & 3u) == JCPROF_LOG_MARK ? 2 : 1;
  return here;
}

/* A thread that begins calls this. False: the thread is new. */
JCPROF_LOCAL_ int jcprof_go_on(void) {
  struct jcprof_writer *const own = &jcprof_writing;
  struct jcprof_kept *const kept = own->kept = jcprof_find_kept();
  if (kept == JCPROF_NULL_ || kept->thread == 0) return 0;
  own->thread = kept->thread;
  own->number = kept->number;
  own->lost = kept->lost;
  if (kept->chunk != JCPROF_NULL_) {
    jcprof_log_u64 *const begin = JCPROF_AS_(jcprof_log_u64 *, kept->chunk + 1);
    kept->next = jcprof_behind_records(kept->next, begin + own->room / sizeof *begin);
    own->base = kept->base;
    own->chunk = kept->chunk;
    own->begin = begin;
    own->next = kept->next;
  }
  return 1;
}

#endif

/* The thread calls this after each change of the kept fields. */
JCPROF_LOCAL_ void jcprof_keep(void) {
#ifdef JCPROF_ENCLAVE_BUILD
  struct jcprof_writer *const own = &jcprof_writing;
  struct jcprof_kept *const kept = own->kept;
  if (kept == JCPROF_NULL_) return;
  kept->thread = own->thread;
  kept->number = own->number;
  kept->lost = own->lost;
  if (kept->chunk == own->chunk) return;
  kept->chunk = own->chunk;
  kept->base = own->base;
  kept->next = own->begin;
#endif
}

/* False: this is a handler, and its thread is here already. */
JCPROF_LOCAL_ int jcprof_hold(void) {
  struct jcprof_writer *const own = &jcprof_writing;
  const jcprof_log_u32 busy = own->busy;
  if (busy != 0) {
    own->busy = busy + 1;
    if (busy < JCPROF_PATIENCE_) return 0;
    own->refusals = JCPROF_PATIENCE_;
  }
  own->busy = 1;
  own->error = jcprof_errno(JCPROF_NULL_);
  return 1;
}

JCPROF_LOCAL_ void jcprof_let_go(void) {
  jcprof_errno(&jcprof_writing.error);
  jcprof_writing.busy = 0;
}

/* The first thread that finds the log writes the earlier losses to it. */
JCPROF_LOCAL_ void jcprof_lose_early(jcprof_log_u64 count) {
  struct jcprof_recorder *const all = &jcprof_recorder;
  __atomic_fetch_add(&all->early, count, __ATOMIC_SEQ_CST);
  if (__atomic_load_n(&all->attached, __ATOMIC_SEQ_CST) != JCPROF_ATTACHED_ || all->log == JCPROF_NULL_) return;
  __atomic_fetch_add(&all->log->unwritten, __atomic_exchange_n(&all->early, 0, __ATOMIC_RELAXED), __ATOMIC_RELAXED);
}

/* The next slot stays right behind the chunk. Slots far behind it lie in other chunks: an event that took one of them,
   and whose handler then changed to that chunk, would write over another event. Without a chunk the next slot stays
   nowhere: handlers that all find no room would count it round to address 0, which looks like a slot. */
JCPROF_LOCAL_ void jcprof_go_back(void) {
  struct jcprof_writer *const own = &jcprof_writing;
  jcprof_log_u64 *next = own->next;
  jcprof_log_u64 *const begin = own->begin;
  jcprof_log_u64 *const behind = begin == JCPROF_NULL_ ? JCPROF_NOWHERE_ : begin + own->room / sizeof *begin;
  if (begin == JCPROF_NULL_ || jcprof_offset(next, begin) > own->room)
    __atomic_compare_exchange_n(&own->next, &next, behind, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

/* A handler may change each of these counts. */
JCPROF_LOCAL_ void jcprof_lose(void) {
  struct jcprof_writer *const own = &jcprof_writing;
  struct jcprof_log_head *const log = own->head;
  jcprof_go_back();
  if (log == JCPROF_NULL_) {
    jcprof_lose_early(1);
    return;
  }
  __atomic_fetch_add(&own->lost, 1, __ATOMIC_RELAXED);
  __atomic_fetch_add(&log->unwritten, 1, __ATOMIC_RELAXED);
  jcprof_keep();
}

/* The slow path has loops that are longer than the patience. Their thread is not gone. */
JCPROF_LOCAL_ void jcprof_step(void) { jcprof_writing.busy = 1; }

/* Is each slot written, but for `slot` and, of a mark, the one behind it? */
JCPROF_LOCAL_ int jcprof_is_whole(const struct jcprof_log_chunk *chunk, const jcprof_log_u64 *slot) {
  const jcprof_log_u64 *const begin = JCPROF_AS_(const jcprof_log_u64 *, chunk + 1);
  const jcprof_log_u64 *const end = begin + jcprof_writing.room / sizeof *begin;
  const jcprof_log_u64 *here = begin;
  for (; here < end && *here != 0; here++) jcprof_step();
  if (here == end) return 1;
  for (here = begin; here < end; here++) {
    jcprof_step();
    if (*here == 0 && here < jcprof_writing.next && jcprof_offset(here, slot) > sizeof *here) return 0;
    if ((*here & 3u) == JCPROF_LOG_MARK) here++; /* its payload may be 0 */
  }
  return 1;
}

/* False: the chunk cannot be left now. */
JCPROF_LOCAL_ int jcprof_leave_chunk(const jcprof_log_u64 *slot) {
  struct jcprof_writer *const own = &jcprof_writing;
  struct jcprof_log_chunk *const chunk = own->chunk;
  if (chunk != JCPROF_NULL_) {
    if (!jcprof_is_whole(chunk, slot) && ++own->refusals < JCPROF_PATIENCE_) return 0;
    own->begin = JCPROF_NULL_;
    own->chunk = JCPROF_NULL_;
    jcprof_keep();
    __atomic_store_n(&chunk->state, own->refusals < JCPROF_PATIENCE_ ? JCPROF_LOG_FULL : JCPROF_LOG_LEFT,
                     __ATOMIC_RELEASE);
  }
  own->refusals = 0;
  return 1;
}

/* Null: none is free. A thread begins at a place of its own, so that the chunks that it uses again stay in the cache.
   After a look at all chunks was in vain, it looks at one at a time. */
JCPROF_LOCAL_ struct jcprof_log_chunk *jcprof_free_chunk(struct jcprof_log_head *log) {
  struct jcprof_writer *const own = &jcprof_writing;
  jcprof_log_u32 probes = own->starved ? 1 : log->chunks;
  if (!own->starved) own->probe = (own->thread - 1) * 16 % log->chunks;
  for (; probes != 0; probes--) {
    const jcprof_log_u64 at = log->chunks_at + JCPROF_TO_(jcprof_log_u64, log->chunk_bytes) * own->probe;
    struct jcprof_log_chunk *const chunk = JCPROF_TO_(struct jcprof_log_chunk *, jcprof_in_log(log, at));
    jcprof_log_u32 state = __atomic_load_n(&chunk->state, __ATOMIC_RELAXED);
    jcprof_step();
    own->probe = own->probe + 1 < log->chunks ? own->probe + 1 : 0;
    own->starved = 0;
    if (state == JCPROF_LOG_FREE && __atomic_compare_exchange_n(&chunk->state, &state, JCPROF_LOG_TAKEN, 0,
                                                                __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
      return chunk;
  }
  own->starved = 1;
  return JCPROF_NULL_;
}

/* The log's `late`. Another thread may write it at the same time. */
JCPROF_LOCAL_ jcprof_log_u32 jcprof_late_of(const struct jcprof_log_head *log) {
  return __atomic_load_n(&log->late, __ATOMIC_RELAXED);
}

/* False: there is no chunk, or the thread cannot leave its own. Or a handler forked and this is the child: the chunk
   belongs to the parent. A handler may also have run out of patience during a system call or a clock of the program's
   own: the thread keeps the chunk that the handler took. */
JCPROF_LOCAL_ int jcprof_change_chunk(const jcprof_log_u64 *slot) {
  struct jcprof_writer *const own = &jcprof_writing;
  /* Not own->head: gcc's sanitizer would test the flags of an `add` that the linker makes a `lea`. */
  struct jcprof_log_head *const log = jcprof_writing.head;
  struct jcprof_log_chunk *chunk;
  jcprof_log_u64 lost, *first;
  const jcprof_log_u64 left = jcprof_ticks();
  if (log == JCPROF_NULL_ || !jcprof_leave_chunk(slot)) return 0;
  own->next = JCPROF_NOWHERE_;
  chunk = jcprof_free_chunk(log);
  if (chunk == JCPROF_NULL_) return 0;
  chunk->left = left;
  chunk->left_ns = jcprof_late_of(log) != 0 ? jcprof_processor_ns() : 0;
#if JCPROF_BY_PATH_
  if (jcprof_libc_madvise != JCPROF_NULL_)
    jcprof_libc_madvise(chunk, log->chunk_bytes, JCPROF_MADV_POPULATE_WRITE_);
  chunk->process = JCPROF_TO_(jcprof_log_u32, jcprof_libc_getpid());
  /* The chunk outlives the thread where a child shares our memory (vfork). */
  chunk->tid = jcprof_libc_gettid == JCPROF_NULL_ || chunk->process != jcprof_recorder.process
                   ? 0
                   : JCPROF_TO_(jcprof_log_u32, jcprof_libc_gettid());
#endif
  chunk->base_ns = jcprof_late_of(log) != 0 ? jcprof_processor_ns() : 0;
  chunk->base = jcprof_ticks();
  if (own->head != log) return 0;
  if (own->chunk != JCPROF_NULL_) {
    __atomic_store_n(&chunk->state, JCPROF_LOG_FREE, __ATOMIC_RELEASE);
    return 1;
  }
  jcprof_step();
  chunk->thread = own->thread;
  chunk->number = ++own->number;
  lost = own->lost;
  /* The order matters: an event that a handler's leap leaves half done counts twice rather than not at all. */
  __atomic_store_n(&chunk->lost, lost, __ATOMIC_RELAXED);
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  __atomic_fetch_sub(&log->unwritten, lost, __ATOMIC_RELAXED);
  __atomic_fetch_sub(&own->lost, lost, __ATOMIC_RELAXED);
  first = JCPROF_AS_(jcprof_log_u64 *, chunk + 1);
  own->base = chunk->base;
  own->last = chunk->base;
  own->chunk = chunk;
  own->begin = first;
  own->next = first; /* last: before `begin` is set, a handler would take this slot, find no room, and leave a hole */
  jcprof_keep();
  return 1;
}

/* The slots of a late event get the processor time, so that its log tells how long the thread waited. A handler may
   interrupt, and clock_gettime may be the program's own and record. False: the event needs another chunk, whose head
   has the whole processor time. A word may have too few bits for it. This chunk's head has none if it is older than
   the log's `late`. */
JCPROF_LOCAL_ int jcprof_tell_processor(jcprof_log_u32 what, jcprof_log_u64 *slot) {
  struct jcprof_writer *const own = &jcprof_writing;
  const struct jcprof_log_head *const log = own->head;
  const struct jcprof_log_chunk *const chunk = own->chunk;
  jcprof_log_u64 ns = 0, tick;
  if (!JCPROF_BY_PATH_ || log == JCPROF_NULL_ || chunk == JCPROF_NULL_) return 0;
  if (jcprof_offset(slot, own->begin) >= own->room) return 0;
  tick = jcprof_ticks();
  if ((tick - own->base) >> (JCPROF_LOG_TICK_BITS - 1) != 0) return 0;
  own->last = tick; /* what records meanwhile is not late */
  if (jcprof_late_of(log) != 0) {
    if (chunk->base_ns == 0) return 0;
    ns = jcprof_processor_ns();
    /* A child of vfork has less. */
    if (own->chunk != chunk || (ns > chunk->base_ns && (ns - chunk->base_ns) >> (JCPROF_LOG_TICK_BITS - 1) != 0))
      return 0;
  }
  if ((ns & JCPROF_LOG_NS_MASK) == 0) ns = JCPROF_LOG_NS_MASK;
  if ((what & 3u) == JCPROF_LOG_MARK) __atomic_store_n(slot + 1, ns << 24, __ATOMIC_RELAXED);
  __atomic_store_n(slot, ns << 24, __ATOMIC_RELAXED);
  return 1;
}

JCPROF_WEAK_ void jcprof_record_late(jcprof_log_u32 what, jcprof_log_u64 payload,
                                     jcprof_log_u64 *slot) JCPROF_NOTHROW_ {
  struct jcprof_writer *const own = &jcprof_writing;
  const struct jcprof_log_head *log;
  int tries, written = 0;
  own->late = JCPROF_LATE_MOST_; /* once is enough */
  if (jcprof_tell_processor(what, slot)) written = jcprof_write(what, payload, &slot);
  if (!written && jcprof_hold()) {
    for (tries = 0; tries < 3 && !written && jcprof_change_chunk(slot); tries++)
      written = jcprof_write(what, payload, &slot);
    jcprof_let_go();
  }
  if (!written) jcprof_lose();
  log = own->head;
  if (log != JCPROF_NULL_ && jcprof_late_of(log) != 0) own->late = jcprof_late_of(log);
}

JCPROF_WEAK_ void jcprof_record_stack(jcprof_log_u64 stack) JCPROF_NOTHROW_ {
  const jcprof_log_u32 what = JCPROF_LOG_STACK << 2 | JCPROF_LOG_MARK;
  jcprof_log_u64 *slot;
  jcprof_records_now(); /* begins the thread */
  if (jcprof_writing.head != JCPROF_NULL_ && !jcprof_write(what, stack, &slot)) jcprof_record_late(what, stack, slot);
}

JCPROF_WEAK_ void jcprof_record_mark(jcprof_log_u32 *id, const char *name, jcprof_log_u64 payload) JCPROF_NOTHROW_ {
  jcprof_log_u32 known = __atomic_load_n(id, __ATOMIC_RELAXED);
  jcprof_log_u64 *slot;
  if (!jcprof_records_now()) return;
  if (known == 0) {
    known = jcprof_name_id(name);
    __atomic_store_n(id, known, __ATOMIC_RELAXED);
  }
  known = known << 2 | JCPROF_LOG_MARK;
  if (!jcprof_write(known, payload, &slot)) jcprof_record_late(known, payload, slot);
}

/* The function's id, which is found or added. 0: the recorder wants no events of it. */
JCPROF_WEAK_ jcprof_log_u32 jcprof_find_function(__UINTPTR_TYPE__ address) JCPROF_NOTHROW_ {
  const jcprof_log_u64 first = jcprof_first_slot(address);
  const jcprof_log_u64 mask = ~JCPROF_TO_(jcprof_log_u64, 0) >> jcprof_writing.shift;
  jcprof_log_u64 i;
  for (i = 0; i < JCPROF_PROBES_; i++) {
    const jcprof_log_u64 slot = (first + i) & mask;
    jcprof_log_u64 *const place = jcprof_writing.functions + slot;
    jcprof_log_u64 known = __atomic_load_n(place, __ATOMIC_RELAXED);
    if (known == 0) {
#if JCPROF_BY_PATH_
      const int error = jcprof_errno(JCPROF_NULL_);
      jcprof_know_module(address);
      jcprof_errno(&error);
#endif
      if (__atomic_compare_exchange_n(place, &known, address, 0, __ATOMIC_RELEASE, __ATOMIC_RELAXED)) known = address;
    }
    if (known == address) return JCPROF_TO_(jcprof_log_u32, slot + 1);
    if (known == (address | JCPROF_LOG_LEFT_OUT)) return 0;
  }
  return JCPROF_LOG_OTHERS;
}

/* ---- attaching ---- */

/* Calibration looks at these fields of a head, and has room for so many records at a time. */
struct jcprof_scratch {
  struct jcprof_log_head head;
  jcprof_log_u64 functions[2];
  jcprof_log_u64 records[129];
};

/* Work of so many steps, none of which begins before the last one ended. */
JCPROF_LOCAL_ jcprof_log_u64 jcprof_work(jcprof_log_u64 x, int steps) {
  for (; steps > 0; steps--) {
    x = x * 1664525u + 1013904223u;
    __asm__ __volatile__("" : "+r"(x));
  }
  return x;
}

JCPROF_LOCAL_ __attribute__((__noinline__)) void jcprof_pass_nothing(void *function, int steps) {
  jcprof_log_u64 x = 1;
  int i;
  (void)function;
  for (i = 0; i < 128; i++) x = jcprof_work(x, steps);
}

JCPROF_LOCAL_ __attribute__((__noinline__)) void jcprof_pass_trap(void *function, int steps) {
  jcprof_log_u64 x = 1;
  int i;
  (void)function;
  for (i = 0; i < 128; i++) {
    jcprof_record(JCPROF_LOG_LINE | 1u << 2);
    x = jcprof_work(x, steps);
  }
}

JCPROF_LOCAL_ __attribute__((__noinline__)) void jcprof_hook(void *function) {
  jcprof_record_call(function, JCPROF_LOG_ENTER);
}

/* The call goes through a pointer, as the calls of hooks in another object do. */
JCPROF_LOCAL_ __attribute__((__noinline__)) void jcprof_pass_hook(void *function, int steps) {
  void (*volatile hook)(void *) = jcprof_hook;
  jcprof_log_u64 x = 1;
  int i;
  for (i = 0; i < 128; i++) {
    hook(function);
    x = jcprof_work(x, steps);
  }
}

/* Ticks of 1024 events and of the work behind each, the least of some goes. */
JCPROF_LOCAL_ jcprof_log_u64 jcprof_time_events(struct jcprof_scratch *scratch,
                                                void (*pass)(void *function, int steps), int steps) {
  jcprof_log_u64 least = ~JCPROF_TO_(jcprof_log_u64, 0), start, ticks;
  int go, block;
  for (go = 0; go < 8; go++) {
    start = jcprof_ticks();
    jcprof_writing.base = start;
    jcprof_writing.last = start;
    for (block = 0; block < 8; block++) {
      jcprof_writing.next = scratch->records;
      pass(scratch, steps);
    }
    ticks = jcprof_ticks() - start;
    if (ticks < least) least = ticks;
  }
  return least;
}

/* The same without the work. 0 is none in a log. */
JCPROF_LOCAL_ jcprof_log_u64 jcprof_time_apart(struct jcprof_scratch *scratch,
                                               void (*pass)(void *function, int steps)) {
  const jcprof_log_u64 work = jcprof_time_events(scratch, jcprof_pass_nothing, JCPROF_STEPS_APART_);
  const jcprof_log_u64 all = jcprof_time_events(scratch, pass, JCPROF_STEPS_APART_);
  return all > work ? all - work : 1;
}

/* Returns the log's `late`. A processor time that goes in steps tells nothing about a wait. It tells nothing beside a
   JCPROF_CLOCK either, which may count anything. A shared clock may stand still during a reading. */
JCPROF_LOCAL_ jcprof_log_u32 jcprof_time_processor(void) {
#ifdef JCPROF_CLOCK_SHARED
  const jcprof_log_u64 floor = 1u << 14;
#else
  const jcprof_log_u64 floor = JCPROF_LOG_READINGS;
#endif
  jcprof_log_u64 least = JCPROF_LATE_MOST_ / JCPROF_LOG_READINGS, before = jcprof_processor_ns();
  int go, steps = 0;
  for (go = 0; go < 32; go++) {
    const jcprof_log_u64 start = jcprof_ticks();
    const jcprof_log_u64 ns = jcprof_processor_ns();
    const jcprof_log_u64 ticks = jcprof_ticks() - start;
    if (ticks < least) least = ticks;
    if (ns != before) steps++;
    before = ns;
  }
  if (steps < 16 || JCPROF_HZ_ != 0) return 0;
  least *= JCPROF_LOG_READINGS;
  return JCPROF_TO_(jcprof_log_u32, least > floor ? least : floor);
}

JCPROF_LOCAL_ void jcprof_calibrate_record(struct jcprof_log_head *log) {
  static struct jcprof_scratch scratch;
  struct jcprof_writer *const own = &jcprof_writing;
  own->functions = scratch.functions;
  own->shift = 63;
  own->room = sizeof scratch.records - sizeof scratch.records[0];
  scratch.functions[jcprof_first_slot(JCPROF_AS_(__UINTPTR_TYPE__, &scratch))] =
      JCPROF_AS_(__UINTPTR_TYPE__, &scratch);
  own->begin = scratch.records;
  own->late = JCPROF_LATE_MOST_;
  own->ordered = log->ordered = JCPROF_WAITS_ && !log->fast;
  log->leaves_out = 1;
  own->head = &scratch.head;
  log->trap_ticks = jcprof_time_events(&scratch, jcprof_pass_trap, 0);
  log->trap_apart_ticks = jcprof_time_apart(&scratch, jcprof_pass_trap);
  log->hook_ticks = jcprof_time_events(&scratch, jcprof_pass_hook, 0);
  log->hook_apart_ticks = jcprof_time_apart(&scratch, jcprof_pass_hook);
  __atomic_store_n(&log->late, jcprof_time_processor(), __ATOMIC_RELAXED);
  own->head = JCPROF_NULL_;
  own->begin = JCPROF_NULL_;
  own->next = JCPROF_NOWHERE_;
  own->lost = 0; /* late events of the calibration, and events of a clock_gettime of the program's own */
  own->refusals = 0;
}

#if JCPROF_BY_PATH_

JCPROF_LOCAL_ void jcprof_end_thread(void *value) {
  struct jcprof_writer *const own = &jcprof_writing;
  (void)value;
  if (own->head == JCPROF_NULL_ || !jcprof_hold()) return;
  if (jcprof_leave_chunk(JCPROF_NULL_)) own->head = JCPROF_NULL_;
  own->next = JCPROF_NOWHERE_;
  jcprof_let_go();
}

/* A program in a PID namespace of its own has other numbers than those in the recorder's /proc. */
JCPROF_LOCAL_ void jcprof_know_process(void) {
  const int error = jcprof_errno(JCPROF_NULL_);
  const jcprof_log_u32 process = JCPROF_TO_(jcprof_log_u32, jcprof_libc_getpid());
  char digits[16];
  const long length = jcprof_libc_readlink("/proc/self", digits, sizeof digits);
  jcprof_log_u32 outside = 0;
  long i;
  for (i = 0; i < length; i++) outside = outside * 10 + JCPROF_TO_(jcprof_log_u32, digits[i] - '0');
  jcprof_recorder.process = outside == process ? process : 0;
  jcprof_errno(&error);
}

/* The child's one thread is a new one. If another thread was looking for the log, the child looks again. */
JCPROF_LOCAL_ void jcprof_in_child(void) {
  struct jcprof_writer *const own = &jcprof_writing;
  jcprof_log_u32 state = JCPROF_ATTACHING_;
  jcprof_know_process();
  if (__atomic_compare_exchange_n(&jcprof_recorder.attached, &state, JCPROF_UNATTACHED_, 0, __ATOMIC_ACQUIRE,
                                  __ATOMIC_ACQUIRE)) {
    jcprof_recorder.log = JCPROF_NULL_;
    jcprof_recorder.early = 0; /* the parent tells of these */
  }
  own->head = JCPROF_NULL_;
  own->begin = JCPROF_NULL_;
  own->chunk = JCPROF_NULL_;
  own->lost = 0;
  own->number = 0;
  own->starved = 0;
  own->refusals = 0;
  own->waited = 0;
  own->busy = 0;
}

JCPROF_LOCAL_ void jcprof_hear_of_forks(void) {
  jcprof_know_process();
  if (jcprof_libc_register_atfork != JCPROF_NULL_) {
    jcprof_libc_register_atfork(JCPROF_NULL_, JCPROF_NULL_, jcprof_in_child, JCPROF_NULL_);
  } else if (jcprof_libc_atfork != JCPROF_NULL_) {
    jcprof_libc_atfork(JCPROF_NULL_, JCPROF_NULL_, jcprof_in_child);
  }
}

JCPROF_LOCAL_ void jcprof_hear_of_ends(void) {
  struct jcprof_recorder *const all = &jcprof_recorder;
  /* glibc keeps values of the first 32 keys without an allocation. */
  if (jcprof_libc_key_create == JCPROF_NULL_ || jcprof_libc_setspecific == JCPROF_NULL_ ||
      jcprof_libc_key_create(&all->key, jcprof_end_thread) != 0 || all->key >= 32)
    all->key = ~0u;
}

/* 32 of the bits that the system gives each image of a program that it starts. */
JCPROF_LOCAL_ jcprof_log_u32 jcprof_image(void) {
  const __UINTPTR_TYPE__ random = jcprof_libc_getauxval == JCPROF_NULL_ ? 0 : jcprof_libc_getauxval(JCPROF_AT_RANDOM_);
  jcprof_log_u32 bits = 0;
  if (random != 0) __builtin_memcpy(&bits, JCPROF_AS_(const void *, random), sizeof bits);
  return bits;
}

/* Null: there is none, or it cannot be mapped whole. */
JCPROF_LOCAL_ struct jcprof_log_head *jcprof_map_log(const char *path) {
  struct jcprof_log_head *log;
  void *base;
  long size;
  const int file = path == JCPROF_NULL_ ? -1 : jcprof_libc_open(path, 2 | JCPROF_O_CLOEXEC_);
  if (file < 0) return JCPROF_NULL_;
  size = jcprof_libc_lseek(file, 0, 2);
  base = jcprof_libc_mmap(JCPROF_NULL_, JCPROF_TO_(__SIZE_TYPE__, size), 3, 1, file, 0);
  jcprof_libc_close(file);
  if (size < JCPROF_TO_(long, JCPROF_LOG_HEAD_BYTES) || JCPROF_AS_(__INTPTR_TYPE__, base) == -1) return JCPROF_NULL_;
  log = JCPROF_TO_(struct jcprof_log_head *, base);
  if (log->bytes <= JCPROF_TO_(jcprof_log_u64, size)) return log;
  jcprof_libc_munmap(base, JCPROF_TO_(__SIZE_TYPE__, size));
  return JCPROF_NULL_;
}

/* The recorder's file of this number lies beside its first log. */
JCPROF_LOCAL_ struct jcprof_log_head *jcprof_map_beside(const char *first, jcprof_log_u32 number) {
  char *const path = jcprof_recorder.path;
  jcprof_log_u32 i, end = 0, power = 1;
  for (i = 0; i < sizeof jcprof_recorder.path - 16 && first[i] != 0; i++) {
    path[i] = first[i];
    if (first[i] == '/') end = i + 1;
  }
  while (number / power >= 10) power *= 10;
  for (; power != 0; power /= 10) path[end++] = JCPROF_TO_(char, '0' + number / power % 10);
  path[end] = 0;
  return jcprof_map_log(path);
}

#endif

/* The ticks of the recorder's own counter are told from those of a processor's. */
JCPROF_LOCAL_ int jcprof_is_our_clock(struct jcprof_log_head *log) {
#ifdef JCPROF_CLOCK_SHARED
  if (log->clock != JCPROF_LOG_CLOCK_OWN) return 1;
#else
  if (log->clock != JCPROF_LOG_CLOCK_COUNTED) return 1;
#endif
  __atomic_fetch_add(&log->unfit, 1, __ATOMIC_RELAXED);
  return 0;
}

JCPROF_LOCAL_ int jcprof_is_our_log(struct jcprof_log_head *log) {
  static const char magic[] = JCPROF_LOG_MAGIC;
  int i;
  for (i = 0; i < 8; i++) {
    if (log->magic[i] != magic[i]) return 0;
  }
  return log->version == JCPROF_LOG_VERSION && log->chunks != 0 && log->functions >= 2 &&
         (log->functions & (log->functions - 1)) == 0 && log->functions < JCPROF_LOG_ID_MOST && jcprof_is_our_clock(log);
}

JCPROF_LOCAL_ void jcprof_describe(struct jcprof_log_head *log) {
  if (JCPROF_BUILD != 0) log->build = JCPROF_BUILD;
  log->pointer_bytes = sizeof(void *);
#if JCPROF_ALONE_
  log->anchor = JCPROF_AS_(__UINTPTR_TYPE__, &jcprof_log_anchor);
#endif
  jcprof_calibrate_record(log);
}

/* True: the log was nobody's. */
JCPROF_LOCAL_ int jcprof_own_log(struct jcprof_log_head *log, jcprof_log_u32 process) {
  jcprof_log_u32 before = 0;
  if (!__atomic_compare_exchange_n(&log->attached, &before, process, 0, __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE)) return 0;
  log->clock_hz = JCPROF_HZ_;
  return 1;
}

#if JCPROF_BY_PATH_

/* The runtime that comes first owns the log. Another runtime of the same image, as preloaded hooks have beside traps,
   shares it. */
JCPROF_LOCAL_ int jcprof_share_log(struct jcprof_log_head *log, int *first) {
  const jcprof_log_u32 image = jcprof_image();
  const jcprof_log_u32 process = JCPROF_TO_(jcprof_log_u32, jcprof_libc_getpid());
  __atomic_store_n(&jcprof_recorder.log, log, __ATOMIC_RELEASE);
  if (jcprof_own_log(log, process)) {
    __atomic_store_n(&log->image, image, __ATOMIC_RELEASE);
    *first = 1;
    return 1;
  }
  return log->attached == process && image != 0 && __atomic_load_n(&log->image, __ATOMIC_ACQUIRE) == image &&
         log->clock_hz == JCPROF_HZ_;
}

/* The first log belongs to another program. Null: there is no other log. Programs that start together race for the log
   that is offered, and the recorder makes the next one within milliseconds. They give up when it has made none for a
   second, or after ten seconds in all. A recorder that is gone has no files: now and then they look for that. Another
   runtime of this image may have taken a log already. */
JCPROF_LOCAL_ struct jcprof_log_head *jcprof_later_log(struct jcprof_log_head *shared, const char *path, int *first) {
  const jcprof_log_u64 process = JCPROF_TO_(jcprof_log_u64, jcprof_libc_getpid());
  jcprof_log_u64 *const owner =
      JCPROF_TO_(jcprof_log_u64 *, jcprof_in_log(shared, JCPROF_LOG_OWNERS_AT)) + process % JCPROF_LOG_OWNERS;
  const jcprof_log_u64 owned = __atomic_load_n(owner, __ATOMIC_ACQUIRE);
  jcprof_log_u32 number = owned >> 32 == process ? JCPROF_TO_(jcprof_log_u32, owned & 0xFFFFFFFFu) : 0;
  jcprof_log_u32 seen = ~0u;
  int left, most = 10000;
  for (left = 1000; left > 0 && most > 0; left--, most--) {
    const jcprof_log_u32 offers = __atomic_load_n(&shared->offers, __ATOMIC_ACQUIRE);
    const jcprof_log_u32 offered = __atomic_load_n(&shared->offered, __ATOMIC_ACQUIRE);
    struct jcprof_log_head *log;
    if (number == 0 && offers == seen) {
      jcprof_libc_poll(JCPROF_NULL_, 0, 1);
      jcprof_step();
      if (left % 64 != 0) continue;
    }
    if (number == 0) {
      if (offers != seen) left = 1000;
      seen = offers;
      number = offered;
    }
    log = number == 0 ? JCPROF_NULL_ : jcprof_map_beside(path, number);
    if (log != JCPROF_NULL_ && jcprof_is_our_log(log) && jcprof_share_log(log, first)) {
      __atomic_store_n(owner, process << 32 | number, __ATOMIC_RELEASE);
      return log;
    }
    if (log != JCPROF_NULL_) jcprof_libc_munmap(log, log->bytes & ~JCPROF_TO_(__SIZE_TYPE__, 0));
    if (log == JCPROF_NULL_ && number == __atomic_load_n(&shared->offered, __ATOMIC_ACQUIRE)) break;
    number = 0;
  }
  return JCPROF_NULL_;
}

/* Copies the file to the head page, from the first offset to the second one. The rest of a longer file is left out. */
JCPROF_LOCAL_ void jcprof_tell(struct jcprof_log_head *log, const char *path, jcprof_log_u32 from, jcprof_log_u32 to) {
  const int file = jcprof_libc_open(path, JCPROF_O_CLOEXEC_);
  if (file < 0) return;
  jcprof_libc_read(file, jcprof_in_log(log, from), to - from);
  jcprof_libc_close(file);
}

/* True: the log was nobody's. */
JCPROF_LOCAL_ int jcprof_find_log(void) {
  const char *const path = jcprof_libc_getenv("JCPROF_RECORD");
  struct jcprof_log_head *const shared = jcprof_map_log(path);
  struct jcprof_log_head *log = shared;
  int first = 0;
  if (shared != JCPROF_NULL_ && jcprof_is_our_log(shared)) {
    jcprof_hear_of_forks();
    if (!jcprof_share_log(shared, &first)) {
      log = jcprof_later_log(shared, path, &first);
      if (log == JCPROF_NULL_) __atomic_fetch_add(&shared->refused, 1, __ATOMIC_RELAXED);
      jcprof_libc_munmap(shared, shared->bytes & ~JCPROF_TO_(__SIZE_TYPE__, 0));
    }
    if (log != JCPROF_NULL_) {
      if (JCPROF_BUILD != 0) log->build = JCPROF_BUILD; /* hooks that came first have none */
      jcprof_hear_of_ends();
      if (first) {
        jcprof_tell(log, "/proc/self/cmdline", JCPROF_LOG_COMMAND_AT, JCPROF_LOG_STAT_AT);
        jcprof_tell(log, "/proc/self/stat", JCPROF_LOG_STAT_AT, JCPROF_LOG_OWNERS_AT);
      }
      return first;
    }
    __atomic_store_n(&jcprof_recorder.log, log, __ATOMIC_RELEASE);
  }
  __atomic_store_n(&jcprof_recorder.wanted, 0, __ATOMIC_RELAXED);
  return 0;
}

#endif

JCPROF_WEAK_ void jcprof_record_attach(void *memory) JCPROF_NOTHROW_ {
  struct jcprof_log_head *const log = JCPROF_TO_(struct jcprof_log_head *, memory);
  int first;
  if (jcprof_recorder.log != JCPROF_NULL_ || !jcprof_is_our_log(log)) return;
#ifdef JCPROF_ENCLAVE_BUILD
  if (jcprof_has_foreign_tls()) {
    log->misplaced = 1;
    return;
  }
#endif
  if (!jcprof_hold()) return;
  __atomic_store_n(&jcprof_recorder.log, log, __ATOMIC_RELEASE);
#if JCPROF_BY_PATH_
  first = jcprof_own_log(log, JCPROF_TO_(jcprof_log_u32, jcprof_libc_getpid()));
  jcprof_hear_of_forks();
  jcprof_hear_of_ends();
#else
  first = jcprof_own_log(log, ~0u);
#endif
  __atomic_store_n(&jcprof_recorder.attached, JCPROF_ATTACHED_, __ATOMIC_SEQ_CST);
  jcprof_lose_early(0);
  if (first || JCPROF_ALONE_) jcprof_describe(log);
  __atomic_store_n(&jcprof_recorder.wanted, 1, __ATOMIC_RELEASE);
  jcprof_let_go();
}

#if JCPROF_BY_PATH_

/* The thread that comes first looks for the log. It blocks signals: a handler that leaps out of here would leave all
   other threads waiting. */
JCPROF_LOCAL_ void jcprof_look_for_log(void) {
  jcprof_log_u64 every[16], before[16];
  jcprof_log_u32 state = JCPROF_UNATTACHED_;
  int i;
  for (i = 0; i < 16; i++) every[i] = ~JCPROF_TO_(jcprof_log_u64, 0);
  jcprof_libc_sigmask(JCPROF_SIG_SETMASK_, every, before);
  if (__atomic_compare_exchange_n(&jcprof_recorder.attached, &state, JCPROF_ATTACHING_, 0, __ATOMIC_ACQUIRE,
                                  __ATOMIC_ACQUIRE)) {
    int first;
    jcprof_recorder.finder = JCPROF_TO_(jcprof_log_u32, jcprof_libc_getpid());
    first = jcprof_find_log();
    __atomic_store_n(&jcprof_recorder.attached, JCPROF_ATTACHED_, __ATOMIC_SEQ_CST);
    jcprof_lose_early(0);
    if (first) jcprof_describe(jcprof_recorder.log);
  }
  jcprof_libc_sigmask(JCPROF_SIG_SETMASK_, before, JCPROF_NULL_);
}

/* Another thread looks for the log, which takes microseconds where a processor is free, and longer in a program that
   comes later. This thread waits once, and not for long: it may hold a lock of libc's that the other one needs (fork),
   and a forked child has no other thread. */
JCPROF_LOCAL_ jcprof_log_u32 jcprof_wait_for_log(void) {
  jcprof_log_u32 state = __atomic_load_n(&jcprof_recorder.attached, __ATOMIC_ACQUIRE);
  int left;
  for (left = jcprof_writing.waited ? 0 : 200; left > 0 && state == JCPROF_ATTACHING_; left--) {
    jcprof_libc_poll(JCPROF_NULL_, 0, 1);
    jcprof_step();
    state = __atomic_load_n(&jcprof_recorder.attached, __ATOMIC_ACQUIRE);
  }
  jcprof_writing.waited = 1;
  if (state == JCPROF_ATTACHING_ && jcprof_recorder.finder != JCPROF_TO_(jcprof_log_u32, jcprof_libc_getpid()))
    __atomic_store_n(&jcprof_recorder.wanted, 0, __ATOMIC_RELAXED);
  return state;
}

#endif

JCPROF_LOCAL_ void jcprof_begin_thread(struct jcprof_log_head *log) {
  struct jcprof_writer *const own = &jcprof_writing;
  own->functions = JCPROF_TO_(jcprof_log_u64 *, jcprof_in_log(log, log->functions_at));
  own->shift = 64 - __builtin_ctz(log->functions);
  own->room = log->chunk_bytes - sizeof(struct jcprof_log_chunk) - sizeof(jcprof_log_u64);
  own->ordered = JCPROF_WAITS_ && !log->fast;
  own->next = JCPROF_NOWHERE_;
#ifdef JCPROF_ENCLAVE_BUILD
  if (!jcprof_go_on())
#endif
  {
    own->thread = __atomic_add_fetch(&log->threads, 1, __ATOMIC_RELAXED);
    jcprof_keep();
  }
  own->head = log;
#if JCPROF_BY_PATH_
  if (jcprof_recorder.key != ~0u) jcprof_libc_setspecific(jcprof_recorder.key, log);
#endif
}

JCPROF_WEAK_ int jcprof_begin_record(void) JCPROF_NOTHROW_ {
  struct jcprof_recorder *const all = &jcprof_recorder;
  jcprof_log_u32 state;
  if (!jcprof_hold()) {
    jcprof_lose();
    return 0;
  }
#if JCPROF_BY_PATH_
  if (__atomic_load_n(&all->attached, __ATOMIC_ACQUIRE) == JCPROF_UNATTACHED_) jcprof_look_for_log();
  state = jcprof_wait_for_log();
#else
  state = __atomic_load_n(&all->attached, __ATOMIC_ACQUIRE);
#endif
  if (state != JCPROF_ATTACHED_) jcprof_lose();
  if (state == JCPROF_ATTACHED_ && all->log != JCPROF_NULL_) jcprof_begin_thread(all->log);
  jcprof_let_go();
  return jcprof_writing.head != JCPROF_NULL_;
}

#define JCPROF_SWITCH_BYTES_ JCPROF_TO_(jcprof_log_u32, sizeof(struct jcprof_log_entry) + 8)

/* False: the log is full now. Its reader sees that. */
JCPROF_LOCAL_ int jcprof_fit(struct jcprof_log_head *log, jcprof_log_u32 bytes) {
  const jcprof_log_u32 used = __atomic_load_n(&log->entries_used, __ATOMIC_RELAXED);
  if (used <= log->entry_bytes && log->entry_bytes - used >= bytes) return 1;
  if (used <= log->entry_bytes) __atomic_fetch_add(&log->entries_used, bytes, __ATOMIC_RELAXED);
  return 0;
}

JCPROF_WEAK_ void jcprof_record_switch(jcprof_log_u32 kind) JCPROF_NOTHROW_ {
  struct jcprof_log_head *log;
  jcprof_log_u64 ticks;
  jcprof_log_u32 before;
  jcprof_records_now();
  log = jcprof_writing.head;
  if (log == JCPROF_NULL_) return;
  /* There must be room for the end of a pause too, or the pause would have none. */
  if (kind == JCPROF_LOG_PAUSE && !jcprof_fit(log, 2 * JCPROF_SWITCH_BYTES_)) return;
  if (kind == JCPROF_LOG_PAUSE) {
    before = __atomic_fetch_or(&log->off, JCPROF_LOG_OFF_INSIDE, __ATOMIC_RELAXED) ^ JCPROF_LOG_OFF_INSIDE;
    ticks = jcprof_ticks();
  } else {
    ticks = jcprof_ticks();
    before = __atomic_fetch_and(&log->off, ~JCPROF_LOG_OFF_INSIDE, __ATOMIC_RELAXED);
  }
  if (before & JCPROF_LOG_OFF_INSIDE) jcprof_append(kind, ticks, 0, 0, "", 0);
}

#if defined(JCPROF_TA_BUILD) && defined(__aarch64__) && !defined(__clang__)
#pragma GCC pop_options
#endif

#endif

/* ---- a trusted application: its log is its own, and fetched by our command ---- */

/* Only the file with the wrapper has this. */
#if defined(JCPROF_TA_BUILD) && defined(JCPROF_ROOT_HERE)

#ifndef JCPROF_LOG_ROOM
#define JCPROF_LOG_ROOM 262144 /* bytes of the log */
#elif JCPROF_LOG_ROOM > 4194304
#error "jcprof: JCPROF_LOG_ROOM is at most 4194304: the agent fetches no more"
#endif
#define JCPROF_OWN_FUNCTIONS_ 1024u
#define JCPROF_OWN_CHUNK_ 4096u
#define JCPROF_OWN_BEFORE_ (2 * JCPROF_LOG_HEAD_BYTES + JCPROF_OWN_FUNCTIONS_ * 8u) /* head, functions, entries */
#define JCPROF_OWN_CHUNKS_ ((JCPROF_LOG_ROOM - JCPROF_OWN_BEFORE_) / JCPROF_OWN_CHUNK_)
#define JCPROF_OWN_BYTES_ (JCPROF_OWN_BEFORE_ + JCPROF_OWN_CHUNKS_ * JCPROF_OWN_CHUNK_)

/* The instance keeps the last request, and its log. */
static struct jcprof_head jcprof_told;
static union {
  struct jcprof_log_head head;
  char bytes[JCPROF_OWN_BYTES_];
} jcprof_owned __attribute__((__aligned__(64)));

JCPROF_LOCAL_ void jcprof_make_log(struct jcprof_log_head *log) {
  __builtin_memcpy(log->magic, JCPROF_LOG_MAGIC, sizeof log->magic);
  log->version = JCPROF_LOG_VERSION;
  log->chunk_bytes = JCPROF_OWN_CHUNK_;
  log->chunks = JCPROF_OWN_CHUNKS_;
  log->functions = JCPROF_OWN_FUNCTIONS_;
  log->entry_bytes = JCPROF_LOG_HEAD_BYTES;
  log->functions_at = JCPROF_LOG_HEAD_BYTES;
  log->entries_at = JCPROF_LOG_HEAD_BYTES + JCPROF_OWN_FUNCTIONS_ * 8u;
  log->chunks_at = JCPROF_OWN_BEFORE_;
  log->bytes = JCPROF_OWN_BYTES_;
  jcprof_record_attach(log);
}

/* Copies as many words of the log as fit, from the `first`-th on. */
JCPROF_LOCAL_ void jcprof_give_log(char *to, __SIZE_TYPE__ size, jcprof_u32 first) {
  const __SIZE_TYPE__ from = JCPROF_TO_(__SIZE_TYPE__, first) * sizeof(jcprof_u32);
  const __SIZE_TYPE__ left = from < JCPROF_OWN_BYTES_ ? JCPROF_OWN_BYTES_ - from : 0;
  __builtin_memcpy(to, jcprof_owned.bytes + (JCPROF_OWN_BYTES_ - left), size < left ? size : left);
}

/* docs/optee.md, "Our command". The normal world shares the memory, which need not be aligned. This command arms
   nothing, and repeats the request. */
JCPROF_LOCAL_ __attribute__((__noinline__)) jcprof_u32 jcprof_serve(void *window, __SIZE_TYPE__ size, jcprof_u32 verb,
                                                                    jcprof_u32 first) {
  struct jcprof_log_head *const log = &jcprof_owned.head;
  struct jcprof_head *const told = &jcprof_told;
  struct jcprof_head wish;
  if (size < sizeof(wish)) return JCPROF_SHORT_BUFFER_;
  __builtin_memcpy(&wish, window, sizeof(wish));
  if (verb == 0) told->magic[0] = 'J'; /* marks the instance as used, however its agent ends */
  if (verb == 5) __builtin_trap();
  if (verb == 6) {
    if (log->version == 0) jcprof_make_log(log);
    log->off = wish.room == 0 ? log->off | JCPROF_LOG_OFF_OUTSIDE : log->off & ~JCPROF_LOG_OFF_OUTSIDE;
  }
  if (verb == 7) jcprof_give_log(JCPROF_TO_(char *, window) + sizeof(wish), size - sizeof(wish), first);
  if (verb > 7) return JCPROF_BAD_PARAMETERS_;
  told->build = JCPROF_BUILD;
  told->events = verb == 7 ? JCPROF_OWN_BYTES_ / sizeof(jcprof_u32) : 0;
  __builtin_memcpy(window, told, sizeof(wish));
  return 0;
}

/* This stands first in the wrapper of TA_InvokeCommandEntryPoint, and takes its arguments. */
#define JCPROF_TA(type, session, command, types, params)                               \
  (void)(session);                                                                     \
  JCPROF_SERVE_(command, types, jcprof_serve((params)[0].memref.buffer, (params)[0].memref.size, (params)[1].value.a, (params)[1].value.b))

#endif

/* ---- -finstrument-functions ---- */

/* One file of the program has these. */
#ifdef JCPROF_HOOKS
JCPROF_VISIBLE_ JCPROF_BARE_ void jcprof_entered(void *function, void *site) JCPROF_NOTHROW_
    JCPROF_OUTSIDE_(__cyg_profile_func_enter);
JCPROF_VISIBLE_ JCPROF_BARE_ void jcprof_left(void *function, void *site) JCPROF_NOTHROW_
    JCPROF_OUTSIDE_(__cyg_profile_func_exit);
JCPROF_WEAK_ void jcprof_entered(void *function, void *site) JCPROF_NOTHROW_ {
  (void)site;
  jcprof_record_call(function, JCPROF_LOG_ENTER);
}
JCPROF_WEAK_ void jcprof_left(void *function, void *site) JCPROF_NOTHROW_ {
  (void)site;
  jcprof_record_call(function, JCPROF_LOG_LEAVE);
}
#endif

#endif /* JCPROF_RECORD_H */
