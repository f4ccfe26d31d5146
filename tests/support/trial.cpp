// SPDX-License-Identifier: Apache-2.0
#include "tests/support/trial.hpp"

#include <algorithm>
#include <cmath>

#include "tests/support/workload.hpp"

namespace jcprof::test {
namespace {

constexpr double ns_per_us = 1000;

/// The engine's shots on the device, ticks in nanoseconds.
std::vector<engine::Reading> make_shots(SyntheticDevice& device, const engine::Batch& batch,
                                        const Workload& work) {
  std::vector<engine::Reading> readings;
  for (const engine::PlannedShot& shot : batch.shots) {
    device.pause(static_cast<double>(shot.pause_ns) / ns_per_us);
    const double to_stop = work.work_to(shot.stop, device.state().executions);
    const std::optional<double> reading = device.execute(to_stop, shot.stop + 1 == work.stops());
    if (reading)
      readings.push_back({.kind = engine::Reading::Kind::timed, .ticks = std::round(*reading * ns_per_us)});
    else
      readings.push_back({.kind = engine::Reading::Kind::lost});
  }
  return readings;
}

std::vector<double> true_shares(const std::vector<double>& work, const std::vector<std::size_t>& stops) {
  std::vector<double> shares;
  for (std::size_t b = 0; b + 1 < stops.size(); ++b)
    shares.push_back((work[stops[b + 1]] - work[stops[b]]) / (work.back() - work.front()));
  return shares;
}

/// At the threshold itself either call is wrong.
void note_mistakes(const engine::Look& look, const std::vector<double>& truth, double hot,
                   std::vector<bool>& mistakes) {
  mistakes.resize(truth.size());
  for (std::size_t b = 0; b < truth.size(); ++b) {
    const Hot call = look.blocks.at(b).hot;
    if ((call == Hot::yes && truth[b] <= hot) || (call == Hot::no && truth[b] >= hot)) mistakes[b] = true;
  }
}

}  // namespace

std::vector<double> work_at_stops(const DeviceModel& model, std::size_t blocks, Shape shape) {
  std::vector<double> work{0};
  double sum = 0;
  for (const double cost : block_costs(blocks, model.work, shape)) {
    sum += cost;
    work.push_back(sum + static_cast<double>(work.size()) * model.trap);
  }
  return work;
}

Trial run_trial(const Experiment& experiment) {
  const Workload work(experiment.model, experiment.blocks, experiment.shape, experiment.seed);
  SyntheticDevice device(experiment.model, experiment.seed);
  const auto truth = [&](const engine::Engine& of) {
    return true_shares(work.truth(device.state().executions), of.stops());
  };
  engine::Engine engine({.stops = work.stops(),
                         .precision = experiment.precision,
                         .seed = experiment.seed,
                         .zoom = experiment.zoom,
                         .figures = experiment.figures});
  Trial trial;
  std::size_t looks = 0;
  for (engine::Batch batch = engine.next(); batch.phase != engine::Phase::done; batch = engine.next()) {
    trial.shots += batch.shots.size();
    if (batch.phase == engine::Phase::warm_up) trial.warm_up += batch.shots.size();
    trial.rounds = std::max(trial.rounds, batch.round);
    engine.take(make_shots(device, batch, work));
    const bool is_of_result = batch.phase == engine::Phase::rounds && engine.first_round() <= batch.round;
    if (engine.looks() > looks && is_of_result)
      note_mistakes(*engine.look(), truth(engine), experiment.precision.hot, trial.hot_mistakes);
    looks = engine.looks();
  }
  trial.clock = engine.clock();
  trial.stops = engine.stops();
  trial.times = engine.times();
  trial.look = engine.look().value();
  trial.assumptions = engine.assumptions();
  trial.is_prepared = engine.is_prepared();
  trial.figures = engine.figures();
  trial.truth = truth(engine);
  return trial;
}

Found found_blocks(const Trial& trial, const Experiment& experiment, double share) {
  const std::vector<double> work = work_at_stops(experiment.model, experiment.blocks, experiment.shape);
  Found found;
  for (std::size_t b = 0; b < experiment.blocks; ++b) {
    if ((work[b + 1] - work[b]) / work.back() < share) continue;
    ++found.blocks;
    if (!std::ranges::binary_search(trial.stops, b) || !std::ranges::binary_search(trial.stops, b + 1))
      ++found.missed;
  }
  return found;
}

double allowed(const engine::Precision& precision, double share) {
  return std::max(precision.absolute, precision.relative * share);
}

void Tally::add(const Tally& other) {
  blocks += other.blocks;
  covered += other.covered;
  within += other.within;
}

Tally tally(const Trial& trial, const engine::Precision& precision) {
  Tally tally{.blocks = trial.truth.size()};
  for (std::size_t b = 0; b < trial.truth.size(); ++b) {
    const engine::Interval& share = trial.look.blocks.at(b).share;
    const double truth = trial.truth[b];
    if (share.low <= truth && truth <= share.high) ++tally.covered;
    if (std::abs(share.value - truth) <= allowed(precision, truth)) ++tally.within;
  }
  return tally;
}

}  // namespace jcprof::test
