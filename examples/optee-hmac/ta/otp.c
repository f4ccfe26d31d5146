/* SPDX-License-Identifier: Apache-2.0 */
#include "otp.h"

#include <string.h>

#include "checksum.h"

enum { MIN_KEY = 10, MAX_KEY = 64, SHA1_SIZE = 20 };

struct stored_key {
  uint8_t bytes[MAX_KEY];
  uint32_t size;
  uint32_t checksum;
};

static const char name[] = "otp key";

TEE_Result store_key(const uint8_t *key, size_t size) {
  struct stored_key stored = {.size = size};
  TEE_ObjectHandle object = TEE_HANDLE_NULL;
  if (size < MIN_KEY || size > MAX_KEY) return TEE_ERROR_BAD_PARAMETERS;
  memcpy(stored.bytes, key, size);
  stored.checksum = crc32(stored.bytes, size);
  const TEE_Result result = TEE_CreatePersistentObject(TEE_STORAGE_PRIVATE, name, sizeof name,
                                                       TEE_DATA_FLAG_ACCESS_WRITE | TEE_DATA_FLAG_OVERWRITE,
                                                       TEE_HANDLE_NULL, &stored, sizeof stored, &object);
  TEE_CloseObject(object);
  return result;
}

static TEE_Result load_key(struct stored_key *stored) {
  TEE_ObjectHandle object = TEE_HANDLE_NULL;
  size_t size = 0;
  TEE_Result result =
      TEE_OpenPersistentObject(TEE_STORAGE_PRIVATE, name, sizeof name, TEE_DATA_FLAG_ACCESS_READ, &object);
  if (result != TEE_SUCCESS) return result;
  result = TEE_ReadObjectData(object, stored, sizeof *stored, &size);
  TEE_CloseObject(object);
  if (result != TEE_SUCCESS) return result;
  if (size != sizeof *stored || stored->size > MAX_KEY) return TEE_ERROR_CORRUPT_OBJECT;
  if (crc32(stored->bytes, stored->size) != stored->checksum) return TEE_ERROR_CORRUPT_OBJECT;
  return TEE_SUCCESS;
}

/* The operation takes a copy of the key. */
static TEE_Result set_key(TEE_OperationHandle operation, struct stored_key *stored) {
  TEE_Attribute secret;
  TEE_ObjectHandle object = TEE_HANDLE_NULL;
  TEE_Result result = TEE_AllocateTransientObject(TEE_TYPE_HMAC_SHA1, 8 * MAX_KEY, &object);
  if (result != TEE_SUCCESS) return result;
  TEE_InitRefAttribute(&secret, TEE_ATTR_SECRET_VALUE, stored->bytes, stored->size);
  result = TEE_PopulateTransientObject(object, &secret, 1);
  if (result == TEE_SUCCESS) result = TEE_SetOperationKey(operation, object);
  TEE_FreeTransientObject(object);
  return result;
}

static TEE_Result hmac_sha1(struct stored_key *key, const uint8_t *message, size_t size, uint8_t mac[SHA1_SIZE]) {
  TEE_OperationHandle operation = TEE_HANDLE_NULL;
  size_t mac_size = SHA1_SIZE;
  TEE_Result result = TEE_AllocateOperation(&operation, TEE_ALG_HMAC_SHA1, TEE_MODE_MAC, 8 * MAX_KEY);
  if (result != TEE_SUCCESS) return result;
  result = set_key(operation, key);
  if (result == TEE_SUCCESS) {
    TEE_MACInit(operation, NULL, 0);
    result = TEE_MACComputeFinal(operation, message, size, mac, &mac_size);
  }
  TEE_FreeOperation(operation);
  return result;
}

/* RFC 4226, 5.3: the last four bits say which 31 of the 160 are taken. */
static uint32_t truncate(const uint8_t mac[SHA1_SIZE]) {
  const uint8_t *from = mac + (mac[SHA1_SIZE - 1] & 15);
  const uint32_t bits = (uint32_t)from[0] << 24 | (uint32_t)from[1] << 16 | (uint32_t)from[2] << 8 | from[3];
  return (bits & 0x7fffffff) % 1000000;
}

TEE_Result one_time_password(uint64_t counter, uint32_t *password) {
  struct stored_key key;
  uint8_t message[8];
  uint8_t mac[SHA1_SIZE];
  TEE_Result result = load_key(&key);
  if (result != TEE_SUCCESS) return result;
  for (int i = 0; i < 8; i++) message[i] = (uint8_t)(counter >> (56 - 8 * i));
  result = hmac_sha1(&key, message, sizeof message, mac);
  if (result != TEE_SUCCESS) return result;
  *password = truncate(mac);
  return TEE_SUCCESS;
}
