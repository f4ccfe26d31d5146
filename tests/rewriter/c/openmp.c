/* flags: -fopenmp */
#include <stdio.h>

static int sum(int n) {
  int total = 0;
  int i;
#pragma omp parallel for reduction(+ : total)
  for (i = 0; i < n; i++) {
    int part = i * 2;
    total += part;
  }
#pragma omp parallel for reduction(+ : total)
  for (i = 0; i < n; i++) total += 1;
#pragma omp critical
  { total++; }
  if (n > 3)
#pragma omp single
    total += 2;
#pragma omp barrier
  return total;
}

int main(void) {
  printf("%d\n", sum(10));
  return 0;
}
