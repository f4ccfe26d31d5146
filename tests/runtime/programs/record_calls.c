/* Calls, and ways to leave some of them open. Knows nothing of jcprof. */
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NOT_INLINE __attribute__((noinline))
#define UNSEEN __attribute__((noinline, no_instrument_function))

int leaf(int n);
int twice(int n);
int leaps(int depth);
int returns(int depth);
int ends(const char* how);

static jmp_buf out;

NOT_INLINE int leaf(int n) {
  return n + 1;
}

NOT_INLINE int twice(int n) {
  return leaf(n) + leaf(n + 1);
}

NOT_INLINE int leaps(int depth) {
  if (depth == 0) longjmp(out, 1);
  return leaps(depth - 1) + 1;
}

NOT_INLINE int returns(int depth) {
  return setjmp(out) == 0 ? leaps(depth) : leaf(depth);
}

NOT_INLINE int ends(const char* how) {
  if (strcmp(how, "exit") == 0) exit(3);
  if (strcmp(how, "_exit") == 0) _exit(4);
  if (strcmp(how, "killed") == 0) raise(SIGKILL);
  if (strcmp(how, "segv") == 0) raise(SIGSEGV);
  return leaf(0);
}

UNSEEN static void print_names(void) {
  printf("%p leaf\n%p twice\n%p leaps\n%p returns\n%p ends\n", (void*)leaf, (void*)twice, (void*)leaps,
         (void*)returns, (void*)ends);
  fflush(stdout);
}

UNSEEN int main(int argc, char** argv) {
  int sum = 0;
  print_names();
  for (argc--, argv++; argc > 0; argc--, argv++) {
    if (strcmp(*argv, "twice") == 0) {
      sum += twice(1);
    } else if (strcmp(*argv, "returns") == 0) {
      sum += returns(2);
    } else {
      sum += ends(*argv);
    }
  }
  return sum == 0;
}
