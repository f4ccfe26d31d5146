/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CHECKSUM_H
#define CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

/* CRC-32 of ISO 3309. */
uint32_t crc32(const uint8_t *bytes, size_t size);

/* Work of a known length; passes is at least 1. */
uint32_t loop(uint32_t passes);

#endif
