/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "words.h"

int main(int argc, char **argv) {
  static unsigned char text[LONGEST_TEXT];
  FILE *file = argc > 1 ? fopen(argv[1], "rb") : stdin;
  if (file == NULL) return 1;
  const size_t size = fread(text, 1, sizeof text, file);
  const int distinct = sort_text(text, size);
  printf("%d\n", distinct);
  return distinct < 0;
}
