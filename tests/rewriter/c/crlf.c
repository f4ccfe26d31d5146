#include <stdio.h>

int main(void) {
  int x = 1;
  if (x)
    x = 2;
  printf("%d\n", x);
  return 0;
}
