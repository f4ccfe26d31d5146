/* flags: -Wno-comment */
#include <stdio.h>

int main(void) {
  int x = 0; // a line comment \
  that goes on: x = 1;
  x++; /* { */ x++; // }
  const char *text = "/* // { } ; \" \\";
  if (x) /* ; */ x = 3; /* else */
  else x = '}'; // '
  if (x)
  { x = ';'; } // {
  printf("%s %d\n", text, x); /* one
  and more */ return
      0;
}
