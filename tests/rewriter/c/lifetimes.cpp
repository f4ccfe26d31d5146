// flags: -std=c++17 -Wshadow -Wconversion
// What is destroyed when a function is left belongs to the function.
#include <array>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>

struct Loud {
  explicit Loud(int v) : value(v) {}
  Loud(const Loud& other) : value(other.value) {}
  ~Loud() { std::printf("~%d ", value); }
  int value;
};
struct Plain {
  int a, b;
};
struct Holder {
  ~Holder() { std::printf("~Holder "); }
  Loud held{9};
};
struct View {
  const int* at;
  View(const int* p) : at(p) {}
};
#define RETURN_IF(x) \
  if (x) return 1

static Loud make(int v) { return Loud(v); }
static const Loud& same(const Loud& x) { return x; }

static int local(int n) {
  const Loud loud(n);
  if (n > 3) return n;
  return make(n).value + loud.value;
}
static void ends(int n) {
  Loud loud(n);
  std::printf("%d ", loud.value);
}
static int array_of(int n) {
  const std::array<Loud, 2> loud{Loud(n), Loud(n + 1)};
  return loud[0].value;
}
static int bound(int n) {
  const Loud& loud = make(n);
  return loud.value + 1;
}
static int not_bound(const Loud& x) {
  const Loud& loud = same(x);
  return loud.value + 1;
}
static int parts(int n) {
  const auto [a, b] = std::pair<Loud, int>(n, n);
  return a.value + b;
}
static int over_temporary(int n) {
  for (const char c : std::string("ab"))
    if (c == 'b') return n + c;
  return 0;
}
static int handles(int n) {
  try {
    if (n > 2) throw n;
    return n + 2;
  } catch (int x) {
    return x + 1;
  }
}
static int hidden(int n) {
  RETURN_IF(n > 100);
  return n + 2;
}
static int captured(const Loud& x) {
  const auto value = [x] { return x.value; };
  return value() + 1;
}
static int plain(int n) {
  static const std::string kept = "kept";
  const Plain p{n, n};
  const View v(&p.a);
  const std::string_view text = "text";
  for (const char c : kept)
    if (c == 'x') return n * 2;
  const auto add = [n](int m) { return n + m; };
  const auto loud = [n](int m) {
    const Loud inner(n);
    return inner.value + m;
  };
  return add(*v.at) + static_cast<int>(text.size()) + loud(1);
}
template <class T>
T twice(T x) {
  T sum = x;
  sum += x;
  return sum;
}
static int tried(int n) try {
  const Loud loud(n);
  return loud.value + 1;
} catch (...) {
  return 0;
}
#define FAIL(text)                   \
  do {                               \
    const std::string message(text); \
    std::printf("%s", &message[0]);  \
    std::abort();                    \
  } while (0)
static int fails(int n) {
  switch (n) {
    case 1:
      return n + 2;
    default:
      break;
  }
  FAIL("no such number");
}

int main() {
  std::printf("%d ", local(1) + local(5));
  ends(2);
  std::printf("%d %d %d ", array_of(3), bound(5), not_bound(make(6)));
  std::printf("%d %d ", parts(7), over_temporary(1));
  std::printf("%d %d %d ", handles(1), handles(3), hidden(3));
  std::printf("%d %d %d %d\n", plain(3), twice(4), tried(8), captured(Loud(9)));
  std::printf("%d ", fails(1));
  const Holder holder;
  return 0;
}
