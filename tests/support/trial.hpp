// SPDX-License-Identifier: Apache-2.0
// One measurement of a synthetic device by the engine, in process, and how its result compares with the
// truth.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "src/engine/engine.hpp"
#include "tests/support/synthetic_device.hpp"

namespace jcprof::test {

struct Experiment {
  DeviceModel model;
  std::size_t blocks = 20;
  Shape shape = Shape::skew;
  engine::Precision precision = {};
  std::uint64_t seed = 1;  // of device and engine
  std::optional<double> zoom = {};
  engine::FigureSource figures = {};  // that end it
};

struct Trial {
  std::uint64_t shots = 0;    // all of them
  std::uint64_t warm_up = 0;  // those of the warm-up
  std::uint32_t rounds = 0;
  engine::Clock clock = {};
  std::vector<std::size_t> stops;
  engine::Look look = {};
  engine::Assumptions assumptions = {};
  bool is_prepared = false;  // the rounds of the look are
  std::vector<engine::FigureLook> figures = {};
  engine::Times times{0};          // that the look is made of
  std::vector<double> truth;       // share of each block of the look
  std::vector<bool> hot_mistakes;  // of each block: a look called it hot or cold, and it is not so
};

/// Device work up to each stop from 0 to `blocks`, traps included.
std::vector<double> work_at_stops(const DeviceModel& model, std::size_t blocks, Shape shape);

Trial run_trial(const Experiment& experiment);

/// The blocks of at least this share that stand alone in the result, and those that do not.
struct Found {
  std::size_t blocks = 0;
  std::size_t missed = 0;
};
Found found_blocks(const Trial& trial, const Experiment& experiment, double share);

/// Half width that is good enough for a block of this share.
double allowed(const engine::Precision& precision, double share);

/// Blocks of which something is true.
struct Tally {
  std::size_t blocks = 0;
  std::size_t covered = 0;  // the truth lies in the interval
  std::size_t within = 0;   // the value lies as close to the truth as was asked for
  void add(const Tally& other);
  double coverage() const { return static_cast<double>(covered) / static_cast<double>(blocks); }
  double accuracy() const { return static_cast<double>(within) / static_cast<double>(blocks); }
};
Tally tally(const Trial& trial, const engine::Precision& precision);

}  // namespace jcprof::test
