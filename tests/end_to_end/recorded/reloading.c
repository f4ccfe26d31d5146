/* SPDX-License-Identifier: Apache-2.0 */
/* Loads two libraries in turn, each in the place of the other one: 100 times. The first one's function runs once each time,
   the second one's twice. Prints "same" if all functions lay at one address. The same source is all three. */
#ifdef NAME
int NAME(int n);
int NAME(int n) { return n + 1; }
#else
#include <dlfcn.h>
#include <stdio.h>

#define UNSEEN __attribute__((no_instrument_function))

UNSEEN static void *call(const char *file, const char *name, int times) {
  void *library = dlopen(file, RTLD_NOW);
  int (*function)(int);
  if (library == NULL) return NULL;
  *(void **)&function = dlsym(library, name);
  for (; times > 0; times--) function(times);
  dlclose(library);
  return *(void **)&function;
}

UNSEEN int main(void) {
  void *place = NULL;
  for (int turn = 0; turn < 100; turn++) {
    void *first = call("./first.so", "first", 1), *second = call("./second.so", "second", 2);
    if (first == NULL || first != second || (place != NULL && first != place)) return 1;
    place = first;
  }
  return puts("same") < 0;
}
#endif
