// The trusted part of a small enclave, as it stands after rewriting: an entry, ecalls that ocalls may make, exceptions.
// No header but the runtime's: this is compiled with -nostdinc.
#include "jcprof.h"

extern "C" int ecall_get(int n);
extern "C" int ecall_more(int n);
extern "C" void ecall_count(void);
extern "C" int ocall_ask(int n);

namespace {

struct Noted {
  Noted() {}
  Noted(const Noted&) = delete;
  Noted& operator=(const Noted&) = delete;
  ~Noted() { JCPROF_TRAP(30); }
};

int checked(int n) {
  const Noted noted;
  JCPROF_TRAP(31);
  if (n > 1) throw n;
  {
    JCPROF_AFTER(32);
    return n;
  }
}

int counted = 0;

}  // namespace

#if JCPROF_LIVE
#define ecall_get jcprof_body_ecall_get
extern "C" JCPROF_BODY int ecall_get(int);
#endif
extern "C" int ecall_get(int n) {
  JCPROF_TRAP(1);
  int result = checked(1);
  JCPROF_TRAP_V(2, result);
  try {
    result += checked(n);
    JCPROF_TRAP(3);
  } catch (...) {
    JCPROF_TRAP(4);
    result += ocall_ask(n);
    JCPROF_TRAP_V(5, result);
    result += ocall_ask(n + 1);
    JCPROF_TRAP(6);
  }
  JCPROF_TRAP(7);
  return result;
}
#if JCPROF_LIVE
#undef ecall_get
extern "C" int ecall_get(int jcprof_1) {
  JCPROF_ROOT(int);
  return jcprof_body_ecall_get(static_cast<int&&>(jcprof_1));
}
#endif
JCPROF_ENCLAVE(jcprof_enclave)

#if JCPROF_LIVE
#define ecall_more jcprof_body_ecall_more
extern "C" JCPROF_BODY int ecall_more(int);
#endif
extern "C" int ecall_more(int n) {
  JCPROF_TRAP(20);
  int result = n;
  try {
    result += checked(n - 1);
    JCPROF_TRAP(21);
  } catch (int thrown) {
    JCPROF_TRAP(22);
    result += thrown + ocall_ask(0);
    JCPROF_TRAP(23);
  }
  JCPROF_TRAP(24);
  return result;
}
#if JCPROF_LIVE
#undef ecall_more
extern "C" int ecall_more(int jcprof_1) {
  JCPROF_ROOT_NESTED(int);
  return jcprof_body_ecall_more(static_cast<int&&>(jcprof_1));
}
#endif

#if JCPROF_LIVE
#define ecall_count jcprof_body_ecall_count
extern "C" JCPROF_BODY void ecall_count(void);
#endif
extern "C" void ecall_count(void) {
  JCPROF_TRAP(40);
  counted++;
  JCPROF_TRAP(41);
}
#if JCPROF_LIVE
#undef ecall_count
extern "C" void ecall_count(void) {
  JCPROF_ROOT_NESTED_VOID;
  jcprof_body_ecall_count();
}
#endif
