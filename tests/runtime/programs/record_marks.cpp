// Marks with payloads of many types.
#include "jcprof.h"

int main() {
  const unsigned long wide = 7;
  const short narrow = -1;
  enum class Size : unsigned char { small = 3 };
  JCPROF_MARK("wide", wide);
  JCPROF_MARK("narrow", narrow);
  JCPROF_MARK("size", Size::small);
  JCPROF_MARK("true", true);
  JCPROF_PAUSE();
  JCPROF_MARK("unseen", 1);
  JCPROF_RESUME();
  const auto lambda = [] { JCPROF_MARK("within", 'a'); };
  lambda();
  return 0;
}
