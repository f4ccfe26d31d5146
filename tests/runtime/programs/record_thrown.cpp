// Exceptions through calls. Knows nothing of jcprof.
#include <cstdio>

#define NOT_INLINE __attribute__((noinline))
#define UNSEEN __attribute__((noinline, no_instrument_function))

NOT_INLINE static int leaf(int n) {
  return n + 1;
}

NOT_INLINE static int throws(int n) {
  if (n != 0) throw n;
  return leaf(n);
}

NOT_INLINE static int passes(int n) {
  return throws(n) + leaf(n);
}

NOT_INLINE static int catches(int n) {
  try {
    return passes(n);
  } catch (int caught) {
    return leaf(caught);
  }
}

UNSEEN int main() {
  std::printf("%p leaf\n%p throws\n%p passes\n%p catches\n", reinterpret_cast<void*>(leaf),
              reinterpret_cast<void*>(throws), reinterpret_cast<void*>(passes),
              reinterpret_cast<void*>(catches));
  return catches(1) + catches(0) == 4 ? 0 : 1;
}
