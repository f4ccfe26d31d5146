/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "words.h"

int main(int argc, char **argv) {
  static unsigned char text[LONGEST_TEXT];
  FILE *file = argc > 1 ? fopen(argv[1], "rb") : stdin;
  if (file == NULL) return 1;
  const size_t size = fread(text, 1, sizeof text, file);
  if (sort_text(text, size) != 0) return 1;
  print_result();
  return 0;
}
