// SPDX-License-Identifier: Apache-2.0
#include "annotator/stacks.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace jcprof::annotator {
namespace {

using Json = nlohmann::ordered_json;
using Children = std::map<std::uint32_t, std::vector<const StoredCall*>>;  // by parent
using Frames = std::vector<std::uint32_t>;                                 // symbols, outermost first

std::string name_of_thread(const StoredThread& thread) {
  return fmt::format("thread {}{}{}", thread.serial, thread.name.empty() ? "" : " ", thread.name);
}

/// Calls `each(frames, call)` for all nodes of a thread's tree, each right behind its parent's.
template <class Each>
void for_each_stack(const StoredRecording& recording, const StoredThread& thread, Each each) {
  Children children;
  for (const StoredCall& call : recording.calls)
    if (call.thread == thread.serial) children[call.parent].push_back(&call);
  struct Open {
    const StoredCall* call;
    std::size_t depth;
  };
  std::vector<Open> open;
  const auto descend = [&](std::uint32_t parent, std::size_t depth) {
    const auto found = children.find(parent);
    if (found == children.end()) return;
    for (auto call = found->second.rbegin(); call != found->second.rend(); ++call)
      open.push_back({*call, depth});
  };
  Frames frames;
  descend(0, 0);
  while (!open.empty()) {
    const auto [call, depth] = open.back();
    open.pop_back();
    frames.resize(depth);
    frames.push_back(call->symbol);
    each(frames, *call);
    descend(call->id, depth + 1);
  }
}

/// One part of a folded line: ';' and line ends part lines and parts.
std::string part(std::string name) {
  std::ranges::replace_if(name, [](char c) { return c == ';' || c == '\n' || c == '\r'; }, '_');
  return name;
}

std::string part(const StoredSymbol& symbol) {
  if (symbol.path.empty()) return part(symbol.name);
  return part(fmt::format("{} ({}:{})", symbol.name, std::filesystem::path(symbol.path).filename().string(),
                          symbol.line));
}

Json frame(const StoredSymbol& symbol) {
  Json frame{{"name", symbol.name}};
  if (symbol.path.empty()) return frame;
  frame["file"] = symbol.path;
  if (symbol.line > 0) frame["line"] = symbol.line;
  return frame;
}

Json sampled(const StoredRecording& recording, const StoredThread& thread, std::string_view unit) {
  Json samples = Json::array();
  Json weights = Json::array();
  double total = 0;
  for_each_stack(recording, thread, [&](const Frames& frames, const StoredCall& call) {
    if (call.exclusive <= 0) return;
    samples.push_back(frames);
    weights.push_back(call.exclusive);
    total += call.exclusive;
  });
  return {{"type", "sampled"},
          {"name", name_of_thread(thread)},
          {"unit", unit},
          {"startValue", 0},
          {"endValue", total},
          {"samples", std::move(samples)},
          {"weights", std::move(weights)}};
}

}  // namespace

std::string to_folded(const StoredRecording& recording) {
  std::string text;
  double passed = 0;
  for (const StoredThread& thread : recording.threads)
    for_each_stack(recording, thread, [&](const Frames& frames, const StoredCall& call) {
      const double ticks = std::round(passed + call.exclusive) - std::round(passed);
      passed += call.exclusive;
      if (ticks < 1) return;
      text += part(name_of_thread(thread));
      for (const std::uint32_t symbol : frames) text += ";" + part(recording.symbols[symbol]);
      text += fmt::format(" {:.0f}\n", ticks);
    });
  return text;
}

std::string to_speedscope(const RecordedRun& recorded) {
  const StoredRecording& recording = recorded.recording;
  Json frames = Json::array();
  for (const StoredSymbol& symbol : recording.symbols) frames.push_back(frame(symbol));
  Json profiles = Json::array();
  for (const StoredThread& thread : recording.threads)
    profiles.push_back(
        sampled(recording, thread, recorded.info.unit == ClockUnit::ns ? "nanoseconds" : "none"));
  const Json document{{"$schema", "https://www.speedscope.app/file-format-schema.json"},
                      {"name", recorded.info.project},
                      {"exporter", recorded.info.tool},
                      {"activeProfileIndex", 0},
                      {"shared", {{"frames", std::move(frames)}}},
                      {"profiles", std::move(profiles)}};
  return document.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace jcprof::annotator
