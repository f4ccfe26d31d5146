// SPDX-License-Identifier: Apache-2.0
// The function graph of OP-TEE's ftrace, as its scripts make text of it: "TIME us | DEPTH | NAME() {". A call
// without calls out of it has one line; others end in a line with their time and "}".
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "annotator/import/formats.hpp"
#include "annotator/import/scanner.hpp"
#include "annotator/import/traced.hpp"
#include "src/core/text.hpp"

namespace jcprof::annotator {
namespace {

constexpr std::string_view ftrace_head = "Function graph for TA:";

/// "43.840 us" or "1.250 ms" in ns.
std::optional<std::uint64_t> time_in(std::string_view text) {
  constexpr double most_ns = 1e15;
  const double unit = text.ends_with(" us") ? 1e3 : text.ends_with(" ms") ? 1e6 : 0;
  if (unit == 0) return std::nullopt;
  const auto time = real_in(trimmed(text.substr(0, text.size() - 3)));
  if (!time || !(*time >= 0) || *time * unit > most_ns) return std::nullopt;
  return static_cast<std::uint64_t>(std::llround(*time * unit));
}

struct GraphLine {
  std::string_view time, depth, call;
};

std::optional<GraphLine> graph_line(std::string_view line) {
  const std::size_t first = line.find('|');
  const std::size_t second = line.find('|', first + 1);
  if (first == std::string_view::npos || second == std::string_view::npos) return std::nullopt;
  return GraphLine{.time = trimmed(line.substr(0, first)),
                   .depth = trimmed(line.substr(first + 1, second - first - 1)),
                   .call = trimmed(line.substr(second + 1))};
}

class GraphParser {
 public:
  GraphParser(const std::string& name, std::string_view text)
      : scanner_(name, text, "jcprof reads what OP-TEE's scripts ftrace_format.py and symbolize.py print") {}

  RecordedRun read() && {
    RecordedRun run{.info = {.agent = "OP-TEE ftrace", .unit = ClockUnit::ns, .rounds = 1}};
    while (scanner_.next()) {
      const std::string_view line = trimmed(scanner_.line());
      if (line.starts_with(ftrace_head)) {
        std::string_view rest = line.substr(ftrace_head.size());
        const std::string_view application = take_word(rest);
        if (application.empty()) scanner_.refuse("the trusted application has no name");
        if (run.info.project.empty()) run.info.project = application;
        begin_part(application);
      } else if (const auto graph = graph_line(line); graph && !run.info.project.empty()) {
        take(*graph);
      } else if (!run.info.project.empty() && !line.empty()) {
        scanner_.refuse("this is no line of a function graph");
      }
    }
    run.warnings.push_back({.text = "times of OP-TEE's ftrace hold what tracing costs"});
    run = std::move(tracer_).finish(std::move(run));
    if (run.events == 0) scanner_.refuse("the file has no calls");
    return run;
  }

 private:
  /// A thread for each trusted application. Calls do not go on in another part.
  void begin_part(std::string_view application) {
    while (!open_.empty()) {
      tracer_.give_up(thread_);
      open_.pop_back();
    }
    thread_ = threads_.try_emplace(std::string(application), threads_.size() + 1).first->second;
  }

  void take(const GraphLine& line) {
    const auto depth = whole_number<std::uint32_t>(line.depth);
    const bool is_open = line.call.ends_with('{');
    const bool is_end = line.call == "}";
    // A return from depth 1 of a call that was open before the trace began has depth 0.
    if (!depth || (*depth == 0 && !is_end)) scanner_.refuse(fmt::format("\"{}\" is no depth", line.depth));
    std::optional<std::uint64_t> time;
    if (!is_open) {
      time = time_in(line.time);
      if (!time) scanner_.refuse(fmt::format("\"{}\" is no time in us or ms", line.time));
    }
    // A call without an end, as of a longjmp, is followed by one further out.
    while (!open_.empty() && open_.back() >= *depth + (is_end ? 1 : 0)) {
      tracer_.give_up(thread_);
      open_.pop_back();
    }
    if (is_end) {
      // The buffer is a ring: it may begin in a call.
      if (open_.empty() || open_.back() != *depth) return tracer_.miss(thread_);
      tracer_.leave_after(thread_, *time);
      open_.pop_back();
      return;
    }
    std::string_view name = line.call;
    if (is_open) name = trimmed(name.substr(0, name.size() - 1));
    if (name.ends_with("()")) name.remove_suffix(2);
    if (name.empty()) scanner_.refuse("a call has no function");
    tracer_.enter(thread_, name, 0);
    if (is_open)
      open_.push_back(*depth);
    else
      tracer_.leave_after(thread_, *time);
  }

  Scanner scanner_;
  CallTracer tracer_;
  std::map<std::string, std::uint32_t> threads_;  // by trusted application
  std::uint32_t thread_ = 0;
  std::vector<std::uint32_t> open_;  // depths of calls
};

}  // namespace

bool is_optee_ftrace(std::string_view text) {
  return text.substr(0, 4096).find(ftrace_head) != std::string_view::npos;
}

RecordedRun read_optee_ftrace(const std::string& name, std::string_view text) {
  return GraphParser(name, text).read();
}

}  // namespace jcprof::annotator
