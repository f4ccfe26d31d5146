/* The host of enclave.c, which hands a log to it. Prints the lines that it recorded. */
#include <stdio.h>
#include <string.h>

#include "jcprof_log.h"

#ifdef SIMULATED
#include "simulation.h"
#else
static void* enter(void) {
  return 0;
}
static int leave(void* host) {
  return host != 0;
}
#endif

#define WORDS 4096

int ecall_get(int n);
int ocall_ask(int n);
void jcprof_enclave(unsigned verb, void* window);

static jcprof_log_u64 memory[WORDS];

int ocall_ask(int n) {
  return n;
}

int main(void) {
  struct jcprof_log_head* const head = (struct jcprof_log_head*)(void*)memory;
  const jcprof_log_u64* words = memory + 1024 + 8;
  int before, after, changed;
  void* host;
  memcpy(head->magic, JCPROF_LOG_MAGIC, 8);
  head->version = JCPROF_LOG_VERSION;
  head->chunk_bytes = 1024 * 8;
  head->chunks = 2;
  head->functions = 256;
  head->functions_at = JCPROF_LOG_HEAD_BYTES;
  head->entries_at = JCPROF_LOG_HEAD_BYTES + 256 * 8;
  head->entry_bytes = 256 * 8;
  head->chunks_at = 1024 * 8;
  head->bytes = sizeof memory;
  host = enter();
  before = ecall_get(2);
  jcprof_enclave(0, memory + WORDS - 64);
  jcprof_enclave(6, memory);
  after = ecall_get(2);
  changed = leave(host);
  printf("%d %d:", before, after);
  for (; *words != 0; words++) printf(" %u", (unsigned)(*words >> 2) & JCPROF_LOG_ID_MOST);
  printf("\nbuild %x, attached %x, anchor %d, calibrated %d", head->build, head->attached, head->anchor != 0,
         head->trap_ticks != 0 && head->hook_ticks != 0);
  printf(", misplaced %u, %d bytes of the host's changed\n", head->misplaced, changed);
  return 0;
}
