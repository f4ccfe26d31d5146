// SPDX-License-Identifier: Apache-2.0
// jcprof and the closest tool's way (fixed-1000) side by side on the same simulators: shots, time, how far
// apart profiles of the same code come out, and how many values lie below no time at all. jcprof ends by
// itself; the rival makes its rounds over all stops.
#include <algorithm>
#include <chrono>
#include <map>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "annotator/estimate/estimates.hpp"
#include "bench/card.hpp"
#include "bench/plain_mean.hpp"
#include "src/core/error.hpp"
#include "src/engine/schedule.hpp"

namespace jcprof::bench {
namespace {

using Clock = std::chrono::steady_clock;
/// What lies between two stops: one block of the path, or several that were measured as one.
using Piece = std::pair<Event, Event>;

struct Options {
  cli::CommonOptions common;
  std::uint32_t profiles = 3;
  std::uint32_t rival_rounds = rounds_of_fixed_1000;
  std::optional<double> max_seconds;
};

/// One profile of either side.
struct Numbers {
  std::map<Piece, double> raw;        // ticks
  std::map<Piece, double> published;  // the rival's are the raw ones
  std::uint64_t shots = 0;
  Seconds time{0};
};

struct OurProfile {
  Numbers numbers;
  std::vector<Event> stops;  // that are measured at most: of long loops some passes
  StoredLook look;           // the last one
  std::size_t events = 0;    // of the path
};

OurProfile our_profile(const Card& card, harness::Transport& simulator, const Options& options) {
  harness::MeasureOptions goal;
  if (options.max_seconds)
    goal.max_time = std::chrono::duration_cast<std::chrono::milliseconds>(Seconds(*options.max_seconds));
  const Recording recording = record(card, simulator, goal);
  const annotator::RunData data = annotator::load_newest_run(Store(recording.file, OpenMode::read_only));
  check(data.paths.size() == 1, "the command takes one path");
  const std::vector<Event>& path = data.paths.front().events;
  OurProfile ours{.numbers = {.shots = recording.measured.shots, .time = recording.time},
                  .stops = {},
                  .look = data.looks.back(),
                  .events = path.size()};
  for (const std::size_t at : engine::choose_positions(path, goal.seed))
    ours.stops.push_back(at < path.size() ? path[at] : Event{});
  for (const annotator::BlockEstimate& block : annotator::estimate(data).blocks) {
    ours.numbers.raw[{block.from, block.to}] = block.cost.raw;
    ours.numbers.published[{block.from, block.to}] = block.cost.ticks.value;
  }
  return ours;
}

/// JCProfilerNext's way: no warm-up, stops in program order, each difference to the stop before in the same
/// round.
Numbers rival_profile(harness::Transport& simulator, const std::vector<Event>& stops, std::uint32_t rounds) {
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
  Numbers numbers{.shots = std::uint64_t{rounds} * stops.size()};
  for (std::size_t b = 0; b < differences.size(); ++b)
    numbers.raw[{stops[b], stops[b + 1]}] = plain_mean(differences[b]);
  numbers.published = numbers.raw;
  numbers.time = Clock::now() - start;
  return numbers;
}

/// Its blocks added up to `pieces`.
Numbers joined(const Numbers& rival, const std::vector<Event>& stops, std::span<const Piece> pieces) {
  Numbers result{.shots = rival.shots, .time = rival.time};
  for (const Piece& piece : pieces) {
    double sum = 0;
    for (auto at = std::ranges::find(stops, piece.first); *at != piece.second; ++at)
      sum += rival.raw.at({at[0], at[1]});
    result.raw[piece] = sum;
  }
  result.published = result.raw;
  return result;
}

std::vector<Piece> common_pieces(const std::vector<OurProfile>& ours) {
  std::vector<Piece> pieces;
  for (const auto& [piece, value] : ours.front().numbers.raw)
    if (std::ranges::all_of(ours, [&](const OurProfile& one) { return one.numbers.raw.contains(piece); }))
      pieces.push_back(piece);
  return pieces;
}

/// max - min over the profiles, before anything is cut: the median of the pieces.
double spread(const std::vector<Numbers>& profiles, std::span<const Piece> pieces) {
  std::vector<double> ranges;
  for (const Piece& piece : pieces) {
    std::vector<double> values;
    for (const Numbers& profile : profiles) values.push_back(profile.raw.at(piece));
    const auto [low, high] = std::ranges::minmax(values);
    ranges.push_back(high - low);
  }
  return engine::median(ranges);
}

std::string negatives(const std::vector<Numbers>& profiles, std::map<Piece, double> Numbers::* values) {
  std::size_t all = 0;
  std::size_t negative = 0;
  for (const Numbers& profile : profiles) {
    all += (profile.*values).size();
    for (const auto& [piece, value] : profile.*values) negative += value < 0 ? 1 : 0;
  }
  return fmt::format("{} of {} ({:.1f} %)", negative, all,
                     100.0 * static_cast<double>(negative) / static_cast<double>(all));
}

double shots_of(const std::vector<Numbers>& profiles) {
  std::vector<double> shots;
  for (const Numbers& profile : profiles) shots.push_back(static_cast<double>(profile.shots));
  return engine::median(shots);
}

double seconds_of(const std::vector<Numbers>& profiles) {
  std::vector<double> seconds;
  for (const Numbers& profile : profiles) seconds.push_back(profile.time.count());
  return engine::median(seconds);
}

void print_row(std::string_view what, const std::string& ours, const std::string& rival) {
  fmt::print("{:<44} | {:>24} | {:>24}\n", what, ours, rival);
}

void print_cost(const std::vector<Numbers>& ours, const std::vector<Numbers>& rival, double rounds) {
  print_row("shots of a profile (median)", fmt::format("{:.0f}", shots_of(ours)),
            fmt::format("{:.0f}", shots_of(rival)));
  print_row("its time", fmt::format("{:.1f} s", seconds_of(ours)),
            fmt::format("{:.1f} s", seconds_of(rival)));
  if (rounds < rounds_of_fixed_1000) {
    const double more = rounds_of_fixed_1000 / rounds;
    print_row("shots of 1000 rounds, extrapolated", "", fmt::format("{:.0f}", more * shots_of(rival)));
    print_row("their time, extrapolated", "", fmt::format("{:.0f} s", more * seconds_of(rival)));
  }
}

void print_values(const std::vector<Numbers>& ours, const std::vector<Numbers>& same,
                  std::span<const Piece> pieces) {
  print_row("spread of a piece (median)", fmt::format("{:.0f} ns", spread(ours, pieces)),
            fmt::format("{:.0f} ns", spread(same, pieces)));
  print_row("negative before anything is cut", negatives(ours, &Numbers::raw),
            negatives(same, &Numbers::raw));
  print_row("negative as published", negatives(ours, &Numbers::published),
            negatives(same, &Numbers::published));
}

void print(const std::vector<OurProfile>& all, const std::vector<Numbers>& rival, const Options& options) {
  const std::vector<Event>& stops = all.front().stops;
  const std::vector<Piece> pieces = common_pieces(all);
  std::vector<Numbers> ours;
  std::vector<Numbers> same;
  std::string settled;
  for (std::size_t i = 0; i < all.size(); ++i) {
    check(all[i].stops == stops, "all profiles are of the same path");
    ours.push_back(all[i].numbers);
    std::vector<Piece> own;
    for (const auto& [piece, value] : all[i].numbers.raw) own.push_back(piece);
    same.push_back(joined(rival[i], stops, own));
    settled += fmt::format("{}{} of {}", i == 0 ? "" : ", ", all[i].look.settled, all[i].look.blocks);
  }
  const auto single = std::ranges::count_if(
      pieces, [&](const Piece& piece) { return std::ranges::find(stops, piece.first)[1] == piece.second; });
  fmt::print(
      "{} profiles of {} stops, chosen from {} events; {} pieces are in all of jcprof's, {} of them "
      "neighbours\n",
      all.size(), stops.size(), all.front().events, pieces.size(), single);
  fmt::print("pieces that jcprof settled: {}\n", settled);
  print_row("", "jcprof", fmt::format("fixed-1000, {} rounds", options.rival_rounds));
  print_cost(ours, rival, options.rival_rounds);
  print_values(ours, same, pieces);
  print_row("the same, the rival's own blocks", "", negatives(rival, &Numbers::published));
}

ExitCode compare(const Options& options) {
  const Card card = build_card(options.common);
  std::vector<OurProfile> ours;
  std::vector<Numbers> rival;
  for (std::uint32_t i = 0; i < options.profiles; ++i) {
    const auto simulator = start_simulator(card);
    // The simulator is colder, and so less even, for the one that comes first: that is us.
    ours.push_back(our_profile(card, *simulator, options));
    fmt::print(stderr, "profile {}: jcprof {} shots, {:.1f} s\n", i + 1, ours.back().numbers.shots,
               ours.back().numbers.time.count());
    rival.push_back(rival_profile(*simulator, ours.back().stops, options.rival_rounds));
    fmt::print(stderr, "profile {}: rival {} shots, {:.1f} s\n", i + 1, rival.back().shots,
               rival.back().time.count());
  }
  print(ours, rival, options);
  return ExitCode::done;
}

}  // namespace
}  // namespace jcprof::bench

int main(int argc, char** argv) {
  CLI::App app{"jcprof and the closest tool's way on the same simulators.", "bench-spread"};
  jcprof::bench::Options options;
  app.add_option("PROJECT", options.common.project)->required();
  app.add_option("-o,--out", options.common.out);
  app.add_option("--profiles", options.profiles, "each on a simulator of its own")
      ->check(CLI::Range(2U, 100U))
      ->capture_default_str();
  app.add_option("--rival-rounds", options.rival_rounds, "of fewer than 1000, 1000 are extrapolated")
      ->check(CLI::Range(1U, 1000U))
      ->capture_default_str();
  app.add_option("--max-time", options.max_seconds, "seconds of one of jcprof's profiles");
  CLI11_PARSE(app, argc, argv);
  return jcprof::cli::guarded([&] { return jcprof::bench::compare(options); });
}
