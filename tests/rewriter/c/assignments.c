#include <stdio.h>

enum colour { red, green };
struct bits { unsigned low : 3; };

static double global;

static double f(double x) { return x / 3; }

typedef volatile double reg;
struct part { double value; volatile double seen; double list[2]; struct part *next; reg number; };

static struct part *outside;
static double moved(struct part **at);

/* Members and numbered elements are read again behind the assignment. What may move meanwhile is not. */
static double places(struct part *at, double *to, int i) {
  struct part own;
  double list[2];
  own.value = f(1);
  own.seen = f(2);
  own.list[1] = f(3);
  list[i & 1] = f(4);
  list[0] = list[1] = f(5);
  at->value = f(6);
  (*at).list[0] = f(7);
  at[1].value = f(8);
  *to = f(9);
  *to++ = f(10);
  (at + 1)->value = f(11);
  at->next->value = f(12);
  outside->value = f(13);
  at->number = f(14);
  at->value = moved(&at);
  return own.value + own.list[1] + list[0];
}

static double moved(struct part **at) {
  *at = *at + 1;
  return f(15);
}

int main(void) {
  double quotient = f(10);
  int whole = (int)f(30);
  volatile int watched;
  register int fast;
  struct bits bits = {0};
  int list[2];
  int *place = &list[whole & 1];
  enum colour colour = whole > 3 ? green : red;
  quotient = f(quotient);
  global = f(quotient);
  global += quotient;
  watched = (int)f(3);
  fast = (int)f(6);
  bits.low = (unsigned)fast;
  list[0] = (int)f(9);
  place = list + whole % 2;
  *place = 1;
  whole = 0;
  if (whole == 0) whole = (int)f(90);
  while (whole > 0) whole -= (int)f(40);
  struct part parts[2];
  parts[0].next = outside = parts + 1;
  double ends[2];
  quotient += places(parts, ends, whole);
  printf("%.3f %.3f %d %d %u %d %d\n", quotient, global, watched, fast, bits.low, whole, colour);
  return 0;
}
