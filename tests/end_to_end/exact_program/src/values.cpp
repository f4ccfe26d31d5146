// SPDX-License-Identifier: Apache-2.0
// The steps are of calls that optimisers may move. Each value is used late.
#include "../device/steps.h"

#define RETURN(x) return x

namespace {

struct Two {
  int a, b;
};
class Pair {
 public:
  Pair(int a, int b) : a_(a), b_(b) {}
  int a() const { return a_; }
  int b() const { return b_; }

 private:
  int a_, b_;
};
struct Silent {
  explicit Silent(int n) : n(n) {}
  ~Silent() { steps(n); }
  int n;
};
enum class Kind { one, two };

volatile int sink;

int simple(int n) {
  return pure_steps(n);
}
int sum(int n) {
  return simple(n) + pure_steps(n + 1);
}
long converted(int n) {
  return pure_steps(n);
}
char narrow(int n) {
  return static_cast<char>(pure_steps(n));
}
Kind kind(int n) {
  return static_cast<Kind>(pure_steps(n));
}
bool test(int n) {
  return pure_steps(n) > 3;
}
const int* pointer(const int* p, int n) {
  return p + pure_steps(n) % 2;
}
auto deduced(int n) {
  return pure_steps(n);
}

int either(int n) {
  if (n > 172) return pure_steps(n);
  return n > 171 ? pure_steps(n + 20) : pure_steps(n + 30);
}

int commas(int n) {
  return sink = 1, pure_steps(n);
}

int temporary(int n) {
  return Silent(n + 3).n + pure_steps(n);
}

int guarded(int n) {
  Silent silent(n + 2);
  if (n > 502) return pure_steps(n);
  int a = pure_steps(n + 30);
  return a;
}

int ends_late(int n) {
  if (n > 5) RETURN(0);
  return pure_steps(n + 5000);
}

int local(int n) {
  int a = pure_steps(n);
  if (n > 602) a += pure_steps(n + 20);
  return a;
}

Two made(int n) {
  Two t = {pure_steps(n), pure_steps(n + 1)};
  return t;
}

Two braced(int n) {
  return {pure_steps(n), pure_steps(n + 1)};
}

Two filled(int n) {
  Two t;
  t.a = pure_steps(n);
  t.b = pure_steps(n + 1);
  return t;
}

Two passed(int n) {
  return made(n);
}

template <typename T>
T generic(T n) {
  T a = pure_steps(n);
  sink = 1;
  auto b = pure_steps(n + 20);
  sink = 2;
  if (n > 100) return a;
  return b;
}

struct Class {
  enum Inner { small = 1, big };
  int value;
  Inner inner(int n) const { return static_cast<Inner>(pure_steps(n + value)); }
  int member(int n) { return pure_steps(n + value); }
  operator int() const { return pure_steps(value); }
};

int lambdas(int n) {
  auto f = [n](int k) { return pure_steps(n + k); };
  int a = f(1);
  sink = 1;
  auto g = [n](int k) -> long { return pure_steps(n + k); };
  long b = g(20);
  sink = 2;
  return n > 100 ? a : static_cast<int>(b);
}

int several(int n) {
  int a = pure_steps(n), b = pure_steps(n + 1);
  sink = 1;
  Pair p(pure_steps(n + 2), pure_steps(n + 3));
  sink = 2;
  auto t = Two{pure_steps(n + 4), pure_steps(n + 5)};
  sink = 3;
  int v[3] = {pure_steps(n + 6), pure_steps(n + 7)};
  sink = 4;
  int c, d;
  c = pure_steps(n + 8), d = pure_steps(n + 9);
  sink = 5;
  return n > 100 ? a + p.a() + t.a + v[0] + c : b + p.b() + t.b + v[1] + d;
}

int caller(int n) {
  int a = simple(n) + sum(n + 20);
  sink = 1;
  long b = converted(n + 40);
  sink = 2;
  char c = narrow(n + 60);
  sink = 3;
  Kind d = kind(n + 80);
  sink = 4;
  const bool e = test(n + 100);
  sink = 5;
  static const int numbers[] = {1, 2};
  const int* f = pointer(numbers, n + 120);
  sink = 6;
  int g = deduced(n + 140);
  sink = 7;
  int h = either(n + 170), i = commas(n + 190), j = temporary(n + 200), k = guarded(n + 500);
  sink = 8;
  int l = ends_late(n), m = local(n + 600);
  sink = 9;
  Two o = made(n + 220);
  sink = 10;
  Two p = braced(n + 240);
  sink = 11;
  Two q = filled(n + 260), r = passed(n + 280);
  sink = 12;
  int s = generic(n + 300);
  sink = 13;
  Class object{n + 700};
  int u = object.inner(360), v = object.member(380), w = object;
  sink = 14;
  int x = lambdas(n + 800), y = several(n + 450);
  sink = 15;
  return a + static_cast<int>(b) + c + static_cast<int>(d) + e + *f + g + h + i + j + k + l + m + o.a + o.b +
         p.a + p.b + q.a + q.b + r.a + r.b + s + u + v + w + x + y;
}

}  // namespace

int exact(int group) {
  if (group != 0) return -1;
  int total = 0;
  for (int i = 1; i < 5; i++) total += caller(i * 1000) + caller(i);
  sink = total;
  return 0;
}
