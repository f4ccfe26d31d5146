// flags: -std=c++98
#include <cstdio>

static int made = 0;
template <class T>
T next(T value) {
  made++;
  return value;
}
struct Both {
  int a, b;
};
static Both both(int a, int b) {
  Both result = {a, b};
  return next(result);
}
static int g(int n) { return n + 1; }

int main() {
  struct P : Both {
    static P of(const Both& from) {
      P p;
      p.a = from.a;
      p.b = from.b + g(0);
      return p;
    }
    P* self() { return this + g(-1); }
  };
  enum Kind { none, some };
  P p = P::of(both(g(1), g(2)));
  P* at = p.self();
  Kind kind = static_cast<Kind>(g(0));
  at = &p + g(-1), kind = static_cast<Kind>(g(-1)), p = P::of(both(1, 2));
  Both two = both(p.a, at->b);
  double half = g(3) * 0.5, third = g(4) / 4.0;
  std::printf("%d %d %d %d %d %g %g\n", p.a, p.b, kind, two.a, two.b, half, third);
  return made == 3 ? 0 : 1;
}
