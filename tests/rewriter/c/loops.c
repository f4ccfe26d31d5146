#include <stdio.h>

static int endless(int n) {
  for (;;) {
    if (n > 10) break;
    n++;
  }
  while (1) {
    if (n-- < 3) return n;
  }
}

static int counted_without_a_condition(int n) {
  for (int i = 0;; i++) {
    if (i > n) return i;
  }
}

int main(void) {
  int i, n = 0;
  for (i = 0; i < 3; i++) n += i;
  for (i = 0; i < 3; i++);
  for (i = 0; i < 3; i++) {
  }
  while (n > 1) n--;
  while (n < 4) {
    n++;
    if (n == 2) continue;
  }
  do n++; while (n < 9);
  do {
    n--;
    /* all that it does */
  } while (n > 5);
  for (i = 0; i < 2; i++)
    for (n = 0; n < 2; n++)
      while (n & 4) n++;
  for (i = 0; i < 2; i++)
    if (i) n += 3;
    else n += 4;
  printf("%d %d %d %d\n", i, n, endless(n), counted_without_a_condition(n));
  return 0;
}
