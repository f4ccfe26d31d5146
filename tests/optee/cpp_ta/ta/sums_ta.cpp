// SPDX-License-Identifier: Apache-2.0
// Command 0: value in: passes; memref in: bytes; value out: Adler-32 and FNV-1a of the bytes, changed and
// doubled.
#include "sums.hpp"

namespace {

using sums::Buffer;

void add_all(sums::Sum& sum, Buffer& bytes) {
  for (const uint8_t byte : bytes) sum.add(byte);
}

template <typename Kind>
uint32_t sum_of(Buffer& bytes, uint32_t passes) {
  Kind sum;
  for (uint32_t i = 0; i < passes; i++) add_all(sum, bytes);
  return sum.value();
}

TEE_Result both_sums(uint32_t passes, const TEE_Param& in, TEE_Param& out) {
  Buffer copy(in.memref.size);
  if (!copy.is_there()) return TEE_ERROR_OUT_OF_MEMORY;
  TEE_MemMove(copy.begin(), in.memref.buffer, in.memref.size);
  const auto key = static_cast<uint8_t>(passes);
  sums::change_each(copy, [key](uint8_t byte) { return static_cast<uint8_t>(byte ^ key); });
  out.value.a = sum_of<sums::Adler32>(copy, passes);
  out.value.b = sum_of<sums::Fnv1a>(copy, passes);
  return TEE_SUCCESS;
}

}  // namespace

extern "C" {

TEE_Result TA_CreateEntryPoint(void) {
  return TEE_SUCCESS;
}

void TA_DestroyEntryPoint(void) {}

TEE_Result TA_OpenSessionEntryPoint(uint32_t, TEE_Param*, void**) {
  return TEE_SUCCESS;
}

void TA_CloseSessionEntryPoint(void*) {}

TEE_Result TA_InvokeCommandEntryPoint(void* session, uint32_t command, uint32_t types,
                                      TEE_Param params[TEE_NUM_PARAMS]) {
  (void)session;
  constexpr uint32_t wanted = TEE_PARAM_TYPES(TEE_PARAM_TYPE_VALUE_INPUT, TEE_PARAM_TYPE_MEMREF_INPUT,
                                              TEE_PARAM_TYPE_VALUE_OUTPUT, TEE_PARAM_TYPE_NONE);
  if (command != 0) return TEE_ERROR_NOT_SUPPORTED;
  if (types != wanted) return TEE_ERROR_BAD_PARAMETERS;
  return both_sums(params[0].value.a, params[1], params[2]);
}
}
