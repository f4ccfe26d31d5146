// SPDX-License-Identifier: Apache-2.0
#include "annotator/show/show.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <set>
#include <string_view>
#include <tuple>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "annotator/estimate/quantity.hpp"
#include "annotator/tables.hpp"
#include "annotator/terminal_text.hpp"
#include "annotator/tree_walk.hpp"
#include "src/core/error.hpp"
#include "src/core/text.hpp"

namespace jcprof::annotator {
namespace {

std::set<std::string> paths_of(const Profile& profile) {
  std::set<std::string> paths;
  for (const SourceDigest& source : profile.sources) paths.insert(source.path);
  for (const LineEstimate& line : profile.lines) paths.insert(line.path);
  for (const FunctionEstimate& function : profile.functions) paths.insert(function.path);
  paths.erase("");
  return paths;
}

std::string base_name(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

/// The path whose whole or last name is nearest to `file`.
std::string hint_for(const std::set<std::string>& paths, const std::string& file) {
  const std::vector<std::string> whole(paths.begin(), paths.end());
  if (std::string meant = did_you_mean(file, whole); !meant.empty()) return meant;
  std::vector<std::string> names;
  for (const std::string& path : whole) names.push_back(base_name(path));
  const std::string name = nearest(base_name(file), names);
  for (const std::string& path : whole)
    if (!name.empty() && base_name(path) == name) return fmt::format("did you mean \"{}\"?", path);
  return "`jcprof annotate --show` without FILE lists what was measured";
}

constexpr double least_share = 0.01;
constexpr std::size_t most_nodes = 40;  // beyond, nobody reads a tree

std::string tree_row(const std::array<std::string, 3>& numbers, std::size_t depth, const std::string& name,
                     const TableStyle& style) {
  constexpr std::size_t least = 10;  // of a name: less says nothing
  const std::string head =
      fmt::format("{:>8}  {:>8}  {}  ", numbers[0], numbers[1], padded(numbers[2], 8, Align::right));
  const std::size_t room = std::max(style.width, columns_of(head) + least) - columns_of(head);
  // Deep calls stay in sight: beyond half of the room the depth is a number.
  const std::string indent = 4 * depth <= room ? std::string(2 * depth, ' ') : fmt::format("({}) ", depth);
  return head + cut_to(indent + name, room) + "\n";
}

/// The dearest nodes. No call is dearer than its caller, so they hang together.
std::vector<bool> worth_a_row(const std::vector<double>& costs, double total) {
  std::vector<std::uint32_t> all(costs.size());
  std::iota(all.begin(), all.end(), 0U);
  std::ranges::stable_sort(all, std::ranges::greater{}, [&](std::uint32_t n) { return costs[n]; });
  if (all.size() > most_nodes) all.resize(most_nodes);
  std::vector<bool> result(costs.size());
  for (const std::uint32_t n : all) result[n] = total > 0 && costs[n] / total >= least_share;
  return result;
}

/// The functions of which the tables have an upper bound only.
struct Unresolved {
  using Function = std::tuple<std::string, std::string, std::size_t>;  // name, path, line
  std::set<Function> own;
  std::set<Function> all;
};

Unresolved unresolved_of(const Profile& profile) {
  const auto is_guess = [](const Estimate& cost) {
    return is_bound(cost) && !cost.unreliable && cost.ticks.high > cost.ticks.value;
  };
  Unresolved result;
  for (const FunctionEstimate& function : profile.functions) {
    const Unresolved::Function key{function.function, function.path, function.line};
    if (is_guess(function.exclusive)) result.own.insert(key);
    if (is_guess(function.inclusive)) result.all.insert(key);
  }
  return result;
}

constexpr std::string_view guess = "~";

/// `has_guess` becomes true where a row has one.
std::string tree_rows(const CostTree& tree, const Unresolved& unresolved, const TableStyle& style,
                      bool& has_guess) {
  struct Folded {
    std::size_t count = 0;
    double cost = 0;
  };
  std::vector<std::uint32_t> parents;
  std::vector<double> costs;
  double total = 0;
  for (const CostNode& node : tree.nodes) {
    parents.push_back(node.parent);
    costs.push_back(node.inclusive);
    if (node.parent == CostNode::none) total += node.inclusive;
  }
  const auto share = [&](double cost) { return percent(total > 0 ? cost / total : 0); };
  const std::vector<bool> is_shown = worth_a_row(costs, total);
  std::map<std::uint32_t, Folded> folded;  // by parent
  for (std::uint32_t n = 0; n < parents.size(); ++n)
    if (!is_shown[n] && (parents[n] == CostNode::none || is_shown[parents[n]])) {
      ++folded[parents[n]].count;
      folded[parents[n]].cost += costs[n];
    }
  std::string text;
  for (const TreeStep& step : depth_first(parents, costs)) {
    const CostNode& node = tree.nodes[step.node];
    if (!is_shown[step.node]) {
      // The dearest of those without a row stands for them all.
      const auto those = folded.extract(node.parent);
      if (those.empty()) continue;
      text += tree_row({share(those.mapped().cost), "", ""}, step.depth,
                       fmt::format("… {} more", those.mapped().count), style);
      continue;
    }
    const CostFunction& function = tree.functions[node.function];
    std::string name = plain_line(without_parameters(function.name));
    if (node.from_line > 0) name += fmt::format(", from line {}", node.from_line);
    const auto told = [&](double cost, const std::set<Unresolved::Function>& hidden) {
      const bool is_guess = hidden.contains({function.name, function.path, function.line});
      has_guess = has_guess || is_guess;
      return fmt::format("{}{}", is_guess ? guess : "", share(cost));
    };
    text += tree_row({told(node.inclusive, unresolved.all), told(node.exclusive, unresolved.own),
                      function.is_thread ? "" : times_text(node.calls)},
                     step.depth, name, style);
  }
  return text;
}

}  // namespace

ShownPlace shown_place(const std::string& wish) {
  const std::size_t colon = wish.rfind(':');
  if (colon == std::string::npos) return {.file = wish};
  const auto line = whole_number<std::size_t>(std::string_view(wish).substr(colon + 1));
  if (line.value_or(0) == 0) return {.file = wish};
  return {.file = wish.substr(0, colon), .line = *line};
}

std::string path_meant(const Profile& profile, const std::string& file) {
  const std::set<std::string> paths = paths_of(profile);
  if (paths.contains(file)) return file;
  std::vector<std::string> meant;
  for (const std::string& path : paths)
    if (!file.empty() && (is_end_of_path(file, path) || is_end_of_path(path, file))) meant.push_back(path);
  if (meant.size() == 1) return meant.front();
  if (meant.empty())
    throw UserError(Fault{.message = fmt::format("the profile knows no source \"{}\"", file),
                          .hint = hint_for(paths, file)});
  throw UserError(Fault{.message = fmt::format("\"{}\" may be any of {} sources", file, meant.size()),
                        .hint = fmt::format("did you mean \"{}\"?", fmt::join(meant, "\" or \""))});
}

std::string call_tree(const Profile& profile, const TableStyle& style) {
  if (profile.tree.nodes.empty()) return "";
  bool has_guess = false;
  std::string rows = tree_rows(profile.tree, unresolved_of(profile), style, has_guess);
  if (has_guess)
    rows +=
        fmt::format("{} is a guess: {}; the tables have upper bounds\n", guess,
                    profile.recorded ? "the cost of recording hides the time" : "the noise hides the time");
  return painted("   share       own     calls  call tree", bold, style) + "\n" + rows;
}

std::string show_profile(const Profile& profile, const TableStyle& style) {
  std::string text = header(profile, style);
  for (const std::string& part : {line_table(profile, style), function_table(profile, style),
                                  call_tree(profile, style), warning_list(profile, style)})
    if (!part.empty()) text += "\n" + part;
  return text;
}

Profile only_of(Profile profile, const std::string& path) {
  const auto is_elsewhere = [&](const auto& item) { return item.path != path; };
  std::erase_if(profile.blocks, is_elsewhere);
  std::erase_if(profile.lines, is_elsewhere);
  std::erase_if(profile.functions, is_elsewhere);
  std::erase_if(profile.loops, is_elsewhere);
  std::erase_if(profile.edges, is_elsewhere);
  return profile;
}

}  // namespace jcprof::annotator
