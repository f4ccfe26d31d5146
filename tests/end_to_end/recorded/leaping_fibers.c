/* SPDX-License-Identifier: Apache-2.0 */
/* Two fibers as in fibers.c. But swapcontext only begins them, on stacks below and above each other; then all changes of
   stacks are leaps. The first fiber leaps to a frame of its own too, as does main. */
#include <setjmp.h>
#include <stdlib.h>
#include <ucontext.h>

static ucontext_t of_main, of_fiber;
static sigjmp_buf main_at, fiber_at[2];
static int at, left = 2;

__attribute__((noinline)) void rest(int i) {
  if (sigsetjmp(fiber_at[i], 0) == 0) siglongjmp(main_at, 1);
}

__attribute__((noinline)) void step(int i) {
  __asm__ volatile("" : : "r"(i));
  rest(i);
}

__attribute__((noinline)) void fail(jmp_buf to) { longjmp(to, 1); }

__attribute__((noinline)) void try(void) {
  jmp_buf here;
  if (_setjmp(here) == 0) fail(here);
}

__attribute__((noinline)) void fiber(void) {
  const int i = at;
  rest(i);
  for (int turn = 0; turn < 3; turn++) step(i);
  try();
  left--;
  siglongjmp(main_at, 1);
}

__attribute__((noinline)) void begin(int i, char *stack) {
  at = i;
  getcontext(&of_fiber);
  of_fiber.uc_stack.ss_sp = stack;
  of_fiber.uc_stack.ss_size = 65536;
  of_fiber.uc_link = &of_main;
  makecontext(&of_fiber, fiber, 0);
  if (sigsetjmp(main_at, 0) == 0) swapcontext(&of_main, &of_fiber);
}

__attribute__((noinline)) void resume(int i) {
  if (sigsetjmp(main_at, 0) == 0) siglongjmp(fiber_at[i], 1);
}

int main(void) {
  char *stacks = malloc(2 * 65536);
  begin(0, stacks);
  begin(1, stacks + 65536);
  while (left > 0)
    for (int i = 0; i < 2; i++) resume(i);
  try();
  return 0;
}
