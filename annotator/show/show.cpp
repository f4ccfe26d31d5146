// SPDX-License-Identifier: Apache-2.0
#include "annotator/show/show.hpp"

#include <algorithm>
#include <charconv>
#include <set>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "annotator/estimate/quantity.hpp"
#include "annotator/tables.hpp"
#include "annotator/terminal_text.hpp"
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

/// `path` is `end`, or ends in it behind a '/'.
bool ends_in(const std::string& path, const std::string& end) {
  return path == end || path.ends_with("/" + end);
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
  return "jcprof annotate --show without FILE lists what was measured";
}

constexpr double least_share = 0.01;
constexpr std::size_t most_nodes = 40;  // beyond, nobody reads a tree

/// Which calls of the tree are worth a row, and the rows.
class TreeText {
 public:
  TreeText(const CostTree& tree, const TableStyle& style)
      : tree_(tree), style_(style), children_(tree.nodes.size()), is_shown_(tree.nodes.size()) {
    for (std::uint32_t n = 0; n < tree.nodes.size(); ++n) {
      const std::uint32_t parent = tree.nodes[n].parent;
      (parent == CostNode::none ? roots_ : children_[parent]).push_back(n);
      if (parent == CostNode::none) total_ += tree.nodes[n].inclusive;
    }
    for (std::vector<std::uint32_t>& nodes : children_) sort(nodes);
    sort(roots_);
    choose();
  }

  std::string text() {
    put(roots_, 0);
    return table_;
  }

 private:
  double share(double cost) const { return total_ > 0 ? cost / total_ : 0; }

  void sort(std::vector<std::uint32_t>& nodes) const {
    std::ranges::stable_sort(nodes, std::ranges::greater{},
                             [&](std::uint32_t n) { return tree_.nodes[n].inclusive; });
  }

  /// Nobody is dearer than its caller, so that what is chosen hangs together.
  void choose() {
    std::vector<std::uint32_t> all(tree_.nodes.size());
    for (std::uint32_t n = 0; n < all.size(); ++n) all[n] = n;
    sort(all);
    if (all.size() > most_nodes) all.resize(most_nodes);
    for (const std::uint32_t n : all) is_shown_[n] = share(tree_.nodes[n].inclusive) >= least_share;
  }

  void put(const std::vector<std::uint32_t>& nodes, std::size_t depth) {
    std::size_t folded = 0;
    double folded_cost = 0;
    for (const std::uint32_t n : nodes) {
      if (is_shown_[n]) {
        put(n, depth);
      } else {
        ++folded;
        folded_cost += tree_.nodes[n].inclusive;
      }
    }
    if (folded > 0) row(percent(share(folded_cost)), "", "", depth, fmt::format("… {} more", folded));
  }

  void put(std::uint32_t n, std::size_t depth) {
    const CostNode& node = tree_.nodes[n];
    const CostFunction& function = tree_.functions[node.function];
    std::string name = plain_line(without_parameters(function.name));
    if (node.from_line > 0) name += fmt::format(", from line {}", node.from_line);
    row(percent(share(node.inclusive)), percent(share(node.exclusive)),
        function.is_thread ? "" : fmt::format("×{}", node.calls), depth, name);
    put(children_[n], depth + 1);
  }

  void row(const std::string& inclusive, const std::string& exclusive, const std::string& calls,
           std::size_t depth, const std::string& name) {
    constexpr std::size_t least = 10;  // of a name: less says nothing
    const std::string numbers =
        fmt::format("{:>8}  {:>8}  {}  ", inclusive, exclusive, padded(calls, 8, Align::right));
    const std::size_t room = std::max(style_.width, columns_of(numbers) + least) - columns_of(numbers);
    // Deep calls stay in sight: beyond half of the room the depth is a number.
    const std::string indent = 4 * depth <= room ? std::string(2 * depth, ' ') : fmt::format("({}) ", depth);
    table_ += numbers + cut_to(indent + name, room) + "\n";
  }

  const CostTree& tree_;
  const TableStyle& style_;
  std::vector<std::vector<std::uint32_t>> children_;
  std::vector<std::uint32_t> roots_;
  std::vector<bool> is_shown_;
  double total_ = 0;
  std::string table_;
};

}  // namespace

ShownPlace shown_place(const std::string& wish) {
  const std::size_t colon = wish.rfind(':');
  if (colon == std::string::npos) return {.file = wish};
  ShownPlace place{.file = wish.substr(0, colon)};
  const char* end = wish.data() + wish.size();
  const auto read = std::from_chars(wish.data() + colon + 1, end, place.line);
  if (read.ec != std::errc{} || read.ptr != end || place.line == 0) return {.file = wish};
  return place;
}

std::string path_meant(const Profile& profile, const std::string& file) {
  const std::set<std::string> paths = paths_of(profile);
  if (paths.contains(file)) return file;
  std::vector<std::string> meant;
  for (const std::string& path : paths)
    if (!file.empty() && (ends_in(path, file) || ends_in(file, path))) meant.push_back(path);
  if (meant.size() == 1) return meant.front();
  if (meant.empty())
    throw UserError(Fault{.message = fmt::format("the profile knows no source \"{}\"", file),
                          .hint = hint_for(paths, file)});
  throw UserError(Fault{.message = fmt::format("\"{}\" may be any of {} sources", file, meant.size()),
                        .hint = fmt::format("did you mean \"{}\"?", fmt::join(meant, "\" or \""))});
}

std::string call_tree(const Profile& profile, const TableStyle& style) {
  if (profile.tree.nodes.empty()) return "";
  return painted("   share       own     calls  call tree", bold, style) + "\n" +
         TreeText(profile.tree, style).text();
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
