// Work of known ratio per line: each unit of spin() takes the same time.
#include "work_t.h"

namespace {

/// Not in memory: a store that is loaded again takes longer at one place than at another.
__attribute__((noinline)) void spin(unsigned units) {
  uint32_t x = units;
  for (unsigned long passes = units * 12000UL; passes > 0; passes--) {
    x = x * 5U + 1U;
    __asm__ volatile("" : "+r"(x));
  }
}

struct Held {
  ~Held() { spin(1); }
};

uint32_t thrower(uint32_t n) {
  const Held held;  // 1 of 40, as it unwinds
  spin(2);
  throw n;
}

}  // namespace

uint32_t ecall_work(uint32_t n) {
  spin(4);
  try {
    n += thrower(n);
  } catch (...) {
    spin(5);  // in a handler
    ocall_out(n);
  }
  for (int i = 0; i < 4; i++) {
    spin(3);  // 12 of 40
  }
  return n;
}

void ecall_inner(uint32_t n) {
  try {
    spin(16);
    throw n;
  } catch (...) {
    n++;
  }
}

/// Passes traps on a thread of its own, which is not armed.
void ecall_aside(void) {
  spin(0);
}
