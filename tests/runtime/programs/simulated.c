/* The host of enclave.c where SGX is simulated: arms its ecall, and makes it if that went well. */
#include <stdio.h>
#include <string.h>

#include "jcprof_plugin.h"
#include "simulation.h"

int ecall_get(int n);
int ocall_ask(int n);
void jcprof_enclave(unsigned verb, void* window);

int ocall_ask(int n) {
  return n;
}

int main(void) {
  static struct jcprof_window window;
  int result;
  void* host = enter();
  window.trap = 4;
  window.hit = 1;
  jcprof_enclave(JCPROF_PLUGIN_ARM, &window);
  printf("fault %u, %d bytes of the host's changed\n", window.fault, leave(host));
  if (window.fault != 0) return 0;
  host = enter();
  result = ecall_get(2);
  printf("result %d, trap %u, %d bytes of the host's changed\n", result, window.trap, leave(host));
  return 0;
}
