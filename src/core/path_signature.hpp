// SPDX-License-Identifier: Apache-2.0
// The digest by which runs of a command are known to have gone the same way: 32 bits in two shorts, as
// templates/PM.java has it. It tells ways apart; it hides nothing.
#pragma once

#include <cstdint>
#include <span>

#include "src/core/types.hpp"

namespace jcprof {

/// Of `traps` in the order passed, after those that `before` is the signature of; 0 of nothing.
std::uint32_t path_signature(std::span<const TrapId> traps, std::uint32_t before = 0);

}  // namespace jcprof
