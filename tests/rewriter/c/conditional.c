#include <stdio.h>

#define FAST 1

static int f(int x) {
#if FAST
  x += 1;
#else
  x += 2;
  x += 3;
#endif
  if (x)
#ifdef ABSENT
    x = 5;
#else
    x = 6;
#endif
  if (x > 3)
    x--;
#ifdef FAST
  else
    x++;
#endif
#ifdef ABSENT
  if (x == 1) {
#else
  if (x == 2) {
#endif
    x = 7;
  }
  while (x > 3) {
    x--;
#ifdef ABSENT
    x--;
#endif
  }
#ifdef FAST
  if (x) {
    x += 2;
#else
  {
#endif
    x += 4;
  }
  return x;
}

#ifdef ABSENT
int g(int x) {
#else
int g(int x, int y) {
  x += y;
#endif
  return x + f(x);
}

int main(void) {
  printf("%d %d\n", f(1), g(1, 2));
  return 0;
}
