#include <stdio.h>

static inline __attribute__((always_inline)) int inlined(int x) { return x + x; }

static int expressions(int n) {
  int y = ({ int t = n; t * 2; });
  y += ({ n++; n; });
  __asm__ volatile("" : "+r"(y));
  __extension__ int z = y;
  int vla[n];
  for (int i = 0; i < n; i++) vla[i] = i;
  __auto_type last = vla[n - 1];
  typeof(n) copy = n + 1;
  return y + z + last + copy + inlined(n);
}

static int jump(int n) {
  asm goto("" : : : : out);
  n++;
out:
  return n;
}

#if defined(__x86_64__)
__attribute__((naked, unused)) static void bare(void) { __asm__("ret"); }
#endif

int main(void) {
  printf("%d %d\n", expressions(3), jump(1));
}
