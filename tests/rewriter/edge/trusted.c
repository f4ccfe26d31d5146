/* SPDX-License-Identifier: Apache-2.0 */
/* Trusted functions that say what they were given. */
#include <stdio.h>
#include <string.h>

#include "enclave_t.h"

static char said[512];

static void say(const char *text) { (void)ocall_log(text); }

int ecall_values(char c, unsigned short s, uint64_t n, double d, pair p, mode m) {
  snprintf(said, sizeof said, "%d %u %llu %.2f %u:%u %d", c, s, (unsigned long long)n, d, p.key, p.value[3], (int)m);
  say(said);
  return -5;
}

uint32_t ecall_hash(const uint8_t *bytes, size_t n, uint32_t seed) {
  size_t i;
  for (i = 0; i < n; i++) seed = seed * 31u + bytes[i];
  return seed;
}

kv_status_t ecall_copy(const uint16_t *from, uint16_t *to, int n) {
  memcpy(to, from, (size_t)n * sizeof *to);
  return KV_BAD;
}

void ecall_two(const void *first, uint8_t a, void *second, uint16_t b) {
  snprintf(said, sizeof said, "%.*s|%.*s", (int)a, (const char *)first, (int)b, (const char *)second);
  say(said);
}

size_t ecall_same(const char *left, const char *right, size_t n) { return n * 10 + (memcmp(left, right, n) == 0); }

pair ecall_arrays(int32_t in[2][2], char out[3], uint8_t both[2]) {
  pair result;
  memset(&result, 0, sizeof result);
  memcpy(out, "abc", 3);
  both[0] = (uint8_t)(in[0][0] + in[1][1]);
  return result;
}

const char *ecall_text(const char *name, char *text) {
  say(name);
  if (text[0] != 0) text[0] = 'X';
  return name;
}

void ecall_seal(const uint8_t *bytes, size_t n, const char *label) {
  snprintf(said, sizeof said, "%.*s|%s", (int)n, (const char *)bytes, label);
  say(said);
}

void ecall_tail(const uint8_t *bytes, uint8_t n, const uint8_t *mac) {
  snprintf(said, sizeof said, "%d %c %c%c", n, bytes[0], mac[0], mac[1]);
  say(said);
}

void ecall_deep(list *deep, char *told, uint8_t n) {
  snprintf(said, sizeof said, "%d %d %d", deep == NULL, told == NULL, n);
  say(said);
}

void ecall_fixed(const pair *one, pair *two, uint32_t *number) { *number += one->key + two[0].key + two[1].key; }

void ecall_yours(void *host, const wchar_t *wide, const char **texts, kv_handle_t handle, kv_table_t table, uint8_t n) {
  snprintf(said, sizeof said, "%d %d %d %d %d %d", host == NULL, wide == NULL, texts == NULL, handle == NULL, table[3], n);
  say(said);
}

void ecall_room(void *room, unsigned int n, uint32_t m) { memset(room, 'r', n * m); }

/* An ecall within an ocall, and results of ocalls. */
kv_time_t ecall_time(void) {
  static const int numbers[] = {1, 2, 3};
  const char *name = NULL;
  int sum = 0;
  if (ocall_add(&sum, numbers, 3) != SGX_SUCCESS || ocall_name(&name, 1) != SGX_SUCCESS) return -1;
  snprintf(said, sizeof said, "%d %s", sum, name);
  say(said);
  return sum;
}

int ecall_private(int n) { return n * 100; }

void jcprof_enclave(unsigned int verb, void *window) { *(unsigned int *)window = verb + 40; }
