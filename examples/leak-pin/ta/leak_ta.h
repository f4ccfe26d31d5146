/* SPDX-License-Identifier: Apache-2.0 */
/* What clients and the trusted application agree on. */
#ifndef LEAK_TA_H
#define LEAK_TA_H

#define LEAK_TA_UUID {0x367406a3, 0x40ed, 0x42b6, {0xa5, 0x3b, 0x97, 0x38, 0x24, 0x97, 0x0a, 0x34}}

/* Each: memref in: eight digits; value out: 1 in a if they are the PIN, else 0. */
enum { LEAK_EARLY_EXIT, LEAK_BY_TABLE, LEAK_CONSTANT_TIME };

#endif
