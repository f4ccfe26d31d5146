/* SPDX-License-Identifier: Apache-2.0 */
#include "pin.h"

#include <stdint.h>

/* 4 MiB: more than the caches next to a processor hold. */
#ifndef TABLE_BITS
#define TABLE_BITS 20
#endif

enum { PIN_SIZE = 8, TABLE_SIZE = 1 << TABLE_BITS, LOOK_UPS = 1024 };

static const unsigned char pin[PIN_SIZE] = {'1', '2', '3', '4', '5', '6', '7', '8'};
static uint32_t table[TABLE_SIZE];
static uint32_t pin_digest;

/* Each digit chooses the next place. */
static uint32_t digest(const unsigned char *digits) {
  uint32_t place = 0;
  for (size_t i = 0; i < LOOK_UPS; i++) place = table[(place ^ digits[i % PIN_SIZE]) % TABLE_SIZE];
  return place;
}

/* 1 for 0, else 0. */
static int is_zero(uint32_t number) {
  return (int)(~(number | (0 - number)) >> 31);
}

void prepare_pin(void) {
  uint32_t state = 2463534242u; /* xorshift (Marsaglia, 2003) */
  for (size_t i = 0; i < TABLE_SIZE; i++) {
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    table[i] = state;
  }
  pin_digest = digest(pin);
}

int early_exit(const unsigned char *guess, size_t size) {
  if (size != PIN_SIZE) return 0;
  for (size_t i = 0; i < PIN_SIZE; i++) {
    if (guess[i] != pin[i]) return 0;
  }
  return 1;
}

int by_table(const unsigned char *guess, size_t size) {
  if (size != PIN_SIZE) return 0;
  const uint32_t found = digest(guess);
  return is_zero(found ^ pin_digest);
}

int constant_time(const unsigned char *guess, size_t size) {
  if (size != PIN_SIZE) return 0;
  uint32_t difference = 0;
  for (size_t i = 0; i < PIN_SIZE; i++) {
    difference |= (uint32_t)(guess[i] ^ pin[i]);
  }
  return is_zero(difference);
}
