#include <stdio.h>

static int fall_through(int x) {
  switch (x) {
    int unreached;
    case 1:
    case 2:
      x = 20;
      /* fall through */
    case 3:
      x += 3;
      __attribute__((fallthrough));
    case 4: {
      x += 4;
      __attribute__((fallthrough));
    }
    case 5 ... 7:
      unreached = x;
      x = unreached;
      break;
    case 8: if (x) x = 9; else x = 10; break;
    default:;
  }
  switch (x) {
    case 24: return 1;
    case 27: { return 2; }
    default: return x;
  }
}

/* Duff 1983 */
static void duff(char *to, const char *from, int count) {
  int n = (count + 3) / 4;
  switch (count % 4) {
    case 0: do { *to++ = *from++; /* fall through */
    case 3: *to++ = *from++; /* fall through */
    case 2: *to++ = *from++; /* fall through */
    case 1: *to++ = *from++;
            } while (--n > 0);
  }
}

static int braceless(int x) {
  switch (x) case 3: x = 4;
  switch (x)
    default: {
      x++;
    }
  switch (x) {
    case 5:
      x = 6;
  }
  return x;
}

int main(void) {
  char text[8] = "";
  duff(text, "abcdefg", 7);
  for (int i = 0; i < 10; i++) printf("%d ", fall_through(i));
  printf("%s %d\n", text, braceless(3));
  return 0;
}
