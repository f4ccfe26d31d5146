// SPDX-License-Identifier: Apache-2.0
#include "src/core/tee_result.hpp"

#include "src/core/name_table.hpp"

namespace jcprof {
namespace {

// GlobalPlatform TEE Client API 1.0, 4.4.2, and what TAs return beyond it (TEE Internal Core
// API 1.3.1, 3.3.1).
constexpr NameTable<std::uint32_t, 21> results{{{0, "TEEC_SUCCESS"},
                                                {0xF0100003, "TEEC_ERROR_STORAGE_NOT_AVAILABLE"},
                                                {0xFFFF0000, "TEEC_ERROR_GENERIC"},
                                                {0xFFFF0001, "TEEC_ERROR_ACCESS_DENIED"},
                                                {0xFFFF0002, "TEEC_ERROR_CANCEL"},
                                                {0xFFFF0003, "TEEC_ERROR_ACCESS_CONFLICT"},
                                                {0xFFFF0004, "TEEC_ERROR_EXCESS_DATA"},
                                                {0xFFFF0005, "TEEC_ERROR_BAD_FORMAT"},
                                                {0xFFFF0006, "TEEC_ERROR_BAD_PARAMETERS"},
                                                {0xFFFF0007, "TEEC_ERROR_BAD_STATE"},
                                                {0xFFFF0008, "TEEC_ERROR_ITEM_NOT_FOUND"},
                                                {0xFFFF0009, "TEEC_ERROR_NOT_IMPLEMENTED"},
                                                {0xFFFF000A, "TEEC_ERROR_NOT_SUPPORTED"},
                                                {0xFFFF000B, "TEEC_ERROR_NO_DATA"},
                                                {0xFFFF000C, "TEEC_ERROR_OUT_OF_MEMORY"},
                                                {0xFFFF000D, "TEEC_ERROR_BUSY"},
                                                {0xFFFF000E, "TEEC_ERROR_COMMUNICATION"},
                                                {0xFFFF000F, "TEEC_ERROR_SECURITY"},
                                                {0xFFFF0010, "TEEC_ERROR_SHORT_BUFFER"},
                                                {0xFFFF300F, "TEE_ERROR_OVERFLOW"},
                                                {0xFFFF3024, "TEEC_ERROR_TARGET_DEAD"}}};

}  // namespace

std::string tee_result(std::uint32_t code) {
  const std::string_view name = name_in(results, code);
  return name == nameless_value ? "" : std::string(name);
}

}  // namespace jcprof
