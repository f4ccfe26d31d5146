/* SPDX-License-Identifier: Apache-2.0 */
#include "leak_ta.h"

#include <tee_internal_api.h>

#include "pin.h"

TEE_Result TA_CreateEntryPoint(void) {
  prepare_pin();
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

TEE_Result TA_InvokeCommandEntryPoint(void *session, uint32_t command, uint32_t types,
                                      TEE_Param params[TEE_NUM_PARAMS]) {
  (void)session;
  if (types != TEE_PARAM_TYPES(TEE_PARAM_TYPE_MEMREF_INPUT, TEE_PARAM_TYPE_VALUE_OUTPUT, 0, 0))
    return TEE_ERROR_BAD_PARAMETERS;
  const unsigned char *guess = params[0].memref.buffer;
  const size_t size = params[0].memref.size;
  int is_right = 0;
  switch (command) {
    case LEAK_EARLY_EXIT: is_right = early_exit(guess, size); break;
    case LEAK_BY_TABLE: is_right = by_table(guess, size); break;
    case LEAK_CONSTANT_TIME: is_right = constant_time(guess, size); break;
    default: return TEE_ERROR_NOT_SUPPORTED;
  }
  params[1].value.a = (uint32_t)is_right;
  return TEE_SUCCESS;
}
