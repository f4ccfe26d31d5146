// An exact clock: who works says so, in the number of steps. The count outlives a stop of the program, as it lies in a
// file; what each function had for itself is printed at the end.
#pragma once

#include <cstdio>
#include <map>
#include <string>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

inline long* counted() {
  static long* const steps = [] {
    const int file = open("steps", O_RDWR);
    return static_cast<long*>(mmap(nullptr, sizeof(long), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0));
  }();
  return steps;
}

inline std::map<std::string, long>& truth() {
  static std::map<std::string, long> own;
  return own;
}

inline int step(const char* who, int count) {
  *counted() += count;
  truth()[who] += count;
  return count;
}

inline void print_truth() {
  for (const auto& [who, steps] : truth()) std::printf("%s %ld\n", who.c_str(), steps);
}

/// Costs its owner something when it is made and when it is destroyed. Carries no traps.
struct Costly {
  Costly(const char* owner, int count) : who(owner), steps(count) { step(who, steps); }
  Costly(const Costly& other) : who(other.who), steps(other.steps) { step(who, 1); }
  ~Costly() { step(who, 10 * steps); }
  const char* who;
  int steps;
};
