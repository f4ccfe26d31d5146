// SPDX-License-Identifier: Apache-2.0
#include "annotator/record/command_tally.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <boost/math/distributions/students_t.hpp>

namespace jcprof::annotator {
namespace {

constexpr std::uint64_t fewest_commands = 7;  // as many as rounds, for an interval

}  // namespace

void CommandTally::Command::add(Followed what, std::size_t number, std::uint64_t ticks) {
  if (ticks > 0) ticks_[key_of(what, number)] += ticks;
}

void CommandTally::take(const Command& command, std::uint32_t kind) {
  ++commands_;
  if (kinds_.size() == most_kinds && !kinds_.contains(kind)) {
    has_more_kinds_ = true;
    return;
  }
  Kind& known = kinds_[kind];
  ++known.commands;
  for (const auto& [key, whole] : command.ticks_) {
    const auto ticks = static_cast<double>(whole);
    Sums& sums = known.sums[key];
    sums.ticks += ticks;
    sums.squares += ticks * ticks;
  }
}

double CommandTally::half_width(Followed what, std::size_t number) const {
  constexpr double infinite = std::numeric_limits<double>::infinity();
  if (commands_ < fewest_commands || has_more_kinds_) return infinite;
  double variance = 0;  // of the sum over all commands
  double squares = 0;   // of its parts, each by its degrees of freedom (Welch 1947)
  for (const auto& [id, kind] : kinds_) {
    const auto found = kind.sums.find(key_of(what, number));
    if (found == kind.sums.end()) continue;
    if (kind.commands < fewest_commands) return infinite;
    const auto& [ticks, all_squares] = found->second;
    const auto count = static_cast<double>(kind.commands);
    const double rest = std::max(0.0, all_squares - ticks * ticks / count);
    const double part = count * rest / (count - 1);
    variance += part;
    squares += part * part / (count - 1);
  }
  if (variance == 0) return 0;
  const boost::math::students_t_distribution<double> student(variance * variance / squares);
  // This recording is as uncertain as the other one.
  return boost::math::quantile(boost::math::complement(student, 0.05 / 2)) * std::sqrt(2 * variance);
}

Spreads spreads_of(const CommandTally& commands, std::span<const std::uint32_t> symbol_of,
                   std::size_t symbols) {
  Spreads spreads{.commands = commands.commands(), .by_symbol = std::vector<CommandSpread>(symbols)};
  for (std::size_t i = 0; i < symbol_of.size(); ++i) {
    CommandSpread& spread = spreads.by_symbol[symbol_of[i]];
    spread.own += commands.half_width(Followed::own, i);
    spread.with_calls += commands.half_width(Followed::with_calls, i);
    if (std::isinf(spread.with_calls)) spread.own = spread.with_calls;  // both are known, or none is
  }
  return spreads;
}

}  // namespace jcprof::annotator
