/* SPDX-License-Identifier: Apache-2.0 */
/* The steps are of calls that optimisers may move. Each value is used late, and in one of two branches only.
 */
#include "../device/steps.h"

#define RETURN(x) return x

struct two {
  int a, b;
};
struct odd {
  short s;
  unsigned f : 3;
  double d;
};
union one {
  int i;
  float f;
};
typedef int four __attribute__((vector_size(16)));
__extension__ typedef __int128 wide;

static volatile int sink;

static int several(int n) {
  int a = pure_steps(n), b = pure_steps(n + 1), *p = &a;
  sink = 1;
  const int c = 3, d = pure_steps(n + 2);
  *p += 2;
  if (n > 100) return a + c;
  sink = 3;
  return b + d;
}

static int commas(int n) {
  int a, b;
  struct two t;
  a = pure_steps(n), b = pure_steps(n + 10);
  sink = 1;
  t.a = pure_steps(n + 20), (t.b = 2, b += pure_steps(n + 30));
  sink = 2;
  if (n > 100) return a + t.a;
  sink = 3;
  return b + t.b;
}

static int either(int n) {
  int a, b;
  n > 2 ? (a = pure_steps(n)) : (a = pure_steps(n + 10));
  sink = 1;
  (void)(b = pure_steps(n + 40));
  sink = 2;
  if (n > 100) return b;
  return a;
}

static struct two made(int n) {
  struct two t = {pure_steps(n), pure_steps(n + 1)};
  return t;
}

static struct two filled(int n) {
  struct two t;
  t.a = pure_steps(n);
  t.b = pure_steps(n + 1);
  return t;
}

static struct two passed(int n) {
  return made(n);
}

/* It stands for a function of a library. */
static struct two unseen(int n) { /* no traps */
  struct two t = {pure_steps(n), pure_steps(n + 1)};
  return t;
}

static struct two shown(int n) {
  return unseen(n);
}

static int structures(int n) {
  struct two f = made(n + 5);
  sink = 1;
  const struct two g = filled(n + 30);
  sink = 2;
  struct two h = passed(n + 60), i = shown(n + 90);
  sink = 3;
  struct two j = unseen(n + 120);
  sink = 4;
  f = (struct two){.a = pure_steps(n + 150), .b = f.b};
  sink = 5;
  j = unseen(n + 160);
  sink = 6;
  struct odd o = {.d = pure_steps(n + 200)};
  sink = 7;
  union one u = {pure_steps(n + 210)};
  sink = 8;
  if (n > 100) return f.a + g.a + h.a + i.a + j.a + u.i;
  sink = 9;
  return f.b + g.b + h.b + i.b + j.b + (int)o.d;
}

static int arrays(int n) {
  int v[4] = {pure_steps(n), 0, pure_steps(n + 20)};
  sink = 1;
  if (n > 100) return v[0];
  sink = 2;
  return v[2];
}

static wide wides(int n) {
  wide a = pure_steps(n);
  sink = 1;
  a += pure_steps(n + 20);
  sink = 2;
  if (n > 100) return 3;
  sink = 3;
  return a;
}

static int vectors(int n) {
  four v = {1, pure_steps(n), 2, 3};
  sink = 1;
  v[2] = pure_steps(n + 20); /* not by line: no place of a vector can be named */
  return v[1] + v[2];
}

static int local(int n) {
  int a = pure_steps(n);
  if (n > 2) a += pure_steps(n + 30);
  return a;
}

static int whole_field(int n) {
  struct two t;
  if (n > 2)
    t.a = pure_steps(n);
  else
    t.a = pure_steps(n + 30);
  return t.a;
}

static int looped(int n) {
  int sum = 0;
  for (int i = 0; i < n; i++) sum += pure_steps(i + n * 10);
  return sum;
}

static int ends_late(int n) {
  if (n > 5) RETURN(0);
  if (n > 4) return pure_steps(n);
  int a = pure_steps(n + 10);
  if (n > 3) return a;
  return pure_steps(n + 20) + a;
}

static struct two ends_late_with_structure(int n) {
  if (n > 5) RETURN(((struct two){0, 0}));
  if (n > 4) return unseen(n);
  return made(n + 10);
}

static int caller(int n) {
  int a = several(n + 1000), b = commas(n + 2000), c = either(n), d = structures(n + 3000);
  sink = 1;
  int e = arrays(n + 4000);
  sink = 2;
  int f = (int)wides(n + 5000);
  sink = 3;
  int g = vectors(n + 6000);
  sink = 4;
  int h = local(n), i = whole_field(n + 2), j = looped(n);
  sink = 5;
  int k = ends_late(n), l = ends_late_with_structure(n).b;
  sink = 6;
  return a + b + c + d + e + f + g + h + i + j + k + l;
}

int exact(int group) {
  if (group != 0) return -1;
  int sum = 0;
  for (int i = 1; i < 6; i++) sum += caller(i) + caller(i * 20);
  sink = sum;
  return 0;
}
