/* A program that loads a shared object, calls it and lets it go; the same source is both. */
#include <dlfcn.h>
#include <stdio.h>

#define UNSEEN __attribute__((noinline, no_instrument_function))

#ifdef PLUGIN
int plugged(int n);
int plugged(int n) {
  return n + 1;
}
#else
int called(int (*function)(int));
__attribute__((noinline)) int called(int (*function)(int)) {
  return function(1) - 2;
}

UNSEEN int main(int argc, char** argv) {
  void* const object = argc > 1 ? dlopen(argv[1], RTLD_NOW) : NULL;
  int (*function)(int);
  int result;
  if (object == NULL) return 2;
  *(void**)&function = dlsym(object, "plugged");
  printf("%p called\n%p plugged\n", (void*)called, *(void**)&function);
  result = called(function);
  dlclose(object);
  return result;
}
#endif
