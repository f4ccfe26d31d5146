// SPDX-License-Identifier: Apache-2.0
// The digest by which runs of a command are known to have gone the same way: 32 bits in two shorts, as
// templates/PM.java has it. It tells ways apart; it hides nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "src/core/types.hpp"

namespace jcprof {

/// Of `traps` in the order passed, after those that `before` is the signature of; 0 of nothing.
std::uint32_t path_signature(std::span<const TrapId> traps, std::uint32_t before = 0);

/// A second digest, which cards give beside the signature. The signature is linear: paths that differ at
/// places a power of two apart may have the same one. This one is not.
std::uint16_t path_mix(std::span<const TrapId> traps, std::uint16_t before = 0);

struct PathDigest {
  std::uint32_t signature = 0;
  std::optional<std::uint16_t> mix = {};  // where the target gives it
  bool operator==(const PathDigest&) const = default;
};

}  // namespace jcprof
