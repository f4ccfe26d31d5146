// flags: -std=c++20
#include <cstdio>

template <class F>
int apply(F f, int x) {
  return f(x);
}

static const auto global = [](int x) { return x * 3; };

int main() {
  int total = 0;
  auto add = [&total](int x) mutable -> int {
    total += x;
    if (x > 3) return total;
    return apply([x](int y) { return x + y; }, 4);
  };
  auto generic = [](auto x) { return x + x; };
  auto typed = []<typename T>(T x) { return x; };
  if (apply([](int x) { return x; }, 1) == 1) total++;
  for (int i = apply([](int x) { return x - 1; }, 1); i < 3; i++) total += add(i);
  int list[] = {1, 2, 3};
  for (int x : list)
    if (x != 2) total += [=] { return x; }();
  std::printf("%d %d %d %d\n", total, generic(4), typed(5), global(1));
}
