/* SPDX-License-Identifier: Apache-2.0 */
/* Words of a text, sorted in several ways; memory is static, so that a run can be left anywhere and made again. */
#ifndef WORDS_H
#define WORDS_H

#include <stddef.h>

enum { MOST_WORDS = 4096, LONGEST_TEXT = 65536 };

struct word {
  const char *text; /* ends with a 0 */
  size_t length;
  unsigned hash;
};

typedef int compare_fn(const struct word *a, const struct word *b);

size_t split(const unsigned char *text, size_t size, struct word *words);
void quicksort(struct word *words, size_t count, compare_fn *compare);
void insertion_sort(struct word *words, size_t count, compare_fn *compare);
size_t count_distinct(const struct word *words, size_t count);

/* The entry: all of the above on one text. 0, or -1 where it is too long. */
int sort_text(const unsigned char *text, size_t size);
/* What it made of it: as "3000 words, 1951 different, from dagu to zevi". */
void print_result(void);

#endif
