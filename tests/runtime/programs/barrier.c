/* Divisions whose value is used below another trap, and only sometimes: the optimiser would like to do them there. */
#include "jcprof.h"

enum colour { red, green, blue };

int divide(int a, int b, int *to);
int divide_twice(int a, int b, int c, int *to);
double divide_double(double a, double b, double *to);
long double divide_long(long double a, long double b, long double *to);
enum colour mixed(enum colour a, _Bool b, char *p, float f, short s, unsigned long long u);
long double scaled(long double from, int n, long long *to);

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

int divide_twice(int a, int b, int c, int *to) {
  JCPROF_TRAP_D(4033);
  int first = a / b;
  JCPROF_TRAP_DV(4034, first);
  int second = a / c;
  JCPROF_TRAP_V(4035, second);
  if (a > 3) *to = first + second;
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

/* gcc 12 crashed over this where the value could stay in any register. */
long double scaled(long double from, int n, long long *to) {
  long double a = from;
  int e = 0;
  while (a >= 1e101L) {
    a *= 1e-100L;
    JCPROF_TRAP_V(5001, a);
    e += 100;
    JCPROF_TRAP_V(5002, e);
  }
  while (a < 1.0L) {
    a *= 10.0L;
    JCPROF_TRAP_V(5003, a);
    e--;
  }
  if (n > 3) {
    from = a * 2;
    JCPROF_TRAP_V(5004, from);
    *to = (long long)from;
    from -= (long double)*to;
    JCPROF_TRAP_V(5005, from);
  }
  return from + a * e;
}
