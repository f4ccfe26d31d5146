// SPDX-License-Identifier: Apache-2.0
// The last panic or abort of a trusted application that OP-TEE has written to an agent's log. Pure.
#pragma once

#include <string>
#include <string_view>

namespace jcprof::harness {

/// "it panicked with code 0xffff000f (TEE_ERROR_SECURITY), at 0x1a1c of UUID.elf, called from 0x2b30", or "it
/// ended in a data-abort at address 0x0, at …"; empty: the log has neither.
std::string panic_in(std::string_view log);

/// The end of a log that has grown, of which both are the last lines.
std::string_view gained(std::string_view before, std::string_view now);

}  // namespace jcprof::harness
