// SPDX-License-Identifier: Apache-2.0
// The last panic of a trusted application that OP-TEE has written to an agent's log. Pure.
#pragma once

#include <string>
#include <string_view>

namespace jcprof::harness {

/// "it panicked with code 0xffff000f (TEE_ERROR_SECURITY), at 0x1a1c of UUID.elf, called from 0x2b30"; empty:
/// the log has no panic.
std::string panic_in(std::string_view log);

}  // namespace jcprof::harness
