/* SPDX-License-Identifier: Apache-2.0 */
/* Fibers by makecontext and swapcontext: a thread that changes its stack says so in the log. The library is preloaded,
   so that these functions stand in front of the C library's. */
#ifndef JCPROF_STACKS_H
#define JCPROF_STACKS_H

#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <ucontext.h>

#include "templates/jcprof.h"

#if defined(__x86_64__)
#define JCPROF_STACK_OF_(context) ((uintptr_t)(context)->uc_mcontext.gregs[15])
#define JCPROF_CODE_OF_(context) ((uintptr_t)(context)->uc_mcontext.gregs[16])
#elif defined(__aarch64__)
#define JCPROF_STACK_OF_(context) ((uintptr_t)(context)->uc_mcontext.sp)
#define JCPROF_CODE_OF_(context) ((uintptr_t)(context)->uc_mcontext.pc)
#endif

#ifdef JCPROF_STACK_OF_

/* A context that makecontext made has its first frame so close to the end of its stack. */
#define JCPROF_FIRST_FRAME_ 256u

extern const char __ehdr_start[] __attribute__((__visibility__("hidden")));
extern const char etext[] __attribute__((__visibility__("hidden")));

/* The number of the stack on which the thread is. */
static __thread uint64_t jcprof_stack;

static int jcprof_is_ours(uintptr_t code) { return code >= (uintptr_t)__ehdr_start && code < (uintptr_t)etext; }

/* A context tells its stack's place only if makecontext made it. On any other stack, as that of a thread, its stack
   pointer lies elsewhere. */
static uint64_t jcprof_stack_of(const ucontext_t *to) {
  const uintptr_t stack = (uintptr_t)to->uc_stack.ss_sp;
  const uintptr_t below = stack + to->uc_stack.ss_size - JCPROF_STACK_OF_(to);
  if (stack == 0 || below >= to->uc_stack.ss_size) return 0;
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

#endif

#endif
