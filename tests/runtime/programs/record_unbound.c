/* An enclave and its host: so many root ecalls, on so many threads of the enclave in turn, bound to the host's or not.
   Each passes two traps and a mark whose payload is 0 or its number. Prints what each thread has recorded. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "jcprof.h"
#include "simulation.h"

enum { chunk_words = 128, chunks = 64, chunks_at = 1024 };

static jcprof_log_u64 memory[chunks_at + chunks * chunk_words];

void jcprof_enclave(unsigned verb, void *window);
JCPROF_ENCLAVE(jcprof_enclave)

/* Not in main, which would read %fs:0 once for both sides. */
static __attribute__((__noinline__)) void ecall(unsigned number) {
  JCPROF_TRAP(1);
  JCPROF_TRAP(2);
  JCPROF_MARK("ecall", number % 2 == 0 ? 0 : number);
}

static struct jcprof_log_head *make_log(void) {
  struct jcprof_log_head *const head = (struct jcprof_log_head *)(void *)memory;
  memcpy(head->magic, JCPROF_LOG_MAGIC, 8);
  head->version = JCPROF_LOG_VERSION;
  head->chunk_bytes = chunk_words * 8;
  head->chunks = chunks;
  head->functions = 2;
  head->functions_at = JCPROF_LOG_HEAD_BYTES;
  head->entries_at = JCPROF_LOG_HEAD_BYTES + 16;
  head->entry_bytes = 256;
  head->chunks_at = chunks_at * 8;
  head->bytes = sizeof memory;
  return head;
}

static void show(unsigned thread) {
  unsigned traps = 0, marks = 0, used = 0, number, i, w;
  unsigned long long sum = 0;
  for (number = 1; number <= chunks; number++)
    for (i = 0; i < chunks; i++) {
      const jcprof_log_u64 *const words = memory + chunks_at + i * chunk_words + 8;
      const struct jcprof_log_chunk *const chunk = (const struct jcprof_log_chunk *)(const void *)(words - 8);
      if (chunk->thread != thread || chunk->number != number) continue;
      used++;
      for (w = 0; w < chunk_words - 8 && words[w] != 0; w++)
        if ((words[w] & 3) == JCPROF_LOG_MARK) {
          marks++;
          sum += words[++w];
        } else {
          traps++;
        }
    }
  printf("thread %u: %u chunks, %u traps, %u marks, sum %llu\n", thread, used, traps, marks, sum);
}

int main(int argc, char **argv) {
  struct jcprof_log_head *const head = make_log();
  const int is_bound = argc > 1 && strcmp(argv[1], "bound") == 0;
  const int threads = argc > 2 ? atoi(argv[2]) : 1;
  const int calls = argc > 3 ? atoi(argv[3]) : 1;
  void *host = enter_on(0);
  int i, changed = 0;
  unsigned thread;
  jcprof_enclave(6, memory);
  changed += leave(host);
  for (i = 0; i < calls; i++) {
    host = is_bound ? enter_on(i % threads) : enter_unbound(i % threads);
    ecall((unsigned)i);
    changed += leave(host);
  }
  for (thread = 1; thread <= head->threads; thread++) show(thread);
  printf("lost %u, %d bytes of the host's changed\n", (unsigned)head->unwritten, changed);
  return 0;
}
