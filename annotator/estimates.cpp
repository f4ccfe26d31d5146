// SPDX-License-Identifier: Apache-2.0
#include "annotator/estimates.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "annotator/division.hpp"

namespace jcprof::annotator {
namespace {

/// Part of a stretch that belongs to a line or a function.
struct Part {
  std::size_t stretch = 0;
  Weight weight;
};
using Parts = std::vector<Part>;

/// Above this the traps shape what they measure.
constexpr double too_dear = 0.1;
/// The calibrated cost of a pass is not quite that of the same pass among the user's code.
constexpr double pass_differs = 0.15;

double half_width(const Interval& interval) {
  return (interval.high - interval.low) / 2;
}

/// Above 0, and known better than by its own size: skewed noise may leave a value that the interval dwarfs.
bool is_resolved(const Interval& ticks) {
  return ticks.low > 0 && half_width(ticks) <= ticks.value;
}

class Estimator {
 public:
  Estimator(const RunData& data, double alpha)
      : data_(data),
        alpha_(alpha),
        path_(data.paths.empty() ? std::vector<Event>{} : data.paths.front().events),
        cost_(trap_cost(data.calibrations, alpha)),
        attribution_(attribute(data.map, path_)),
        stretches_(differences(data, {path_, attribution_.unwinding}, cost_)),
        division_(stretches_, path_, attribution_, alpha) {}

  Profile profile() {
    Profile profile{.run = data_.run,
                    .shots = data_.samples.size(),
                    .rounds = static_cast<std::uint32_t>(stretches_.rounds),
                    .trap_cost = cost_,
                    .unreached = attribution_.unreached,
                    .sources = data_.map.sources,
                    .language = data_.map.language,
                    .warnings = data_.warnings};
    blocks(profile);
    lines(profile);
    functions(profile);
    edges(profile);
    loops(profile);
    whole(profile);
    warn(profile);
    return profile;
  }

 private:
  /// How many of each of the calibrated costs were taken off.
  struct Corrections {
    double passes = 0;   // of traps
    double counted = 0;  // of them, counting ones
    double stops = 0;
    double frames = 0;
    double guards = 0;

    void add(const Corrections& other, double times) {
      passes += times * other.passes;
      counted += times * other.counted;
      stops += times * other.stops;
      frames += times * other.frames;
      guards += times * other.guards;
    }
  };

  /// What makes a number less sure than its rounds alone show.
  struct Unsure {
    Corrections taken_off;
    double division_low = 0;  // how much less, and how much more, of shared stretches may belong to it
    double division_high = 0;
  };

  /// Of T at that position of the path.
  Corrections corrections_at(std::size_t position) const {
    Corrections result{.passes = static_cast<double>(position)};
    if (position == path_.size()) return result;
    const Unwinding& left = attribution_.unwinding[position];
    result.counted = path_[position].hit - 1;
    result.stops = 1;
    result.frames = left.frames;
    result.guards = left.guards;
    return result;
  }

  Corrections corrections_of(const Stretch& stretch) const {
    Corrections result = corrections_at(stretch.end);
    result.add(corrections_at(stretch.begin), -1);
    return result;
  }

  /// How far what was taken off may be wrong.
  double half_width_of(const Corrections& taken_off) const {
    const double pass = std::hypot(half_width(cost_.pass), pass_differs * cost_.pass.value);
    const std::array parts{pass * taken_off.passes, half_width(cost_.counting) * taken_off.counted,
                           half_width(cost_.stop) * taken_off.stops,
                           half_width(cost_.frame) * taken_off.frames,
                           half_width(cost_.guard) * taken_off.guards};
    return std::sqrt(std::inner_product(parts.begin(), parts.end(), parts.begin(), 0.0));
  }

  Estimate number_of(const std::vector<double>& rounds, const Unsure& unsure) const {
    const std::vector<double> values = present(rounds);
    Interval raw = sign_interval(values, alpha_);
    const double traps = half_width_of(unsure.taken_off);
    // Two at a time: hypot of three makes NaN of the infinite ends that few rounds have (libstdc++ 12).
    raw.low = raw.value - std::hypot(raw.value - raw.low, std::hypot(traps, unsure.division_low));
    raw.high = raw.value + std::hypot(raw.high - raw.value, std::hypot(traps, unsure.division_high));
    Estimate estimate{.raw = raw.value, .rounds = static_cast<std::uint32_t>(values.size())};
    estimate.resolved = is_resolved(raw);
    // Nothing takes less than no time; what noise put below may still be as large as the noise.
    estimate.ticks = {.value = std::max(0.0, raw.value),
                      .low = std::isfinite(raw.low) ? std::max(0.0, raw.low) : raw.low,
                      .high = std::max(raw.high, half_width(raw))};
    return estimate;
  }

  Estimate with_share(Estimate estimate) const {
    // Where all blocks together drown in the noise, they are a part of the command at least.
    const double whole = whole_ > 0 ? whole_ : std::max(1.0, median_of_present(stretches_.totals));
    // Medians do not add up exactly: a part may come out larger than the sum of all.
    const auto share = [whole](double ticks) { return std::min(1.0, ticks / whole); };
    estimate.share = {share(estimate.ticks.value), share(estimate.ticks.low), share(estimate.ticks.high)};
    return estimate;
  }

  // ---- sums

  Estimate sum_of(const Parts& parts) const {
    std::vector<double> rounds(stretches_.rounds, 0);
    Unsure unsure;
    for (const Part& part : parts) {
      const Stretch& stretch = stretches_.all[part.stretch];
      const Fraction share = fraction(part.weight, division_.weight(stretch.begin, stretch.end));
      for (std::size_t r = 0; r < rounds.size(); ++r) rounds[r] += share.value * stretch.filled[r];
      unsure.taken_off.add(corrections_of(stretch), share.value);
      const double whole = std::max(0.0, median_of_present(stretch.rounds));
      unsure.division_low += (share.value - share.low) * whole;
      unsure.division_high += (share.high - share.value) * whole;
    }
    if (parts.empty()) rounds.clear();
    return with_share(number_of(rounds, unsure));
  }

  static void add(Parts& parts, std::size_t stretch, const Weight& weight) {
    if (parts.empty() || parts.back().stretch != stretch) parts.push_back({stretch, {}});
    parts.back().weight += weight;
  }

  void blocks(Profile& profile) {
    for (const Stretch& stretch : stretches_.all) {
      BlockEstimate block{.from = path_[stretch.begin],
                          .to = stretch.end < path_.size() ? path_[stretch.end] : Event{},
                          .passed = stretch.end - stretch.begin};
      std::map<std::uint32_t, double> by_line;
      std::size_t best = stretch.begin;
      for (std::size_t i = stretch.begin; i < stretch.end; ++i) {
        by_line[attribution_.blocks[i].line] += division_.weight(i, i + 1).value;
        if (by_line[attribution_.blocks[i].line] > by_line[attribution_.blocks[best].line]) best = i;
      }
      const OwnedLine& line = attribution_.lines[attribution_.blocks[best].line];
      block.function = attribution_.functions[attribution_.blocks[best].function].name;
      block.path = line.path;
      block.line = line.line;
      block.cost = number_of(stretch.rounds, {.taken_off = corrections_of(stretch)});
      whole_ += block.cost.raw;
      profile.blocks.push_back(std::move(block));
    }
    for (BlockEstimate& block : profile.blocks) block.cost = with_share(block.cost);
  }

  void lines(Profile& profile) {
    std::vector<Parts> parts(attribution_.lines.size());
    exclusive_.resize(attribution_.functions.size());
    for (std::size_t s = 0; s < stretches_.all.size(); ++s) {
      for (std::size_t i = stretches_.all[s].begin; i < stretches_.all[s].end; ++i) {
        const Weight weight = division_.weight(i, i + 1);
        add(parts[attribution_.blocks[i].line], s, weight);
        add(exclusive_[attribution_.blocks[i].function], s, weight);
      }
    }
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const OwnedLine& line = attribution_.lines[i];
      profile.lines.push_back({.path = line.path,
                               .line = line.line,
                               .function = line.function,
                               .hits = line.hits,
                               .cost = sum_of(parts[i])});
    }
    sort_by_cost(profile.lines);
  }

  void functions(Profile& profile) {
    std::vector<Parts> inclusive(attribution_.functions.size());
    for (const Invocation& call : attribution_.invocations)
      if (call.outermost) add_blocks(inclusive[call.function], call.begin, call.end);
    for (std::size_t i = 0; i < inclusive.size(); ++i) {
      const PassedFunction& function = attribution_.functions[i];
      const Estimate exclusive = sum_of(exclusive_[i]);
      profile.functions.push_back({.function = function.name,
                                   .path = function.path,
                                   .line = function.line,
                                   .calls = function.calls,
                                   .exclusive = exclusive,
                                   .inclusive = at_least(sum_of(inclusive[i]), exclusive)});
    }
    std::ranges::stable_sort(profile.functions, [](const FunctionEstimate& a, const FunctionEstimate& b) {
      return std::tie(b.exclusive.ticks.value, a.function) < std::tie(a.exclusive.ticks.value, b.function);
    });
  }

  /// With its calls a function takes no less than without, whatever noise says of the calls.
  Estimate at_least(Estimate inclusive, const Estimate& exclusive) const {
    Interval& ticks = inclusive.ticks;
    ticks.value = std::max(ticks.value, exclusive.ticks.value);
    ticks.low = std::max(ticks.low, exclusive.ticks.low);
    ticks.high = std::max(ticks.high, ticks.value);
    inclusive.resolved = is_resolved(ticks);
    return with_share(inclusive);
  }

  /// The path's blocks [begin, end).
  void add_blocks(Parts& parts, std::size_t begin, std::size_t end) const {
    const auto& all = stretches_.all;
    const auto first = std::ranges::upper_bound(all, begin, {}, &Stretch::end);
    for (auto s = first; s != all.end() && s->begin < end; ++s) {
      const std::size_t from = std::max(s->begin, begin);
      const std::size_t to = std::min(s->end, end);
      if (from < to) add(parts, static_cast<std::size_t>(s - all.begin()), division_.weight(from, to));
    }
  }

  void edges(Profile& profile) {
    std::map<std::pair<TrapId, TrapId>, std::pair<std::uint64_t, Parts>> gone;
    for (std::size_t s = 0; s < stretches_.all.size(); ++s) {
      for (std::size_t i = stretches_.all[s].begin; i < stretches_.all[s].end; ++i) {
        const TrapId to = i + 1 < path_.size() ? path_[i + 1].trap : run_to_end;
        auto& [count, parts] = gone[{path_[i].trap, to}];
        ++count;
        add(parts, s, division_.weight(i, i + 1));
      }
    }
    for (const auto& [ends, counted] : gone) {
      const Trap& from = data_.map.at(ends.first);
      profile.edges.push_back({.from = ends.first,
                               .to = ends.second,
                               .function = from.function,
                               .path = from.path,
                               .line = from.line,
                               .count = counted.first,
                               .cost = sum_of(counted.second)});
    }
    sort_by_cost(profile.edges);
  }

  void loops(Profile& profile) {
    std::vector<Parts> parts(attribution_.loops.size());
    for (const LoopRun& run : attribution_.loop_runs)
      if (run.outermost) add_blocks(parts[run.loop], run.begin, run.end);
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const PassedLoop& loop = attribution_.loops[i];
      profile.loops.push_back({.function = loop.function,
                               .path = loop.path,
                               .line = loop.line,
                               .entries = loop.entries,
                               .passes = loop.passes,
                               .cost = sum_of(parts[i])});
    }
    sort_by_cost(profile.loops);
  }

  template <class Item>
  static void sort_by_cost(std::vector<Item>& items) {
    std::ranges::stable_sort(items, [](const Item& a, const Item& b) {
      return std::tie(b.cost.ticks.value, a.path, a.line) < std::tie(a.cost.ticks.value, b.path, b.line);
    });
  }

  // ---- the whole

  void whole(Profile& profile) const {
    profile.total = with_share(number_of(stretches_.totals, {.taken_off = corrections_at(path_.size())}));
    const std::size_t first = stretches_.all.empty() ? 0 : stretches_.all.front().begin;
    profile.entry = with_share(number_of(stretches_.entry, {.taken_off = corrections_at(first)}));
    std::vector<double> between;
    between.reserve(stretches_.rounds);
    for (std::size_t r = 0; r < stretches_.rounds; ++r)
      between.push_back(stretches_.totals[r] - stretches_.entry[r]);
    if (profile.total.rounds == 0 || profile.entry.rounds == 0) return;
    const double rest = profile.total.raw - profile.entry.raw - whole_;
    const Interval spread = sign_interval(present(between), alpha_);
    profile.unattributed = {rest, rest + (spread.low - spread.value), rest + (spread.high - spread.value)};
  }

  void warn(Profile& profile) const {
    std::vector<std::string>& warnings = profile.warnings;
    warnings.insert(warnings.end(), stretches_.warnings.begin(), stretches_.warnings.end());
    if (path_.empty())
      warnings.emplace_back("the run has no path: nothing but the whole command is known");
    else if (profile.blocks.empty())
      warnings.emplace_back("no block was measured yet");
    else if (std::ranges::all_of(profile.blocks, [](const auto& b) { return std::isinf(b.cost.ticks.high); }))
      warnings.push_back(
          fmt::format("{} rounds are too few for intervals; go on with `jcprof run`", profile.rounds));
    if (!profile.blocks.empty() && stretches_.all.front().begin > 0)
      warnings.emplace_back("the path's first events were not measured: what runs there counts as entry");
    const bool unwound = std::ranges::any_of(
        data_.calibrations, [](const auto& c) { return c.kind == "frames" || c.kind == "unwind"; });
    if (!data_.calibrations.empty() && !unwound)
      warnings.emplace_back(
          "what a stop unwinds could not be calibrated: it makes lines in deep calls dear, and those behind "
          "them cheap");
    const double traps = static_cast<double>(path_.size()) * cost_.pass.value;
    if (whole_ > 0 && traps > too_dear * whole_)
      warnings.push_back(
          fmt::format("the traps themselves take {:.0f} % of the measured time: profile fewer functions, or "
                      "a coarser level",
                      100 * traps / (whole_ + traps)));
  }

  const RunData& data_;
  double alpha_;
  std::vector<Event> path_;
  TrapCost cost_;
  Attribution attribution_;
  Stretches stretches_;
  Division division_;
  std::vector<Parts> exclusive_;  // by function
  double whole_ = 0;              // sum of the blocks as measured: what shares are of
};

}  // namespace

Profile estimate(const RunData& data, double alpha) {
  return Estimator(data, alpha).profile();
}

}  // namespace jcprof::annotator
