/* SPDX-License-Identifier: Apache-2.0 */
/* events PAIRS: hooks called back to back against a bare loop of ordered clock read and 8-byte store into a
   prefaulted ring of the size of a chunk, turn about. Prints "bare hooks", ns of processor time an event, for
   each pair. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { events = 1 << 16, slots = 1 << 13 };

static volatile uint64_t ring[slots];

void __cyg_profile_func_enter(void* function, void* site);
void __cyg_profile_func_exit(void* function, void* site);

static uint64_t ticks(void) {
#ifdef __x86_64__
  __asm__ __volatile__("lfence" : : : "memory");
  return __builtin_ia32_rdtsc();
#else
  uint64_t value;
  __asm__ __volatile__("dsb nshld\n\tisb\n\tmrs %0, cntvct_el0" : "=r"(value) : : "memory");
  return value;
#endif
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return 1e9 * (double)time.tv_sec + (double)time.tv_nsec;
}

static double bare(void) {
  const double start = now();
  for (int i = 0; i < events; i++) ring[i % slots] = ticks();
  return (now() - start) / events;
}

static double hooks(void) {
  const double start = now();
  for (int i = 0; i < events / 2; i++) {
    __cyg_profile_func_enter((void*)hooks, NULL);
    __cyg_profile_func_exit((void*)hooks, NULL);
  }
  return (now() - start) / events;
}

int main(int argc, char** argv) {
  const int pairs = argc > 1 ? atoi(argv[1]) : 0;
  bare();
  hooks();
  for (int i = 0; i < pairs; i++) {
    double loop = 0;
    if (i % 2 == 0) loop = bare();
    const double ours = hooks();
    if (i % 2 == 1) loop = bare();
    printf("%.3f %.3f\n", loop, ours);
  }
  return 0;
}
