/* SPDX-License-Identifier: Apache-2.0 */
/* few_calls: a linear regression over made-up points in eight calls. Prints the nanoseconds that it took, on
   the wall and on processors. */
#include <stdint.h>
#include <stdio.h>
#include <time.h>

struct sums {
  uint64_t n, x, y, xx, xy;
};

static double now(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return 1e9 * (double)time.tv_sec + (double)time.tv_nsec;
}

void add_points(struct sums* sums, uint32_t seed, uint64_t points) {
  for (uint64_t i = 0; i < points; i++) {
    seed = seed * 1664525u + 1013904223u;
    const uint64_t x = seed >> 24, y = (seed >> 16) & 255;
    sums->n++;
    sums->x += x;
    sums->y += y;
    sums->xx += x * x;
    sums->xy += x * y;
  }
}

int main(void) {
  struct sums sums = {0};
  const double start = now(CLOCK_MONOTONIC), used = now(CLOCK_PROCESS_CPUTIME_ID);
  for (uint32_t part = 0; part < 6; part++) add_points(&sums, part, 8000000);
  printf("%.0f %.0f\n", now(CLOCK_MONOTONIC) - start, now(CLOCK_PROCESS_CPUTIME_ID) - used);
  return sums.n * sums.xx == sums.x * sums.x;
}
