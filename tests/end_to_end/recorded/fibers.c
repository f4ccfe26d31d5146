/* SPDX-License-Identifier: Apache-2.0 */
/* Two fibers that main resumes in turn until both have ended: each steps three times, and rests in each step. */
#include <ucontext.h>

#define UNSEEN __attribute__((no_instrument_function))

static ucontext_t of_main, of_fiber[2];
static char stacks[2][65536];
static int at, left = 2;

__attribute__((noinline)) void rest(void) { swapcontext(&of_fiber[at], &of_main); }

__attribute__((noinline)) void step(int i) {
  __asm__ volatile("" : : "r"(i));
  rest();
}

__attribute__((noinline)) void fiber(void) {
  for (int i = 0; i < 3; i++) step(i);
  left--;
}

__attribute__((noinline)) void resume(int which) {
  at = which;
  swapcontext(&of_main, &of_fiber[which]);
}

int main(void) {
  for (int i = 0; i < 2; i++) {
    getcontext(&of_fiber[i]);
    of_fiber[i].uc_stack.ss_sp = stacks[i];
    of_fiber[i].uc_stack.ss_size = sizeof stacks[i];
    of_fiber[i].uc_link = &of_main;
    makecontext(&of_fiber[i], fiber, 0);
  }
  while (left > 0)
    for (int i = 0; i < 2; i++) resume(i);
  return 0;
}
