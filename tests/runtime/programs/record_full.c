/* A log in memory of the program's own, which fills and is drained by hand. */
#include "jcprof.h"

#include <stdio.h>
#include <string.h>

#define SLOTS 24
#define FEW 4

static struct {
  struct jcprof_log_head head;
  char rest[JCPROF_LOG_HEAD_BYTES - sizeof(struct jcprof_log_head)];
  jcprof_log_u64 functions[2];
  jcprof_log_u64 entries[64];
  struct {
    struct jcprof_log_chunk head;
    jcprof_log_u64 words[SLOTS];
  } chunks[FEW];
} memory;

static void make_log(void) {
  memcpy(memory.head.magic, JCPROF_LOG_MAGIC, 8);
  memory.head.version = JCPROF_LOG_VERSION;
  memory.head.chunk_bytes = sizeof memory.chunks[0];
  memory.head.chunks = FEW;
  memory.head.functions = 2;
  memory.head.functions_at = (jcprof_log_u64)((char*)memory.functions - (char*)&memory);
  memory.head.entries_at = (jcprof_log_u64)((char*)memory.entries - (char*)&memory);
  memory.head.entry_bytes = sizeof memory.entries;
  memory.head.chunks_at = (jcprof_log_u64)((char*)memory.chunks - (char*)&memory);
  memory.head.bytes = sizeof memory;
}

static void say(const char* when) {
  int i, k;
  printf("%s: unwritten %u;", when, (unsigned)memory.head.unwritten);
  for (i = 0; i < FEW; i++) {
    int used = 0;
    for (k = 0; k < SLOTS; k++) used += memory.chunks[i].words[k] != 0;
    printf(" state %u number %u lost %u used %d;", memory.chunks[i].head.state, memory.chunks[i].head.number,
           (unsigned)memory.chunks[i].head.lost, used);
  }
  printf("\n");
}

static void record(int events) {
  for (; events > 0; events--) JCPROF_TRAP(9);
}

int main(void) {
  int i;
  record(5);
  make_log();
  jcprof_record_attach(&memory);
  record(FEW * (SLOTS - 1));
  say("full");
  record(1000);
  say("over-full");
  for (i = 0; i < 2; i++) {
    memset(memory.chunks[i].words, 0, sizeof memory.chunks[i].words);
    memory.chunks[i].head.state = JCPROF_LOG_FREE;
  }
  record(10);
  say("drained");
  return 0;
}
