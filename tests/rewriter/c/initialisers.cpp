// flags: -std=c++17 -Wshadow -Wextra
// A constructor's entry stands in front of what its initialisers cost, where the language leaves a place.
#include <cstdio>
#include <map>
#include <string>
#include <utility>
#include <vector>

static int work(int n) {
  std::printf("w%d ", n);
  return n;
}
#define TWICE(x) ((x) * 2)

struct Base {
  explicit Base(int n) : n_(work(n)) {}
  Base(int n, int m) : n_(n + m) {}
  int n_;
};
struct Copied {
  Copied() = default;
  Copied(const Copied&) { std::printf("copied "); }
  Copied(Copied&&) noexcept { std::printf("moved "); }
  ~Copied() {}
};
static Copied make() { return {}; }

struct Written : Base {
  explicit Written(int n) : Base(work(n)), list_(3), text_{"abc"} {}
  Written() : Written(work(4)) {}
  explicit Written(const std::string& text) : Base(2, 3), text_(text) {}
  Written(int a, int b) : Base(work(a), work(b)), text_("x") {}
  explicit Written(char c) : Base(TWICE(c)), text_(1, c) {}
  std::vector<int> list_;
  std::string text_;
};
struct Cheap {
  Cheap(int a, int* b) : a_(a), b_(b), c_(0), d_{1} {}
  int a_;
  int* b_;
  unsigned char c_;
  long d_;
};
struct First {
  explicit First(int a) : a_(a), map_(), text_("abc") {}
  int a_;
  std::map<int, int> map_;
  std::string text_;
};
struct Unnamed {
  explicit Unnamed(int a) : a_(a) { std::printf("body "); }
  std::map<int, int> map_;
  int given_ = work(7);
  int a_;
};
struct Zero {
  Zero() : null_(0), size_(0), text_(work(3), 'x') {}
  const char* null_;
  std::size_t size_;
  std::string text_;
};
struct Made : Copied {
  Made() : Copied(make()), held_(make()) {}
  explicit Made(int n) : held_(n > 1 ? make() : Copied()) {}
  Copied held_;
};
template <class T>
struct Held : T {
  template <class... Args>
  explicit Held(int n, Args&&... args) : T(std::forward<Args>(args)...), value_(n), list_{work(n)} {}
  Held(const Held& other) : T(other), value_(other.value_) {}
  T value_;
  std::vector<int> list_;
};
template <class... Bases>
struct Many : Bases... {
  explicit Many(int n) : Bases(n)... {}
};
struct Other {
  explicit Other(int n) : n_(work(n)) {}
  int n_;
};
struct Tried {
  explicit Tried(int n) try : value_(work(n)) {
  } catch (int) {
    std::printf("caught ");
  }
  int value_;
};
struct Literal {
  constexpr explicit Literal(int n) : n_(n * 2), m_{n} {}
  int n_, m_;
};
static_assert(Literal(4).n_ == 8, "traps stand in constant expressions");
struct Late {
  explicit Late(int n);
  std::string text_;
};
Late::Late(int n) : text_(static_cast<std::size_t>(work(n)), 'l') {}

int main() {
  int x = 3;
  const Written a(1), b, c(std::string("abc")), d(5, 6), e('c');
  const Cheap cheap(x, &x);
  const First first(2);
  const Unnamed unnamed(3);
  const Zero zero;
  const Made made, chosen(2);
  const Held<Base> held(4, 5), again(held);
  const Many<Base, Other> many(6);
  const Tried tried(8);
  const Late late(2);
  std::printf("%d %d %d %d %d %d\n", a.n_, cheap.a_, first.a_, unnamed.a_, many.Base::n_, Literal(x).n_);
  return zero.null_ == nullptr && held.n_ == again.n_ && tried.value_ == 8 && late.text_.size() == 2 ? 0 : 1;
}
