// flags: -std=c++20
#include <cstdio>

static int f(int n) {
  int r = 0;
  switch (n) {
    case 0:
      r = 1;
      [[fallthrough]];
    [[likely]] case 1:
      r += 2;
      break;
    [[unlikely]] default:
      for (int i = 0; i < n; ++i) r += i;
      r *= 3;
  }
  return r;
}

static int g(int n) {
  int r = 0;
  switch (n) {
    [[likely]] case 0:
      r = n * 3;
      r++;
      break;
    case 1:
      r = 4;
  }
  switch (n)
  case 3:
    r++;
  if (r > 100)
  [[maybe_unused]] more:
    r -= 3;
  while (r > 50)
    [[likely]] r--;
  return r;
}

int main() {
  const int held = ({
    int sum = 1;
    sum + 1;
  });
  std::printf("%d %d %d %d %d %d\n", f(0), f(1), f(5), g(0), g(3), held);
}
