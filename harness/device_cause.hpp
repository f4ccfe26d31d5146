// SPDX-License-Identifier: Apache-2.0
// Why a device program ended, as far as its command and its last words tell. Starts nothing.
#pragma once

#include <string>
#include <string_view>

#include "src/core/error.hpp"

namespace jcprof::harness {

/// `account` is Device::account(): the command, then its output. In words; empty where nobody knows.
std::string cause_of_end(const std::string& account);
/// A device program that ended before `what`, with that cause.
UserError ended_before(std::string_view what, const std::string& account);

}  // namespace jcprof::harness
