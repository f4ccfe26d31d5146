// flags: -std=c++17
#include <cstddef>
#include <cstdio>
#include <type_traits>

static int g(int x) { return x + 1; }
static double half(int x) { return g(x) * 0.5; }

// The returns of one lambda or function may be of several types.
static auto generic = [](auto x) {
  if constexpr (std::is_same_v<decltype(x), int>) return g(1);
  else return x * 2.5;
};
static auto sized = [](int n) {
  if constexpr (sizeof(long) == 4) return g(n);
  else return g(n) * 0.5;
};
template <class T>
auto either(T x) {
  if constexpr (sizeof(T) == 4) return g(1);
  else return x * 2.5;
}
static auto otherwise(int n) {
  if constexpr (sizeof(long) == 4) return g(n);
  else return g(n) * 0.5;
}
static auto deduced(int n) { return g(n) * 0.5; }
static decltype(auto) forwarded(int n) { return g(n) * 0.5; }

// Types of templates have no names outside.
template <class T>
T* tp(T* a) {
  return a + g(0);
}
template <class T>
struct Row {
  enum Kind { empty, full };
  T* data() { return of + g(-1); }
  Row* self() { return this + g(-1); }
  Kind kind() { return static_cast<Kind>(g(0)); }
  typename std::remove_reference<T>::type first() { return of[g(-1)]; }
  T of[3];
};

// Names that others hide.
enum color { red, green, blue };
static color mix(int c) { return static_cast<color>(g(c) % 3); }
static color pick(int n) {
  int color = n + 1;
  return mix(color);
}
struct Tint {
  int v;
  enum color color() const { return mix(v); }
};
struct point {
  int x, y;
};
static struct point point(int x, int y) {
  struct point p = {g(x), g(y)};
  return {p.x + g(0), p.y};
}
static struct point* moved(struct point* at) { return at + g(-1); }
struct Il {
  int a;
};
static Il il(int n) { return Il{g(n)}; }
namespace q {
struct Il {
  long b;
};
::Il glob(int n) { return il(n + g(1)); }
Il own(int n) { return {g(n)}; }
}  // namespace q
typedef struct {
  short s;
} nameless;
static nameless made(int n) { return {static_cast<short>(g(n))}; }
static std::size_t size(int n) { return static_cast<std::size_t>(g(n)); }
static const char* text(int n) { return &"abcdef"[g(n)]; }
namespace {
enum Inner { in0, in1, in2 };
Inner inner(int n) { return static_cast<Inner>(g(n)); }
struct twin {
  int v;
};
twin of_twin(int n) { return twin{g(n)}; }
int made_twin(int n) { return of_twin(n).v; }
}  // namespace

struct twin {
  char v;
};
using std::size_t;
static size_t shorter(int n) { return static_cast<size_t>(g(n)); }
extern "C" {
struct plain {
  int v;
};
struct plain* of_c(struct plain* p) { return p + g(-1); }
}
inline namespace v1 {
namespace deep {
class Klass {
 public:
  int v;
};
union Un {
  int i;
  float f;
};
enum class Scoped : short { a, b };
}  // namespace deep
}  // namespace v1
static deep::Klass klass(int n) { return deep::Klass{g(n)}; }
static deep::Un un(int n) { return {g(n)}; }
static deep::Scoped scoped(int n) { return static_cast<deep::Scoped>(g(n)); }
static const deep::Klass* const* far(const deep::Klass* const* p) { return p + g(-1); }
template <class T>
struct Special;
template <>
struct Special<int> {
  enum Kind { k0, k1 };
  struct In {
    int v;
  };
  static Kind kind(int n) { return static_cast<Kind>(g(n)); }
  static In in(int n) { return {g(n)}; }
};
class Friendly {
  enum Secret { s0, s1, s2 };
  friend int opened(int n);
  friend Secret secret(const Friendly&) { return static_cast<Secret>(g(0)); }
  template <class T>
  static Secret any(T n) {
    return static_cast<Secret>(g(n));
  }
};
int opened(int n) { return Friendly::any(g(n)) + secret(Friendly()); }
template <class T>
T* const& twice(T* const& p) {
  auto same = [&](int n) { return g(n) * 2; };
  return same(-1) == 0 ? p : p;
}
struct Il2 {
  int a, b;
};
static int bound(int n) {
  auto [color, other] = Il2{g(n), n};
  auto back = [](int m) -> enum color { return mix(m); };
  return back(color) + other;
}

class Parser {
 public:
  int run() { return next(g(0)) + auto_next(0); }

 private:
  enum State { begin, end };
  State next(int n) { return n > g(0) ? begin : static_cast<State>(g(0)); }
  auto auto_next(int n) -> State { return static_cast<State>(g(n)); }
};

int main() {
  std::printf("%d %g %g %d %g %g %g %g ", generic(1), generic(1.5), sized(2), either(1), either(1.5), otherwise(2),
              deduced(4), forwarded(6));
  int numbers[3] = {1, 2, 3};
  Row<int> row = {{4, 5, 6}};
  std::printf("%d %d %d %d %d ", *tp(numbers), *row.data(), row.self()->of[1], row.kind(), row.first());
  struct point p = point(1, 2);
  std::printf("%d %d %d %d %d ", pick(3), Tint{1}.color(), p.x, p.y, moved(&p)->x);
  std::printf("%d %ld %d %zu %s %d ", q::glob(1).a, q::own(2).b, made(3).s, size(4), text(1), inner(1));
  plain c_one = {5};
  const deep::Klass one = {8};
  const deep::Klass* const ones[] = {&one};
  int* first = numbers;
  std::printf("%zu %d %d %d %d %d ", shorter(1), of_c(&c_one)->v, klass(1).v, un(2).i, static_cast<int>(scoped(0)),
              (*far(ones))->v);
  std::printf("%d %d %d %d %d %d ", made_twin(3), Special<int>::kind(0), Special<int>::in(4).v, opened(0), *twice(first), bound(2));
  struct local {
    int l;
  };
  auto here = [](int n) { return local{g(n)}; };
  auto named = [](int n) -> color { return mix(n); };
  auto reference = [&](int n) -> const int& { return numbers[g(n)]; };
  int a = g(1), b = g(2), c = g(3), d = g(4), e = g(5), f = g(6), h = g(7), i = g(8), j = g(9), k = g(10);
  std::printf("%d %d %d %d %d %g\n", here(1).l, named(2), reference(0), Parser().run(),
              a + b + c + d + e + f + h + i + j + k, half(3));
}
