// flags: -std=c++17
#include <cstdio>

static volatile int device;

static int f(int x) { return x / 3; }

int main() {
  volatile int& watched = device;
  int value = 0;
  int& plain = value;
  watched = f(9);
  plain = f(30);
  std::printf("%d %d\n", watched, plain);
}
