/* SPDX-License-Identifier: Apache-2.0 */
#include "words.h"

#include <stdio.h>
#include <string.h>

static char texts[LONGEST_TEXT + 1];
static struct word words[MOST_WORDS];
static size_t count, distinct;

/* FNV-1a (Fowler, Noll, Vo 1991). */
static unsigned hash_of(const char *text, size_t length) {
  unsigned hash = 2166136261u;
  for (size_t i = 0; i < length; i++) hash = (hash ^ (unsigned char)text[i]) * 16777619u;
  return hash;
}

size_t split(const unsigned char *text, size_t size, struct word *to) {
  size_t found = 0;
  memcpy(texts, text, size);
  texts[size] = 0;
  for (char *word = strtok(texts, " \n"); word != NULL && found < MOST_WORDS; word = strtok(NULL, " \n")) {
    const size_t length = strlen(word);
    to[found++] = (struct word){word, length, hash_of(word, length)};
  }
  return found;
}

static int by_text(const struct word *a, const struct word *b) {
  return strcmp(a->text, b->text);
}

static int by_length(const struct word *a, const struct word *b) {
  if (a->length != b->length) return a->length < b->length ? -1 : 1;
  return by_text(a, b);
}

int sort_text(const unsigned char *text, size_t size) {
  if (size > LONGEST_TEXT) return -1;
  count = split(text, size, words);
  distinct = count_distinct(words, count);
  quicksort(words, count, by_length);
  quicksort(words, count, by_text);
  insertion_sort(words, count, by_text); /* all are in place already */
  return 0;
}

void print_result(void) {
  printf("%zu words, %zu different, from %s to %s\n", count, distinct, words[0].text, words[count - 1].text);
}
