// SPDX-License-Identifier: Apache-2.0
// The body of each function is a `try`. What is destroyed in it, and in its handlers, takes steps.
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
};

// As a library's: its steps count for who leaves the scope.
struct Silent {
  int n;
  ~Silent() { steps(n); }  // no traps
};

struct Failure {};
struct WorseFailure {};

void fails(int n) {
  const Guard guard(1);
  steps(1);
  if (n == 1) throw Failure{};
  if (n == 2) throw WorseFailure{};
}

int tries(int n) try {
  const Guard guard(3);
  fails(n);
  return steps(1) + guard.n;
} catch (const Failure&) {
  const Guard guard(4);
  return plain(1) + steps(2);
}

int tries_silently(int n) try {
  const Silent silent{3};
  fails(n);                    // not by line
  return silent.n + steps(1);  // not by line
} catch (const Failure&) {     // not by line
  const Silent silent{4};
  return silent.n + steps(2);  // not by line
}  // not by line: what is destroyed says nothing

void tries_void(int n) try {
  const Silent silent{2};
  steps(1);
  fails(n);                 // not by line
} catch (const Failure&) {  // not by line
  steps(3);
} catch (...) {
  steps(4);
}  // not by line: what is destroyed says nothing

template <class T>
T tries_template(T n) try {
  const Guard guard(2);
  fails(n);
  return n;
} catch (const WorseFailure&) {
  steps(1);
  throw;
}

int catches(int n) {
  int total = 0;
  try {
    total += tries(n) + steps(1);
    total += tries_template(n);
  } catch (const WorseFailure&) {
    total += steps(2);
  } catch (const Failure&) {
    total += steps(3);
  }
  return total;
}

struct Part {
  int n;
  explicit Part(int taken) : n(taken) { steps(n); }
  ~Part() { steps(1); }
};

struct Tries {
  Part part;
  explicit Tries(int n) try : part(plain(n)) {
    const Guard guard(2);
    fails(n);
    steps(1);
  } catch (const Failure&) {
    const Guard guard(3);
    steps(2);
  }
  ~Tries() try {  // with calls unseen
    const Guard guard(2);
    steps(1);
  } catch (...) {
    steps(100);
  }
};

struct TriesSilently {
  int n;
  explicit TriesSilently(int taken) try : n(steps(taken)) {
    const Silent silent{3};
    fails(n);  // not by line
    steps(1);
  } catch (const Failure&) {  // not by line
    const Silent silent{4};
    steps(2);
  }  // not by line: what is destroyed says nothing
};

int constructs(int n) {
  try {
    const Tries one(n);
    steps(1);
  } catch (const Failure&) {
    steps(2);
  }
  return steps(3);
}

int constructs_silently(int n) {
  try {
    const TriesSilently one(n);
    steps(1);
  } catch (const Failure&) {
    steps(2);
  }
  return steps(3);
}

}  // namespace

int exact(int group) try {
  const Guard guard(3);
  switch (group) {
    case 0:
      for (int i = 0; i < 3; ++i) catches(i);
      tries_silently(0);
      tries_silently(1);
      break;
    case 1:
      for (int i = 0; i < 3; ++i) tries_void(i);
      constructs(0);
      constructs(1);
      constructs_silently(0);
      constructs_silently(1);
      break;
    default:
      return -1;
  }
  return steps(5) - 5;
} catch (...) {
  return 1;
}
