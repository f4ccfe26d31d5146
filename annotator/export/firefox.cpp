// SPDX-License-Identifier: Apache-2.0
#include "annotator/export/exports.hpp"

#include <algorithm>
#include <initializer_list>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "annotator/started.hpp"
#include "annotator/tree_walk.hpp"
#include "src/core/text.hpp"

namespace jcprof::annotator {
namespace {

using Json = nlohmann::ordered_json;

/// The Profiler brings this version and later ones up to its own.
constexpr int processed_version = 48;

/// The Profiler's axis is in milliseconds: one that is not of time has a nanosecond a tick.
constexpr double ms_per_tick = 1e-6;

/// Categories, as firefox_meta has them.
constexpr int known_category = 0;
constexpr int hidden_category = 1;

/// The own costs that noise hides, or that contradict themselves.
class Hidden {
 public:
  explicit Hidden(const Profile& profile) {
    for (const LineEstimate& line : profile.lines)
      if (!line.cost.resolved) lines_.emplace(line.path, line.line);
    for (const FunctionEstimate& function : profile.functions)
      if (!function.exclusive.resolved) functions_.emplace(function.function, function.path, function.line);
  }

  int category(const CostFunction& function, const CostLine* line) const {
    const bool is_hidden = line != nullptr
                               ? lines_.contains({line->path, line->line})
                               : functions_.contains({function.name, function.path, function.line});
    return is_hidden ? hidden_category : known_category;
  }

 private:
  std::set<std::pair<std::string, std::size_t>> lines_;
  std::set<std::tuple<std::string, std::string, std::size_t>> functions_;
};

/// Columns of equal length, as the Profiler's tables are.
class Columns {
 public:
  /// The row's number.
  std::size_t add(const Json& row) {
    for (const auto& [name, value] : row.items()) columns_[name].push_back(value);
    return length_++;
  }
  /// `empty`: the columns of a table without rows.
  Json json(std::initializer_list<const char*> empty = {}) const {
    Json table = columns_;
    for (const char* const name : empty) table.emplace(name, Json::array());
    table["length"] = length_;
    return table;
  }

 private:
  Json columns_ = Json::object();
  std::size_t length_ = 0;
};

/// One thread of the Profiler, with tables of its own.
class FirefoxThread {
 public:
  FirefoxThread(bool is_time, const Hidden& hidden) : is_time_(is_time), hidden_(hidden) {}

  void add(const CostTree& tree, const StackCost& stack) {
    if (stack.cost <= 0) return;
    Json row = nullptr;  // of the stack table: none yet
    for (std::size_t i = 0; i < stack.nodes.size(); ++i) {
      const CostFunction& function = tree.functions[tree.nodes[stack.nodes[i]].function];
      // The thread is the Profiler's own.
      if (function.is_thread && stack.nodes.size() > 1) continue;
      const bool is_last = i + 1 == stack.nodes.size();
      const int category = is_last ? hidden_.category(function, stack.line) : known_category;
      const bool has_line = is_last && stack.line != nullptr && stack.line->path == function.path;
      const std::size_t line = has_line  ? stack.line->line
                               : is_last ? 0
                                         : tree.nodes[stack.nodes[i + 1]].from_line;
      row = stack_row(row, frame(func(function.name, function.path, function.line), line, category));
      if (is_last && stack.line != nullptr && !has_line)
        row = stack_row(row, frame(func(place_text(stack.line->path, stack.line->line), stack.line->path,
                                        stack.line->line),
                                   stack.line->line, category));
    }
    samples_.add({{"stack", row},
                  {"time", ms_per_tick * so_far_},
                  {"weight", is_time_ ? ms_per_tick * stack.cost : stack.cost}});
    last_ = so_far_;
    so_far_ += stack.cost;
  }

  /// Where its last sample begins and ends, in ms.
  double last() const { return ms_per_tick * last_; }
  double end() const { return ms_per_tick * so_far_; }

  Json json(const std::string& name, const std::string& project, std::size_t number) const {
    Json samples = samples_.json({"stack", "time", "weight"});
    samples["weightType"] = is_time_ ? "tracing-ms" : "samples";
    return {
        {"processType", "default"},
        {"processName", plain_line(project)},
        {"processStartupTime", 0},
        {"processShutdownTime", nullptr},
        {"registerTime", 0},
        {"unregisterTime", nullptr},
        {"pausedRanges", Json::array()},
        {"name", plain_line(name)},
        {"isMainThread", number == 1},
        {"pid", "1"},
        {"tid", number},
        {"samples", std::move(samples)},
        {"stackTable", stacks_.json({"frame", "prefix", "category", "subcategory"})},
        {"frameTable", frames_.json({"address", "inlineDepth", "category", "subcategory", "func",
                                     "nativeSymbol", "innerWindowID", "implementation", "line", "column"})},
        {"funcTable", funcs_.json({"name", "isJS", "relevantForJS", "resource", "fileName", "lineNumber",
                                   "columnNumber"})},
        {"resourceTable", Columns().json({"lib", "name", "host", "type"})},
        {"nativeSymbols", Columns().json({"libIndex", "address", "name", "functionSize"})},
        {"markers", Columns().json({"data", "name", "startTime", "endTime", "phase", "category"})},
        {"stringArray", strings_}};
  }

 private:
  std::size_t string(std::string_view text) {
    const auto [found, is_new] = string_rows_.try_emplace(plain_line(text), strings_.size());
    if (is_new) strings_.push_back(found->first);
    return found->second;
  }

  std::size_t func(const std::string& name, const std::string& path, std::size_t line) {
    const auto [found, is_new] = func_rows_.try_emplace({name, path, line}, func_rows_.size());
    if (is_new)
      funcs_.add({{"name", string(name.empty() ? "?" : name)},
                  {"isJS", false},
                  {"relevantForJS", false},
                  {"resource", -1},
                  {"fileName", path.empty() ? Json() : Json(string(path))},
                  {"lineNumber", number(line)},
                  {"columnNumber", nullptr}});
    return found->second;
  }

  std::size_t frame(std::size_t func, std::size_t line, int category) {
    const auto [found, is_new] = frame_rows_.try_emplace({func, line, category}, frame_rows_.size());
    if (is_new) {
      categories_.push_back(category);
      frames_.add({{"address", -1},
                   {"inlineDepth", 0},
                   {"category", category},
                   {"subcategory", 0},
                   {"func", func},
                   {"nativeSymbol", nullptr},
                   {"innerWindowID", 0},
                   {"implementation", nullptr},
                   {"line", number(line)},
                   {"column", nullptr}});
    }
    return found->second;
  }

  std::size_t stack_row(const Json& prefix, std::size_t frame) {
    const std::size_t key = prefix.is_null() ? 0 : prefix.get<std::size_t>() + 1;
    const auto [found, is_new] = stack_rows_.try_emplace({key, frame}, stack_rows_.size());
    if (is_new)
      stacks_.add(
          {{"frame", frame}, {"prefix", prefix}, {"category", categories_[frame]}, {"subcategory", 0}});
    return found->second;
  }

  static Json number(std::size_t line) { return line == 0 ? Json() : Json(line); }

  bool is_time_;
  const Hidden& hidden_;
  double so_far_ = 0, last_ = 0;
  Columns samples_, stacks_, frames_, funcs_;
  Json strings_ = Json::array();
  std::map<std::string, std::size_t> string_rows_;
  std::map<std::tuple<std::string, std::string, std::size_t>, std::size_t> func_rows_;
  std::vector<int> categories_;  // by frame
  std::map<std::tuple<std::size_t, std::size_t, int>, std::size_t> frame_rows_;
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> stack_rows_;
};

Json firefox_about(const Profile& profile) {
  const RunInfo& run = profile.run;
  Json entries = Json::array();
  const auto add = [&](std::string_view name, std::string_view value) {
    entries.push_back({{"label", name}, {"format", "string"}, {"value", plain_line(value)}});
  };
  add("Device", run.device);
  add("Simulated", run.simulated ? "SIMULATED" : "no");
  add("Transport", run.transport);
  add("Unit", name_of(run.unit));
  add("Order", "by the call tree, not by time");
  for (const std::string& warning : profile.warnings) add("Warning", warning);
  return Json::array({{{"label", "jcprof"}, {"entries", std::move(entries)}}});
}

Json firefox_meta(const Profile& profile, double interval) {
  const RunInfo& run = profile.run;
  return {{"version", 30},  // of the Gecko profiles that go with it
          {"preprocessedProfileVersion", processed_version},
          {"product", plain_line(run.project) + (run.simulated ? ", SIMULATED" : "")},
          {"importedFrom", plain_line(run.tool)},
          {"interval", interval},
          {"startTime", milliseconds_of(run.started)},
          {"processType", 0},
          {"stackwalk", 0},
          {"debug", false},
          {"symbolicated", true},
          {"categories",
           Json::array(
               {{{"name", "Other"}, {"color", "grey"}, {"subcategories", Json::array({"Other"})}},
                {{"name", "Not resolved"}, {"color", "yellow"}, {"subcategories", Json::array({"Other"})}}})},
          {"markerSchema", Json::array()},
          {"extra", firefox_about(profile)}};
}

}  // namespace

std::string to_firefox(const Profile& profile) {
  const bool is_time = profile.run.unit == ClockUnit::ns;
  const Hidden hidden(profile);
  const CostTree tree = in_most_depth(exported_tree(profile));
  std::vector<std::pair<std::string, FirefoxThread>> threads;
  std::uint32_t root = CostNode::none;
  each_stack(tree, [&](const StackCost& stack) {
    const CostFunction& outermost = tree.functions[tree.nodes[stack.nodes.front()].function];
    const bool is_new = std::exchange(root, stack.nodes.front()) != stack.nodes.front();
    if (threads.empty() || (is_new && outermost.is_thread))
      threads.emplace_back(outermost.is_thread ? outermost.name : profile.run.project,
                           FirefoxThread(is_time, hidden));
    threads.back().second.add(tree, stack);
  });
  Json list = Json::array();
  double last = 0, end = 0;
  for (const auto& [name, thread] : threads) {
    last = std::max(last, thread.last());
    end = std::max(end, thread.end());
    list.push_back(thread.json(fmt::format("{} ({}not in order of time)", name,
                                           is_time ? "" : fmt::format("{}, ", name_of(profile.run.unit))),
                               profile.run.project, list.size() + 1));
  }
  // The axis ends that much after the last sample begins.
  const double interval = end > last ? end - last : 1;
  const Json document{{"meta", firefox_meta(profile, interval)},
                      {"libs", Json::array()},
                      {"pages", Json::array()},
                      {"counters", Json::array()},
                      {"profilerOverhead", Json::array()},
                      {"threads", std::move(list)}};
  return document.dump(-1, ' ', true, Json::error_handler_t::replace) + "\n";
}

}  // namespace jcprof::annotator
