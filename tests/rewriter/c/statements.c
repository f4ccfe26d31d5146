#include <stdio.h>

static int twice(int x) { return x + x; }

static void nothing(void) {}

static void empty_statements(void) { ; ; }

static void plain_blocks(int *x) {
  {
    *x += 1;
    { *x *= 2; }
  }
  {}
}

int main(void) {
  int x = 1, y;
  y = twice(x);
  nothing();
  empty_statements();
  plain_blocks(&y);
  x++, y--;
  printf("%d %d\n", x, y);
  return 0;
}
