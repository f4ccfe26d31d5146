/* SPDX-License-Identifier: Apache-2.0 */
/* Like jcprof_sdk.h, for the SDK's cryptography. Digests and ciphers are those of the standards, and slower than the SDK's.
   Anybody can know the keys that an enclave derives, its reports, and the keys that two enclaves agree on. */
#ifndef JCPROF_SDK_CRYPTO_H
#define JCPROF_SDK_CRYPTO_H

#include <stdlib.h>

#include "jcprof_sdk.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- sgx_tcrypto.h ---- */

#define SGX_SHA256_HASH_SIZE 32
#define SGX_ECP256_KEY_SIZE 32
#define SGX_NISTP_ECP256_KEY_SIZE (SGX_ECP256_KEY_SIZE / sizeof(uint32_t))
#define SGX_AESGCM_IV_SIZE 12
#define SGX_AESGCM_KEY_SIZE 16
#define SGX_AESGCM_MAC_SIZE 16
#define SGX_CMAC_KEY_SIZE 16
#define SGX_CMAC_MAC_SIZE 16
#define SGX_AESCTR_KEY_SIZE 16

typedef struct { uint8_t s[SGX_ECP256_KEY_SIZE]; } sgx_ec256_dh_shared_t;
typedef struct { uint8_t r[SGX_ECP256_KEY_SIZE]; } sgx_ec256_private_t;
typedef struct { uint8_t gx[SGX_ECP256_KEY_SIZE], gy[SGX_ECP256_KEY_SIZE]; } sgx_ec256_public_t;
typedef struct { uint32_t x[SGX_NISTP_ECP256_KEY_SIZE], y[SGX_NISTP_ECP256_KEY_SIZE]; } sgx_ec256_signature_t;
typedef void *sgx_sha_state_handle_t;
typedef uint8_t sgx_sha256_hash_t[SGX_SHA256_HASH_SIZE];
typedef uint8_t sgx_aes_gcm_128bit_key_t[SGX_AESGCM_KEY_SIZE];
typedef uint8_t sgx_aes_gcm_128bit_tag_t[SGX_AESGCM_MAC_SIZE];
typedef uint8_t sgx_cmac_128bit_key_t[SGX_CMAC_KEY_SIZE];
typedef uint8_t sgx_cmac_128bit_tag_t[SGX_CMAC_MAC_SIZE];
typedef uint8_t sgx_aes_ctr_128bit_key_t[SGX_AESCTR_KEY_SIZE];

/* SHA-256 (FIPS 180-4) */

struct jcprof_sdk_sha {
  uint32_t state[8];
  uint8_t block[64];
  uint64_t size;
};

JCPROF_SDK uint32_t jcprof_sdk_turned(uint32_t x, unsigned by) { return x >> by | x << (32 - by); }

JCPROF_SDK void jcprof_sdk_sha_block(struct jcprof_sdk_sha *sha) {
  static const uint32_t constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};
  uint32_t w[64], s[8], a, b;
  unsigned i, j;
  for (i = 0; i < 16; i++)
    w[i] = (uint32_t)sha->block[4 * i] << 24 | (uint32_t)sha->block[4 * i + 1] << 16 |
           (uint32_t)sha->block[4 * i + 2] << 8 | sha->block[4 * i + 3];
  for (; i < 64; i++) {
    a = jcprof_sdk_turned(w[i - 15], 7) ^ jcprof_sdk_turned(w[i - 15], 18) ^ w[i - 15] >> 3;
    b = jcprof_sdk_turned(w[i - 2], 17) ^ jcprof_sdk_turned(w[i - 2], 19) ^ w[i - 2] >> 10;
    w[i] = w[i - 16] + a + w[i - 7] + b;
  }
  memcpy(s, sha->state, sizeof s);
  for (i = 0; i < 64; i++) {
    a = s[7] + (jcprof_sdk_turned(s[4], 6) ^ jcprof_sdk_turned(s[4], 11) ^ jcprof_sdk_turned(s[4], 25)) +
        ((s[4] & s[5]) ^ (~s[4] & s[6])) + constants[i] + w[i];
    b = (jcprof_sdk_turned(s[0], 2) ^ jcprof_sdk_turned(s[0], 13) ^ jcprof_sdk_turned(s[0], 22)) +
        ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
    for (j = 7; j > 0; j--) s[j] = s[j - 1];
    s[4] += a;
    s[0] = a + b;
  }
  for (i = 0; i < 8; i++) sha->state[i] += s[i];
}

JCPROF_SDK void jcprof_sdk_sha_begin(struct jcprof_sdk_sha *sha) {
  static const uint32_t first[8] = {
    0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  memcpy(sha->state, first, sizeof first);
  sha->size = 0;
}

JCPROF_SDK void jcprof_sdk_sha_add(struct jcprof_sdk_sha *sha, const uint8_t *bytes, size_t size) {
  size_t i;
  for (i = 0; i < size; i++) {
    sha->block[sha->size++ % 64] = bytes[i];
    if (sha->size % 64 == 0) jcprof_sdk_sha_block(sha);
  }
}

/* Works on a copy, so that the digest can continue. */
JCPROF_SDK void jcprof_sdk_sha_end(struct jcprof_sdk_sha sha, uint8_t *hash) {
  static const uint8_t padding[64] = {0x80};
  const uint64_t bits = sha.size * 8;
  uint8_t length[8];
  unsigned i;
  for (i = 0; i < 8; i++) length[i] = (uint8_t)(bits >> (56 - 8 * i));
  jcprof_sdk_sha_add(&sha, padding, 1 + (119 - sha.size % 64) % 64);
  jcprof_sdk_sha_add(&sha, length, sizeof length);
  for (i = 0; i < 32; i++) hash[i] = (uint8_t)(sha.state[i / 4] >> (24 - 8 * (i % 4)));
}

JCPROF_SDK sgx_status_t sgx_sha256_msg(const uint8_t *bytes, uint32_t size, sgx_sha256_hash_t *hash) {
  struct jcprof_sdk_sha sha;
  if (bytes == NULL || hash == NULL) return SGX_ERROR_INVALID_PARAMETER;
  jcprof_sdk_sha_begin(&sha);
  jcprof_sdk_sha_add(&sha, bytes, size);
  jcprof_sdk_sha_end(sha, *hash);
  return SGX_SUCCESS;
}
JCPROF_SDK sgx_status_t sgx_sha256_init(sgx_sha_state_handle_t *handle) {
  struct jcprof_sdk_sha *sha;
  if (handle == NULL) return SGX_ERROR_INVALID_PARAMETER;
  sha = (struct jcprof_sdk_sha *)malloc(sizeof *sha);
  if (sha == NULL) return SGX_ERROR_OUT_OF_MEMORY;
  jcprof_sdk_sha_begin(sha);
  *handle = sha;
  return SGX_SUCCESS;
}
JCPROF_SDK sgx_status_t sgx_sha256_update(const uint8_t *bytes, uint32_t size, sgx_sha_state_handle_t handle) {
  if (bytes == NULL || handle == NULL) return SGX_ERROR_INVALID_PARAMETER;
  jcprof_sdk_sha_add((struct jcprof_sdk_sha *)handle, bytes, size);
  return SGX_SUCCESS;
}
JCPROF_SDK sgx_status_t sgx_sha256_get_hash(sgx_sha_state_handle_t handle, sgx_sha256_hash_t *hash) {
  if (handle == NULL || hash == NULL) return SGX_ERROR_INVALID_PARAMETER;
  jcprof_sdk_sha_end(*(const struct jcprof_sdk_sha *)handle, *hash);
  return SGX_SUCCESS;
}
JCPROF_SDK sgx_status_t sgx_sha256_close(sgx_sha_state_handle_t handle) {
  if (handle == NULL) return SGX_ERROR_INVALID_PARAMETER;
  free(handle);
  return SGX_SUCCESS;
}

/* AES with keys of 128 bits (FIPS 197), in its modes CTR, GCM and CMAC (SP 800-38) */

struct jcprof_sdk_aes {
  uint8_t keys[11][16];
};

JCPROF_SDK uint8_t jcprof_sdk_substitute(uint8_t byte) {
  static const uint8_t box[256] = {
    0x63, 0x7c, 0x77, 0x7b, 0xf2, 0x6b, 0x6f, 0xc5, 0x30, 0x01, 0x67, 0x2b, 0xfe, 0xd7, 0xab, 0x76,
    0xca, 0x82, 0xc9, 0x7d, 0xfa, 0x59, 0x47, 0xf0, 0xad, 0xd4, 0xa2, 0xaf, 0x9c, 0xa4, 0x72, 0xc0,
    0xb7, 0xfd, 0x93, 0x26, 0x36, 0x3f, 0xf7, 0xcc, 0x34, 0xa5, 0xe5, 0xf1, 0x71, 0xd8, 0x31, 0x15,
    0x04, 0xc7, 0x23, 0xc3, 0x18, 0x96, 0x05, 0x9a, 0x07, 0x12, 0x80, 0xe2, 0xeb, 0x27, 0xb2, 0x75,
    0x09, 0x83, 0x2c, 0x1a, 0x1b, 0x6e, 0x5a, 0xa0, 0x52, 0x3b, 0xd6, 0xb3, 0x29, 0xe3, 0x2f, 0x84,
    0x53, 0xd1, 0x00, 0xed, 0x20, 0xfc, 0xb1, 0x5b, 0x6a, 0xcb, 0xbe, 0x39, 0x4a, 0x4c, 0x58, 0xcf,
    0xd0, 0xef, 0xaa, 0xfb, 0x43, 0x4d, 0x33, 0x85, 0x45, 0xf9, 0x02, 0x7f, 0x50, 0x3c, 0x9f, 0xa8,
    0x51, 0xa3, 0x40, 0x8f, 0x92, 0x9d, 0x38, 0xf5, 0xbc, 0xb6, 0xda, 0x21, 0x10, 0xff, 0xf3, 0xd2,
    0xcd, 0x0c, 0x13, 0xec, 0x5f, 0x97, 0x44, 0x17, 0xc4, 0xa7, 0x7e, 0x3d, 0x64, 0x5d, 0x19, 0x73,
    0x60, 0x81, 0x4f, 0xdc, 0x22, 0x2a, 0x90, 0x88, 0x46, 0xee, 0xb8, 0x14, 0xde, 0x5e, 0x0b, 0xdb,
    0xe0, 0x32, 0x3a, 0x0a, 0x49, 0x06, 0x24, 0x5c, 0xc2, 0xd3, 0xac, 0x62, 0x91, 0x95, 0xe4, 0x79,
    0xe7, 0xc8, 0x37, 0x6d, 0x8d, 0xd5, 0x4e, 0xa9, 0x6c, 0x56, 0xf4, 0xea, 0x65, 0x7a, 0xae, 0x08,
    0xba, 0x78, 0x25, 0x2e, 0x1c, 0xa6, 0xb4, 0xc6, 0xe8, 0xdd, 0x74, 0x1f, 0x4b, 0xbd, 0x8b, 0x8a,
    0x70, 0x3e, 0xb5, 0x66, 0x48, 0x03, 0xf6, 0x0e, 0x61, 0x35, 0x57, 0xb9, 0x86, 0xc1, 0x1d, 0x9e,
    0xe1, 0xf8, 0x98, 0x11, 0x69, 0xd9, 0x8e, 0x94, 0x9b, 0x1e, 0x87, 0xe9, 0xce, 0x55, 0x28, 0xdf,
    0x8c, 0xa1, 0x89, 0x0d, 0xbf, 0xe6, 0x42, 0x68, 0x41, 0x99, 0x2d, 0x0f, 0xb0, 0x54, 0xbb, 0x16};
  return box[byte];
}

JCPROF_SDK uint8_t jcprof_sdk_doubled(uint8_t x) { return (uint8_t)((x << 1) ^ ((x >> 7) * 0x1b)); }

JCPROF_SDK void jcprof_sdk_xor(uint8_t *to, const uint8_t *from, size_t size) {
  size_t i;
  for (i = 0; i < size; i++) to[i] = (uint8_t)(to[i] ^ from[i]);
}

JCPROF_SDK void jcprof_sdk_aes_begin(struct jcprof_sdk_aes *aes, const uint8_t *key) {
  uint8_t constant = 1;
  unsigned round, i;
  memcpy(aes->keys[0], key, 16);
  for (round = 1; round < 11; round++) {
    uint8_t *const now = aes->keys[round];
    memcpy(now, aes->keys[round - 1], 16);
    for (i = 0; i < 4; i++) now[i] = (uint8_t)(now[i] ^ jcprof_sdk_substitute(aes->keys[round - 1][12 + (i + 1) % 4]));
    now[0] = (uint8_t)(now[0] ^ constant);
    for (i = 4; i < 16; i++) now[i] = (uint8_t)(now[i] ^ now[i - 4]);
    constant = jcprof_sdk_doubled(constant);
  }
}

JCPROF_SDK void jcprof_sdk_aes_block(const struct jcprof_sdk_aes *aes, const uint8_t *in, uint8_t *out) {
  uint8_t s[16], t[16];
  unsigned round, i;
  memcpy(s, in, 16);
  jcprof_sdk_xor(s, aes->keys[0], 16);
  for (round = 1; round < 11; round++) {
    for (i = 0; i < 16; i++) t[i] = jcprof_sdk_substitute(s[(i + 4 * (i % 4)) % 16]);
    for (i = 0; i < 16; i++) {
      const uint8_t *const column = t + i / 4 * 4;
      s[i] = round == 10 ? t[i]
                         : (uint8_t)(jcprof_sdk_doubled((uint8_t)(t[i] ^ column[(i + 1) % 4])) ^ column[(i + 1) % 4] ^
                                     column[(i + 2) % 4] ^ column[(i + 3) % 4]);
    }
    jcprof_sdk_xor(s, aes->keys[round], 16);
  }
  memcpy(out, s, 16);
}

/* Adds 1 to the last `bits` of a counter. */
JCPROF_SDK void jcprof_sdk_count(uint8_t *counter, uint32_t bits) {
  uint32_t left = bits;
  unsigned i = 16;
  while (left > 0 && i-- > 0) {
    const uint8_t mask = (uint8_t)(left >= 8 ? 0xff : (1u << left) - 1);
    const uint8_t next = (uint8_t)((counter[i] + 1) & mask);
    counter[i] = (uint8_t)((counter[i] & ~mask) | next);
    if (next != 0) return;
    left -= left >= 8 ? 8 : left;
  }
}

JCPROF_SDK void jcprof_sdk_ctr(const struct jcprof_sdk_aes *aes, const uint8_t *from, size_t size, uint8_t *counter,
                               uint32_t bits, uint8_t *to) {
  uint8_t stream[16];
  size_t i;
  for (i = 0; i < size; i++) {
    if (i % 16 == 0) {
      jcprof_sdk_aes_block(aes, counter, stream);
      jcprof_sdk_count(counter, bits);
    }
    to[i] = (uint8_t)(from[i] ^ stream[i % 16]);
  }
}

JCPROF_SDK sgx_status_t sgx_aes_ctr_encrypt(const sgx_aes_ctr_128bit_key_t *key, const uint8_t *from, const uint32_t size,
                                            uint8_t *counter, const uint32_t bits, uint8_t *to) {
  struct jcprof_sdk_aes aes;
  if (key == NULL || from == NULL || counter == NULL || to == NULL || size == 0 || bits == 0 || bits > 128)
    return SGX_ERROR_INVALID_PARAMETER;
  jcprof_sdk_aes_begin(&aes, *key);
  jcprof_sdk_ctr(&aes, from, size, counter, bits, to);
  return SGX_SUCCESS;
}
JCPROF_SDK sgx_status_t sgx_aes_ctr_decrypt(const sgx_aes_ctr_128bit_key_t *key, const uint8_t *from, const uint32_t size,
                                            uint8_t *counter, const uint32_t bits, uint8_t *to) {
  return sgx_aes_ctr_encrypt(key, from, size, counter, bits, to);
}

JCPROF_SDK void jcprof_sdk_multiply(uint8_t *x, const uint8_t *h) {
  uint8_t z[16] = {0}, v[16];
  unsigned i, j;
  memcpy(v, h, 16);
  for (i = 0; i < 128; i++) {
    const int is_odd = v[15] & 1;
    if ((x[i / 8] >> (7 - i % 8)) & 1) jcprof_sdk_xor(z, v, 16);
    for (j = 15; j > 0; j--) v[j] = (uint8_t)((v[j] >> 1) | (v[j - 1] << 7));
    v[0] = (uint8_t)(v[0] >> 1);
    if (is_odd) v[0] = (uint8_t)(v[0] ^ 0xe1);
  }
  memcpy(x, z, 16);
}

JCPROF_SDK void jcprof_sdk_ghash(uint8_t *x, const uint8_t *h, const uint8_t *bytes, size_t size) {
  size_t i;
  for (i = 0; i < size; i += 16) {
    jcprof_sdk_xor(x, bytes + i, size - i < 16 ? size - i : 16);
    jcprof_sdk_multiply(x, h);
  }
}

/* The tag of a text that is encrypted; `counter` is the first one. */
JCPROF_SDK void jcprof_sdk_gcm_tag(const struct jcprof_sdk_aes *aes, const uint8_t *text, uint32_t size, const uint8_t *beside,
                                   uint32_t beside_size, const uint8_t *counter, uint8_t *tag) {
  uint8_t h[16] = {0}, x[16] = {0}, lengths[16], mask[16];
  unsigned i;
  jcprof_sdk_aes_block(aes, h, h);
  jcprof_sdk_ghash(x, h, beside, beside_size);
  jcprof_sdk_ghash(x, h, text, size);
  for (i = 0; i < 8; i++) {
    lengths[i] = (uint8_t)((uint64_t)beside_size * 8 >> (56 - 8 * i));
    lengths[8 + i] = (uint8_t)((uint64_t)size * 8 >> (56 - 8 * i));
  }
  jcprof_sdk_ghash(x, h, lengths, sizeof lengths);
  jcprof_sdk_aes_block(aes, counter, mask);
  for (i = 0; i < 16; i++) tag[i] = (uint8_t)(x[i] ^ mask[i]);
}

JCPROF_SDK int jcprof_sdk_is_for_gcm(const void *key, const void *from, uint32_t size, const void *to, const void *iv,
                                     uint32_t iv_size, const void *beside, uint32_t beside_size, const void *tag) {
  return key != NULL && (size == 0 || (from != NULL && to != NULL)) && iv != NULL && iv_size == SGX_AESGCM_IV_SIZE &&
         (beside != NULL || beside_size == 0) && (from != NULL || beside != NULL) && tag != NULL;
}

JCPROF_SDK sgx_status_t sgx_rijndael128GCM_encrypt(const sgx_aes_gcm_128bit_key_t *key, const uint8_t *from, uint32_t size,
                                                   uint8_t *to, const uint8_t *iv, uint32_t iv_size, const uint8_t *beside,
                                                   uint32_t beside_size, sgx_aes_gcm_128bit_tag_t *tag) {
  struct jcprof_sdk_aes aes;
  uint8_t first[16] = {0}, counter[16];
  if (!jcprof_sdk_is_for_gcm(key, from, size, to, iv, iv_size, beside, beside_size, tag)) return SGX_ERROR_INVALID_PARAMETER;
  memcpy(first, iv, SGX_AESGCM_IV_SIZE);
  first[15] = 1;
  memcpy(counter, first, 16);
  jcprof_sdk_count(counter, 32);
  jcprof_sdk_aes_begin(&aes, *key);
  jcprof_sdk_ctr(&aes, from, size, counter, 32, to);
  jcprof_sdk_gcm_tag(&aes, to, size, beside, beside_size, first, *tag);
  return SGX_SUCCESS;
}
JCPROF_SDK sgx_status_t sgx_rijndael128GCM_decrypt(const sgx_aes_gcm_128bit_key_t *key, const uint8_t *from, uint32_t size,
                                                   uint8_t *to, const uint8_t *iv, uint32_t iv_size, const uint8_t *beside,
                                                   uint32_t beside_size, const sgx_aes_gcm_128bit_tag_t *tag) {
  struct jcprof_sdk_aes aes;
  uint8_t counter[16] = {0}, right[16];
  if (!jcprof_sdk_is_for_gcm(key, from, size, to, iv, iv_size, beside, beside_size, tag)) return SGX_ERROR_INVALID_PARAMETER;
  memcpy(counter, iv, SGX_AESGCM_IV_SIZE);
  counter[15] = 1;
  jcprof_sdk_aes_begin(&aes, *key);
  jcprof_sdk_gcm_tag(&aes, from, size, beside, beside_size, counter, right);
  if (memcmp(right, *tag, sizeof right) != 0) return SGX_ERROR_MAC_MISMATCH;
  jcprof_sdk_count(counter, 32);
  jcprof_sdk_ctr(&aes, from, size, counter, 32, to);
  return SGX_SUCCESS;
}

JCPROF_SDK void jcprof_sdk_double_block(uint8_t *block) {
  const int carry = block[0] >> 7;
  unsigned i;
  for (i = 0; i < 15; i++) block[i] = (uint8_t)((block[i] << 1) | (block[i + 1] >> 7));
  block[15] = (uint8_t)((block[15] << 1) ^ (carry * 0x87));
}

JCPROF_SDK sgx_status_t sgx_rijndael128_cmac_msg(const sgx_cmac_128bit_key_t *key, const uint8_t *bytes, uint32_t size,
                                                 sgx_cmac_128bit_tag_t *tag) {
  struct jcprof_sdk_aes aes;
  uint8_t sub[16] = {0}, x[16] = {0};
  const uint32_t last = size == 0 ? 0 : (size - 1) / 16 * 16; /* where the last block begins */
  uint32_t i;
  if (key == NULL || tag == NULL || (bytes == NULL && size != 0)) return SGX_ERROR_INVALID_PARAMETER;
  jcprof_sdk_aes_begin(&aes, *key);
  jcprof_sdk_aes_block(&aes, sub, sub);
  jcprof_sdk_double_block(sub);
  for (i = 0; i < last; i += 16) {
    jcprof_sdk_xor(x, bytes + i, 16);
    jcprof_sdk_aes_block(&aes, x, x);
  }
  if (size - last == 16) {
    jcprof_sdk_xor(x, bytes + last, 16);
  } else {
    jcprof_sdk_double_block(sub);
    if (size != last) jcprof_sdk_xor(x, bytes + last, size - last);
    x[size - last] = (uint8_t)(x[size - last] ^ 0x80);
  }
  jcprof_sdk_xor(x, sub, 16);
  jcprof_sdk_aes_block(&aes, x, *tag);
  return SGX_SUCCESS;
}

#ifdef __cplusplus
}
#endif

#endif
