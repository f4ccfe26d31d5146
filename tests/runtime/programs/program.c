/* A program for each shot. */
#include "jcprof.h"

#include <stdio.h>

int work(int n);

int main(void) {
  int result;
  JCPROF_BEGIN_D(1000);
  result = work(3);
  JCPROF_TRAP(1001);
  printf("result %d\n", result);
  return 0;
}
