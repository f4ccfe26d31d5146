// SPDX-License-Identifier: Apache-2.0
#include "harness/unresolved.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <fmt/format.h>

namespace jcprof::harness {
namespace {

constexpr std::size_t most_named = 5;
constexpr double much_hidden = 0.1;  // no wider interval is of use then

/// Two digits: a forecast has no more. "40,000"
std::string about(double count) {
  const double unit = std::pow(10, std::max(0.0, std::floor(std::log10(count)) - 1));
  std::string text = fmt::format("{:.0f}", std::ceil(count / unit) * unit);
  for (std::size_t at = text.size(); at > 3; at -= 3) text.insert(at - 3, ",");
  return text;
}

std::string told(const engine::FigureLook& figure, const Effort& effort) {
  constexpr double most_told = 1e12;
  const std::string_view why =
      figure.wants_calibration ? ", because the cost of stops is not known well" : "";
  if (std::isinf(figure.rounds_left) && figure.lasting >= 1)
    return fmt::format("{} is hidden{}", figure.name,
                       why.empty() && figure.hidden_by_stops ? " by the cost of stops" : why);
  if (std::isinf(figure.rounds_left) && figure.lasting > 0)
    return fmt::format("{} cannot be known better than to \u00b1{:.{}f} points{}", figure.name,
                       100 * figure.lasting, figure.lasting < 0.1 ? 1 : 0, why);
  if (!(figure.shots_left < most_told)) return figure.name + " cannot be known that well";
  const std::string shots =
      fmt::format("{} needs about {} more shots", figure.name, about(figure.shots_left));
  // A call that makes no shot does not know how long they take.
  return effort.per_shot.count() > 0
             ? fmt::format("{} ({})", shots, time_text(figure.shots_left * effort.per_shot))
             : shots;
}

std::string advice(std::span<const engine::FigureLook> open, const Effort& effort) {
  const auto within = [&](double rounds) {
    return std::ranges::find_if(open, [&](const auto& one) { return one.rounds_left <= rounds; });
  };
  const auto first = within(std::numeric_limits<double>::max());
  if (first == open.end() && !effort.is_session &&
      std::ranges::any_of(open, &engine::FigureLook::wants_calibration))
    return "`jcprof run` resumes, and times more stops; or choose a larger --absolute";
  if (first == open.end())
    return std::ranges::all_of(open, [](const auto& one) { return one.lasting >= much_hidden; })
               ? "measure a command that does more work, or choose a coarser \"level\" in jcprof.json"
               : "choose a larger --absolute";
  const double rounds = effort.rounds + std::min(1e9, std::ceil(first->rounds_left));
  const bool is_one_enough = within(effort.most_rounds) != open.end();
  return more_rounds_by(effort.is_session, is_one_enough ? "" : fmt::format(" --rounds {:.0f}", rounds)) +
         "; or choose a larger --absolute";
}

Warning hidden_by_stops() {
  return {.kind = WarningKind::precision,
          .text =
              "stops hide every line and function: their cost may differ from trap to trap by more than the "
              "code between traps takes, and more rounds do not help",
          .advice =
              "measure a command that does more work between traps; or choose a coarser \"level\" or fewer "
              "functions (\"include\") in jcprof.json"};
}

}  // namespace

std::string more_rounds_by(bool is_session, std::string_view options) {
  return is_session ? fmt::format("`jcprof run --fresh{}` measures the sessions anew", options)
                    : fmt::format("`jcprof run{}` resumes", options);
}

std::string time_text(std::chrono::duration<double> time) {
  constexpr double minute = 60;
  constexpr double hour = 60 * minute;
  constexpr double day = 24 * hour;
  const double seconds = time.count();
  if (seconds < 2 * minute) return fmt::format("{:.0f} s", std::ceil(seconds));
  if (seconds < 2 * hour) return fmt::format("{:.0f} min", seconds / minute);
  if (seconds < 2 * day) return fmt::format("{:.0f} h", seconds / hour);
  return fmt::format("{:.0f} days", seconds / day);
}

std::optional<Warning> warning_of_unresolved(std::span<const engine::FigureLook> figures,
                                             const engine::Precision& precision, const Effort& effort) {
  std::vector<engine::FigureLook> open;
  std::ranges::copy_if(figures, std::back_inserter(open), [](const auto& one) { return !one.settled; });
  if (open.empty()) return std::nullopt;
  if (std::ranges::all_of(figures, &engine::FigureLook::hidden_by_stops) &&
      std::ranges::none_of(figures, &engine::FigureLook::wants_calibration))
    return hidden_by_stops();
  std::ranges::stable_sort(open, std::ranges::greater(), &engine::FigureLook::share);
  std::string named;
  for (std::size_t i = 0; i < std::min(open.size(), most_named); ++i)
    named += (i == 0 ? "" : ", ") + told(open[i], effort);
  if (open.size() > most_named) named += fmt::format(", and {} others", open.size() - most_named);
  return Warning{.kind = WarningKind::precision,
                 .text = fmt::format(
                     "{} of {} lines and functions are not known to \u00b1{:g} points or {:g} %: {}",
                     open.size(), figures.size(), 100 * precision.absolute, 100 * precision.relative, named),
                 .advice = advice(open, effort)};
}

}  // namespace jcprof::harness
