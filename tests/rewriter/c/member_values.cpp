// flags: -std=c++17 -Wshadow -Wextra
// The value that a class gives a member is a function of its own; not where it may be a constant, nor in an aggregate.
#include <array>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

static int work(int n) noexcept {
  std::printf("w%d ", n);
  return n;
}
#define WORK(n) work(n)

class Values {
 public:
  int called = work(1), listed{work(2)};
  int row[2] = {work(3), work(4)};
  unsigned bits : 3;
  std::string text = "abc";
  std::vector<int> list{1, 2, work(5)};
  std::unique_ptr<int> made = std::make_unique<int>(work(6));
  int from_macro = WORK(7);
  Values() : bits(1) {}
};
struct Aggregate {
  int called = work(8);
  std::string text = std::string(3, 'x');
};
class Silent {
 public:
  int called = work(9);

 private:
  union {
    int either = work(10);
    float or_this;
  };
};
static_assert(noexcept(Silent()), "it throws nothing");

struct Part {
  int n = 1;
};
class Constant {
 public:
  int counted = __builtin_popcount(7);
  Part part = Part();
  std::array<int, 2> array = std::array<int, 2>();
  int sum() const { return counted + part.n + array[1] + hidden; }

 private:
  int hidden = 4;
};
extern Constant constant;
static const int early = work(constant.sum());  // a sum of zeros if it were no constant
Constant constant;

struct Number {
  int n = 3;
  static constexpr Number make() { return {}; }
};
constexpr Number next(Number x) { return x; }
template <class T>
class Depends {
 public:
  T one = T::make(), other = next(T{});
  int called = work(11);
  constexpr explicit Depends(int n) : called(n) {}
};
static_assert(Depends<Number>(1).one.n == 3, "traps stand in constant expressions");

int main() {
  const Values values;
  const Aggregate aggregate, other{2, "y"};
  const Silent silent{};
  const Depends<Number> depends(work(12));
  std::printf("%d %d %d %d\n", values.called + values.row[1], aggregate.called + other.called, silent.called, early);
  return values.list.size() == 3 && *values.made == 6 && depends.other.n == 3 && values.from_macro == 7 ? 0 : 1;
}
