#include <stdio.h>

int main(void) {
  int sum = 0;
#pragma GCC unroll 2
  for (int i = 0; i < 4; i++) sum += i;
#pragma GCC diagnostic push
  if (sum)
#pragma GCC unroll 2
    for (int i = 0; i < 4; i++) sum += i;
#pragma GCC diagnostic pop
  printf("%d\n", sum);
  return 0;
}
