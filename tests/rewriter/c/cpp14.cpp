// flags: -std=c++14
#include <cstdio>
#include <memory>

template <class Value>
constexpr Value unit = Value(1);

constexpr int power(int base, int exponent) {
  int result = unit<int>;
  for (int i = 0; i < exponent; ++i) result *= base;
  return result;
}

auto deduced(int n) {
  if (n > 2) return n * 2L;
  return 0L;
}

decltype(auto) same(int& n) { return (n); }

struct [[deprecated]] Old {
  int value = 3;
};

struct Pair {
  int first = 1;
  int second;
};

int main() {
  int x = 1'000;
  same(x) += 0b11;
  const auto add = [sum = std::make_unique<int>(4)](auto a, auto b) {
    *sum += a;
    return *sum + b;
  };
  const Pair pair{5, 6};
  std::printf("%d %d %ld %ld\n", x, power(3, 4), deduced(1), deduced(9));
  std::printf("%d ", add(1, 2));
  std::printf("%.1f\n", add(1, 2.5));
  std::printf("%d\n", pair.first + pair.second);
}
