// A division whose value is returned from a block with a guard. "cld" stands behind it.
#include "jcprof.h"

double divided(double a, double b);
double resumed(double a, double b);

double divided(double a, double b) {
  JCPROF_TRAP(1);
  double parts[2];
  JCPROF_TRAP(2);
  parts[0] = a / b;
  JCPROF_TRAP_V(3, parts[0]);
  parts[1] = b;
  __asm__ __volatile__("cld");
  JCPROF_TRAP(4);
  {
    JCPROF_AFTER(5);
    return parts[0] + parts[1];
  }
}

double resumed(double a, double b) {
  JCPROF_RESUME();
  const double quotient = divided(a, b);
  JCPROF_PAUSE();
  return quotient;
}
