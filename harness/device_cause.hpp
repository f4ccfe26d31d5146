// SPDX-License-Identifier: Apache-2.0
// Why a device program ended, as far as its command and its last words tell. Starts nothing.
#pragma once

#include <string>

namespace jcprof::harness {

/// `account` is Device::account(): the command, then its output. In words; empty where nobody knows.
std::string cause_of_end(const std::string& account);

}  // namespace jcprof::harness
