/* SPDX-License-Identifier: Apache-2.0 */
#include "hmac_ta.h"

#include <tee_internal_api.h>

#include "checksum.h"
#include "otp.h"

TEE_Result TA_CreateEntryPoint(void) {
  return TEE_SUCCESS;
}

void TA_DestroyEntryPoint(void) {}

TEE_Result TA_OpenSessionEntryPoint(uint32_t types, TEE_Param params[TEE_NUM_PARAMS], void **session) {
  (void)types;
  (void)params;
  (void)session;
  return TEE_SUCCESS;
}

void TA_CloseSessionEntryPoint(void *session) {
  (void)session;
}

static uint32_t types_of(uint32_t command) {
  switch (command) {
    case HMAC_PROVISION: return TEE_PARAM_TYPES(TEE_PARAM_TYPE_MEMREF_INPUT, 0, 0, 0);
    case HMAC_CHECKSUM: return TEE_PARAM_TYPES(TEE_PARAM_TYPE_MEMREF_INPUT, TEE_PARAM_TYPE_VALUE_OUTPUT, 0, 0);
    default: return TEE_PARAM_TYPES(TEE_PARAM_TYPE_VALUE_INPUT, TEE_PARAM_TYPE_VALUE_OUTPUT, 0, 0);
  }
}

TEE_Result TA_InvokeCommandEntryPoint(void *session, uint32_t command, uint32_t types,
                                      TEE_Param params[TEE_NUM_PARAMS]) {
  (void)session;
  if (types != types_of(command)) return TEE_ERROR_BAD_PARAMETERS;
  switch (command) {
    case HMAC_PROVISION: return store_key(params[0].memref.buffer, params[0].memref.size);
    case HMAC_OTP:
      return one_time_password((uint64_t)params[0].value.a << 32 | params[0].value.b, &params[1].value.a);
    case HMAC_CHECKSUM: params[1].value.a = crc32(params[0].memref.buffer, params[0].memref.size); return TEE_SUCCESS;
    case HMAC_LOOP:
      if (params[0].value.a == 0) return TEE_ERROR_BAD_PARAMETERS;
      params[1].value.a = loop(params[0].value.a);
      return TEE_SUCCESS;
    default: return TEE_ERROR_NOT_SUPPORTED;
  }
}
