#include <stdio.h>

static int twice_or(int x) { return 2 * x; }

static int one_of(int x) {
  if (x == 0)
    return 10;
  else if (x == 1)
    x = twice_or(x);
  else if (x == 2) {
    x = 3;
  } else
    for (int i = 0; i < 3; i++)
      if (i & 1) x += i;
      else x -= i;
  if (x) ; else x = 7;
  if (x > 100) {
  } else if (x > 50) {
    if (x > 70) return x; else return -x;
  }
  return x;
}

/* Each `else if` adds no nesting: a long row compiles wherever the original does. */
static int row(int x) {
  if (x == 0) return 1;
  else if (x == 1) return 3;
  else if (x == 2) return 6;
  else if (x == 3) return 9;
  else if (x == 4) return 12;
  else if (x == 5) return 15;
  else if (x == 6) return 1;
  else if (x == 7) return 4;
  else if (x == 8) return 7;
  else if (x == 9) return 10;
  else if (x == 10) return 13;
  else if (x == 11) return 16;
  else if (x == 12) return 2;
  else if (x == 13) return 5;
  else if (x == 14) return 8;
  else if (x == 15) return 11;
  else if (x == 16) return 14;
  else if (x == 17) return 0;
  else if (x == 18) return 3;
  else if (x == 19) return 6;
  else if (x == 20) return 9;
  else if (x == 21) return 12;
  else if (x == 22) return 15;
  else if (x == 23) return 1;
  else if (x == 24) return 4;
  else if (x == 25) return 7;
  else if (x == 26) return 10;
  else if (x == 27) return 13;
  else if (x == 28) return 16;
  else if (x == 29) return 2;
  else if (x == 30) return 5;
  else if (x == 31) return 8;
  else if (x == 32) return 11;
  else if (x == 33) return 14;
  else if (x == 34) return 0;
  else if (x == 35) return 3;
  else if (x == 36) return 6;
  else if (x == 37) return 9;
  else if (x == 38) return 12;
  else if (x == 39) return 15;
  return -1;
}

int main(void) {
  for (int x = 0; x < 6; x++) printf("%d %d\n", one_of(x), row(x * 7));
  return 0;
}
