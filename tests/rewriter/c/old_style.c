/* flags: -std=gnu89 -Wno-return-type -Wno-implicit-int -Wno-deprecated-non-prototype */
#include <stdio.h>

int add(a, b)
  int a;
  char b;
{
  return a + b;
}

implicit(x) int x; { return x * 2; }

static int nothing() { return 3; }

int main()
{
  printf("%d %d %d\n", add(1, 2), implicit(3), nothing());
  return 0;
}
