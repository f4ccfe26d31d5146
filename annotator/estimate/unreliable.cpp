// SPDX-License-Identifier: Apache-2.0
#include "annotator/estimate/unreliable.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace jcprof::annotator {
namespace {

constexpr std::size_t most_named = 5;

bool holds(const std::vector<std::string>& places, const std::string& place) {
  return std::ranges::find(places, place) != places.end();
}

void add(std::vector<std::string>& places, const std::string& place) {
  if (!holds(places, place)) places.push_back(place);
}

std::string named(const std::vector<std::string>& places) {
  const auto last = places.begin() + static_cast<std::ptrdiff_t>(std::min(places.size(), most_named));
  return fmt::format("{}{}", fmt::join(places.begin(), last, ", "), places.size() > most_named ? ", …" : "");
}

/// Lines of the most frequent path, then the time after the last trap, then lines of other paths.
std::vector<std::string> unreliable_places(const Profile& profile) {
  std::vector<std::string> places;
  for (const LineEstimate& line : profile.lines)
    if (line.cost.unreliable) add(places, fmt::format("{}:{}", line.path, line.line));
  if (profile.between && profile.between->unreliable) places.emplace_back("after the last trap");
  const std::vector<std::string> of_usual = places;
  for (const EdgeEstimate& edge : profile.edges) {
    if (!edge.cost.unreliable) continue;
    const std::string line = fmt::format("{}:{}", edge.path, edge.line);
    if (!holds(of_usual, line)) add(places, line + " (on another path)");
  }
  return places;
}

std::vector<std::string> places_elsewhere(const UnreliablePath& of) {
  std::vector<std::string> places;
  for (std::size_t i = 0; i < of.path.path().end(); ++i) {
    if (!of.path.about().is_elsewhere[i]) continue;
    const Trap& trap = of.map.at(of.path.path().events()[i].trap);
    add(places, fmt::format("{}:{}", trap.path, trap.line));
  }
  return places;
}

}  // namespace

bool is_unreliable(const Profile& profile) {
  const auto is_so = [](const auto& item) { return item.cost.unreliable; };
  return std::ranges::any_of(profile.blocks, is_so) || std::ranges::any_of(profile.edges, is_so);
}

std::vector<std::string> warnings_of_unreliable(const Profile& profile, const UnreliablePath& of) {
  std::vector<std::string> warnings;
  const std::vector<std::string> elsewhere = places_elsewhere(of);
  if (!elsewhere.empty())
    warnings.push_back(
        fmt::format("stops at {} keep coming in another command or at another trap than on the traced path, "
                    "so jcprof shows no time there. A stop seems to change the next commands; undo that with "
                    "\"before_each\" or \"reset\" in \"session\"",
                    named(elsewhere)));
  const std::vector<std::string> places = unreliable_places(profile);
  if (places.empty() || (!elsewhere.empty() && !of.path.has_contradictions())) return warnings;
  warnings.push_back(
      fmt::format("the times of {} places contradict each other in each round, so jcprof shows none there: "
                  "{}. A stop there seems to change the next commands, and times behind it may be wrong too; "
                  "undo that with \"before_each\" or \"reset\" in \"session\"",
                  places.size(), named(places)));
  return warnings;
}

}  // namespace jcprof::annotator
