/* SPDX-License-Identifier: Apache-2.0 */
/* Nanoseconds by which clocks are ahead in the programs of a test, in a file that JCPROF_TEST_TIME names. */
#pragma once

#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static inline volatile int64_t *virtual_time(void) {
  const char *file = getenv("JCPROF_TEST_TIME");
  const int fd = file != NULL ? open(file, O_RDWR | O_CLOEXEC) : -1;
  void *at = fd >= 0 ? mmap(NULL, sizeof(int64_t), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) : MAP_FAILED;
  if (fd >= 0) close(fd);
  return at == MAP_FAILED ? (volatile int64_t *)NULL : (volatile int64_t *)at;
}

static inline void pass_time(int64_t ns) {
  static volatile int64_t *time;
  if (time == NULL) time = virtual_time();
  if (time != NULL) __atomic_fetch_add(time, ns, __ATOMIC_SEQ_CST);
}
