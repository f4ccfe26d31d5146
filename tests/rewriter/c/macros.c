/* flags: -Wno-multistatement-macros -Wno-dangling-else -Wno-unknown-warning-option */
#include <stdio.h>

#define NOTHING
#define UNUSED __attribute__((unused))
#define SET(a, b) a = b
#define TWO(a, b) a; b
#define BLOCK(a) { a++; if (a > 100) a = 0; }
#define ONCE(a) do { a++; } while (0)
#define FOR(i, n) for (int i = 0; i < n; i++)
#define IF(x) if (x)
#define WHEN(x) if ((x) > 1) number++
#define RETURN(x) return x
#define CASE(n) case n:
#define BREAK break;
#define FUNCTION(name) static int name(int number)
#define BODY { return 5; }
#define CALL(block) block
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define END }

FUNCTION(made) { return number + 1; }
static int closed(void) BODY

static int ends_elsewhere(int number) {
  if (number) {
    number++;
  END
  return number;
END

static int all(int number) {
  UNUSED int ignored = 3;
  NOTHING int noted = MAX(number, 2);
  SET(number, 4);
  number = MAX(made(number), noted);
  TWO(number++, number--);
  if (number) TWO(number = 2, number = 3);
  if (number) BLOCK(number) else BLOCK(number)
  if (number) ONCE(number); else SET(number, 9);
  if (number) WHEN(number); else number = 1;
  FOR(i, 3) number += i;
  FOR(j, 3) { number += j; number *= 2; }
  IF(number > 5) number = 5;
  IF(number) { number++; } else { number--; }
  CALL({ number++; number++; });
  for (int k = 0; k < 2; k++) BLOCK(number);
  switch (number) {
    CASE(6) number = 60; BREAK
    CASE(8) { number = 80; } BREAK
    CASE(9)
    default: number++; BREAK
  }
  if (number == 3) RETURN(3);
  RETURN(MAX(number, 3));
}

int main(void) {
  printf("%d %d %d %d\n", all(1), made(1), closed(), ends_elsewhere(1));
  return 0;
}
