/* The host of enclave.c, which hands a log to it. Prints the lines that it recorded. */
#include <stdio.h>
#include <string.h>

#include "jcprof_log.h"

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
  printf("%d", ecall_get(2));
  jcprof_enclave(0, memory + WORDS - 64);
  jcprof_enclave(6, memory);
  printf(" %d:", ecall_get(2));
  for (; *words != 0; words++) printf(" %u", (unsigned)(*words >> 2) & JCPROF_LOG_ID_MOST);
  printf("\nbuild %x, attached %x, anchor %d, calibrated %d\n", head->build, head->attached,
         head->anchor != 0, head->trap_ticks != 0 && head->hook_ticks != 0);
  return 0;
}
