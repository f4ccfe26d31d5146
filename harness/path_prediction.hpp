// SPDX-License-Identifier: Apache-2.0
// A path of which only windows can be seen, each in a run of its own: found in few windows. Most of a path
// can be foretold from what was seen of it, and what cannot be foretold is found by trying: the digest of a
// beginning tells which of thousands of ways was taken.
//
// A digest may be that of a wrong way. A signature has 32 bits, of which some 26 tell apart different orders
// of the same events (of a product modulo 2^16 the low bits hardly mix). Cards give 16 more, which are mixed
// otherwise. One time in five the right way is not among the n that are tried. Then a wrong one is taken for
// it with a chance of n / 2^26, or n / 2^42 on cards. So n is kept below 2^10, or 2^17, and a digest that
// several ways have is not believed: a window between, which gives another one, decides.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "harness/path_model.hpp"
#include "src/core/path_signature.hpp"
#include "src/core/types.hpp"

namespace jcprof::harness {

/// Events of a path from one of them on.
struct SeenWindow {
  PathDigest before;  // of all events before
  std::vector<TrapId> traps;
};

/// The knowledge of a path at first.
struct SeenBeginning {
  std::vector<TrapId> traps;
  std::uint64_t events = 0;  // of all of it
  PathDigest digest;         // of all of it
  bool operator==(const SeenBeginning&) const = default;
};

/// The knowledge of a target's paths.
struct PathMemory {
  /// The path that begins and ends so. A target without a mix may have several.
  std::optional<std::vector<TrapId>> known(const SeenBeginning& beginning) const;
  void keep(const SeenBeginning& beginning, const std::vector<TrapId>& path);

  PathModel model{};
  std::vector<std::pair<SeenBeginning, std::vector<TrapId>>> paths = {};
};

/// The window from an event on (from 0); nothing ends the prediction.
using WindowSource = std::function<std::optional<SeenWindow>(std::uint64_t first)>;

/// The whole path; nothing when the source gave none, or windows that are of no one path. The model learns
/// it.
std::optional<std::vector<TrapId>> predict_path(PathModel& model, const SeenBeginning& beginning,
                                                const WindowSource& window_from);

}  // namespace jcprof::harness
