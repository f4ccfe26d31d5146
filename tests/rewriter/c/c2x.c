// flags: -std=c2x
#include <stdio.h>

#ifdef NOWHERE
static int which(void) { return 1; }
#elifdef __STDC__
[[nodiscard]] static int which(void) { return 2; }
#endif

_Static_assert(sizeof(int) >= 2);

static int second([[maybe_unused]] int, int value) {
  [[maybe_unused]] int twice = value * 2;
  return value + 0b1010 + 1'000;
}

static int falls(int n) {
  int sum = 0;
  switch (n) {
    case 0:
      sum += 1;
      [[fallthrough]];
    case 1:
      int more = n + 5;
      sum += more;
      break;
    default:
  }
  return sum;
}

static void labels(int n) {
again:
  int before = n;
  n -= 2;
  if (n > 0) goto again;
  if (before == 1) goto out;
  [[maybe_unused]] int empty[3] = {};
  n += empty[1];
out:
}

int main(void) {
  printf("%d %d %d %d\n", which(), second(1, 2), falls(0), falls(1));
  printf("%d %d\n", falls(7), u8'a');
  labels(7);
  return 0;
}
