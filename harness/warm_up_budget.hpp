// SPDX-License-Identifier: Apache-2.0
// How much of the budget of a run may go into warming up one of its paths. Talks to nobody.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "src/engine/warm_up.hpp"

namespace jcprof::harness {

/// A quarter of what there is, whatever the target does: the rest is for measuring. Fewer shots than show a
/// steady target as steady are too few, so long as they leave half of the time.
class WarmUpBudget {
 public:
  /// `shots` and `time` are those of all paths; nothing: no limit.
  WarmUpBudget(std::optional<std::uint64_t> shots, std::optional<std::chrono::nanoseconds> time,
               std::size_t paths) {
    if (shots) shots_ = *shots / paths;
    if (time) time_ = *time / static_cast<std::int64_t>(paths);
  }

  void spend(std::uint64_t shots, std::chrono::nanoseconds time) {
    spent_shots_ += shots;
    spent_time_ += time;
  }
  bool is_spent() const {
    if (time_ && spent_time_ >= *time_ / 2) return true;
    return spent_shots_ >= least_shots &&
           ((time_ && spent_time_ >= *time_ / parts) || (shots_ && spent_shots_ >= *shots_ / parts));
  }

  /// One of these parts warms up.
  static constexpr int parts = 4;
  /// Fewer show no target as steady.
  static constexpr std::uint64_t least_shots =
      std::uint64_t{2} * engine::WarmUp::pairs_per_window * engine::WarmUp::windows_compared;

 private:
  std::optional<std::uint64_t> shots_;
  std::optional<std::chrono::nanoseconds> time_;
  std::uint64_t spent_shots_ = 0;
  std::chrono::nanoseconds spent_time_{0};
};

}  // namespace jcprof::harness
