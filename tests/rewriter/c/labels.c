#include <stdio.h>

static int jumps(int n) {
  int count = 0;
again:
  count++;
  if (n-- > 0) goto again;
  for (;;) {
  first:
    if (count > 9) goto done;
    count += 3;
    if (count & 1) goto first;
  }
done: __attribute__((unused))
  count++;
  goto out;
out:
unused_too: __attribute__((unused))
  {
    count += 2;
  }
  return count;
}

static int computed(int n) {
  static void *const to[] = {&&zero, &&one, &&end};
  goto *to[n];
zero: n += 10;
one: n += 20;
end: ;
  return n;
}

static int local_labels(int n) {
  __label__ here, there;
  if (n) goto there;
here: return n;
there: n--;
  goto here;
}

int main(void) {
  printf("%d %d %d %d\n", jumps(2), computed(0), computed(1), local_labels(1));
  return 0;
}
