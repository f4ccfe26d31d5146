/* Plays an agent that records three commands of ta.c, which was built with traps and hooks, and prints what the log has. */
#include <stdio.h>
#include <string.h>

#include "jcprof_log.h"
#include "tee_internal_api.h"

enum { our_command = 0x6A630001, record = 6, report = 4, fetch = 7, head_size = 72, log_size = 262144 };

uint32_t ta_part(uint32_t n);

/* docs/c.md, "Environment"; room is the second field of 64 bits behind four of 32. */
static uint32_t window[(head_size + log_size) / 4];
static jcprof_log_u64 log_copy[log_size / 8];

static void tell(uint32_t verb, uint32_t room) {
  TEE_Param params[4] = {{{NULL, 0}}, {{NULL, 0}}, {{NULL, 0}}, {{NULL, 0}}};
  memset(window, 0, sizeof window);
  window[8] = room;
  params[0].memref.buffer = window;
  params[0].memref.size = sizeof window;
  params[1].value.a = verb;
  if (TA_InvokeCommandEntryPoint(NULL, our_command, 0x17, params) != 0) printf("verb %u is refused\n", verb);
}

static const char *name_of(jcprof_log_u64 address) {
  if (address == (uintptr_t)TA_InvokeCommandEntryPoint) return "wrapper";
  return address == (uintptr_t)ta_part ? "part" : "body";
}

static void show(const struct jcprof_log_head *head) {
  const jcprof_log_u64 *const functions = log_copy + head->functions_at / 8;
  const jcprof_log_u64 *word = log_copy + head->chunks_at / 8 + sizeof(struct jcprof_log_chunk) / 8;
  for (; *word != 0; word++) {
    const unsigned kind = *word & 3, id = (unsigned)(*word >> 2) & JCPROF_LOG_ID_MOST;
    if (kind == JCPROF_LOG_LINE) printf(" %u", id);
    if (kind == JCPROF_LOG_ENTER) printf(" %s(", name_of(functions[id - 1]));
    if (kind == JCPROF_LOG_LEAVE) printf(" )%s", name_of(functions[id - 1]));
  }
  printf("\n");
}

int main(void) {
  TEE_Param params[4] = {{{NULL, 0}}, {{NULL, 0}}, {{NULL, 0}}, {{NULL, 0}}};
  int run;
  for (run = 0; run < 3; run++) {
    params[0].value.a = 1;
    tell(record, 1);
    TA_InvokeCommandEntryPoint(NULL, 1, 0x1, params);
    tell(record, 0);
    tell(report, 0);
  }
  tell(fetch, 0);
  memcpy(log_copy, window + head_size / 4, sizeof log_copy);
  show((const struct jcprof_log_head *)(const void *)log_copy);
  return 0;
}
