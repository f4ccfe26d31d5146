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

static int falls(int n) {
  switch (n) {
    case 1:
      n += 3;
      goto label;
    label: ; /* fall through */
    case 2:
      n += 5;
      /* fall through */
    case 3:
      n += 7;
    last: n++; /* fall through */
    case 4:
      if (n == 3) goto last;
  }
  return n;
}

int main(void) {
  printf("%d %d %d %d\n", jumps(2), computed(0), computed(1), local_labels(1));
  printf("%d %d %d %d\n", falls(1), falls(2), falls(3), falls(4));
  return 0;
}
