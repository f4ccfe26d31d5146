// SPDX-License-Identifier: Apache-2.0
#include "bench/fixed_1000.hpp"

#include "bench/plain_mean.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace jcprof::bench {
namespace {

/// Numbers of rounds that are looked at; each a twentieth more than the one before.
std::vector<std::size_t> lengths() {
  constexpr std::size_t most = 16'000;
  std::vector<std::size_t> lengths;
  for (std::size_t n = 4; n <= most; n += std::max<std::size_t>(1, n / 20)) {
    if (!lengths.empty() && lengths.back() < rounds_of_fixed_1000 && n > rounds_of_fixed_1000)
      lengths.push_back(rounds_of_fixed_1000);
    lengths.push_back(n);
  }
  return lengths;
}

/// Differences by block, and how many of them there were after each round (a lost shot leaves out two).
struct Record {
  std::vector<std::vector<double>> differences;
  std::vector<std::vector<std::size_t>> after_round;
};

Record record(const test::Experiment& experiment, std::size_t rounds) {
  const std::vector<double> work = test::work_at_stops(experiment.model, experiment.blocks, experiment.shape);
  test::SyntheticDevice device(experiment.model, experiment.seed);
  Record record{.differences = std::vector<std::vector<double>>(experiment.blocks),
                .after_round = std::vector<std::vector<std::size_t>>(experiment.blocks)};
  for (std::size_t round = 0; round < rounds; ++round) {
    std::optional<double> before = device.execute(work[0]);
    for (std::size_t b = 0; b < experiment.blocks; ++b) {
      const std::optional<double> reading = device.execute(work[b + 1]);
      if (before && reading) record.differences[b].push_back(*reading - *before);
      record.after_round[b].push_back(record.differences[b].size());
      before = reading;
    }
  }
  return record;
}

}  // namespace

std::vector<Prefix> fixed_rounds(const test::Experiment& experiment,
                                 std::span<const engine::Precision> precisions) {
  const std::vector<std::size_t> all = lengths();
  const Record recorded = record(experiment, all.back());
  const std::vector<double> work = test::work_at_stops(experiment.model, experiment.blocks, experiment.shape);
  std::vector<Prefix> prefixes;
  for (const std::size_t rounds : all) {
    std::vector<double> means;
    for (std::size_t b = 0; b < experiment.blocks; ++b)
      means.push_back(
          plain_mean(std::span(recorded.differences[b]).first(recorded.after_round[b][rounds - 1])));
    const double whole = std::accumulate(means.begin(), means.end(), 0.0);
    Prefix prefix{.rounds = rounds};
    for (const engine::Precision& precision : precisions) {
      test::Tally tally{.blocks = experiment.blocks};
      for (std::size_t b = 0; b < experiment.blocks; ++b) {
        const double truth = (work[b + 1] - work[b]) / work.back();
        if (std::abs(means[b] / whole - truth) <= test::allowed(precision, truth)) ++tally.within;
      }
      prefix.tallies.push_back(tally);
    }
    prefixes.push_back(std::move(prefix));
  }
  return prefixes;
}

}  // namespace jcprof::bench
