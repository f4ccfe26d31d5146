// Exceptions, guards and destructors between an entry and its traps.
#include "jcprof.h"

#include <cstdio>

extern "C" int work(int n);

namespace {

struct Immovable {
  Immovable(int v) : value(v) {}
  Immovable(const Immovable&) = delete;
  Immovable& operator=(const Immovable&) = delete;
  ~Immovable() { JCPROF_TRAP(10); }
  int value;
};

Immovable made(int n) {
  JCPROF_TRAP(11);
  {
    JCPROF_AFTER(12);
    return {n};
  }
}

int thrower(int n) {
  JCPROF_TRAP(20);
  JCPROF_LAST(24);
  const Immovable local(n);
  if (n > 1) throw n;
  JCPROF_TRAP(21);
  return n;
}

int guarded(int n) {
  JCPROF_TRAP(22);
  {
    JCPROF_AFTER(23);
    return thrower(n);
  }
}

int quiet(int n) noexcept {
  JCPROF_TRAP(30);
  try {
    {
      JCPROF_AFTER(31);
      return guarded(n);
    }
  } catch (...) {
    JCPROF_TRAP(32);
    return -1;
  }
}

int again(int n) {
  try {
    JCPROF_TRAP(40);
    {
      JCPROF_AFTER(41);
      return guarded(n);
    }
  } catch (int) {
    JCPROF_TRAP(42);
    throw;
  }
}

template <class T>
constexpr T twice(T n) {
  return n + n;
}

#if __cplusplus >= 201402L
constexpr int sum_to(int n) {
  JCPROF_TRAP_DV(50, n);
  int sum = 0;
  for (int i = 1; i <= n; i++) {
    JCPROF_TRAP_D(51);
    sum += i;
    JCPROF_TRAP_V(52, sum);
  }
  return sum;
}
static_assert(sum_to(4) == 10, "traps stand in constant expressions");
#else
int sum_to(int n) {
  JCPROF_TRAP_DV(50, n);
  int sum = 0;
  for (int i = 1; i <= n; i++) {
    JCPROF_TRAP_D(51);
    sum += i;
    JCPROF_TRAP_V(52, sum);
  }
  return sum;
}
#endif

#if __cplusplus >= 202002L
constexpr int guarded_sum(int n) {
  JCPROF_LAST(54);
  {
    JCPROF_AFTER(53);
    return sum_to(n);
  }
}
static_assert(guarded_sum(4) == 10);
#else
int guarded_sum(int n) {
  JCPROF_LAST(54);
  {
    JCPROF_AFTER(53);
    return sum_to(n);
  }
}
#endif

}  // namespace

#if JCPROF_LIVE
#define work jcprof_body_work
extern "C" JCPROF_BODY int work(int);
#endif
extern "C" int work(int n) {
  JCPROF_TRAP(1);
  int result = quiet(1) + quiet(n);
  JCPROF_TRAP_V(2, result);
  try {
    result += again(n);
  } catch (...) {
    JCPROF_TRAP(3);
    result += 100;
  }
  JCPROF_TRAP(4);
  result += made(n).value;
  const auto lambda = [](int x) {
    {
      JCPROF_AFTER(60);
      return twice(x);
    }
  };
  JCPROF_TRAP(5);
  {
    JCPROF_AFTER(6);
    return result + lambda(n) + guarded_sum(2);
  }
}
#if JCPROF_LIVE
#undef work
extern "C" int work(int jcprof_1) {
  JCPROF_ROOT(int);
  return jcprof_body_work(static_cast<int&&>(jcprof_1));
}
#endif
