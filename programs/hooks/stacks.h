/* SPDX-License-Identifier: Apache-2.0 */
/* Fibers by makecontext and swapcontext: a thread that changes its stack says so in the log, also where it leaps to
   another one by longjmp. The library is preloaded, so that these functions stand in front of the C library's. */
#ifndef JCPROF_STACKS_H
#define JCPROF_STACKS_H

#include <dlfcn.h>
#include <pthread.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <ucontext.h>

#include "templates/jcprof.h"

#if defined(__x86_64__)
#define JCPROF_STACK_OF_(context) ((uintptr_t)(context)->uc_mcontext.gregs[15])
#define JCPROF_CODE_OF_(context) ((uintptr_t)(context)->uc_mcontext.gregs[16])
/* glibc hides a stack pointer that setjmp keeps: it changes bits by a secret, and turns them. */
#define JCPROF_HIDDEN_(env) ((uintptr_t)(env)[0].__jmpbuf[6])
#define JCPROF_TURN_BACK_(bits) ((bits) >> 17 | (bits) << 47)
#define JCPROF_HERE_(sp) __asm__ volatile("mov %%rsp, %0" : "=r"(sp))
#elif defined(__aarch64__)
#define JCPROF_STACK_OF_(context) ((uintptr_t)(context)->uc_mcontext.sp)
#define JCPROF_CODE_OF_(context) ((uintptr_t)(context)->uc_mcontext.pc)
#define JCPROF_HIDDEN_(env) ((uintptr_t)(env)[0].__jmpbuf[13])
#define JCPROF_TURN_BACK_(bits) (bits)
#define JCPROF_HERE_(sp) __asm__ volatile("mov %0, sp" : "=r"(sp))
#endif

#ifdef JCPROF_STACK_OF_

/* A context that makecontext made has its first frame so close to the end of its stack. */
#define JCPROF_FIRST_FRAME_ 256u

extern const char __ehdr_start[] __attribute__((__visibility__("hidden")));
extern const char etext[] __attribute__((__visibility__("hidden")));

/* The number of the stack on which the thread is. */
static __thread uint64_t jcprof_stack;

static int jcprof_is_ours(uintptr_t code) { return code >= (uintptr_t)__ehdr_start && code < (uintptr_t)etext; }

/* ---- leaps ---- */

#define JCPROF_STACKS_ 1024u /* a power of two */

/* The stacks of fibers, by address. A stack stays here when its fiber is gone, until another one overlaps it. */
static struct jcprof_range {
  uintptr_t begin;
  size_t size;
} jcprof_stacks[JCPROF_STACKS_];
static unsigned jcprof_stacks_used;

static uintptr_t jcprof_secret; /* of hidden stack pointers; 0: not known */

static __attribute__((__constructor__, __noinline__)) void jcprof_learn_secret(void) {
  jmp_buf here;
  uintptr_t sp;
  if (_setjmp(here) != 0) return;
  JCPROF_HERE_(sp);
  jcprof_secret = JCPROF_TURN_BACK_(JCPROF_HIDDEN_(here)) ^ sp;
}

static void jcprof_forget_below(uintptr_t begin, uintptr_t end) {
  struct jcprof_range *other;
  for (other = jcprof_stacks; other < jcprof_stacks + JCPROF_STACKS_; other++) {
    const size_t size = __atomic_load_n(&other->size, __ATOMIC_RELAXED);
    if (size != 0 && other->begin < end && other->begin + size > begin)
      __atomic_store_n(&other->size, 0, __ATOMIC_RELAXED);
  }
}

/* Once three quarters are full, no more are known. */
static void jcprof_know_stack(uintptr_t begin, size_t size) {
  unsigned at = (unsigned)((uint64_t)begin * 0x9E3779B97F4A7C15u >> 54);
  for (;; at = (at + 1) % JCPROF_STACKS_) {
    struct jcprof_range *const here = jcprof_stacks + at;
    uintptr_t known = __atomic_load_n(&here->begin, __ATOMIC_RELAXED);
    if (known == begin && __atomic_load_n(&here->size, __ATOMIC_RELAXED) == size) return;
    if (known == 0 && __atomic_load_n(&jcprof_stacks_used, __ATOMIC_RELAXED) >= JCPROF_STACKS_ / 4 * 3) return;
    if (known == 0 && __atomic_compare_exchange_n(&here->begin, &known, begin, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
      __atomic_fetch_add(&jcprof_stacks_used, 1, __ATOMIC_RELAXED);
      known = begin;
    }
    if (known != begin) continue;
    jcprof_forget_below(begin, begin + size);
    __atomic_store_n(&here->size, size, __ATOMIC_RELAXED);
    return;
  }
}

/* The stack in which an address lies; 0: the thread's own. */
static uint64_t jcprof_stack_at(uintptr_t address) {
  const struct jcprof_range *stack;
  for (stack = jcprof_stacks; stack < jcprof_stacks + JCPROF_STACKS_; stack++) {
    if (address - stack->begin < __atomic_load_n(&stack->size, __ATOMIC_RELAXED))
      return stack->begin & ~(uintptr_t)JCPROF_LOG_FRESH;
  }
  return 0;
}

/* The end of a thread's own stack. glibc keeps the thread's data there. That of the first thread lies elsewhere, but
   nothing lies behind its stack. */
static uintptr_t jcprof_own_end(uintptr_t sp) {
  const uintptr_t data = (uintptr_t)pthread_self();
  return data > sp ? data : UINTPTR_MAX;
}

/* A leap within the thread's own stack is told from others by itself: fibers of old may have had their stacks there.
   A leap on a stack that is not known may be one within it. */
static uint64_t jcprof_stack_of_leap(const jmp_buf to, uint64_t own) {
  const uintptr_t from = (uintptr_t)__builtin_frame_address(0);
  const uintptr_t sp = JCPROF_TURN_BACK_(JCPROF_HIDDEN_(to)) ^ jcprof_secret;
  if (jcprof_secret == 0 || jcprof_stacks_used == 0) return own;
  if (own == 0 && sp >= from && sp < jcprof_own_end(from)) return own;
  if (own != 0 && jcprof_stack_at(from) == 0) return own;
  return jcprof_stack_at(sp);
}

/* ---- changes ---- */

/* A context tells its stack's place only if makecontext made it. On any other stack, as that of a thread, its stack
   pointer lies elsewhere. */
static uint64_t jcprof_stack_of(const ucontext_t *to) {
  const uintptr_t stack = (uintptr_t)to->uc_stack.ss_sp;
  const uintptr_t below = stack + to->uc_stack.ss_size - JCPROF_STACK_OF_(to);
  if (stack == 0 || below >= to->uc_stack.ss_size) return 0;
  jcprof_know_stack(stack, to->uc_stack.ss_size);
  return (stack & ~(uintptr_t)JCPROF_LOG_FRESH) |
         (below < JCPROF_FIRST_FRAME_ && !jcprof_is_ours(JCPROF_CODE_OF_(to)) ? JCPROF_LOG_FRESH : 0);
}

/* A function of its own: the thread may be another one behind a switch, and with it the place of `jcprof_stack`. */
static __attribute__((__noinline__)) void jcprof_go_to_stack(uint64_t stack) {
  if (stack == jcprof_stack) return;
  jcprof_record_stack(stack);
  jcprof_stack = stack & ~(uint64_t)JCPROF_LOG_FRESH;
}

static __attribute__((__noinline__)) uint64_t jcprof_own_stack(void) { return jcprof_stack; }

__attribute__((__visibility__("default"))) int swapcontext(ucontext_t *from, const ucontext_t *to) {
  static int (*next)(ucontext_t *, const ucontext_t *); /* each thread finds the same */
  const uint64_t own = jcprof_own_stack();
  int result;
  if (next == NULL) next = dlsym(RTLD_NEXT, "swapcontext");
  jcprof_go_to_stack(jcprof_stack_of(to));
  result = next(from, to);
  jcprof_go_to_stack(own);
  return result;
}

__attribute__((__visibility__("default"))) int setcontext(const ucontext_t *to) {
  static int (*next)(const ucontext_t *);
  if (next == NULL) next = dlsym(RTLD_NEXT, "setcontext");
  jcprof_go_to_stack(jcprof_stack_of(to));
  return next(to);
}

/* `next` is found ahead: a handler may leap. */
#define JCPROF_LEAP_(name)                                                                                         \
  static void (*jcprof_next_##name)(jmp_buf, int) __attribute__((__noreturn__));                                   \
  static __attribute__((__constructor__)) void jcprof_find_##name(void) {                                          \
    *(void **)&jcprof_next_##name = dlsym(RTLD_NEXT, #name);                                                       \
  }                                                                                                                \
  __attribute__((__visibility__("default"), __noreturn__)) void jcprof_##name(jmp_buf to, int value) __asm__(#name); \
  __attribute__((__noreturn__)) void jcprof_##name(jmp_buf to, int value) {                                        \
    if (jcprof_next_##name == NULL) jcprof_find_##name();                                                          \
    jcprof_go_to_stack(jcprof_stack_of_leap(to, jcprof_own_stack()));                                              \
    jcprof_next_##name(to, value);                                                                                 \
  }

JCPROF_LEAP_(longjmp)
JCPROF_LEAP_(_longjmp)
JCPROF_LEAP_(siglongjmp)
JCPROF_LEAP_(__longjmp_chk)

#endif

#endif
