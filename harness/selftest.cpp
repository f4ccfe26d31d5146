// SPDX-License-Identifier: Apache-2.0
#include "harness/selftest.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "harness/calibration.hpp"
#include "harness/clock.hpp"
#include "harness/judgement.hpp"
#include "harness/path_stops.hpp"
#include "src/core/error.hpp"

namespace jcprof::harness {
namespace {

constexpr std::uint64_t before_blocks = 1000;
// Cards pass thousands: 8 times this is the first whose tenth is whole thousands too.
constexpr std::uint64_t smallest_block = 1250;
constexpr std::uint64_t most_passes = 64'000'000;  // cards count thousands in 16 bits
constexpr int size_pilots = 7;
constexpr double exact_in_sigmas = 20;
constexpr double seen_in_sigmas = 3;
constexpr double clear_ns = 1e6;
constexpr double largest_extra = 0.11;  // of the 1x block
constexpr int most_failures = 10;       // in a row
constexpr double largest_error = 0.05;

constexpr std::size_t count_of_stops = 5;
using Passes = std::array<std::uint64_t, count_of_stops>;  // at each stop

/// In whole `step`s, so that what is asked for is what is made.
Passes passes_for(std::uint64_t block, std::uint64_t step) {
  const auto in_steps = [step](std::uint64_t passes) { return (passes + step - 1) / step * step; };
  const std::uint64_t p = in_steps(before_blocks);
  const std::uint64_t n = in_steps(block);
  return {p, p + n, p + 3 * n, p + 7 * n, p + 7 * n + std::max(n / 10 / step * step, step)};
}

/// How long the loop is at the stops.
struct LoopSize {
  Passes passes{};        // really made
  double ticks = 0;       // of the 4x block
  double sigma = 0;       // of that
  double extra = 0;       // passes of the extra, in those of the 1x block
  double longest_ns = 0;  // of a command
};

/// The loop that stands for the code: of which kind it is, and how many passes can be told apart here.
class Loop {
 public:
  Loop(Transport& transport, const SelftestSettings& settings)
      : transport_(transport),
        settings_(settings),
        device_(transport.describe()),
        tick_ns_(ns_per_tick(device_)) {}

  /// Agents have no loop but that of a trap, and a JIT may throw an empty one away.
  void choose() {
    using enum CalibrationKind;
    for (const CalibrationKind kind : {empty, unarmed}) {
      if (kind == empty && device_.transport == "agent") continue;
      kind_ = kind;
      if (warm_up() && find_size()) return;
    }
    if (!goes_on()) throw too_slow();
    throw environment_error(
        answered_ ? "longer loops do not take more time on this target"
                  : "the target cannot calibrate, so there are no loops of known length to measure",
        answered_ ? "is its clock much too coarse?"
                  : "an agent that can calibrate names \"calibrate\" in its \"can\"");
  }

  bool goes_on() const { return settings_.goes_on() && now_ns() - began_ < settings_.most_time.count(); }

  std::optional<CalibrationTime> time(std::uint64_t passes) {
    ++commands_;
    return transport_.calibrate(kind_, passes);
  }

  UserError too_slow() const {
    return environment_error(
        fmt::format("the self-test ended after {} commands, without a result", commands_),
        "one command with the loop takes too long on this target");
  }

  const Description& device() const { return device_; }
  double tick_ns() const { return tick_ns_; }
  CalibrationKind kind() const { return kind_; }
  const Passes& passes() const { return size_->passes; }
  std::uint64_t commands() const { return commands_; }

 private:
  bool warm_up() {
    const std::optional<CalibrationTime> least = time(1);
    if (!least || least->passes == 0) return false;
    step_ = least->passes;
    // Sizes that are found before a JIT has compiled the loops are too small.
    const std::int64_t began = now_ns();
    double spent = 0;
    for (int i = 0; i < warm_up_commands && spent < static_cast<double>(warm_up_ns); ++i) {
      const std::optional<CalibrationTime> one = time(smallest_block);
      if (!one || !goes_on()) return false;
      answered_ = true;
      spent += static_cast<double>(one->ticks) * tick_ns_;
      if (now_ns() - began > longest_warm_up_ns) break;
    }
    return true;
  }

  /// False where even the longest loop cannot be told from a short one.
  bool find_size() {
    for (std::uint64_t block = smallest_block;; block *= 2) {
      const std::optional<LoopSize> size = look_at(passes_for(block, step_));
      if (!size) return size_.has_value();
      const double sigma = std::max(size->sigma, device_.resolution);
      if (size->ticks >= seen_in_sigmas * sigma) size_ = size;
      const bool is_long = tick_ns_ <= 0 || size->ticks * tick_ns_ >= clear_ns;
      const bool is_clear = size->ticks >= exact_in_sigmas * sigma && is_long && size->extra <= largest_extra;
      const bool is_last = passes_for(2 * block, step_).back() > most_passes ||
                           2 * size->longest_ns > static_cast<double>(settings_.longest.count());
      if (is_clear || is_last) return size_.has_value();
    }
  }

  std::optional<LoopSize> look_at(const Passes& asked) {
    LoopSize size;
    for (std::size_t s = 0; s < asked.size(); ++s) {
      const std::int64_t began = now_ns();
      const std::optional<CalibrationTime> one = time(asked[s]);
      if (!one || !goes_on()) return std::nullopt;
      size.passes[s] = one->passes;
      size.longest_ns = std::max({size.longest_ns, static_cast<double>(now_ns() - began),
                                  static_cast<double>(one->ticks) * tick_ns_});
    }
    size.extra = static_cast<double>(size.passes[4] - size.passes[3]) /
                 static_cast<double>(size.passes[1] - size.passes[0]);
    std::vector<double> differences;
    for (int i = 0; i < size_pilots; ++i) {
      const std::optional<CalibrationTime> shorter = time(asked[2]);
      const std::optional<CalibrationTime> longer = time(asked[3]);
      if (!shorter || !longer || !goes_on()) return std::nullopt;
      differences.push_back(static_cast<double>(longer->ticks - shorter->ticks));
    }
    size.ticks = engine::median(differences);
    size.sigma = engine::mad_sigma(differences);
    return size;
  }

  Transport& transport_;
  const SelftestSettings& settings_;
  Description device_;
  double tick_ns_;
  std::int64_t began_ = now_ns();
  CalibrationKind kind_ = CalibrationKind::empty;
  std::uint64_t step_ = 1;  // passes are multiples of it
  bool answered_ = false;
  std::optional<LoopSize> size_;
  std::uint64_t commands_ = 0;
};

/// The shots that were made.
std::uint64_t measure(engine::Engine& engine, Loop& loop, const SelftestSettings& settings) {
  std::uint64_t shots = 0;
  int failures = 0;
  while (engine.next().phase != engine::Phase::done) {
    std::vector<engine::Reading> readings;
    for (const engine::PlannedShot& planned : engine.next().shots) {
      if (!loop.goes_on()) return shots;
      if (planned.pause_ns > 0) settings.pause(std::chrono::nanoseconds(planned.pause_ns));
      ++shots;
      const std::optional<CalibrationTime> one = loop.time(loop.passes().at(planned.stop));
      failures = one ? 0 : failures + 1;
      if (failures >= most_failures)
        throw environment_error(fmt::format("{} calibrations in a row failed", failures),
                                "is the target still there?");
      using Kind = engine::Reading::Kind;
      readings.push_back(
          {.kind = one ? Kind::timed : Kind::lost, .ticks = one ? static_cast<double>(one->ticks) : 0});
    }
    engine.take(readings);
  }
  return shots;
}

/// Holds the quotient wherever both are within their intervals.
engine::Interval ratio_of(const engine::Interval& part, const engine::Interval& of) {
  engine::Interval ratio{.value = part.value / of.value};
  if (!(of.low > 0)) return ratio;
  ratio.low = part.low / (part.low < 0 ? of.low : of.high);
  ratio.high = part.high / (part.high < 0 ? of.high : of.low);
  return ratio;
}

SelftestBlock block_of(const engine::Look& look, std::size_t b, const Passes& passes) {
  const engine::Interval& first = look.blocks.front().ticks;
  SelftestBlock one{.passes = passes[b + 1] - passes[b], .ticks = look.blocks[b].ticks};
  one.truth = static_cast<double>(one.passes) / static_cast<double>(passes[1] - passes[0]);
  one.ratio = b == 0 ? engine::Interval{1, 1, 1} : ratio_of(one.ticks, first);
  one.error = one.ratio.value / one.truth - 1;
  const bool is_inside = one.ratio.low <= one.truth && one.truth <= one.ratio.high;
  one.is_off = !(first.value > 0) || (!is_inside && !(std::abs(one.error) <= largest_error));
  return one;
}

}  // namespace

Selftest selftest(Transport& transport, const SelftestSettings& settings) {
  Loop loop(transport, settings);
  loop.choose();
  const Description& device = loop.device();
  engine::Engine engine({.stops = count_of_stops,
                         .precision = settings.precision,
                         .seed = settings.seed,
                         .ns_per_tick = loop.tick_ns(),
                         .exact = device.exact});
  const std::uint64_t shots = measure(engine, loop, settings);
  const std::optional<engine::Look>& look = engine.look();
  if (!look || look->blocks.size() + 1 != count_of_stops) throw loop.too_slow();
  Selftest result{.device = device,
                  .loop = loop.kind(),
                  .complete = engine.next().phase == engine::Phase::done,
                  .commands = loop.commands(),
                  .shots = shots,
                  .whole = look->whole,
                  .sigma = engine.pilot() ? engine.pilot()->sigma : 0,
                  .clock = engine.clock(),
                  .grid = engine.pilot() ? engine.pilot()->grid : 0,
                  .warnings = judge(engine, {.precision = settings.precision}, device.unit)};
  for (std::size_t b = 0; b < look->blocks.size(); ++b)
    result.blocks.push_back(block_of(*look, b, loop.passes()));
  // Readings that agree to the tick do not show how much lies below a tick.
  result.least_ticks = std::max(half_width(look->blocks.back().ticks), device.resolution);
  result.least_share = look->whole > 0 ? result.least_ticks / look->whole : engine::missing;
  return result;
}

}  // namespace jcprof::harness
