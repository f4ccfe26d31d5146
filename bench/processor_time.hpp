// SPDX-License-Identifier: Apache-2.0
// Processor time, of all threads, in user and system mode. Not the clock on the wall, which also counts what
// other processes do.
#pragma once

#include <sys/resource.h>

namespace jcprof::bench {

inline double milliseconds_used(__rusage_who who) {
  rusage used = {};
  getrusage(who, &used);
  const auto milliseconds = [](const timeval& time) {
    return 1e3 * static_cast<double>(time.tv_sec) + 1e-3 * static_cast<double>(time.tv_usec);
  };
  return milliseconds(used.ru_utime) + milliseconds(used.ru_stime);
}

/// Without that of its children.
template <typename Work>
double milliseconds_of_this(const Work& work) {
  const double before = milliseconds_used(RUSAGE_SELF);
  work();
  return milliseconds_used(RUSAGE_SELF) - before;
}

/// That of child processes which `work` starts and waits for.
template <typename Work>
double milliseconds_of_children(const Work& work) {
  const double before = milliseconds_used(RUSAGE_CHILDREN);
  work();
  return milliseconds_used(RUSAGE_CHILDREN) - before;
}

}  // namespace jcprof::bench
