/* Work of known ratio per line: each unit of spin() takes the same time. */
#include <stddef.h>

/* Not in memory: a store that is loaded again takes longer at one place than at another. */
__attribute__((noinline)) static void spin(unsigned units) {
  unsigned x = units;
  unsigned long passes = units * 300000ul;
  while (passes-- > 0) {
    x = x * 5u + 1u;
    __asm__ volatile("" : "+r"(x));
  }
}

static void descend(unsigned depth) {
  spin(1); /* 4 of 40 */
  if (depth > 0) descend(depth - 1);
}

int known_work(const unsigned char* input, size_t size) {
  int i;
  (void)input;
  spin(4);
  spin(8);
  spin(16);
  for (i = 0; i < 4; i++) {
    spin(2); /* 8 of 40 */
  }
  descend(3);
  return (int)size;
}

int main(void) {
  return known_work(NULL, 0);
}
