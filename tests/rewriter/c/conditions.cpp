// flags: -std=c++17
#include <cstdio>

static int next(int x) { return x - 1; }

static int f(int x) {
  if (int y = next(x); y > 3) return y;
  else if (int z = next(y)) return z + 10;
  else if (y == 0) [[maybe_unused]] int unused = 3;
  else return y;
  if (x) {
    x = 2;
  } else if (const bool b = x == 0; b)
    x = 3;
  while (int y = next(x)) x = y;
  for (; int y = next(x);) x = y;
  switch (int y = next(x); y) {
    case 0: x = 5; [[fallthrough]];
    case 1: x++;
  }
  [[maybe_unused]] int tail = x;
  return x;
}

int main() {
  for (int i = 0; i < 6; i++) std::printf("%d ", f(i));
  int list[] = {1, 2}, total = 0;
  for (int x : list) total += x;
  for (auto& x : list) {
    x++;
    total += x;
  }
  auto [first, second] = list;
  static int once = next(total);
  std::printf("%d %d %d %d\n", total, first, second, once);
}
