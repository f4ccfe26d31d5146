/* Divisions whose value is used below another trap, and only sometimes: the optimiser would like to do them there. */
#include "jcprof.h"

enum colour { red, green, blue };

int divide(int a, int b, int *to);
double divide_double(double a, double b, double *to);
long double divide_long(long double a, long double b, long double *to);
enum colour mixed(enum colour a, _Bool b, char *p, float f, short s, unsigned long long u);

int divide(int a, int b, int *to) {
  int quotient;
  JCPROF_TRAP(4001);
  quotient = a / b;
  JCPROF_TRAP_V(4002, quotient);
  JCPROF_TRAP(4003);
  if (a > 3) *to = quotient;
  return a;
}

double divide_double(double a, double b, double *to) {
  double quotient;
  JCPROF_TRAP(4004);
  quotient = a / b;
  JCPROF_TRAP_V(4005, quotient);
  JCPROF_TRAP(4006);
  if (a > 3) *to = quotient;
  return a;
}

long double divide_long(long double a, long double b, long double *to) {
  long double quotient;
  JCPROF_TRAP(4007);
  quotient = a / b;
  JCPROF_TRAP_V(4008, quotient);
  JCPROF_TRAP(4009);
  if (a > 3) *to = quotient;
  return a;
}

enum colour mixed(enum colour a, _Bool b, char *p, float f, short s, unsigned long long u) {
  register int r = (int)f;
  static int kept;
  const int constant = 7;
  kept = s;
  JCPROF_TRAP_V(4010, a);
  JCPROF_TRAP_V(4011, b);
  JCPROF_TRAP_V(4012, p);
  JCPROF_TRAP_V(4013, f);
  JCPROF_TRAP_V(4014, s);
  JCPROF_TRAP_V(4015, u);
  JCPROF_TRAP_V(4016, r);
  JCPROF_TRAP_V(4017, kept);
  JCPROF_TRAP_V(4018, constant);
  return (enum colour)(a + (int)b + *p + r + (int)u);
}
