#include <cstdio>

namespace outer {
namespace {
struct Base {
  explicit Base(int x) : x_(x), y_([&] { return x + 1; }()) {}
  virtual ~Base() { std::printf("~%d ", x_); }
  virtual int value() const noexcept { return x_ + y_; }
  int x_, y_;
  int z_ = [] { return 3; }();
};
}  // namespace

class Derived final : public Base {
 public:
  Derived() : Derived(4) {}
  Derived(const Derived&) = default;
  explicit Derived(int x);
  int value() const noexcept override { return Base::value() * 2; }
  operator int() const { return value(); }
  int operator()(int a, int b = [] { return 2; }()) const { return a + b; }
  friend int friendly(const Derived& d) { return d.x_; }
  static int made;
  struct Inner {
    int deep() { return 7; }
  };
};

Derived::Derived(int x) : Base(x) { made++; }
int Derived::made = 0;
}  // namespace outer

extern "C" {
int c_function(int x) { return x + 1; }
}

static int overloaded(int x) { return x; }
static int overloaded(double x) { return static_cast<int>(x * 2); }

int main() {
  struct Local {
    int go() const { return 5 * scale; }
    int scale;
  } local{2};
  outer::Derived d, e(5);
  outer::Derived::Inner inner;
  std::printf("%d %d %d ", d.value(), int(e), d(1));
  std::printf("%d %d %d %d ", friendly(d), inner.deep(), local.go(), outer::Derived::made);
  std::printf("%d %d %d\n", c_function(1), overloaded(1), overloaded(1.5));
  return 0;
}
