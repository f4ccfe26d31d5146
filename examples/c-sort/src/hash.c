/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "words.h"

enum { SLOTS = 2 * MOST_WORDS };

static const struct word *table[SLOTS];

/* 1: it is the first of its kind. */
static int insert(const struct word *word) {
  size_t slot = word->hash % SLOTS;
  while (table[slot] != NULL) {
    if (table[slot]->length == word->length && memcmp(table[slot]->text, word->text, word->length) == 0) return 0;
    slot = (slot + 1) % SLOTS;
  }
  table[slot] = word;
  return 1;
}

size_t count_distinct(const struct word *words, size_t count) {
  size_t distinct = 0;
  memset(table, 0, sizeof table);
  for (size_t i = 0; i < count; i++) distinct += (size_t)insert(&words[i]);
  return distinct;
}
