/* flags: -std=c90 -pedantic-errors -Wdeclaration-after-statement */
#include <stdio.h>

static int f(int x) {
  int a = x, b;
  int c = a + 1;
  static int kept = 3;
  typedef int number;
  struct pair { int l, r; } pair = {1, 2};
  number d = c + pair.r;
  b = kept++ + d;
  {
    int e = b;
    b = e + 1;
  }
  if (x) {
    int e;
    e = 4;
    b += e;
  }
  return a + b;
}

int main(void) {
  const char *text = "declarations";
  printf("%s %d %d\n", text, f(1), f(0));
  return 0;
}
