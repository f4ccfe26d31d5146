// SPDX-License-Identifier: Apache-2.0
#include "annotator/export/exports.hpp"

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "annotator/tree_walk.hpp"
#include "src/core/text.hpp"

namespace jcprof::annotator {
namespace {

using Place = std::pair<std::string, std::size_t>;  // path and line

struct Calls {
  std::uint64_t count = 0;
  double inclusive = 0;
  bool is_known = true;  // its cost
};

/// The costs of a function, whoever called it.
struct FunctionCosts {
  std::map<Place, double> lines;
  std::map<std::pair<std::size_t, std::uint32_t>, Calls> calls;  // by line and callee
};

std::vector<FunctionCosts> costs_of(const CostTree& tree) {
  std::vector<FunctionCosts> costs(tree.functions.size());
  std::vector<std::uint32_t> functions;
  for (const CostNode& node : tree.nodes) functions.push_back(node.function);
  const std::vector<bool> is_outermost = outermost(depth_first(tree), functions);
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
    const CostNode& node = tree.nodes[i];
    const CostFunction& function = tree.functions[node.function];
    FunctionCosts& own = costs[node.function];
    if (node.lines.empty()) own.lines[{function.path, function.line}] += node.exclusive;
    for (const CostLine& line : node.lines) own.lines[{line.path, line.line}] += line.cost;
    if (node.parent == CostNode::none || !tree.arcs.empty()) continue;
    const std::uint32_t caller = tree.nodes[node.parent].function;
    const std::size_t from = node.from_line > 0 ? node.from_line : tree.functions[caller].line;
    Calls& calls = costs[caller].calls[{from, node.function}];
    calls.count += node.calls;
    if (is_outermost[i]) calls.inclusive += node.inclusive;
  }
  for (const CostArc& arc : tree.arcs) {
    const CostFunction& caller = tree.functions[arc.caller];
    Calls& calls = costs[arc.caller].calls[{arc.path == caller.path ? arc.line : caller.line, arc.callee}];
    calls.count += arc.calls;
    calls.inclusive += arc.inclusive.value_or(0);
    calls.is_known = calls.is_known && (arc.inclusive || arc.caller == arc.callee);
  }
  return costs;
}

/// "(3) name" the first time, "(3)" from then on.
class Names {
 public:
  std::string operator()(std::string_view name) { return numbered(std::string(name), name); }
  /// Functions of one name in several files or modules are several.
  std::string operator()(const CostFunction& function) {
    return numbered(fmt::format("{}\n{}\n{}", function.name, function.path, function.module), function.name);
  }

 private:
  std::string numbered(std::string key, std::string_view name) {
    const auto [found, is_new] = numbers_.try_emplace(std::move(key), numbers_.size() + 1);
    if (!is_new) return fmt::format("({})", found->second);
    return fmt::format("({}) {}", found->second, name.empty() ? "???" : plain_line(name));
  }

  std::map<std::string, std::size_t> numbers_;
};

class CallgrindWriter {
 public:
  explicit CallgrindWriter(const CostTree& tree) : tree_(tree) {
    for (const CostFunction& function : tree.functions) has_modules_ |= !function.module.empty();
  }

  void add(const CostFunction& function, const FunctionCosts& costs) {
    if (costs.lines.empty() && costs.calls.empty()) return;
    text_ += "\n";
    if (has_modules_) text_ += fmt::format("ob={}\n", modules_(function.module));
    text_ += fmt::format("fl={}\nfn={}\n", files_(function.path), functions_(function));
    std::string_view file = function.path;
    for (const auto& [place, cost] : costs.lines) {
      move_to(file, place.first, function.path);
      text_ += fmt::format("{} {:.0f}\n", place.second, cost);
    }
    move_to(file, function.path, function.path);
    for (const auto& [from, calls] : costs.calls) add_calls(from.first, tree_.functions[from.second], calls);
  }

  std::string text() && { return std::move(text_); }

 private:
  void move_to(std::string_view& file, std::string_view path, std::string_view own) {
    if (path == file) return;
    text_ += fmt::format("{}={}\n", path == own ? "fe" : "fi", files_(path));
    file = path;
  }

  void add_calls(std::size_t line, const CostFunction& callee, const Calls& calls) {
    if (has_modules_) text_ += fmt::format("cob={}\n", modules_(callee.module));
    text_ += fmt::format("cfi={}\ncfn={}\ncalls={} {}\n{}", files_(callee.path), functions_(callee),
                         calls.count, callee.line, line);
    text_ += calls.is_known ? fmt::format(" {:.0f}\n", calls.inclusive) : "\n";
  }

  const CostTree& tree_;
  bool has_modules_ = false;
  Names modules_, files_, functions_;
  std::string text_;
};

std::string described(const RunInfo& run, const CostTree& tree) {
  const bool has_unknown = std::ranges::any_of(
      tree.arcs, [](const CostArc& arc) { return !arc.inclusive && arc.caller != arc.callee; });
  return fmt::format("desc: Device: {}{}\ndesc: Transport: {}\ndesc: Started: {}\n{}", plain_line(run.device),
                     run.simulated ? ", SIMULATED" : "", plain_line(run.transport), plain_line(run.started),
                     has_unknown ? "desc: Note: calls without a cost were counted and not measured\n" : "");
}

}  // namespace

std::string to_callgrind(const Profile& profile) {
  const CostTree tree = in_whole_ticks(exported_tree(profile));
  double total = 0;
  for (const CostNode& node : tree.nodes) total += node.exclusive;
  const std::string_view unit = name_of(profile.run.unit);
  std::string text = fmt::format(
      "# callgrind format\nversion: 1\ncreator: {}\ncmd: {}\n{}positions: line\nevent: {} : {}\nevents: {}\n"
      "summary: {:.0f}\n",
      plain_line(profile.run.tool), plain_line(profile.run.project), described(profile.run, tree), unit,
      profile.run.unit == ClockUnit::ns ? "nanoseconds" : unit, unit, total);
  const std::vector<FunctionCosts> costs = costs_of(tree);
  CallgrindWriter writer(tree);
  for (std::size_t i = 0; i < costs.size(); ++i) writer.add(tree.functions[i], costs[i]);
  return text + std::move(writer).text() + fmt::format("\ntotals: {:.0f}\n", total);
}

}  // namespace jcprof::annotator
