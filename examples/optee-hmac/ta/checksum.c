/* SPDX-License-Identifier: Apache-2.0 */
#include "checksum.h"

/* Of each half of a byte. */
static const uint32_t table[16] = {
    0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4, 0x4db26158, 0x5005713c,
    0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c, 0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c,
};

uint32_t crc32(const uint8_t *bytes, size_t size) {
  uint32_t crc = 0xffffffff;
  for (size_t i = 0; i < size; i++) {
    crc ^= bytes[i];
    crc = table[crc & 15] ^ (crc >> 4);
    crc = table[crc & 15] ^ (crc >> 4);
  }
  return ~crc;
}

uint32_t loop(uint32_t passes) {
  uint32_t state = 2463534242u; /* xorshift (Marsaglia, 2003) */
  uint32_t sum = 0;
#ifdef __aarch64__
  __asm__ volatile(
      "1: eor %w0, %w0, %w0, lsl #13\n"
      "eor %w0, %w0, %w0, lsr #17\n"
      "eor %w0, %w0, %w0, lsl #5\n"
      "add %w1, %w1, %w0\n"
      "ror %w1, %w1, #1\n"
      "subs %w2, %w2, #1\n"
      "b.ne 1b\n"
      : "+r"(state), "+r"(sum), "+r"(passes)
      :
      : "cc");
#else
  while (passes-- != 0) {
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    sum += state;
    sum = sum >> 1 | sum << 31;
  }
#endif
  return sum;
}
