/* SPDX-License-Identifier: Apache-2.0 */
/* What clients and the trusted application agree on. */
#ifndef HMAC_TA_H
#define HMAC_TA_H

#define HMAC_TA_UUID {0x5779306f, 0x04a3, 0x415a, {0x9d, 0xd8, 0xb9, 0xf4, 0xf9, 0x06, 0x9a, 0xf6}}

enum {
  HMAC_PROVISION, /* memref in: a key of 10 to 64 bytes, which goes to secure storage */
  HMAC_OTP,       /* value in: counter, high half in a, low in b; value out: the password of six digits in a */
  HMAC_CHECKSUM,  /* memref in: bytes; value out: their CRC-32 in a */
  HMAC_LOOP /* value in: passes in a; value out: what they computed in a. On AArch64 seven instructions a pass */
};

#endif
