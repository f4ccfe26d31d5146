/* The trusted part of a small enclave in C, as it stands after rewriting. No header but the runtime's: this is compiled
   with -nostdinc. */
#include "jcprof.h"

int ecall_get(int n);
int ecall_more(int n);
void ecall_count(void);
int ocall_ask(int n);

static int counted = 0;

static int summed(int n) {
  int i, sum = 0;
  JCPROF_TRAP_D(30);
  for (i = 0; i < n; i++) {
    JCPROF_TRAP(31);
    sum += i;
    JCPROF_TRAP_V(32, sum);
  }
  return JCPROF_VALUE(int, 33, sum + n);
}

#if JCPROF_LIVE
#define ecall_get jcprof_body_ecall_get
JCPROF_BODY static int ecall_get(int);
#endif
int ecall_get(int n) {
  int result = 0;
  JCPROF_TRAP(1);
  result += summed(n);
  JCPROF_TRAP_V(2, result);
  if ((JCPROF_TRAP_E(3), result > 0)) result += ocall_ask(n);
  JCPROF_TRAP(4);
  return result;
}
#if JCPROF_LIVE
#undef ecall_get
int ecall_get(int jcprof_1) {
  JCPROF_ROOT(int);
  return jcprof_body_ecall_get(jcprof_1);
}
#endif
JCPROF_ENCLAVE(jcprof_enclave)

#if JCPROF_LIVE
#define ecall_more jcprof_body_ecall_more
JCPROF_BODY static int ecall_more(int);
#endif
int ecall_more(int n) {
  int result = n;
  JCPROF_TRAP(20);
  if (n > 1) result += ocall_ask(0);
  JCPROF_TRAP(21);
  return result + summed(1);
}
#if JCPROF_LIVE
#undef ecall_more
int ecall_more(int jcprof_1) {
  JCPROF_ROOT_NESTED(int);
  return jcprof_body_ecall_more(jcprof_1);
}
#endif

#if JCPROF_LIVE
#define ecall_count jcprof_body_ecall_count
JCPROF_BODY static void ecall_count(void);
#endif
void ecall_count(void) {
  JCPROF_TRAP(40);
  counted++;
  JCPROF_TRAP(41);
}
#if JCPROF_LIVE
#undef ecall_count
void ecall_count(void) {
  JCPROF_ROOT_NESTED_VOID;
  jcprof_body_ecall_count();
}
#endif
