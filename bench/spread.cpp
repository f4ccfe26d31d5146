// SPDX-License-Identifier: Apache-2.0
// How far apart three profiles of the same code come out, and how many blocks come out below no time at all:
// jcprof's estimates side by side with plain means of differences, the closest rival's way, on the same
// simulators.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "annotator/run_data.hpp"
#include "annotator/statistics.hpp"
#include "annotator/stretches.hpp"
#include "bench/card.hpp"
#include "bench/plain_mean.hpp"
#include "src/core/error.hpp"

namespace jcprof::bench {
namespace {

using Clock = std::chrono::steady_clock;
using annotator::Interval;

struct Options {
  cli::CommonOptions common;
  std::uint32_t profiles = 3;
  std::uint32_t rounds = 50;
};

/// What one profile says of each block, in ticks, before anything is kept from being negative.
struct Outcomes {
  std::vector<Interval> blocks;  // along the path; the rival has no intervals
  std::vector<Event> stops;      // where they begin, and the end of the command
  std::uint64_t shots = 0;
  Seconds time{0};
};

std::vector<double> present(const std::vector<double>& values) {
  std::vector<double> result;
  std::ranges::copy_if(values, std::back_inserter(result),
                       [](double value) { return !annotator::is_missing(value); });
  return result;
}

/// The same samples, with and without the calibrated cost of the traps taken off.
struct OurOutcomes {
  Outcomes published;
  Outcomes with_traps;
};

Outcomes outcomes_of(const annotator::RunData& data, const annotator::TrapCost& cost) {
  const std::vector<Event>& path = data.paths.front().events;
  const std::vector<annotator::Unwinding> unwinding = annotator::attribute(data.map, path).unwinding;
  Outcomes outcomes;
  for (const annotator::Stretch& stretch : annotator::differences(data, {path, unwinding}, cost).all) {
    outcomes.blocks.push_back(annotator::sign_interval(present(stretch.rounds)));
    outcomes.stops.push_back(path[stretch.begin]);
  }
  outcomes.stops.emplace_back();
  return outcomes;
}

OurOutcomes jcprof_profile(const Card& card, harness::Transport& simulator, std::uint32_t rounds) {
  const Recording recording = record(card, simulator, {.rounds = rounds});
  timed_samples(recording);
  const annotator::RunData data = annotator::load_newest_run(Store(recording.file, OpenMode::read_only));
  OurOutcomes ours{.published = outcomes_of(data, annotator::trap_cost(data.calibrations, 0.05)),
                   .with_traps = outcomes_of(data, {})};
  for (Outcomes* outcomes : {&ours.published, &ours.with_traps}) {
    outcomes->shots = recording.measured.shots;
    outcomes->time = recording.time;
  }
  return ours;
}

/// JCProfilerNext's way: no warm-up, stops in program order, each difference to the stop before in the same
/// round.
Outcomes rival_profile(harness::Transport& simulator, const std::vector<Event>& stops, std::uint32_t rounds) {
  std::vector<Shot> shots;
  for (const Event& stop : stops) shots.push_back({.stop = stop});
  std::vector<std::vector<double>> differences(stops.size() - 1);
  const Clock::time_point start = Clock::now();
  for (std::uint32_t round = 0; round < rounds; ++round) {
    std::size_t at = 0;
    double before = 0;
    simulator.measure(shots, [&](const Shot&, const Sample& sample) {
      check(sample.outcome == Outcome::stopped || sample.outcome == Outcome::ended, "a shot is a time");
      const auto ticks = static_cast<double>(sample.ticks);
      if (at > 0) differences[at - 1].push_back(ticks - before);
      before = ticks;
      ++at;
      return true;
    });
  }
  Outcomes outcomes{.stops = stops, .shots = std::uint64_t{rounds} * stops.size()};
  for (const std::vector<double>& values : differences)
    outcomes.blocks.push_back({.value = plain_mean(values)});
  outcomes.time = Clock::now() - start;
  return outcomes;
}

/// max - min over the profiles: the median of the blocks.
double spread(const std::vector<Outcomes>& profiles) {
  std::vector<double> ranges;
  for (std::size_t block = 0; block < profiles.front().blocks.size(); ++block) {
    std::vector<double> values;
    for (const Outcomes& profile : profiles) values.push_back(profile.blocks.at(block).value);
    ranges.push_back(std::ranges::max(values) - std::ranges::min(values));
  }
  return annotator::median(ranges);
}

void print_row(std::string_view method, const std::vector<Outcomes>& profiles) {
  std::size_t blocks = 0;
  std::size_t negative = 0;
  std::size_t surely_negative = 0;
  std::uint64_t shots = 0;
  double seconds = 0;
  for (const Outcomes& profile : profiles) {
    blocks += profile.blocks.size();
    for (const Interval& block : profile.blocks) {
      negative += block.value < 0 ? 1 : 0;
      surely_negative += block.high < 0 ? 1 : 0;
    }
    shots += profile.shots;
    seconds += profile.time.count();
  }
  const bool has_intervals = std::isfinite(profiles.front().blocks.front().high);
  const double share = 100.0 * static_cast<double>(negative) / static_cast<double>(blocks);
  fmt::print("{:<32} | {:>7} | {:>6.0f} ns | {:>21} | {:>14} | {:>6.1f} s\n", method, shots, spread(profiles),
             fmt::format("{} of {} ({:.1f} %)", negative, blocks, share),
             has_intervals ? std::to_string(surely_negative) : "no intervals", seconds);
}

ExitCode compare(const Options& options) {
  const Card card = build_card(options.common);
  std::vector<Outcomes> published;
  std::vector<Outcomes> with_traps;
  std::vector<Outcomes> rival;
  for (std::uint32_t i = 0; i < options.profiles; ++i) {
    const auto simulator = start_simulator(card);
    // The simulator is colder, and so less even, for the one that comes first: that is us.
    OurOutcomes ours = jcprof_profile(card, *simulator, options.rounds);
    published.push_back(std::move(ours.published));
    with_traps.push_back(std::move(ours.with_traps));
    check(published.back().stops == published.front().stops, "all profiles are of the same blocks");
    rival.push_back(rival_profile(*simulator, published.back().stops, options.rounds));
  }
  fmt::print("{} profiles of {} rounds, {} blocks\n", options.profiles, options.rounds,
             published.front().blocks.size());
  fmt::print("{:<32} | {:>7} | {:>9} | {:>21} | {:>14} | {:>8}\n", "method", "shots", "spread", "negative",
             "interval below", "time");
  print_row("jcprof", published);
  print_row("jcprof, traps not taken off", with_traps);
  print_row("program order, plain means", rival);
  return ExitCode::done;
}

}  // namespace
}  // namespace jcprof::bench

int main(int argc, char** argv) {
  CLI::App app{"How far apart profiles of the same code come out.", "bench-spread"};
  jcprof::bench::Options options;
  jcprof::cli::add_project_options(app, options.common);
  app.add_option("--profiles", options.profiles, "each on a simulator of its own")
      ->check(CLI::Range(2U, 100U))
      ->capture_default_str();
  app.add_option("--rounds", options.rounds, "of each profile, and of each of the rival's")
      ->check(CLI::Range(7U, 10'000U))
      ->capture_default_str();
  return jcprof::cli::guarded_main(app, argc, argv, [&] { return jcprof::bench::compare(options); });
}
