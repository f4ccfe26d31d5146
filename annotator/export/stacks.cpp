// SPDX-License-Identifier: Apache-2.0
#include "annotator/export/exports.hpp"

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "annotator/tree_walk.hpp"
#include "src/core/text.hpp"

namespace jcprof::annotator {
namespace {

using Json = nlohmann::ordered_json;

/// One part of a folded line: ';' parts parts, and readers take two numbers at a line's end for a difference.
std::string part(std::string_view name) {
  std::string text = plain_line(name);
  std::ranges::replace(text, ';', '_');
  const std::size_t last = text.rfind(' ');
  if (last != std::string::npos && text.find_first_not_of("0123456789.", last + 1) == std::string::npos)
    text[last] = '_';
  return text.empty() ? "?" : text;
}

std::string part(const CostFunction& function) {
  if (function.path.empty()) return part(function.name);
  return part(fmt::format("{} ({})", function.name, place_text(function.path, function.line)));
}

class Speedscope {
 public:
  explicit Speedscope(const Profile& profile)
      : profile_(profile), tree_(in_most_depth(exported_tree(profile))) {
    for (const CostFunction& function : tree_.functions)
      add_frame(function.name, function.path, function.line);
  }

  std::string text() {
    Json profiles = Json::array();
    std::uint32_t root = CostNode::none;
    each_stack(tree_, [&](const StackCost& stack) {
      const CostFunction& outermost = tree_.functions[tree_.nodes[stack.nodes.front()].function];
      const bool is_new = std::exchange(root, stack.nodes.front()) != stack.nodes.front();
      if (profiles.empty() || (is_new && outermost.is_thread)) profiles.push_back(begin(outermost));
      add(profiles.back(), stack);
    });
    if (profiles.empty()) profiles.push_back(begin({.is_thread = false}));
    const Json document{{"$schema", "https://www.speedscope.app/file-format-schema.json"},
                        {"name", plain_line(profile_.run.project)},
                        {"exporter", plain_line(profile_.run.tool)},
                        {"activeProfileIndex", 0},
                        {"shared", {{"frames", std::move(frames_)}}},
                        {"profiles", std::move(profiles)}};
    return document.dump(-1, ' ', true, Json::error_handler_t::replace) + "\n";
  }

 private:
  Json begin(const CostFunction& root) const {
    const bool is_time = profile_.run.unit == ClockUnit::ns;
    std::string name = plain_line(root.is_thread ? root.name : profile_.run.project);
    if (!is_time) name += fmt::format(" ({})", name_of(profile_.run.unit));
    return {{"type", "sampled"},       {"name", name},    {"unit", is_time ? "nanoseconds" : "none"},
            {"startValue", 0},         {"endValue", 0.0}, {"samples", Json::array()},
            {"weights", Json::array()}};
  }

  void add(Json& profile, const StackCost& stack) {
    std::vector<std::uint32_t> frames;
    for (const std::uint32_t node : stack.nodes) frames.push_back(tree_.nodes[node].function);
    // A thread is the profile, and a frame of it only where nothing else is under way.
    if (frames.size() > 1 && tree_.functions[frames.front()].is_thread) frames.erase(frames.begin());
    if (stack.line != nullptr) frames.push_back(frame_of(*stack.line));
    if (stack.cost <= 0) return;
    profile["samples"].push_back(frames);
    profile["weights"].push_back(stack.cost);
    profile["endValue"] = profile["endValue"].get<double>() + stack.cost;
  }

  std::uint32_t frame_of(const CostLine& line) {
    const auto [found, is_new] =
        lines_.try_emplace({line.path, line.line}, static_cast<std::uint32_t>(frames_.size()));
    if (is_new) add_frame(place_text(line.path, line.line), line.path, line.line);
    return found->second;
  }

  void add_frame(const std::string& name, const std::string& path, std::size_t line) {
    Json frame{{"name", plain_line(name)}};
    if (!path.empty()) frame["file"] = plain_line(path);
    if (!path.empty() && line > 0) frame["line"] = line;
    frames_.push_back(std::move(frame));
  }

  const Profile& profile_;
  CostTree tree_;
  Json frames_ = Json::array();                                         // functions, then lines
  std::map<std::pair<std::string, std::size_t>, std::uint32_t> lines_;  // their frames
};

}  // namespace

std::string to_folded(const Profile& profile) {
  const CostTree tree = in_whole_ticks(in_most_depth(exported_tree(profile)));
  std::vector<std::string> parts;  // by function
  for (const CostFunction& function : tree.functions) parts.push_back(part(function));
  std::string text;
  each_stack(tree, [&](const StackCost& stack) {
    if (stack.cost < 1) return;
    for (const std::uint32_t node : stack.nodes)
      text += (node == stack.nodes.front() ? "" : ";") + parts[tree.nodes[node].function];
    if (stack.line != nullptr) text += ";" + part(place_text(stack.line->path, stack.line->line));
    text += fmt::format(" {:.0f}\n", stack.cost);
  });
  return text;
}

std::string to_speedscope(const Profile& profile) {
  return Speedscope(profile).text();
}

}  // namespace jcprof::annotator
