/* SPDX-License-Identifier: Apache-2.0 */
/* HMAC-based one-time passwords (RFC 4226) with a key in secure storage. */
#ifndef OTP_H
#define OTP_H

#include <tee_internal_api.h>

TEE_Result store_key(const uint8_t *key, size_t size);

/* The password of six digits that belongs to this count. TEE_ERROR_ITEM_NOT_FOUND: there is no key yet. */
TEE_Result one_time_password(uint64_t counter, uint32_t *password);

#endif
