// SPDX-License-Identifier: Apache-2.0
#include "annotator/export/exports.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "annotator/tree_walk.hpp"
#include "src/core/text.hpp"

namespace jcprof::annotator {
namespace {

/// So many samples are made of the costs, or fewer where stacks are deep: readers count them, and do not all
/// look at periods.
constexpr double most_perf_samples = 10'000;
constexpr double most_perf_bytes = 50e6;

/// Blanks part the fields of a line.
std::string in_one_word(std::string_view text) {
  std::string word = plain_line(text);
  std::ranges::replace(word, ' ', '_');
  return word;
}

/// stackcollapse-perf.pl skips names that begin with a parenthesis, and drops what stands behind one.
std::string frame_name(std::string_view name) {
  std::string text = plain_line(name.empty() ? "?" : name);
  std::ranges::replace(text, '(', '[');
  std::ranges::replace(text, ')', ']');
  return text;
}

std::string perf_frame(std::uint64_t address, std::string_view name, std::string_view module) {
  return fmt::format("\t{:16x} {} ({})\n", address, frame_name(name),
                     module.empty() ? "[unknown]" : in_one_word(module));
}

/// Namesakes of two files differ, as in folded stacks.
std::string name_with_place(const CostFunction& function) {
  if (function.path.empty()) return function.name;
  return fmt::format("{} [{}]", function.name, place_text(function.path, function.line));
}

std::string_view event_of(ClockUnit unit) {
  return unit == ClockUnit::ns ? "cpu-clock" : name_of(unit);
}

class Perf {
 public:
  explicit Perf(const Profile& profile) : profile_(profile), tree_(in_most_depth(exported_tree(profile))) {
    for (const CostFunction& function : tree_.functions)
      frames_.push_back(perf_frame(frames_.size() + 1, name_with_place(function), function.module));
    double total = 0, bytes = 0;
    each_stack(tree_, [&](const StackCost& stack) {
      double size = 100;  // of the first line and that of a line of source
      for (const std::uint32_t node : stack.nodes)
        size += static_cast<double>(frames_[tree_.nodes[node].function].size());
      total += stack.cost;
      bytes += stack.cost * size;
    });
    const double samples = std::min(most_perf_samples, bytes > 0 ? most_perf_bytes * total / bytes : 1);
    period_ = std::max(1.0, std::ceil(total / samples));
  }

  std::string text() {
    text_ = head();
    each_stack(tree_, [this](const StackCost& stack) { add(stack); });
    return std::move(text_);
  }

 private:
  /// The Firefox Profiler knows the text by its first line.
  std::string head() const {
    const RunInfo& run = profile_.run;
    return fmt::format(
        "# ========\n# device : {}\n{}# unit : {}\n# order : by the call tree, not by time\n"
        "# ========\n#\n",
        plain_line(run.device.empty() ? "unknown" : run.device), run.simulated ? "# SIMULATED : yes\n" : "",
        name_of(run.unit));
  }

  void add(const StackCost& stack) {
    const CostFunction& outermost = tree_.functions[tree_.nodes[stack.nodes.front()].function];
    if (stack.nodes.size() == 1 && stack.is_first && outermost.is_thread) ++thread_;
    // The rest of one stack counts for the next, so that all together are the sum.
    so_far_ += stack.cost;
    const auto until = static_cast<std::uint64_t>(std::llround(so_far_ / period_));
    if (until == made_) return;
    const std::string frames = frames_of(stack);
    for (; made_ < until; ++made_)
      text_ += fmt::format("{} 1/{} {}: {:.0f} {}: \n{}\n",
                           in_one_word(outermost.is_thread ? outermost.name : profile_.run.project),
                           std::max(thread_, 1), moment(), period_, event_of(profile_.run.unit), frames);
  }

  std::string moment() const {
    const auto ticks = (made_ + 1) * static_cast<std::uint64_t>(period_);
    return fmt::format("{}.{:09}", ticks / 1'000'000'000, ticks % 1'000'000'000);
  }

  /// Innermost first. Addresses only tell functions apart.
  std::string frames_of(const StackCost& stack) const {
    std::string frames;
    if (stack.line != nullptr)
      frames += perf_frame(0x1000000 + stack.line->line, place_text(stack.line->path, stack.line->line), "");
    for (auto node = stack.nodes.rbegin(); node != stack.nodes.rend(); ++node) {
      const std::uint32_t number = tree_.nodes[*node].function;
      const CostFunction& function = tree_.functions[number];
      if (function.is_thread && stack.nodes.size() > 1) continue;
      frames += frames_[number];
    }
    return frames;
  }

  const Profile& profile_;
  CostTree tree_;
  std::vector<std::string> frames_;  // by function
  double period_ = 1;
  double so_far_ = 0;
  std::uint64_t made_ = 0;
  int thread_ = 0;
  std::string text_;
};

}  // namespace

std::string to_perf(const Profile& profile) {
  return Perf(profile).text();
}

}  // namespace jcprof::annotator
