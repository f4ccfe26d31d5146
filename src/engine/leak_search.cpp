// SPDX-License-Identifier: Apache-2.0
#include "src/engine/leak_search.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

#include "src/engine/random.hpp"

namespace jcprof::engine {
namespace {

// Shots between two looks.
constexpr std::size_t batch = 50;
// Probability of a wrong turn of the bisection. Other shots confirm the block; if they do not, jcprof
// searches again, with more shots and fewer wrong turns.
constexpr double wrong_turn = 5e-3;
constexpr double fewer_wrong_turns = 0.1;
constexpr int searches = 3;
constexpr std::size_t least_confirming = 200;
// A sweep looks at so many stops. The bisection does the rest.
constexpr std::size_t most_swept = 64;
constexpr double power_of_findable = 0.99;
constexpr double alpha_of_interval = 0.05;
// Deviations by which classes may differ in the part of shots that come to their stop.
constexpr double uneven = 4;
// Stream of random numbers that nothing else draws from, for each shuffle.
constexpr std::uint64_t shuffles = 0x1EA4'0005'0000;

/// 0 at the start, where nothing has passed.
constexpr Interval nothing{0, 0, 0};

Interval difference(const Interval& end, const Interval& begin) {
  const double half = std::hypot(half_width(end), half_width(begin));
  const double value = end.value - begin.value;
  return {value, value - half, value + half};
}

/// Like the Fisher-Yates shuffle; the same for the same seed and number.
void shuffle(std::vector<std::size_t>& stops, std::uint64_t seed, std::uint64_t number) {
  for (std::size_t i = stops.size(); i > 1; --i)
    std::swap(stops[i - 1], stops[draw(seed, shuffles + number, i, i)]);
}

using StopTimes = std::map<std::size_t, std::vector<ClassedTime>>;  // of stops

struct Span {
  std::size_t begin = 0;
  std::size_t end = 0;
  bool grows = true;  // the second class takes longer
};

/// The block of a span, as the times at both ends of it show it.
LeakingBlock block_of(const Span& span, StopTimes& times) {
  const auto shift = [&](double alpha) {
    const Interval begin = span.begin == 0 ? nothing : class_shift(times[span.begin], alpha);
    return difference(class_shift(times[span.end], alpha), begin);
  };
  // Each search may end at a wrong block.
  const Interval wide = shift(alpha_of_interval / searches);
  return {.begin = span.begin,
          .end = span.end,
          .shift = shift(alpha_of_interval),
          .is_confirmed = span.grows ? wide.low > 0 : wide.high < 0};
}

/// Stops in equal distance, the last one among them.
std::vector<std::size_t> swept(std::size_t last) {
  const std::size_t count = std::min(last, most_swept);
  std::vector<std::size_t> stops;
  for (std::size_t i = 1; i <= count; ++i) stops.push_back(last * i / count);
  return stops;
}

/// Shots of each class.
struct ClassCounts {
  std::array<std::size_t, 2> made{};
  std::array<std::size_t, 2> came{};  // of them, to their stop

  /// A coin is no longer fair if shots of one class are missing.
  bool are_uneven() const {
    const double all = static_cast<double>(made[0] + made[1]);
    const double rate = static_cast<double>(came[0] + came[1]) / std::max(1.0, all);
    const auto of_class = [&](std::size_t c) { return static_cast<double>(made.at(c)); };
    const double variance = rate * (1 - rate) * (1 / of_class(0) + 1 / of_class(1));
    const double differs =
        static_cast<double>(came[0]) / of_class(0) - static_cast<double>(came[1]) / of_class(1);
    return variance > 0 && std::abs(differs) > uneven * std::sqrt(variance);
  }
};

class Search {
 public:
  Search(const LeakSettings& settings, const ClassedShots& shots) : settings_(settings), source_(shots) {
    findings_.looks.push_back({.stop = settings.stops});
  }

  LeakFindings run() && {
    if (settings_.sweeps && settings_.stops > 1)
      sweep();
    else
      look_at_whole();
    const bool is_of_whole = findings_.looks.front().evidence >= threshold();
    if (findings_.blocks.empty() && is_of_whole) locate();
    finish();
    return std::move(findings_);
  }

 private:
  // A sweep has as many tests as stops, and the whole command is one of them.
  double alpha_of_stop() const {
    if (!settings_.sweeps) return settings_.alpha;
    return settings_.alpha / static_cast<double>(swept(settings_.stops).size());
  }
  double threshold() const { return -std::log(alpha_of_stop()); }

  StopLook& look(std::size_t stop) {
    const auto known = std::ranges::find(findings_.looks, stop, &StopLook::stop);
    if (known != findings_.looks.end()) return *known;
    return findings_.looks.emplace_back(StopLook{.stop = stop});
  }

  /// Adds the times that came. False once the budget is spent.
  bool shoot(std::span<const std::size_t> stops, StopTimes& times) {
    const std::vector<ClassedTime> got = source_(stops);
    findings_.shots += got.size();
    for (std::size_t i = 0; i < got.size(); ++i) {
      const std::size_t its_class = got[i].is_second ? 1 : 0;
      ++counts_.made.at(its_class);
      if (is_missing(got[i].ticks)) continue;
      ++counts_.came.at(its_class);
      times[stops[i]].push_back(got[i]);
      if (i > 0 && stops[i] == settings_.stops && stops[i - 1] == settings_.stops)
        of_command_before_.add({.ticks = got[i].ticks, .is_second = got[i - 1].is_second});
    }
    findings_.is_spent = findings_.is_spent || got.size() < stops.size();
    return !findings_.is_spent;
  }

  bool look_again(std::span<const std::size_t> stops) {
    StopTimes times;
    const bool goes_on = shoot(stops, times);
    for (const std::size_t stop : stops) ++asked_[stop];
    for (const auto& [stop, some] : times) {
      StopLook& at = look(stop);
      at.times.insert(at.times.end(), some.begin(), some.end());
      Evidence& evidence = evidence_[stop];
      for (const ClassedTime& time : some) evidence.add(time);
      at.evidence = evidence.most();
    }
    return goes_on;
  }
  bool look_again(std::size_t stop, std::size_t shots) {
    for (std::size_t made = 0; made < shots && !findings_.is_spent; made += batch)
      look_again(std::vector<std::size_t>(batch, stop));
    return !findings_.is_spent;
  }

  void look_at_whole() {
    const StopLook& whole = findings_.looks.front();
    while (whole.evidence < threshold() && asked_[whole.stop] < settings_.most_shots)
      if (!look_again(whole.stop, batch)) break;
    note(whole);
  }

  void note(const StopLook& at) {
    findings_.is_found = findings_.is_found || at.evidence >= threshold();
    findings_.p = std::min(findings_.p, std::exp(-at.evidence) * (settings_.alpha / alpha_of_stop()));
  }

  Interval shift_at(std::size_t stop, double alpha) {
    return stop == 0 ? nothing : class_shift(look(stop).times, alpha);
  }

  /// The command depends on the class.
  void locate() {
    const StopLook& whole = findings_.looks.front();
    double wrong = wrong_turn;
    LeakingBlock block;
    for (int i = 0; i < searches && !block.is_confirmed && !findings_.is_spent; ++i) {
      // The first look ends at the moment at which the difference seems largest.
      if (i > 0) look_again(whole.stop, whole.times.size());
      block = confirmed(bisect({.begin = 0, .end = settings_.stops}, 0, wrong));
      wrong *= fewer_wrong_turns;
    }
    findings_.blocks.push_back(block);
  }

  /// The block of a span in which the difference arises that its end has and its begin has not.
  Span bisect(Span span, double at_begin, double wrong) {
    span.grows = class_shift(look(span.end).times, wrong).value > at_begin;
    while (span.end - span.begin > 1 && !findings_.is_spent) {
      const std::size_t stop = std::midpoint(span.begin, span.end);
      (is_behind(stop, at_begin, look(span.end), wrong) ? span.end : span.begin) = stop;
    }
    return span;
  }

  /// The difference has arisen before this stop.
  bool is_behind(std::size_t stop, double at_begin, const StopLook& end, double wrong) {
    const Interval shift = class_shift(end.times, wrong);
    // Spread or tail alone may depend on the class: then there is no shift to go by. Else the shift alone
    // counts, as taking it out may change the spread: a coarse clock goes in steps.
    const bool has_shift = shift.low > at_begin || shift.high < at_begin;
    const auto sight = has_shift ? Evidence::Sight::location : Evidence::Sight::all;
    const std::size_t most =
        std::clamp(2 * end.times.size(), has_shift ? settings_.most_shots : 0, 2 * settings_.most_shots);
    for (;;) {
      const std::vector<ClassedTime>& times = look(stop).times;
      const double against_begin = evidence_of(without_shift(times, at_begin), sight);
      const double against_end = has_shift ? evidence_of(without_shift(times, shift.value), sight) : 0;
      const bool is_clear = std::max(against_begin, against_end) >= -std::log(wrong);
      if (is_clear || asked_[stop] >= most || findings_.is_spent)
        return (is_clear || has_shift) && against_begin > against_end;
      look_again(stop, batch);
    }
  }

  /// Shots for this alone, in equal number at both ends: those of the search were looked at until they showed
  /// what they show.
  LeakingBlock confirmed(const Span& span) {
    const std::size_t each =
        std::max(least_confirming, std::min(2 * look(span.end).times.size(), settings_.most_shots));
    StopTimes times;
    for (std::size_t made = 0; made < each && !findings_.is_spent; made += batch) {
      std::vector<std::size_t> stops(batch, span.end);
      if (span.begin > 0) stops.insert(stops.end(), batch, span.begin);
      if (span.end < settings_.stops) stops.insert(stops.end(), batch, settings_.stops);
      shuffle(stops, settings_.seed, findings_.shots);
      shoot(stops, times);
    }
    findings_.whole = class_shift(times[settings_.stops], alpha_of_interval);
    return block_of(span, times);
  }

  void sweep() {
    const std::vector<std::size_t> stops = swept(settings_.stops);
    std::vector<std::size_t> order = stops;
    for (std::size_t round = 0; round < settings_.sweep_shots; ++round) {
      shuffle(order, settings_.seed, round);
      if (!look_again(order)) break;
    }
    findings_.is_cut_sweep = findings_.is_spent;
    for (const std::size_t stop : stops) note(look(stop));
    if (!findings_.is_found) return;
    const double alpha = alpha_of_interval / static_cast<double>(order.size());
    Span span;
    for (const std::size_t stop : stops) {
      span = {.begin = span.end, .end = stop};
      const Interval begin = shift_at(span.begin, alpha);
      const Interval change = difference(shift_at(span.end, alpha), begin);
      if (change.low > 0 || change.high < 0)
        findings_.blocks.push_back(confirmed(bisect(span, begin.value, wrong_turn)));
    }
  }

  void finish() {
    const StopLook& whole = findings_.looks.front();
    // Of a leak, from shots that were made when it had been found.
    if (findings_.blocks.empty()) findings_.whole = class_shift(whole.times, alpha_of_interval);
    findings_.leaves_behind = of_command_before_.most() >= -std::log(settings_.alpha);
    findings_.is_uneven = counts_.are_uneven();
    if (findings_.is_found) return;
    for (const StopLook& look : findings_.looks)
      findings_.findable = std::max(
          findings_.findable, findable_shift(look.times, threshold(), power_of_findable, settings_.seed));
  }

  const LeakSettings& settings_;
  const ClassedShots& source_;
  LeakFindings findings_;
  std::map<std::size_t, Evidence> evidence_;
  Evidence of_command_before_;  // of the coin of the command before, in the times of the whole one
  ClassCounts counts_;
  std::map<std::size_t, std::size_t> asked_;  // shots
};

}  // namespace

LeakFindings search_leak(const LeakSettings& settings, const ClassedShots& shots) {
  return Search(settings, shots).run();
}

}  // namespace jcprof::engine
