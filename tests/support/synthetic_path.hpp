// SPDX-License-Identifier: Apache-2.0
// What a synthetic device runs: traps with costs behind them, in loops, calls and branches. One execution's
// way through them is a value; the device's noise is not in it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "src/core/types.hpp"

namespace jcprof::test {

/// A part of a command.
struct Step {
  enum class Kind : std::uint8_t {
    trap,
    loop,       // its only arm so many times
    call,       // its only arm, a frame deeper
    by_chance,  // one of its arms, at random
    by_input,   // the arm that the first byte of the input counts to
  };
  Kind kind = Kind::trap;
  TrapId trap = {};  // for trap
  std::uint64_t passes = 1;
  std::vector<std::vector<Step>> arms = {};
};

/// Traps 1 to `count`, once each.
std::vector<Step> straight(std::size_t count);

/// What traps and stops cost, in microseconds.
struct TrapCosts {
  double pass = 0;
  double counting = 0;  // on top, of a pass of the armed trap that does not stop
  double frame = 0;     // of a frame that a stop leaves
};

/// One way through the steps.
struct Route {
  std::vector<TrapId> traps = {};          // in the order passed
  std::vector<double> work = {};           // up to each of them, the passes before included
  std::vector<std::uint32_t> depths = {};  // frames that a stop there leaves
  double whole = 0;
};

class SyntheticCommand {
 public:
  /// `costs[id - 1]` lies behind trap `id`, shared out over the passes of its loops. The way by chance is a
  /// function of `seed` and the number of the execution.
  SyntheticCommand(std::vector<Step> steps, std::vector<double> costs, const TrapCosts& traps,
                   std::uint64_t seed);

  /// Valid until the next call.
  const Route& route(std::uint64_t execution, std::span<const std::uint8_t> input);
  /// The device's work in the last route() up to a stop at an event, or of the whole command. Nothing where
  /// the event is not reached.
  std::optional<double> work_to(const Event& stop) const;

 private:
  struct Walk {
    std::uint64_t execution = 0;
    std::uint8_t input = 0;
    std::uint64_t passes = 1;  // of the loops round it, all together
    std::uint32_t depth = 0;
  };
  void walk(const std::vector<Step>& steps, const Walk& at);

  std::vector<Step> steps_;
  std::vector<double> costs_;
  TrapCosts trap_costs_;
  std::uint64_t seed_;
  bool varies_;
  std::uint64_t choices_ = 0;  // made in this walk
  Route route_;
};

}  // namespace jcprof::test
