/* SPDX-License-Identifier: Apache-2.0 */
#include "words.h"

enum { FEW = 512 }; /* insertion sort is quicker for so few */

static void swap(struct word *a, struct word *b) {
  const struct word kept = *a;
  *a = *b;
  *b = kept;
}

void insertion_sort(struct word *words, size_t count, compare_fn *compare) {
  for (size_t i = 1; i < count; i++) {
    for (size_t j = i; j > 0 && compare(&words[j - 1], &words[j]) > 0; j--) swap(&words[j - 1], &words[j]);
  }
}

static size_t partition(struct word *words, size_t count, compare_fn *compare) {
  swap(&words[count / 2], &words[count - 1]);
  size_t smaller = 0;
  for (size_t i = 0; i + 1 < count; i++) {
    if (compare(&words[i], &words[count - 1]) < 0) swap(&words[i], &words[smaller++]);
  }
  swap(&words[smaller], &words[count - 1]);
  return smaller;
}

void quicksort(struct word *words, size_t count, compare_fn *compare) {
  if (count <= FEW) {
    insertion_sort(words, count, compare);
    return;
  }
  const size_t pivot = partition(words, count, compare);
  quicksort(words, pivot, compare);
  quicksort(words + pivot + 1, count - pivot - 1, compare);
}
