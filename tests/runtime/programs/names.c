/* A user's own names where jcprof.h has need of such: its libc is declared under names of its own. */
#define mmap(x) ((x) + 1)
#define open 3
#include "jcprof.h"
#undef open
#define id 4
#define run 5
#define armed 6
#define mask (
#define jump )
#define passed }

struct getpid {
  int creat;
};
extern int printf(const char *format, ...);
enum { lseek = 6, write = 7 };

int main(void) {
  struct getpid getenv;
  getenv.creat = mmap(8);
  JCPROF_BEGIN(1);
  printf("%d %d %d %d %d\n", getenv.creat, id, run, lseek, write);
  return 0;
}
