/* flags: -Wno-empty-body */
#include <stdio.h>

#define PM_CHECK

static int f(int x) {
  PM_CHECK; // begin
  x++;
  PM_CHECK;
  if (x) {
    PM_CHECK; /* not a name */
  } else
    PM_CHECK;
  switch (x) {
    case 1:
      PM_CHECK; // one
      break;
  }
label:
  PM_CHECK;  //   labelled
  if (x++ < 3) goto label;
  PM_CHECK; // a name is one word
  return x;
}

int used PM_CHECK = 1;

int main(void) {
  printf("%d\n", f(1));
  return 0;
}
