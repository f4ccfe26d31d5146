// SPDX-License-Identifier: Apache-2.0
#include "annotator/stretches.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include <fmt/format.h>

namespace jcprof::annotator {
namespace {

constexpr std::uint32_t warm_up_round = 0;

/// By how much a pass of `plus` took longer than one of `minus`, repetition by repetition: kinds that belong
/// together are timed in turn, with as many passes each, if any. Nothing where one of them was not timed.
std::vector<double> differences_of(const std::vector<StoredCalibration>& calibrations,
                                   const std::vector<std::string_view>& plus,
                                   const std::vector<std::string_view>& minus) {
  std::map<std::string_view, std::vector<const StoredCalibration*>> by_kind;
  for (const StoredCalibration& c : calibrations) by_kind[c.kind].push_back(&c);
  std::vector<double> result;
  for (std::size_t i = 0;; ++i) {
    double difference = 0;
    std::uint64_t passes = 0;
    const auto add = [&](std::string_view kind, double sign) {
      if (by_kind[kind].size() <= i) return false;
      difference += sign * static_cast<double>(by_kind[kind][i]->ticks);
      passes = std::max(passes, by_kind[kind][i]->passes);
      return true;
    };
    if (!std::ranges::all_of(plus, [&](auto kind) { return add(kind, 1); })) return result;
    if (!std::ranges::all_of(minus, [&](auto kind) { return add(kind, -1); })) return result;
    result.push_back(difference / static_cast<double>(std::max<std::uint64_t>(passes, 1)));
  }
}

/// What a frame costs where only the unwinding itself was timed, of none and of many frames in turn.
std::vector<double> slopes_of_unwinding(const std::vector<StoredCalibration>& calibrations) {
  std::vector<const StoredCalibration*> times;
  for (const StoredCalibration& c : calibrations)
    if (c.kind == "unwind") times.push_back(&c);
  std::vector<double> slopes;
  for (std::size_t i = 0; i + 1 < times.size(); i += 2)
    if (times[i]->passes == 0 && times[i + 1]->passes > 0)
      slopes.push_back(static_cast<double>(times[i + 1]->ticks - times[i]->ticks) /
                       static_cast<double>(times[i + 1]->passes));
  return slopes;
}

/// Of few repetitions the interval is their range, which is what can be said. Noise may make a cost of next
/// to nothing negative; what is taken off must not be.
Interval cost_interval(const std::vector<double>& values, double alpha) {
  if (values.empty()) return {0, 0, 0};
  Interval interval = sign_interval(values, alpha);
  if (!std::isfinite(interval.low))
    interval = {interval.value, std::ranges::min(values), std::ranges::max(values)};
  interval.value = std::max(0.0, interval.value);
  interval.low = std::max(0.0, interval.low);
  interval.high = std::max(interval.value, interval.high);
  return interval;
}

/// The inputs whose path is that of the first one.
std::set<std::uint32_t> comparable_inputs(const RunData& data, std::span<const Event> path) {
  std::set<std::uint32_t> inputs;
  for (const StoredPath& other : data.paths)
    if (std::ranges::equal(other.events, path)) inputs.insert(other.input);
  if (data.paths.empty()) inputs.insert(0);
  return inputs;
}

/// The status of most of the commands that ran to their end.
std::optional<std::uint32_t> usual_status(const std::vector<StoredSample>& samples) {
  std::map<std::optional<std::uint32_t>, std::size_t> counts;
  // A shot that missed its stop says nothing: a state that stops leave behind may have made it fail.
  for (const StoredSample& sample : samples)
    if (sample.outcome == Outcome::ended && sample.asked.trap == run_to_end) ++counts[sample.status];
  const auto most = std::ranges::max_element(counts, {}, [](const auto& entry) { return entry.second; });
  return most == counts.end() ? std::nullopt : most->first;
}

std::uint64_t key_of(const Event& event) {
  return (std::uint64_t{number(event.trap)} << 32U) | event.hit;
}

/// T' by position and round. Position path.size() is the end of the command.
class Readings {
 public:
  Readings(const RunData& data, const WalkedPath& walked, const TrapCost& cost,
           std::vector<std::string>& warnings)
      : path_(walked.events), unwinding_(walked.unwinding), cost_(cost) {
    for (std::size_t i = 0; i < path_.size(); ++i) position_.emplace(key_of(path_[i]), i);
    position_.emplace(key_of(Event{}), path_.size());
    read(data, warnings);
  }

  const std::vector<double>* at(std::size_t position) const {
    const auto found = readings_.find(position);
    return found == readings_.end() ? nullptr : &found->second;
  }
  std::size_t rounds() const { return round_index_.size(); }

  /// Positions that were measured in at least half as many rounds as the best one: a stop that is seldom
  /// there would cost its neighbours their rounds.
  std::vector<std::size_t> stops() const {
    std::size_t best = 0;
    for (const auto& [position, values] : readings_) best = std::max(best, count(values));
    std::vector<std::size_t> result;
    for (const auto& [position, values] : readings_)
      if (2 * count(values) >= best) result.push_back(position);
    return result;
  }

 private:
  static std::size_t count(const std::vector<double>& values) {
    return static_cast<std::size_t>(std::ranges::count_if(values, [](double v) { return !is_missing(v); }));
  }

  void read(const RunData& data, std::vector<std::string>& warnings) {
    const std::set<std::uint32_t> inputs = comparable_inputs(data, path_);
    const std::optional<std::uint32_t> status = usual_status(data.samples);
    for (const StoredSample& sample : data.samples)
      if (is_timed(sample)) round_index_.try_emplace(sample.round, 0);
    std::size_t next = 0;
    for (auto& [round, index] : round_index_) index = next++;
    std::size_t other_status = 0;
    std::set<std::uint32_t> left_out;
    for (const StoredSample& sample : data.samples) {
      if (!is_timed(sample)) continue;
      if (!inputs.contains(sample.input)) {
        left_out.insert(sample.input);
      } else if (sample.outcome == Outcome::ended && sample.status != status) {
        ++other_status;
      } else {
        take(sample);
      }
    }
    if (!left_out.empty())
      warnings.push_back(fmt::format("{} of {} inputs take another path than the first one and are left out",
                                     left_out.size(), data.inputs.size()));
    if (other_status > 0)
      warnings.push_back(fmt::format("{} commands ended with another status than {:04X} and are left out",
                                     other_status, status.value_or(0)));
  }

  /// Ended as asked, in a round of the measurement: round 0 is the warm-up, which is stored but no round.
  static bool is_timed(const StoredSample& sample) {
    if (sample.round == warm_up_round) return false;
    return sample.asked.trap == run_to_end ? sample.outcome == Outcome::ended
                                           : sample.outcome == Outcome::stopped;
  }

  void take(const StoredSample& sample) {
    const auto place = position_.find(key_of(sample.asked));
    if (place == position_.end()) return;
    std::vector<double>& values = readings_[place->second];
    values.resize(rounds(), missing);
    // The armed trap counted its earlier passes; all others on the way passed unarmed.
    const double counted = static_cast<double>(sample.asked.hit - 1) * cost_.counting.value;
    const double passed = static_cast<double>(place->second) * cost_.pass.value;
    values[round_index_.at(sample.round)] =
        static_cast<double>(sample.ticks) - counted - passed - stopping(place->second);
  }

  double stopping(std::size_t position) const {
    if (position == path_.size()) return 0;
    const Unwinding& left = unwinding_[position];
    return cost_.stop.value + left.frames * cost_.frame.value + left.guards * cost_.guard.value;
  }

  std::span<const Event> path_;
  std::span<const Unwinding> unwinding_;
  const TrapCost& cost_;
  std::unordered_map<std::uint64_t, std::size_t> position_;
  std::map<std::uint32_t, std::size_t> round_index_;
  std::map<std::size_t, std::vector<double>> readings_;
};

/// Fills one round: where a shot is missing, the stretches on both sides of it share their common cost: each
/// its median, and an equal part of what is over. Sums stay exact, and a lost shot does not cost a line that
/// owns hundreds of stretches the whole round.
void fill_round(std::vector<Stretch>& stretches, const std::vector<double>& medians,
                const std::vector<const std::vector<double>*>& readings, std::size_t round) {
  // A round that lacks more than this is a remnant: it was broken off, or the target was gone for a while.
  const std::size_t tolerated = readings.size() / 20;
  const auto is_gap = [&](const std::vector<double>* stop) { return is_missing((*stop)[round]); };
  const auto gaps = static_cast<std::size_t>(std::ranges::count_if(readings, is_gap));
  if (gaps > tolerated || is_gap(readings.front()) || is_gap(readings.back())) return;
  for (std::size_t begin = 0; begin + 1 < readings.size();) {
    std::size_t end = begin + 1;
    while (is_gap(readings[end])) ++end;
    double over = (*readings[end])[round] - (*readings[begin])[round];
    for (std::size_t i = begin; i < end; ++i) over -= medians[i];
    for (std::size_t i = begin; i < end; ++i)
      stretches[i].filled[round] = end == begin + 1 ? stretches[i].rounds[round]
                                                    : medians[i] + over / static_cast<double>(end - begin);
    begin = end;
  }
}

}  // namespace

std::vector<double> present(const std::vector<double>& values) {
  std::vector<double> result;
  std::ranges::copy_if(values, std::back_inserter(result), [](double v) { return !is_missing(v); });
  return result;
}

double median_of_present(const std::vector<double>& values) {
  std::vector<double> there = present(values);
  return there.empty() ? missing : median(std::move(there));
}

TrapCost trap_cost(const std::vector<StoredCalibration>& calibrations, double alpha) {
  const auto cost = [&](const auto& plus, const auto& minus) {
    return cost_interval(differences_of(calibrations, plus, minus), alpha);
  };
  using Kinds = std::vector<std::string_view>;
  TrapCost costs{.pass = cost(Kinds{"unarmed"}, Kinds{"empty"}),
                 .counting = cost(Kinds{"counting"}, Kinds{"unarmed"}),
                 .stop = cost(Kinds{"stop"}, Kinds{"returned"}),
                 .frame = cost(Kinds{"frames", "returned"}, Kinds{"stop", "calls"}),
                 .guard = cost(Kinds{"guards"}, Kinds{"frames"})};
  const bool has_frames = std::ranges::any_of(calibrations, [](const auto& c) { return c.kind == "frames"; });
  if (!has_frames) costs.frame = cost_interval(slopes_of_unwinding(calibrations), alpha);
  return costs;
}

Stretches differences(const RunData& data, const WalkedPath& path, const TrapCost& cost) {
  Stretches result;
  const Readings readings(data, path, cost, result.warnings);
  result.rounds = readings.rounds();
  result.totals.assign(result.rounds, missing);
  result.entry.assign(result.rounds, missing);
  const std::vector<std::size_t> stops = readings.stops();
  if (const auto* ends = readings.at(path.events.size())) result.totals = *ends;
  if (stops.empty() || stops.front() == path.events.size()) return result;
  result.entry = *readings.at(stops.front());

  std::vector<const std::vector<double>*> columns;
  columns.reserve(stops.size());
  for (const std::size_t stop : stops) columns.push_back(readings.at(stop));
  std::vector<double> medians;
  for (std::size_t i = 0; i + 1 < stops.size(); ++i) {
    Stretch stretch{.begin = stops[i], .end = stops[i + 1]};
    for (std::size_t round = 0; round < result.rounds; ++round)
      stretch.rounds.push_back((*columns[i + 1])[round] - (*columns[i])[round]);
    stretch.filled.assign(result.rounds, missing);
    medians.push_back(median_of_present(stretch.rounds));
    result.all.push_back(std::move(stretch));
  }
  for (std::size_t round = 0; round < result.rounds; ++round) fill_round(result.all, medians, columns, round);
  return result;
}

}  // namespace jcprof::annotator
