/* flags: -Wno-unknown-pragmas */
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
  _Pragma("GCC unroll 2")
  for (int i = 0; i < 4; i++) sum += i;
  if (sum)
    _Pragma("GCC unroll 2") for (int i = 0; i < 4; i++) sum += i;
  if (sum)
    _Pragma("omp simd") for (int i = 0; i < 4; i++) sum += i;
  printf("%d\n", sum);
  return 0;
}
