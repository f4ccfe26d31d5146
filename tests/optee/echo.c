/* SPDX-License-Identifier: Apache-2.0 */
/* A program for the machine of scripts/optee-vm: answers each line that the host sends, by semihosting, with what the
 * clock says and how long a loop took. "exit N" ends it. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { OPEN = 1, WRITE = 5, READ = 6, FOR_READING = 0, FOR_APPENDING = 8 };

static int64_t semihosting(int64_t operation, const uint64_t parameters[3]) {
  register int64_t x0 __asm__("x0") = operation;
  register const uint64_t *x1 __asm__("x1") = parameters;
  __asm__ volatile("hlt #0xf000" : "+r"(x0) : "r"(x1) : "memory");
  return x0;
}

static int64_t open_stream(const char *path, uint64_t mode) {
  return semihosting(OPEN, (const uint64_t[3]){(uintptr_t)path, mode, strlen(path)});
}

static uint64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC_RAW, &time);
  return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static uint64_t time_of_loop(void) {
  const uint64_t start = now();
  for (volatile int i = 0; i < 100000; i++) continue;
  return now() - start;
}

static void answer(int64_t out, const char *line) {
  char text[512];
  const int size = snprintf(text, sizeof text, "%s: %llu, loop %llu\n", line, (unsigned long long)now(),
                            (unsigned long long)time_of_loop());
  semihosting(WRITE, (const uint64_t[3]){(uint64_t)out, (uintptr_t)text, (uint64_t)size});
}

int main(void) {
  const int64_t in = open_stream("/dev/stdin", FOR_READING);
  const int64_t out = open_stream("/dev/stdout", FOR_APPENDING);
  char line[256];
  size_t size = 0;
  if (in < 0 || out < 0) return 100;
  /* By the byte: how many reads there are must not depend on how the host writes. READ says how many it did not. */
  while (size < sizeof line && semihosting(READ, (const uint64_t[3]){(uint64_t)in, (uintptr_t)(line + size), 1}) == 0) {
    if (line[size] != '\n') {
      size++;
      continue;
    }
    line[size] = '\0';
    size = 0;
    if (strncmp(line, "exit ", 5) == 0) return atoi(line + 5);
    answer(out, line);
  }
  return 0;
}
