// SPDX-License-Identifier: Apache-2.0
// Each function has the standard library call back, or calls through what the compiler makes.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <functional>
#include <map>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <typeinfo>
#include <variant>
#include <vector>

#include "../device/steps.h"

namespace {

int plain(int n) {
  steps(n);
  return steps(2);
}

int sorts() {
  std::array<int, 5> values{4, 2, 5, 1, 3};
  std::sort(values.begin(), values.end(), [](int a, int b) { return steps(1) && a < b; });
  steps(2);
  return std::accumulate(values.begin(), values.end(), 0, [](int sum, int n) { return sum + plain(n); });
}

bool less(int a, int b) {
  return steps(2) && a < b;
}

int searches() {
  const std::vector<int> values{1, 3, 5, 7};
  const auto found = std::lower_bound(values.begin(), values.end(), 5, less);
  std::for_each(values.begin(), values.end(), [](int n) { steps(n); });
  return *found + steps(1);
}

struct Key {
  int n;
  bool operator<(const Key& other) const { return steps(1) && n < other.n; }
};

int maps() {
  std::map<Key, int> map;
  map[{2}] = steps(1);
  map[{1}] = plain(1);
  map[{3}] = map.at({2}) + steps(3);
  int total = 0;
  for (const auto& [key, value] : map) total += key.n * steps(value);
  return total;
}

int functions() {
  const std::function<int(int)> direct = plain;
  const std::function<int(int)> bound = [f = direct](int n) { return f(n) + steps(1); };
  steps(1);
  return bound(2) + std::invoke(plain, 3);
}

struct Visitor {
  int operator()(int n) const { return plain(n); }
  int operator()(const std::string& text) const { return steps(static_cast<int>(text.size())); }
};

int visits() {
  std::variant<int, std::string> value = 2;
  int total = std::visit(Visitor{}, value);
  value = std::string("three");
  total += std::visit(Visitor{}, value);
  return total + std::optional<int>{}.value_or(steps(4));
}

int tuples() {
  const auto [a, b] = std::make_tuple(steps(1), plain(2));
  return std::apply([](int x, int y) { return steps(3) + x + y; }, std::tuple{a, b});
}

int throws_from_the_library() {
  try {
    steps(1);
    return std::vector<int>{1}.at(static_cast<std::size_t>(steps(5)));
  } catch (const std::exception&) {
    steps(2);
  }
  try {
    return std::stoi("none") + steps(100);
  } catch (const std::logic_error&) {
    return steps(3);
  }
}

struct First {
  int first = 1;
  virtual int one() {
    steps(1);
    return first;
  }
  virtual ~First() = default;
};
struct Second {
  int second = 2;
  virtual int two() {
    steps(2);
    return second;
  }
  virtual ~Second() = default;
};
struct Both : First, Second {
  int one() override { return First::one() + steps(3); }
  int two() override { return plain(1) + Second::two(); }
  virtual Both* self() { return this; }
};

int thunks() {
  Both both;
  Second& second = both;
  First& first = both;
  int total = second.two() + first.one();
  if (Both* const cast = dynamic_cast<Both*>(&second)) total += cast->self()->two();
  return total + (typeid(second) == typeid(Both) ? steps(1) : steps(100));
}

struct Pointer {
  First* target;
  First* operator->() const {
    steps(2);
    return target;
  }
  First& operator*() const {
    steps(1);
    return *target;
  }
};
struct Indirect {
  Pointer pointer;
  Pointer operator->() const {
    steps(3);
    return pointer;
  }
};

int arrows() {
  First first;
  const Indirect indirect{{&first}};
  return indirect->one() + (*indirect.pointer).one() + steps(1);
}

constexpr int operator""_steps(unsigned long long n) {
  return static_cast<int>(n);
}

struct Allocated {
  int n = 1;
  static void* operator new(std::size_t size) {
    steps(3);
    return std::malloc(size);
  }
  static void operator delete(void* memory) {
    steps(4);
    std::free(memory);
  }
};

int allocates() {
  Allocated* const one = new Allocated;
  const int n = one->n + steps(2_steps);
  delete one;
  return n + steps(1);
}

thread_local int seen = plain(3);  // no traps: who meets it first has it initialised

int thread_locals() {
  steps(1);
  return seen + steps(2);
}

template <class T>
concept Counts = requires(T t) { t.count(); };
struct Counted {
  int count() const { return steps(2); }
};
int counts(const Counts auto& value) {
  return value.count() + steps(1);
}
int counts(int n) {
  return steps(n);
}

int overloads() {
  return counts(Counted{}) + counts(4);
}

template <class Derived>
struct Crtp {
  int call() { return static_cast<Derived*>(this)->work() + steps(1); }
};
struct Worker : Crtp<Worker> {
  int work() { return plain(1); }
};

int curious() {
  Worker worker;
  return worker.call();
}

auto recursive_lambda(int n) {
  const auto self = [](const auto& me, int k) -> int {
    steps(1);
    if (k == 0) return steps(2);
    return me(me, k - 1) + steps(3);
  };
  return self(self, n);
}

}  // namespace

int exact(int group) {
  steps(1);
  switch (group) {
    case 0:
      sorts();
      searches();
      break;
    case 1:
      maps();
      functions();
      visits();
      tuples();
      break;
    case 2:
      throws_from_the_library();
      thunks();
      arrows();
      allocates();
      thread_locals();
      break;
    case 3:
      overloads();
      curious();
      recursive_lambda(3);
      break;
    default:
      return -1;
  }
  return steps(5) - 5;
}
