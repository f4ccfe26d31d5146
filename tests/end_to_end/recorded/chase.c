/* SPDX-License-Identifier: Apache-2.0 */
/* chase PASSES: chase() follows one pointer into memory that no cache holds. Its caller works a little before
   that, and after() a little behind it. Such passes take turns with passes without hooks, of which the
   program takes the time of the same load by itself. The clock of this waits until loads have ended. Prints
   the ticks of a load in even and in odd passes, and how many ticks a nanosecond has. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define UNSEEN __attribute__((no_instrument_function))

enum { nodes = 1 << 21, longest = 1 << 15 }; /* 128 MiB; more ticks are no load, but a time slice */

struct node {
  struct node* next;
  char rest[56];
};

static struct node* at;
static unsigned found;

static inline UNSEEN uint64_t ticks(void) {
  uint64_t value;
#ifdef __x86_64__
  __asm__ __volatile__("lfence" : : : "memory");
  value = __builtin_ia32_rdtsc();
  __asm__ __volatile__("lfence" : : : "memory");
#else
  __asm__ __volatile__("dsb ld\n\tisb\n\tmrs %0, cntvct_el0\n\tisb" : "=r"(value) : : "memory");
#endif
  return value;
}

static UNSEEN double nanoseconds(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return 1e9 * (double)time.tv_sec + (double)time.tv_nsec;
}

static inline UNSEEN unsigned scrambled(unsigned x) {
  for (int i = 0; i < 8; i++) x = x * 1664525u + 1013904223u;
  return x;
}

/* One circle through all nodes, in random order (S. Sattolo, 1986). */
static UNSEEN struct node* circle(void) {
  struct node* all = malloc(nodes * sizeof *all);
  uint32_t* order = malloc(nodes * sizeof *order);
  uint64_t random = 1;
  if (all == NULL || order == NULL) exit(3);
  for (uint32_t i = 0; i < nodes; i++) order[i] = i;
  for (uint32_t i = nodes - 1; i > 0; i--) {
    random = random * 6364136223846793005u + 1442695040888963407u;
    const uint32_t other = (uint32_t)((random >> 33) % i), swapped = order[i];
    order[i] = order[other];
    order[other] = swapped;
  }
  for (uint32_t i = 0; i < nodes; i++) all[order[i]].next = &all[order[(i + 1) % nodes]];
  free(order);
  return all;
}

__attribute__((noinline)) struct node* chase(struct node* node) {
  return node->next;
}

__attribute__((noinline)) unsigned after(unsigned x) {
  return scrambled(x);
}

__attribute__((noinline)) void pass(void) {
  found = scrambled(found);
  at = chase(at);
  found = after(found);
}

/* Ticks of one load, as chase() has it; `longest` if the program lost its processor meanwhile. */
static UNSEEN int64_t timed_pass(void) {
  found = scrambled(found);
  const uint64_t begun = ticks();
  struct node* next = at->next;
  __asm__ __volatile__("" : "+r"(next));
  const uint64_t loaded = ticks(), end = ticks();
  at = next;
  found = scrambled(found);
  if (end - begun >= longest) return longest;
  return (int64_t)(2 * loaded - begun - end); /* without what reading the clock takes */
}

int main(int argc, char** argv) {
  const int passes = argc > 1 ? atoi(argv[1]) : 0;
  double sum[2] = {0, 0};
  int loads[2] = {0, 0};
  at = circle();
  const double begun = nanoseconds();
  const uint64_t first = ticks();
  for (int i = 0; i < passes; i++) {
    pass();
    const int64_t load = timed_pass();
    if (load >= longest) continue;
    sum[i % 2] += (double)load;
    loads[i % 2]++;
  }
  const double rate = (double)(ticks() - first) / (nanoseconds() - begun);
  printf("%f %f %f\n", sum[0] / loads[0], sum[1] / loads[1], rate);
  return found == 1;
}
