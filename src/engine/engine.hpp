// SPDX-License-Identifier: Apache-2.0
// Decides which shots come next and when enough is known. A state machine without a clock or a device: ask
// for a batch, make its shots, hand the readings back, until it is done. The same seed and readings give the
// same batches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "src/engine/batch.hpp"
#include "src/engine/look.hpp"
#include "src/engine/pilot.hpp"
#include "src/engine/times.hpp"

namespace jcprof::engine {

struct Settings {
  std::size_t stops = 0;                   // of the path, the end of the command included; at least 2
  std::vector<std::uint32_t> groups = {};  // of each block; see look()
  std::vector<bool> alone = {};            // of each block: zoom is not to leave it in a segment
  Precision precision = {};
  std::uint64_t seed = 1;
  std::uint32_t most_rounds = 1000;
  bool fixed = false;               // so many rounds over all stops, whatever is known
  std::optional<double> zoom = {};  // find the blocks of at least this share first, and measure those
  double ns_per_tick = 1;           // 0: ticks are not time, and nothing is paused
  bool exact = false;               // the clock repeats itself
};

class Engine {
 public:
  explicit Engine(Settings settings);
  ~Engine();
  Engine(Engine&&) noexcept;
  Engine& operator=(Engine&&) noexcept;

  /// The same until `take`; Phase::done once nothing more is wanted.
  const Batch& next() const;
  /// One reading a shot of next(), in its order.
  void take(std::span<const Reading> readings);

  /// That stop cannot be measured: it is left out from now on.
  void give_up(std::size_t stop);
  /// What lies between the rounds so far and the next one may have cooled the target down.
  void warm_up_again();
  /// Instead of the first warm-up: what it found in an earlier run, whose rounds are handed in again.
  void skip_warm_up(const Pilot& pilot);

  /// What the first warm-up found; nothing before its end.
  const std::optional<Pilot>& pilot() const;
  /// The newest look, if there was one. Once everything is done it is one at the rounds from first_round()
  /// on, and its blocks lie between stops().
  const std::optional<Look>& look() const;
  /// How many there were, in all phases.
  std::size_t looks() const;
  /// Shots until everything is settled, by what the newest look knows; 0 before it. Half widths shrink with
  /// the root of the rounds.
  std::uint64_t shots_left() const;
  /// How the times of the rounds from first_round() on are to be read.
  Clock clock() const;
  /// Earlier rounds were for finding out: they are not part of the result.
  std::uint32_t first_round() const;
  /// The stops that rounds from first_round() on are made of, ascending.
  const std::vector<std::size_t>& stops() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace jcprof::engine
