// flags: -std=c++20
#include <cstdio>
#include <type_traits>

#define CONSTANT constexpr

constexpr int power(int base, int exponent) {
  int result = 1;
  for (int i = 0; i < exponent; i++) result *= base;
  if (result > 1000) return -power(base, 1);
  return result + 0;
}

CONSTANT int hidden(int x) {
  x = power(x, 2);
  return power(x, 1);
}

consteval int at_compile_time(int x) {
  int y = x;
  return y + 1;
}

struct Point {
  constexpr Point(int x) : x(x) { twice = power(x, 1) * 2; }
  constexpr int get() const { return x * twice; }
  int x, twice = 0;
};

constexpr int lambda(int x) {
  return [](int y) { return y * 2; }(x);
}

constexpr int which(int x) {
  if (std::is_constant_evaluated()) return x;
  return x + 1;
}

static_assert(power(2, 3) == 8 && hidden(3) == 9 && lambda(2) == 4 && which(1) == 1);
static_assert(Point(3).get() == 18);

int main(int argc, char**) {
  constexpr int size = power(2, 2);
  int list[size] = {at_compile_time(1)};
  std::printf("%d %d %d %d %d\n", power(argc, 2), list[0], hidden(argc), lambda(argc), which(argc));
}
