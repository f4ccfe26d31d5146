#include <stdio.h>

enum colour { red, green };
struct bits { unsigned low : 3; };

static double global;

static double f(double x) { return x / 3; }

int main(void) {
  double quotient = f(10);
  int whole = (int)f(30);
  volatile int watched;
  register int fast;
  struct bits bits = {0};
  int list[2];
  int *place = &list[whole & 1];
  enum colour colour = whole > 3 ? green : red;
  quotient = f(quotient);
  global = f(quotient);
  global += quotient;
  watched = (int)f(3);
  fast = (int)f(6);
  bits.low = (unsigned)fast;
  list[0] = (int)f(9);
  place = list + whole % 2;
  *place = 1;
  whole = 0;
  if (whole == 0) whole = (int)f(90);
  while (whole > 0) whole -= (int)f(40);
  printf("%.3f %.3f %d %d %u %d %d\n", quotient, global, watched, fast, bits.low, whole, colour);
  return 0;
}
