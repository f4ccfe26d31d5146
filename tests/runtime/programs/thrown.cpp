// An entry that is left by an exception; a structure, a float and nothing as what an entry returns; two
// threads with a root each.
#include "jcprof.h"

#include <cstdio>
#include <thread>

namespace {

struct Pair {
  int first = 7;
  double second = 8;
};

#define work jcprof_body_work
JCPROF_BODY static Pair work(int);
Pair work(int n) {
  JCPROF_TRAP(1);
  if (n == 0) throw n;
  JCPROF_TRAP(2);
  Pair pair;
  pair.first = n;
  return pair;
}
#undef work
Pair work(int jcprof_1) {
  JCPROF_ROOT(Pair);
  return jcprof_body_work(static_cast<int&&>(jcprof_1));
}

#define nothing jcprof_body_nothing
JCPROF_BODY static void nothing(int&);
void nothing(int& n) {
  JCPROF_TRAP(3);
  n++;
  JCPROF_TRAP(4);
  n++;
}
#undef nothing
void nothing(int& jcprof_1) {
  JCPROF_ROOT_VOID;
  jcprof_body_nothing(static_cast<int&>(jcprof_1));
}

unsigned stops_of(jcprof_u32 trap) {
  unsigned stops = 0;
  for (int i = 0; i < 20000; i++) {
    jcprof_run run;
    jcprof_arm(&run, trap, 1);
    stops += work(5).first == 7 && run.head.trap == trap;
  }
  return stops;
}

}  // namespace

int main() {
  jcprof_run run;
  jcprof_arm(&run, 2, 1);
  try {
    work(0);
  } catch (int) {
    JCPROF_TRAP(2);
    std::printf("thrown, trap %u\n", unsigned{run.head.trap});
  }
  jcprof_arm(&run, 2, 1);
  const Pair pair = work(5);
  std::printf("stopped, %d %g, trap %u\n", pair.first, pair.second, unsigned{run.head.trap});
  int n = 0;
  jcprof_arm(&run, 4, 1);
  nothing(n);
  std::printf("stopped, %d, trap %u\n", n, unsigned{run.head.trap});
  unsigned first = 0;
  std::thread other([&first] { first = stops_of(1); });
  const unsigned second = stops_of(2);
  other.join();
  std::printf("%u and %u stops\n", first, second);
}
