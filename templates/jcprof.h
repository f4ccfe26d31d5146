/* SPDX-License-Identifier: Apache-2.0 */
/* The part of jcprof that runs in C and C++ targets: traps that can stop a run or log the way it took, and what arms them.
   C90 to C2x and C++11 to C++20, gcc and clang. It includes no system header, allocates nothing, and leaves nothing in a
   program that is compiled without JCPROF or with JCPROF_OFF. docs/instrument-by-hand.md says how to use it by hand. */
#ifndef JCPROF_H
#define JCPROF_H

/* A marker: jcprof-gen puts a numbered trap beside it. */
#ifndef PM_CHECK
#define PM_CHECK
#endif

#if defined(JCPROF) && !defined(JCPROF_OFF)
#define JCPROF_LIVE 1
#else
#define JCPROF_LIVE 0
#endif

#if !JCPROF_LIVE

#define JCPROF_TRAP(id) ((void)0)
#define JCPROF_TRAP_V(id, x) ((void)0)
#define JCPROF_TRAP_E(id) ((void)0)
#define JCPROF_VALUE(type, id, x) (x)
#define JCPROF_AFTER(id) ((void)0)
#define JCPROF_BEGIN(id) ((void)0)
/* A declaration too, or the statement that it leaves would stand in front of the declarations of C90. */
#define JCPROF_TRAP_D(id) struct jcprof_nothing
#define JCPROF_BEGIN_D(id) struct jcprof_nothing

#else

/* ---- what a target may choose ---- */

#ifndef JCPROF_BUILD
#define JCPROF_BUILD 0u /* ties a report to the traps.json of the same build */
#endif
#ifndef JCPROF_HOOK_ENTER
#define JCPROF_HOOK_ENTER ((void)0) /* an armed run enters the root */
#endif
#ifndef JCPROF_HOOK_LEAVE
#define JCPROF_HOOK_LEAVE ((void)0) /* and leaves it, at its end or by a stop */
#endif

#ifdef __ELF__
#define JCPROF_VISIBLE_ __attribute__((__visibility__("default")))
#else
#define JCPROF_VISIBLE_
#endif
#if defined(JCPROF_THREAD) || !defined(__ELF__)
#define JCPROF_TLS_ JCPROF_VISIBLE_
#else
#define JCPROF_TLS_ __attribute__((__visibility__("default"), __tls_model__("initial-exec")))
#endif
#ifndef JCPROF_THREAD
#define JCPROF_THREAD __thread /* empty where there are no threads */
#endif
/* JCPROF_DEFINE is for compilers without weak symbols: 1 in one file of the program, 0 in all others. */
#ifndef JCPROF_DEFINE
#define JCPROF_DEFINED_HERE_ 1
#define JCPROF_WEAK_ __attribute__((__weak__))
#else
#define JCPROF_DEFINED_HERE_ JCPROF_DEFINE
#define JCPROF_WEAK_
#endif
#define JCPROF_LOCAL_ static __attribute__((__unused__))
#define JCPROF_COLD_ __attribute__((__cold__, __noinline__))

#ifdef __cplusplus
#define JCPROF_NULL_ nullptr
#define JCPROF_NOTHROW_ noexcept
#define JCPROF_TO_(type, x) static_cast<type>(x)
#define JCPROF_AS_(type, x) reinterpret_cast<type>(x)
#else
#define JCPROF_NULL_ ((void *)0)
#define JCPROF_NOTHROW_
#define JCPROF_TO_(type, x) ((type)(x))
#define JCPROF_AS_(type, x) ((type)(x))
#endif

/* A root's setjmp: the compiler's own where it works, a target's where it defines these three, else <setjmp.h>, which is
   included only in a file that says JCPROF_ROOT_HERE. */
#ifdef JCPROF_SETJMP
#define JCPROF_HAS_ROOT_ 1
#elif defined(__x86_64__) || defined(__i386__) || (defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 10)
#define JCPROF_HAS_ROOT_ 1
#define JCPROF_JMP_BUF jcprof_words
#define JCPROF_SETJMP(buffer) __builtin_setjmp(buffer)
#define JCPROF_LONGJMP(buffer) __builtin_longjmp(buffer, 1)
#elif defined(JCPROF_ROOT_HERE)
#include <setjmp.h>
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

/* What is outside is declared under names of our own, so that nothing that the user declares or defines conflicts. */
#define JCPROF_TEXT_2_(x) #x
#define JCPROF_TEXT_(x) JCPROF_TEXT_2_(x)
#define JCPROF_LIBC_(name) __asm__(JCPROF_TEXT_(__USER_LABEL_PREFIX__) #name)

/* ---- values ---- */

typedef __UINT32_TYPE__ jcprof_u32;
__extension__ typedef __UINT64_TYPE__ jcprof_u64;
typedef void *jcprof_words[5];

/* What is wanted of a run and what came of it; a report file begins so. */
struct jcprof_head {
  char magic[8]; /* of files: "JCPROF1\n" */
  jcprof_u32 build;
  jcprof_u32 trap;   /* that stopped it; 0: none */
  jcprof_u64 hit;    /* of it */
  jcprof_u64 from;   /* first event wanted, from 0 */
  jcprof_u64 room;   /* events that fit in the window */
  jcprof_u64 events; /* passed so far, where they are traced */
  jcprof_u32 before; /* signature of the events before `from` */
  jcprof_u32 all;    /* signature of all */
  jcprof_u64 passes; /* of a calibration */
  jcprof_u64 zero;
};

/* One run, in memory of the caller's that outlives it. `head` is for reading, the rest is the runtime's own. */
struct jcprof_run {
  struct jcprof_head head;
  struct jcprof_head *to; /* `head`, or that of a file */
  jcprof_u32 *ids;        /* the window */
  jcprof_u32 trap;
  jcprof_u32 mask; /* all ones: only `trap` is slow; 0: every trap is */
  jcprof_u64 hit;
  jcprof_u64 left; /* hits until the stop */
  void *root;      /* null: not yet entered */
  void *frame;     /* of the root; null: nothing is left by a leap */
  void (*leave)(struct jcprof_run *run);
  int (*process)(void); /* who we are; null: does not matter */
  int owner;            /* who we were when it was armed */
};

/* The names of what macros name are ours, as the user may have macros too.
   Volatile: each trap loads both, so that each costs the same and what calibration finds holds for all. */
struct jcprof_state {
  volatile jcprof_u32 jcprof_armed;
  volatile jcprof_u32 jcprof_mask;
  struct jcprof_run *run; /* armed or pending; null: none */
};

extern JCPROF_THREAD struct jcprof_state jcprof_now JCPROF_TLS_;
JCPROF_VISIBLE_ JCPROF_COLD_ void jcprof_passed(jcprof_u32 id) JCPROF_NOTHROW_;

/* ---- the slow path ---- */

JCPROF_LOCAL_ void jcprof_disarm(void) {
  jcprof_now.jcprof_armed = 0;
  jcprof_now.jcprof_mask = ~0u;
  jcprof_now.run = JCPROF_NULL_;
}

#if JCPROF_DEFINED_HERE_

JCPROF_WEAK_ JCPROF_THREAD struct jcprof_state jcprof_now JCPROF_TLS_ = {0, ~0u, JCPROF_NULL_};

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

JCPROF_LOCAL_ void jcprof_stop(struct jcprof_run *run, jcprof_u32 id) {
  /* Stacks grow downwards: a root that is not above us was left without its knowledge, by a longjmp of the user's. */
  const int rooted = run->frame == JCPROF_NULL_ || run->frame > __builtin_frame_address(0);
  jcprof_now.jcprof_armed = 0;
  jcprof_now.jcprof_mask = ~0u;
  if (!rooted) return;
  run->to->trap = id;
  run->to->hit = run->hit;
  run->leave(run);
}

JCPROF_WEAK_ void jcprof_passed(jcprof_u32 id) JCPROF_NOTHROW_ {
  struct jcprof_run *run = jcprof_now.run;
  if (run == JCPROF_NULL_) return;
  if (jcprof_now.jcprof_mask == 0) {
    if (jcprof_forked(run)) return;
    jcprof_log(run, id);
  }
  if (id != jcprof_now.jcprof_armed || --run->left != 0 || jcprof_forked(run)) return;
  jcprof_stop(run, id);
}

#endif

/* ---- arming ---- */

/* Forgets what was armed on this thread, and makes `run` one of which nothing is wanted. */
JCPROF_LOCAL_ void jcprof_clear(struct jcprof_run *run) {
  static struct jcprof_run nothing; /* const would want an initialiser, in C++ another than in C */
  jcprof_disarm();
  *run = nothing;
  run->head.build = JCPROF_BUILD;
  run->to = &run->head;
  run->mask = ~0u;
}

/* The next entry of this thread into a root stops when `trap` is passed for the `hit`-th time, from 1. Trap 0: it runs
   to its end. Read run->head.trap afterwards. One-shot: the entry after that is as if nothing had been armed. */
JCPROF_LOCAL_ void jcprof_arm(struct jcprof_run *run, jcprof_u32 trap, jcprof_u64 hit) {
  jcprof_clear(run);
  run->trap = trap;
  run->hit = hit;
  run->left = hit;
  jcprof_now.run = run;
}

/* The next entry counts its events, and logs those from the `from`-th on, from 0, as far as there is room. */
JCPROF_LOCAL_ void jcprof_arm_trace(struct jcprof_run *run, jcprof_u64 from, jcprof_u32 *ids, jcprof_u64 room) {
  jcprof_arm(run, 0, 0);
  run->mask = 0;
  run->ids = ids;
  run->head.from = from;
  run->head.room = room;
}

/* How many ids the window of a trace holds. */
JCPROF_LOCAL_ jcprof_u64 jcprof_in_window(const struct jcprof_head *head) {
  const jcprof_u64 behind = head->events > head->from ? head->events - head->from : 0;
  return behind < head->room ? behind : head->room;
}

/* ---- traps ---- */

#define JCPROF_MEETS_(id) (__builtin_expect(((jcprof_now.jcprof_armed ^ (0u + (id))) & jcprof_now.jcprof_mask) == 0, 0))

/* A trap: an expression of type void. clang's -Wcomma wants the cast, g++'s -Wuseless-cast something to cast. */
#ifdef __cplusplus
#define JCPROF_TRAP_E(id) (static_cast<void>(jcprof_meets(id) && (jcprof_passed(id), true)))
#else
#define JCPROF_TRAP_E(id) ((void)(JCPROF_MEETS_(id) && (jcprof_passed(id), 1)))
#endif
#define JCPROF_TRAP(id) JCPROF_TRAP_E(id)

/* A trap that is a declaration, for C where declarations come first. */
#define JCPROF_TRAP_D(id) \
  int jcprof_d##id __attribute__((__unused__)) = (JCPROF_MEETS_(id) ? (jcprof_passed(id), 0) : 0)

/* A trap behind an assignment to the scalar `x`, not volatile and no bit-field. Without it the optimiser moves the work
   below the trap: it must have the value here. Not in any register at all ("X"): gcc 12 crashes over a long double in
   one of the x87's. */
#define JCPROF_KEEP_(x) __asm__ __volatile__("" : : "g"(x))
#ifndef __cplusplus
#define JCPROF_TRAP_V(id, x) \
  do {                       \
    JCPROF_KEEP_(x);         \
    JCPROF_TRAP(id);         \
  } while (0)
#else
#define JCPROF_TRAP_V(id, x) (static_cast<void>(jcprof_keep(x)), JCPROF_TRAP_E(id))
#endif

/* The scalar `e`, and the trap once its value is known. */
#define JCPROF_VALUE(type, id, e)               \
  (__extension__({                              \
    __typeof__(type) jcprof_r##id = (e);        \
    JCPROF_TRAP_V(id, jcprof_r##id);            \
    jcprof_r##id;                               \
  }))

/* ---- C++ ---- */

#ifdef __cplusplus

struct jcprof_exceptions {
  void *caught;
  unsigned uncaught;
};
extern jcprof_exceptions *jcprof_exceptions_now(void) JCPROF_LIBC_(__cxa_get_globals) __attribute__((__weak__));

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
#define JCPROF_INLINE_ inline __attribute__((__always_inline__, __artificial__))

/* A function and not a macro: g++ calls the question for constant evaluation a tautology where it stands in a condition. */
constexpr JCPROF_INLINE_ bool jcprof_meets(jcprof_u32 id) noexcept { return JCPROF_RUNS_ && JCPROF_MEETS_(id); }

template <class T>
JCPROF_INLINE_ void jcprof_name(const T &x) noexcept {
  JCPROF_KEEP_(x);
}

template <class T>
constexpr JCPROF_INLINE_ bool jcprof_keep(const T &x) noexcept {
  return JCPROF_RUNS_ && (jcprof_name(x), true);
}

/* A trap that is passed when the block is left, by a return too; but not while an exception unwinds it. */
class jcprof_after {
 public:
  explicit JCPROF_CONSTEXPR_ jcprof_after(jcprof_u32 id) noexcept : id_(id) {}
  JCPROF_CONSTEXPR_ ~jcprof_after() {
    if (jcprof_meets(id_)) passed(id_);
  }
  jcprof_after(const jcprof_after &) = delete;
  jcprof_after &operator=(const jcprof_after &) = delete;

 private:
  JCPROF_COLD_ static void passed(jcprof_u32 id) {
    const bool unwinding = jcprof_exceptions_now != nullptr && jcprof_exceptions_now()->uncaught != 0;
    if (!unwinding) jcprof_passed(id);
  }

  const jcprof_u32 id_;
};
#define JCPROF_AFTER(id) const jcprof_after jcprof_a##id(id)

extern "C" {

#endif

/* ---- calibration ---- */

enum jcprof_calibration { JCPROF_EMPTY, JCPROF_UNARMED, JCPROF_COUNTING };
#define JCPROF_CALIBRATION_TRAP_ 0x7FFFFFFFu

/* Makes so many passes of nothing, of an unarmed trap, or of one that counts and does not stop. To be timed. */
JCPROF_LOCAL_ __attribute__((__noinline__)) void jcprof_calibrate(enum jcprof_calibration kind, jcprof_u64 passes) {
  struct jcprof_run run;
  jcprof_u64 pass;
  jcprof_clear(&run);
  run.left = ~run.left;
  jcprof_now.run = &run;
  if (kind == JCPROF_COUNTING) jcprof_now.jcprof_armed = JCPROF_CALIBRATION_TRAP_;
  if (kind == JCPROF_EMPTY) {
    for (pass = 0; pass < passes; pass++) __asm__ __volatile__("" : : : "memory");
  } else {
    for (pass = 0; pass < passes; pass++) {
      __asm__ __volatile__("" : : : "memory");
      JCPROF_TRAP(JCPROF_CALIBRATION_TRAP_);
    }
  }
  jcprof_disarm();
}

/* ---- in process: a root that a stop leaps to ---- */

#if JCPROF_HAS_ROOT_

struct jcprof_root {
  struct jcprof_run *run; /* null: not the outermost root of an armed run */
  JCPROF_JMP_BUF jcprof_jump;
};

JCPROF_LOCAL_ __attribute__((__noreturn__)) void jcprof_leap(struct jcprof_run *run) {
  struct jcprof_root *root = JCPROF_TO_(struct jcprof_root *, run->root);
  JCPROF_LONGJMP(root->jcprof_jump);
}

/* True: what was pending holds from here on, and the caller sets the jump. */
JCPROF_LOCAL_ __attribute__((__noinline__)) int jcprof_enter(struct jcprof_root *root) {
  struct jcprof_run *run = jcprof_now.run;
  void *frame = __builtin_frame_address(0);
  root->run = JCPROF_NULL_;
  if (run == JCPROF_NULL_) return 0;
  if (run->root != JCPROF_NULL_) {
    /* A callback, or an entry after one that was left by a longjmp of the user's: then the root's frame is gone. */
    if (run->frame != JCPROF_NULL_ && frame >= run->frame) jcprof_disarm();
    return 0;
  }
  root->run = run;
  run->root = root;
  run->frame = frame;
  run->leave = jcprof_leap;
  JCPROF_HOOK_ENTER;
  jcprof_now.jcprof_armed = run->trap;
  jcprof_now.jcprof_mask = run->mask;
  return 1;
}

JCPROF_LOCAL_ void jcprof_leave(struct jcprof_root *root) {
  if (root->run == JCPROF_NULL_) return;
  if (root->run == jcprof_now.run) jcprof_disarm();
  JCPROF_HOOK_LEAVE;
}

/* First in the wrapper of an entry; docs/c.md has its text. A stop makes it return a zero of the type. Not in the entry
   itself: setjmp there keeps the user's variables out of registers. */
#define JCPROF_ROOT_VOID                                                           \
  struct jcprof_root jcprof_here __attribute__((__cleanup__(jcprof_leave)));       \
  if (jcprof_enter(&jcprof_here) && JCPROF_SETJMP(jcprof_here.jcprof_jump) != 0) return
#ifdef __cplusplus
#define JCPROF_ROOT(type) JCPROF_ROOT_VOID __typeof__(type)()
#else
#define JCPROF_ROOT(type)               \
  static __typeof__(type) jcprof_none;  \
  JCPROF_ROOT_VOID jcprof_none
#endif
/* In front of the declaration of the wrapped body: within the wrapper it would share a function with setjmp. */
#define JCPROF_BODY __attribute__((__noinline__))

#endif

/* ---- a program for each shot: armed by environment, stopped by _exit ---- */

#ifndef JCPROF_PROGRAM

#define JCPROF_BEGIN(id) JCPROF_TRAP(id)
#define JCPROF_BEGIN_D(id) JCPROF_TRAP_D(id)

#else

extern char *jcprof_libc_getenv(const char *name) JCPROF_LIBC_(getenv);
extern int jcprof_libc_unsetenv(const char *name) JCPROF_LIBC_(unsetenv);
extern int jcprof_libc_getpid(void) JCPROF_LIBC_(getpid);
extern int jcprof_libc_open(const char *path, int flags, ...) JCPROF_LIBC_(open);
extern int jcprof_libc_creat(const char *path, unsigned mode) JCPROF_LIBC_(creat);
extern int jcprof_libc_close(int file) JCPROF_LIBC_(close);
extern int jcprof_libc_ftruncate(int file, long size) JCPROF_LIBC_(ftruncate);
extern long jcprof_libc_lseek(int file, long offset, int from) JCPROF_LIBC_(lseek);
extern void *jcprof_libc_mmap(void *at, __SIZE_TYPE__ size, int protection, int flags, int file, long offset)
    JCPROF_LIBC_(mmap);
extern long jcprof_libc_write(int file, const void *bytes, __SIZE_TYPE__ count) JCPROF_LIBC_(write);
extern void jcprof_libc_exit(int status) JCPROF_LIBC_(_exit) __attribute__((__noreturn__));

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

/* Decimal, at most 32 bits: none of these needs more. */
JCPROF_LOCAL_ jcprof_u32 jcprof_number(const char *variable, const char *digits) {
  jcprof_u64 value = 0;
  const char *digit;
  for (digit = digits; *digit >= '0' && *digit <= '9' && value <= 0xFFFFFFFFu; digit++) {
    value = value * 10 + JCPROF_TO_(jcprof_u64, *digit - '0');
  }
  if (digit == digits || *digit != 0 || value > 0xFFFFFFFFu) jcprof_fail(variable, " is not a number that fits");
  return JCPROF_TO_(jcprof_u32, value);
}

/* The head of a report file, with its window behind it; made when it is not there or empty. */
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

/* What stands behind `prefix`; null where `text` does not begin so. */
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

/* Outlined, so that an entry that is called often costs one test more. */
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
  run.process = jcprof_libc_getpid;
  run.owner = jcprof_libc_getpid();
  for (i = 0; i < 5; i++) jcprof_libc_unsetenv(names[i]);
  jcprof_now.run = &run;
  jcprof_now.jcprof_armed = run.trap;
  jcprof_now.jcprof_mask = run.mask;
}

/* Arms the thread that comes here first. */
JCPROF_LOCAL_ void jcprof_begin(void) {
  static int begun;
  if (begun) return;
  begun = 1;
  jcprof_arm_program();
}

/* First in the entry, with its first trap. */
#define JCPROF_BEGIN(id) (jcprof_begin(), JCPROF_TRAP_E(id))
#define JCPROF_BEGIN_D(id)                                              \
  int jcprof_b##id __attribute__((__unused__)) = (jcprof_begin(), 0);   \
  JCPROF_TRAP_D(id)

#endif

#ifdef __cplusplus
} /* extern "C" */
} /* extern "C++" */
#endif

#endif /* JCPROF_LIVE */

#endif /* JCPROF_H */
