// SPDX-License-Identifier: Apache-2.0
// Each function ends behind its last statement: something is destroyed there, mostly, whose destructor takes
// steps.
#include <initializer_list>
#include <utility>

#include "../device/steps.h"

namespace {

int plain(int n) {
  steps(n);
  return steps(2);
}

struct Guard {
  int n;
  explicit Guard(int taken) : n(taken) {}
  Guard(const Guard&) = delete;
  Guard& operator=(const Guard&) = delete;
  ~Guard() { steps(n); }
  int value() const { return steps(1) + n; }
};

// As a library's: its steps count for who leaves the scope.
struct Silent {
  int n;
  ~Silent() { steps(n); }  // no traps
};

struct Tree {
  Tree* left = nullptr;
  Tree* right = nullptr;
  ~Tree() {
    steps(1);
    delete left;
    delete right;
    plain(1);
  }
};

int fills() {
  Tree tree;
  tree.left = new Tree;
  tree.right = new Tree;
  tree.left->left = new Tree;
  steps(2);
  return steps(1);
}

void ends() {
  const Guard guard(10);
  steps(1);
}

void ends_silently() {
  const Silent guard{10};
  steps(1);
}

int returns_early(int n) {
  const Guard outer(3);
  if (n == 0) return steps(1);
  {
    const Guard inner(4);
    if (n == 1) return plain(1) + steps(2);
    steps(1);
  }
  const Silent last{5};
  return n == 2 ? steps(2) : plain(3);  // not by line
}  // not by line: what is destroyed says nothing

int returns_silently(int n) {
  const Silent outer{3};
  if (n == 0) return 1;  // not by line
  return plain(n);       // not by line
}  // not by line: what is destroyed says nothing

int temporaries() {
  int total = Guard(2).value() + Guard(3).value();
  steps(1);
  total += plain(Guard(4).value());
  return Guard(5).value() + total;
}

int takes(const Guard& guard) {
  return guard.n + steps(1);
}

int by_default(const Guard& guard = Guard(6)) {
  return guard.n + steps(2);
}

int arguments() {
  takes(Guard(2));
  by_default();
  return by_default() + takes(Guard(3));
}

struct Movable {
  int n;
  explicit Movable(int taken) : n(taken) {}
  Movable(Movable&& other) noexcept : n(other.n) { other.n = 0; }
  ~Movable() { steps(n); }
};

int by_value(Movable movable) {
  return movable.n + steps(1);
}

int gives_away() {
  Movable movable(4);
  steps(1);
  by_value(std::move(movable));
  return by_value(Movable(5)) + steps(2);
}

Movable makes(int n) {
  steps(1);
  return Movable(steps(n));
}

int keeps() {
  const Movable& kept = makes(3);
  steps(1);
  return kept.n + makes(2).n;
}

struct Failure {};

void fails(int n) {
  const Guard guard(n);
  steps(1);
  if (n == 1) throw Failure{};
  const Silent silent{n};
  fails(n - 1);  // not by line
  steps(100);
}  // not by line: what is destroyed says nothing

int catches() {
  const Guard outer(7);
  try {
    const Guard inner(8);
    fails(3);
    steps(100);
  } catch (const Failure&) {
    const Guard handling(9);
    steps(2);
  }
  return steps(1);
}

int catches_silently() {
  try {
    const Silent inner{8};
    throw Failure{};          // not by line
  } catch (const Failure&) {  // not by line: what is destroyed says nothing
    steps(2);
  }
  return steps(1);
}

int jumps(int n) {
again: {
  const Guard outer(2);
  steps(1);
  for (int i = 0;; ++i) {
    const Guard inner(3);
    if (i == 1) continue;
    steps(2);
    if (i == 3) break;
    if (n > 0) goto out;
  }
  if (n++ == 0) goto again;
}
out:
  steps(4);
  return n;
}

int leaves_loops() {
  for (int i = 0; i < 4; ++i) {
    const Guard guard(2);
    if (i == 1) continue;
    steps(1);
    if (i == 2) break;
  }
  int n = 3;
  while (n-- > 0) {  // not by line
    const Silent silent{4};
    steps(1);
    if (n == 1) continue;  // not by line
    steps(2);
  }  // not by line: what is destroyed says nothing
  do {  // not by line
    const Guard guard(1);
    steps(3);
  } while (steps(1) > 1);  // not by line: the statement begins above
  switch (const Guard guard(5); guard.n) {
    case 5: {
      const Guard inner(6);
      steps(1);
      break;
    }
    default:
      steps(100);
  }
  return steps(1);
}

struct Row {  // no traps: the destructor is the compiler's
  Guard guard;
  int values[3] = {1, 2, 3};
  explicit Row(int n) : guard(n) {}
  const int* begin() const { return values; }
  const int* end() const { return values + 3; }
};

int ranges() {
  int total = 0;
  for (const int x : Row(5)) total += steps(x);
  for (const auto row = Row(4); const int x : row) {
    const Guard guard(x);
    if (x == 2) break;
    steps(1);
  }
  return total;
}

struct Both {  // no traps
  Guard first, second;
};

int bindings() {
  const auto [a, b] = std::pair<int, int>{Guard(2).value(), steps(1)};
  const auto& [first, second] = Both{Guard(3), Guard(4)};
  steps(a + b);
  return first.n + second.n;
}

int conditions(int n) {
  if (const Guard guard(2); guard.n > n) return steps(1);
  if (Guard(3).value() > n && Guard(4).value() > n) steps(2);
  const int chosen = n > 1 ? Guard(1).value() : Guard(2).value();
  return chosen + (Guard(5).value(), steps(1));
}

int lambdas() {
  const auto work = [](int n) {
    const Guard guard(n);
    steps(1);
    return steps(2);
  };
  const auto silent = [guard = Movable(6)] { return guard.n + steps(1); };
  return work(3) + silent();
}

int remembers() {
  static const int value = Guard(3).value();
  const Guard guard(1);
  return value + steps(1);
}

template <class T>
int holds(int n) {
  const T guard{n};
  steps(1);
  return n;  // not by line
}  // not by line: what is destroyed says nothing

int arrays() {
  const Guard guards[] = {Guard(1), Guard(2), Guard(3)};
  steps(1);
  return guards[0].n;
}

int recurses(int n) {
  const Guard guard(n);
  if (n == 0) return steps(1);
  return recurses(n - 1) + steps(2);
}

}  // namespace

int exact(int group) {
  const Guard guard(3);
  switch (group) {
    case 0:
      fills();
      ends();
      ends_silently();
      for (int i = 0; i < 4; ++i) returns_early(i);
      returns_silently(0);
      returns_silently(1);
      break;
    case 1:
      temporaries();
      arguments();
      gives_away();
      keeps();
      break;
    case 2:
      catches();
      catches_silently();
      jumps(0);
      break;
    case 3:
      leaves_loops();
      ranges();
      bindings();
      break;
    case 4:
      conditions(1);
      conditions(2);
      lambdas();
      remembers();
      remembers();
      break;
    case 5:
      holds<Guard>(2);
      holds<Silent>(3);
      arrays();
      recurses(3);
      break;
    default:
      return -1;
  }
  return steps(5) - 5;
}
