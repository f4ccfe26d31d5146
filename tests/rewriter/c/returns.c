/* flags: -Wno-infinite-recursion */
#include <stdio.h>
#include <stdlib.h>

typedef struct { int x, y; } point;
static point origin;
static int numbers[3] = {1, 2, 3};

static void leaves(int x) {
  if (x) return;
  numbers[0]++;
}
static int number(void) { return 1; }
static int negative(void) { return -(1); }
static int named(int x) { return (int)x; }
static int member(point *p) { return p->x; }
static int element(int i) { return numbers[i]; }
static int call(int x) { return(named(x)); }
static char narrow(int x) { return x + 256; }
static const char *text(int x) { return x ? "yes" : "no"; }
static point record(int x) {
  point p = {x, x};
  if (x) return p;
  return (point){x + 1, 2};
}
static int (*function(int x))(int) { return x ? named : call; }
static struct { int z; } unnamed(void) { return unnamed(); }
static int comma(int x) { return x++, x * 2; }
static int conditional(int x) {
  return x
#ifdef ABSENT
         + 1
#else
         + 2
#endif
      ;
}
static int last_of_if(int x) {
  if (x) return call(x); else return call(1);
}
__attribute__((noreturn)) static void never(void) { exit(0); }

int main(int argc, char **argv) {
  leaves(1), leaves(0);
  printf("%d %d %d %d %d\n", number(), negative(), named(3), member(&origin), element(0));
  printf("%d %d %s %d %d\n", call(4), narrow(5), text(0), record(1).y, record(0).x);
  printf("%d %d %d %d\n", function(1)(6), comma(1), conditional(1), last_of_if(0));
  if (argc > 5) unnamed(), argv++;
  never();
}
