// SPDX-License-Identifier: Apache-2.0
// C++17: constexpr functions, in which no object with a destructor may stand.
#include "../device/steps.h"

namespace {

int plain(int n) {
  steps(n);
  return steps(2);
}

enum class Kind : int { one = 1, two };
struct Pair {
  int first, second;
};

constexpr int computed(int n) {
  if (n < 0) return -n;
  return plain(n) + steps(1);
}
static_assert(computed(-2) == 2, "traps stand in constant expressions");

constexpr bool decided(int n) {
  return n < 0 || steps(n) > plain(1);
}

constexpr Kind kind(int n) {
  return n < 0 ? Kind::one : static_cast<Kind>(steps(2));
}

constexpr Pair pair(int n) {
  return n < 0 ? Pair{1, 2} : Pair{plain(n), steps(1)};
}
static_assert(pair(-1).second == 2, "traps stand in constant expressions");

constexpr const int* pointer(const int& n) {
  return n < 0 ? nullptr : &n + 0 * steps(3);
}

constexpr void nothing(int n) {
  if (n > 0) steps(n);
}

template <class T>
constexpr T larger(T a, T b) {  // with calls unseen: the type of its value is not known
  return a > b ? a : b;
}

template <int N>
constexpr int summed(int n) {
  int total = n;
  for (int i = 0; i < N; ++i) total += n < 0 ? 1 : steps(2);
  return n < 0 ? total : total + plain(1);
}
static_assert(summed<3>(-1) == 2, "traps stand in constant expressions");

class Counter {
 public:
  constexpr explicit Counter(int n) : n_(n < 0 ? 0 : steps(n)) {
    if (n > 1) steps(1);
  }
  constexpr int next() {
    ++n_;
    return n_ < 0 ? 0 : n_ + steps(2);
  }
  constexpr operator int() const { return n_ < 0 ? 0 : steps(1); }

 private:
  int n_;
};

int calls() {
  const int total = computed(2) + steps(4);
  steps(1);
  return computed(1) + total + steps(3);
}

int types() {
  const int total = (decided(1) ? steps(1) : steps(2)) + static_cast<int>(kind(1)) + steps(1);
  const Pair made = pair(2);
  steps(made.second);
  return *pointer(made.first) + total + steps(2);
}

int others() {
  nothing(1);
  steps(1);
  const int total = summed<2>(1) + steps(2);
  larger(1, 2);
  steps(3);
  return total;
}

int counts() {
  Counter counter(2);
  const int total = counter.next() + steps(1);
  return total + counter + steps(2);
}

}  // namespace

int exact(int group) {
  steps(1);
  switch (group) {
    case 0:
      calls();
      types();
      others();
      counts();
      break;
    default:
      return -1;
  }
  return steps(5) - 5;
}
