// SPDX-License-Identifier: Apache-2.0
// Each function moves control another way in C++. What is built here is destroyed without steps.
#include <coroutine>
#include <exception>
#include <initializer_list>
#include <utility>

#include "../device/steps.h"

namespace {

int plain(int n) {
  steps(n);
  return steps(2);
}

// --- Exceptions ---

struct Failure {
  int code;
};
struct WorseFailure : Failure {};

void fails(int n) {
  steps(1);
  if (n == 0) throw Failure{steps(2)};
  fails(n - 1);
  steps(100);
}

int catches(int n) {
  int total = 0;
  try {
    steps(1);
    fails(n);
    steps(100);
  } catch (const WorseFailure&) {
    total += steps(200);
  } catch (const Failure& failure) {
    total += steps(3) + failure.code;
    plain(1);
  }
  steps(2);
  return total;
}

void rethrows(int n) {
  try {
    fails(n);
  } catch (...) {
    steps(4);
    throw;
  }
}

int catches_again() {
  try {
    try {
      rethrows(2);
    } catch (const WorseFailure&) {
      steps(100);
    }
    steps(100);
  } catch (Failure&) {
    steps(1);
    try {
      throw WorseFailure{{steps(2)}};
    } catch (const Failure& failure) {
      return plain(failure.code) + steps(3);
    }
  }
  return steps(100);
}

int tries_whole(int n) try {
  fails(n);
  return steps(100);
} catch (const Failure& failure) {
  steps(2);
  return failure.code + steps(3);
}

int throws_in_an_argument(int n) {
  try {
    return plain(n > 0 ? throw Failure{steps(3)} : n);
  } catch (const Failure&) {
    return steps(1);
  }
}

int retries() {
  for (int tries = 0;; steps(1)) {  // not by line
    try {
      steps(2);
      if (tries++ < 3) fails(tries);
      return steps(4);
    } catch (const Failure&) {
      steps(3);
      continue;  // not by line: what follows it in the head of the loop is its own
    }
  }
}

int passes_exception_on() {
  std::exception_ptr kept;
  try {
    fails(1);
  } catch (...) {
    kept = std::current_exception();
    steps(1);
  }
  try {
    std::rethrow_exception(kept);
  } catch (const Failure&) {
    steps(2);
  }
  return steps(3);
}

// --- Lambdas, templates, operators, virtual functions ---

template <class F>
int applied(F f, int n) {
  steps(1);
  return f(n) + f(n + 1);
}

int lambdas(int n) {
  const auto add = [n](int x) {
    steps(2);
    return x + n;
  };
  const auto nested = [&](int x) {
    const auto inner = [x](int y) { return x + y + steps(3); };
    return inner(add(x)) + steps(1);
  };
  int total = applied(add, 1) + applied(nested, 2);
  total += [](auto x) {
    steps(4);
    return plain(x);
  }(1);
  int (*const pointer)(int) = [](int x) { return x + steps(5); };
  return total + pointer(1);
}

template <int N>
int unrolled() {
  steps(N);
  if constexpr (N > 0) return unrolled<N - 1>() + steps(1);
  return steps(2);
}

template <class T>
T larger(T a, T b) {
  return steps(1) && a > b ? a : b;
}

template <class... T>
int sums(T... parts) {
  steps(2);
  return (plain(parts) + ... + steps(1));
}

struct Money {
  int amount;
  Money operator+(const Money& other) const {
    steps(2);
    return {amount + other.amount};
  }
  Money& operator++() {
    amount += steps(1);
    return *this;
  }
  bool operator<(const Money& other) const { return steps(3) && amount < other.amount; }
  int operator()(int n) const { return plain(n) + steps(1); }
  int operator[](int n) const { return steps(4) + n; }
  explicit operator bool() const { return steps(5) && amount != 0; }
  operator int() const { return steps(6) + amount; }
};

int operators() {
  Money money{3};
  const Money more = money + Money{2} + Money{1};
  ++money;
  if (money < more) steps(1);
  if (money) steps(2);
  int total = money(1) + money[2];
  total += money;
  return total + steps(1);
}

struct Shape {
  virtual int area() const {
    steps(1);
    return 1;
  }
  virtual ~Shape() = default;
};
struct Square : Shape {
  int area() const override { return Shape::area() + steps(2); }
};
struct Cube final : Square {
  int area() const override {
    steps(3);
    return 6 * Square::area();
  }
};

int virtual_calls(const Shape& shape, const Shape& other) {
  steps(1);
  return shape.area() + other.area();
}

int member_pointer(const Shape& shape) {
  int (Shape::* const which)() const = &Shape::area;
  return (shape.*which)() + steps(1);
}

// --- Loops and declarations ---

struct Counter {
  int at;
  bool operator!=(const Counter& other) const { return steps(1) && at != other.at; }
  Counter& operator++() {
    steps(2);
    ++at;
    return *this;
  }
  int operator*() const { return steps(3) + at; }
};

struct Numbers {
  int from, to;
  Counter begin() const {
    steps(4);
    return {from};
  }
  Counter end() const { return {to + 0 * steps(5)}; }
};

Numbers numbers(int n) {
  steps(1);
  return {0, n};
}

int ranges() {
  int total = 0;
  for (const int x : numbers(3)) {
    if (x == 4) continue;
    total += steps(1) + x;
  }
  for (const int x : {steps(1), plain(2), steps(3)}) total += plain(x);
  for (const auto all = numbers(2); const int x : all)
    if (total += steps(2); x > 3) break;
  return total;
}

int bindings() {
  const auto [first, second] = std::pair{steps(1), plain(2)};
  const auto& [from, to] = numbers(2);
  steps(first + second);
  if (const auto [a, b] = numbers(3); a < b) steps(2);
  return from + to;
}

int initialised_in_conditions(int n) {
  if (const int x = plain(n); x > 100)
    steps(1);
  else if (const int y = steps(2); y > x)
    steps(3);
  else
    steps(4);
  switch (const int x = steps(1) + n; x) {
    case 2:
      return steps(2);
    default:
      break;
  }
  while (const int x = steps(1) + n - 4) {
    steps(2);
    n += x > 0 ? -1 : 1;
  }
  return n;
}

int costly() {
  steps(4);
  return plain(1);
}

int defaulted(int n = costly()) {
  return n + steps(1);
}

int default_arguments() {
  int total = defaulted(1);
  total += defaulted();
  return total + defaulted() + steps(2);
}

int remembers() {
  static const int value = plain(3);
  static const int other = [] { return steps(7); }();
  steps(1);
  return value + other;
}

int evaluates_in_order(int n) {
  int values[3] = {steps(1), plain(n), steps(2)};
  values[steps(1)] = values[steps(2)] + steps(1);
  return plain(n), steps(1), values[1];
}

int no_throw(int n) noexcept {
  return plain(n);
}

// --- Coroutines: without traps, their steps count for who resumes them ---

struct Generator {
  struct promise_type {
    int value = 0;
    Generator get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    std::suspend_always yield_value(int n) {
      steps(2);
      value = n;
      return {};
    }
    void return_void() { steps(1); }
    void unhandled_exception() {}
  };
  std::coroutine_handle<promise_type> handle;
};

Generator generates(int n) {  // no traps
  for (int i = 0; i < n; ++i) {
    steps(3);
    co_yield plain(i);
  }
}

int resumes() {
  const Generator generator = generates(2);
  int total = 0;
  for (generator.handle.resume(); !generator.handle.done(); generator.handle.resume())
    total += generator.handle.promise().value + steps(1);
  generator.handle.destroy();
  return total;
}

}  // namespace

int exact(int group) {
  steps(1);
  switch (group) {
    case 0:
      catches(0);
      catches(3);
      catches_again();
      tries_whole(1);
      throws_in_an_argument(1);
      passes_exception_on();
      break;
    case 1:
      retries();
      lambdas(2);
      unrolled<3>();
      larger(1, 2);
      larger(2L, 1L);
      sums(1, 2, 3);
      no_throw(1);
      break;
    case 2:
      operators();
      virtual_calls(Square(), Cube());
      member_pointer(Cube());
      remembers();
      remembers();
      default_arguments();
      break;
    case 3:
      ranges();
      bindings();
      initialised_in_conditions(1);
      initialised_in_conditions(3);
      evaluates_in_order(2);
      resumes();
      break;
    default:
      return -1;
  }
  return steps(5) - 5;
}
