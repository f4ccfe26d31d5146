// SPDX-License-Identifier: Apache-2.0
// Each constructor takes steps in front of its body, or each destructor behind it.
#include <utility>

#include "../device/steps.h"

namespace {

int plain(int n) {
  steps(n);
  return steps(2);
}

struct Part {
  int n;
  explicit Part(int taken) : n(taken) { steps(n); }
  ~Part() { steps(1); }
};

struct Members {  // no traps
  int a;
  int b;
  Part part;
  explicit Members(int n) : a(steps(3)), b(plain(n)), part(n) { steps(1); }
};

struct Silent {
  int a;
  explicit Silent(int n) : a(steps(n)) {}
};

struct Base {
  int a;
  explicit Base(int n) : a(steps(n)) { steps(1); }
  virtual ~Base() { steps(2); }
  virtual int value() const { return a + steps(1); }
};

struct Derived : Base {  // no traps
  Part part;
  explicit Derived(int n) : Base(plain(n)), part(2) { steps(4); }
  int value() const override { return Base::value() + steps(2); }
};

struct Inherits : Base {  // no traps
  using Base::Base;       // no traps
};

struct Silently : Base {  // no traps
  explicit Silently(int n) : Base(n) {}
};

struct Defaulted {  // no traps
  int a = steps(2);
  int b = plain(1);     // a value of its own
  Part part = Part(3);  // a value of its own
  explicit Defaulted(int n) : a(steps(n)) {}
};

class Implicit {  // no traps
 public:
  int a = steps(4);                     // a value of its own
  Part part{2};                         // a value of its own
  int b{plain(1)};                      // a value of its own
  int c = 4, d = Part(2).n + steps(1);  // a value of its own

 private:
  int hidden = 0;
};

struct Unlisted {
  int a = plain(2);          // a value of its own
  Part part = Part(1);       // a value of its own
  Unlisted() { steps(3); }   // with calls unseen
  ~Unlisted() { steps(2); }  // with calls unseen
};

// Who makes one has its values.
struct Aggregate {      // no traps
  int a = plain(1);     // not by line
  int b = steps(2);     // not by line
  Part part = Part(a);  // not by line
};

struct Defaulting {
  int a = steps(2);        // not by line
  Defaulting() = default;  // no traps
};

struct Overrides {   // no traps
  int a = plain(2);  // a value of its own
  virtual int value() const { return a + steps(1); }
};

template <class T>
class Filled {  // no traps
 public:
  T value = static_cast<T>(steps(2));  // a value of its own
  T other = value + plain(1);          // a value of its own

 protected:
  T hidden = 0;
};

template <class T>
struct Given {
  T value = static_cast<T>(steps(2));  // a value of its own
  T other = value + plain(1);          // a value of its own
  explicit Given(T taken) : value(taken) { steps(1); }
};

struct Delegates {
  int a;
  explicit Delegates(int n) : a(steps(n)) { steps(1); }
  Delegates() : Delegates(steps(2)) { steps(3); }
};

struct Left : virtual Base {
  explicit Left(int n) : Base(n) { steps(1); }
};
struct Right : virtual Base {
  explicit Right(int n) : Base(n) { steps(2); }
};
struct Diamond : Left, Right {  // no traps
  explicit Diamond(int n) : Base(steps(n)), Left(1), Right(2) { steps(3); }
};

struct Failure {};

struct Fails {
  int a;
  explicit Fails(int n) : a(steps(n)) {
    if (n > 1) throw Failure{};
    steps(1);
  }
};

template <class T>
struct Box {
  T value;
  explicit Box(int n) : value(static_cast<T>(steps(n))) { steps(1); }
};

struct Copied {
  int n;
  explicit Copied(int taken) : n(steps(taken)) {}
  Copied(const Copied& other) : n(steps(2) + other.n) { steps(1); }
  Copied& operator=(const Copied& other) {
    n = steps(3) + other.n;
    return *this;
  }
};

int builds_members() {
  const Members members(2);
  return members.a + steps(1);
}

int builds_silently() {
  const Silent silent(4);
  return silent.a + steps(1);
}

int builds_derived() {
  const Derived derived(3);
  steps(1);
  return derived.value();
}

int deletes() {
  const Base* const base = new Derived(1);
  steps(1);
  const int value = base->value();
  delete base;
  return value;
}

int inherits() {
  const Inherits one(2);
  const Silently other(3);
  return one.value() + other.value();
}

int defaults() {
  const Defaulted one(5);
  const Implicit other;
  return one.b + other.a + steps(1);
}

int unlisted() {
  const Unlisted one;
  const Overrides two;
  const Filled<int> filled;
  const Given<long> more{3};
  return one.a + two.value() + filled.other + static_cast<int>(more.other) + steps(1);
}

int takes(const Aggregate& made) {
  return made.b + steps(3);
}

int aggregates() {
  const Aggregate one, other{.a = steps(1), .b = 4};            // not by line
  const Defaulting third;                                       // not by line
  const int value = takes(Aggregate{}) + takes({}) + steps(5);  // not by line
  steps(1);
  return value + one.a + other.a + third.a;
}

int delegates() {
  const Delegates one;
  return one.a + steps(1);
}

int diamonds() {
  const Diamond one(3);
  return one.a + steps(1);
}

int fails() {
  int total = 0;
  for (int i = 1; i < 3; ++i) {
    try {
      const Fails one(i);
      total += steps(2);
    } catch (const Failure&) {
      steps(4);
    }
  }
  return total;
}

int boxes() {
  const Box<int> one(2);
  const Box<long> other(3);
  return one.value + static_cast<int>(other.value) + steps(1);
}

int copies() {
  const Copied one(3);
  Copied other = one;
  other = one;
  return other.n + steps(1);
}

int makes_arrays() {
  const Part parts[] = {Part(1), Part(2)};
  const Box<int>* const box = new Box<int>(4);
  steps(1);
  delete box;
  return parts[1].n;
}

}  // namespace

int exact(int group) {
  steps(1);
  switch (group) {
    case 0:
      builds_members();
      builds_silently();
      builds_derived();
      deletes();
      inherits();
      break;
    case 1:
      defaults();
      unlisted();
      aggregates();
      delegates();
      diamonds();
      boxes();
      copies();
      makes_arrays();
      break;
    case 2:
      fails();
      break;
    default:
      return -1;
  }
  return steps(5) - 5;
}
