// SPDX-License-Identifier: Apache-2.0
// Each function moves control in several ways at once, and something is destroyed on the way.
#include <coroutine>
#include <csetjmp>
#include <csignal>
#include <exception>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "../device/steps.h"

namespace {

int plain(int n) {
  steps(n);
  return steps(2);
}

struct Guard {
  int n;
  explicit Guard(int taken) : n(taken) {}
  Guard(const Guard& other) : n(other.n + steps(1)) {}
  Guard& operator=(const Guard&) = delete;
  ~Guard() { steps(n); }
  int value() const { return steps(1) + n; }
};

/// Moved, and not copied.
struct Owner {
  int n;
  explicit Owner(int taken) : n(steps(taken)) {}
  Owner(Owner&& other) noexcept : n(std::exchange(other.n, 0)) { steps(1); }
  Owner& operator=(Owner&& other) noexcept {
    n = std::exchange(other.n, 0);
    steps(2);
    return *this;
  }
  ~Owner() { steps(n); }
};

struct Failure {  // no traps
  Guard kept;
};

// --- Exceptions ---

int added(const Guard& a, int b) {
  return a.n + b + steps(1);
}

int fails(int n, const Guard& guard = Guard(2)) {
  const Guard local(1);
  if (n == 0) throw Failure{Guard(3)};
  return added(Guard(2), 1) > 0 && Guard(2).value() > 0 ? fails(n - 1) + guard.value() : 0;
}

int catches() {
  const Guard outer(1);
  try {
    return Guard(4).value() > 0 ? fails(2) : 0;
  } catch (const Failure& failure) {
    const Guard handling(2);
    steps(failure.kept.n);
  }
  return steps(1);
}

int catches_by_value() {
  for (int i = 0; i < 2; ++i) {
    try {
      const Guard inner(2);
      fails(i);
    } catch (Failure failure) {
      if (i == 1) break;
      steps(1);
      continue;
    }
    steps(100);
  }
  return plain(1);
}

struct Third {
  int n;
  Third() : n(steps(++made)) {
    if (made == 3) throw Failure{Guard(1)};
  }
  ~Third() { steps(1); }
  static inline int made = 0;
};

int builds_a_part() {
  try {
    const std::unique_ptr<Third[]> all(new Third[4]);
    steps(100);
  } catch (const Failure&) {
    steps(2);
  }
  return steps(1);
}

int rethrows(int n) {
  try {
    const Guard guard(1);
    return n > 0 ? rethrows(n - 1) + steps(100) : fails(0);
  } catch (const Failure&) {
    const Guard guard(2);
    steps(1);
    throw;
  }
}

int keeps_exceptions() {
  std::exception_ptr kept;
  try {
    rethrows(2);
  } catch (...) {
    kept = std::current_exception();
    steps(1);
  }
  try {
    std::rethrow_exception(kept);
  } catch (const Failure& failure) {
    steps(failure.kept.n);
  }
  kept = nullptr;
  return steps(2);
}

// --- Leaps, signals, threads ---

std::jmp_buf landing;
volatile int caught;

void leaps(int n) {
  steps(1);
  if (n == 0) std::longjmp(landing, 1);
  leaps(n - 1);
}

int lands() {
  const Guard guard(2);
  if (setjmp(landing) == 0) leaps(2);
  return plain(1);
}

void handles(int signal) {
  const Guard guard(1);
  caught = signal;
}

int signals_in_a_loop() {
  std::signal(SIGUSR1, handles);
  for (int i = 0; i < 3; ++i) {
    const Guard guard(2);
    if (i != 1) std::raise(SIGUSR1);
    steps(1);
  }
  return steps(1);
}

void on_another() {
  const Guard guard(3);
  for (int i = 0; i < 2; ++i) plain(Guard(1).value());
}

int waits() {
  const Guard guard(1);
  on_thread(on_another);
  return steps(2);
}

// --- Owners ---

Owner makes(int n) {
  Owner made(n);
  steps(1);
  if (n > 2) return Owner(2);
  return made;
}

int moves() {
  Owner one = makes(1);
  Owner other(makes(3));
  one = std::move(other);
  const auto taking = [held = std::move(one)](Owner given) { return held.n + given.n + steps(1); };
  return taking(Owner(2)) + steps(2);
}

int places() {
  alignas(Guard) unsigned char room[sizeof(Guard)];
  Guard* const guard = new (room) Guard(3);
  steps(guard->value());
  guard->~Guard();
  const Guard* const several = new Guard[2]{Guard(1), Guard(2)};
  steps(1);
  delete[] several;
  return steps(2);
}

struct Base {
  virtual int value() const = 0;
  virtual ~Base() { steps(2); }
};
struct Derived final : Base {
  int value() const override { return steps(3); }
  ~Derived() override { steps(1); }  // with calls unseen
};

int deletes() {
  const std::unique_ptr<const Base> base = std::make_unique<Derived>();
  const auto freed = [](const Base* one) {
    steps(1);
    delete one;
  };
  const std::unique_ptr<const Base, decltype(freed)> other(new Derived, freed);
  const std::shared_ptr<const Base> third = std::make_shared<Derived>();
  return base->value() + other->value() + third->value();
}

struct Holder {  // no traps
  std::optional<Guard> guard;
  std::variant<int, Owner> owner;
};

int holds() {
  Holder holder;
  holder.guard.emplace(2);
  holder.owner.emplace<Owner>(3);
  steps(1);
  holder.guard.reset();
  holder.guard.emplace(4);
  return std::get<Owner>(holder.owner).n + steps(1);
}

int grows() {
  std::vector<Owner> owners;
  for (int i = 1; i < 4; ++i) owners.emplace_back(i);
  owners.erase(owners.begin());
  const std::function<int()> call = [guard = Guard(2)] { return guard.value(); };
  return call() + steps(1);
}

// --- Loops ---

struct Row {  // no traps
  Guard guard;
  int values[3] = {1, 2, 3};
  explicit Row(int n) : guard(n) {}
  const int* begin() const { return values; }
  const int* end() const { return values + 3; }
};

int leaves_ranges() {
  int total = 0;
  for (const int x : Row(3)) {
    const Guard guard(x);
    if (x == 2) break;
    total += steps(1);
  }
  for (const int x : Row(2)) {
    if (x == 1) continue;
    if (x == 3) goto out;
    for (const int y : Row(1))
      if (total += steps(1); y == 2) break;
  }
out:
  for (const int x : Row(1))
    if (x == 2) return Guard(total).value() + steps(1);
  return 0;
}

int switches(int n) {
  switch (const Guard outer(1); n) {
    case 0: {
      const Guard inner(2);
      if (outer.value() > 5) break;
      [[fallthrough]];
    }
    case 1:
      return Guard(3).value();
    default:
      steps(2);
  }
  return steps(1);
}

// --- Coroutines: only what they call has traps ---

struct Awaited {
  int n;
  bool await_ready() const { return steps(1) > 1; }
  void await_suspend(std::coroutine_handle<> /*awaiting*/) const { steps(2); }
  int await_resume() const { return plain(n); }
};

struct Task {
  struct promise_type {
    int value = 0;
    Task get_return_object() { return Task(std::coroutine_handle<promise_type>::from_promise(*this)); }
    std::suspend_never initial_suspend() { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    Awaited yield_value(int n) {
      value = n + steps(1);
      return {n};
    }
    void return_value(int n) { value = n + steps(2); }
    void unhandled_exception() { steps(3); }
  };
  explicit Task(std::coroutine_handle<promise_type> held) : handle(held) {}
  Task(const Task&) = delete;
  Task& operator=(const Task&) = delete;
  ~Task() { handle.destroy(); }
  std::coroutine_handle<promise_type> handle;
};

Task works(int n) {  // no traps
  const Guard guard(2);
  co_yield co_await Awaited{n};
  if (n > 1) throw Failure{Guard(1)};
  co_return plain(1);
}

int resumes(int n) {
  const Task task = works(n);
  while (!task.handle.done()) {
    steps(1);
    task.handle.resume();
  }
  return task.handle.promise().value + steps(1);
}

}  // namespace

int exact(int group) {
  const Guard guard(1);
  switch (group) {
    case 0:
      catches();
      builds_a_part();
      break;
    case 1:
      keeps_exceptions();
      lands();
      signals_in_a_loop();
      break;
    case 2:
      moves();
      places();
      deletes();
      break;
    case 3:
      holds();
      grows();
      leaves_ranges();
      for (int i = 0; i < 3; ++i) switches(i);
      break;
    case 4:
      resumes(1);
      resumes(2);
      break;
    case 5:
      catches_by_value();
      break;
    case 6:
      waits();
      break;
    default:
      return -1;
  }
  return steps(5) - 5;
}
