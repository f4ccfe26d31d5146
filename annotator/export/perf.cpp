// SPDX-License-Identifier: Apache-2.0
#include "annotator/export/exports.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string_view>

#include <fmt/format.h>

#include "annotator/tree_walk.hpp"
#include "src/core/text.hpp"

namespace jcprof::annotator {
namespace {

/// So many samples are made of the costs: readers count them, and do not all look at periods.
constexpr double most_perf_samples = 10'000;

/// Blanks part the fields of a line.
std::string in_one_word(std::string_view text) {
  std::string word = plain_line(text);
  std::ranges::replace(word, ' ', '_');
  return word;
}

/// stackcollapse-perf.pl skips names that begin with a parenthesis.
std::string frame_name(std::string_view name) {
  std::string text = plain_line(name.empty() ? "?" : name);
  const std::size_t end = text.find(')');
  if (text.front() == '(' && end != std::string::npos) text[0] = '[', text[end] = ']';
  return text;
}

std::string perf_frame(std::uint64_t address, std::string_view name, std::string_view module) {
  return fmt::format("\t{:16x} {} ({})\n", address, frame_name(name),
                     module.empty() ? "[unknown]" : in_one_word(module));
}

std::string_view event_of(ClockUnit unit) {
  return unit == ClockUnit::ns ? "cpu-clock" : name_of(unit);
}

class Perf {
 public:
  explicit Perf(const Profile& profile) : profile_(profile), tree_(in_most_depth(exported_tree(profile))) {
    double total = 0;
    for (const CostNode& node : tree_.nodes) total += node.exclusive;
    period_ = std::max(1.0, std::ceil(total / most_perf_samples));
  }

  std::string text() {
    each_stack(tree_, [this](const StackCost& stack) { add(stack); });
    return std::move(text_);
  }

 private:
  void add(const StackCost& stack) {
    const CostFunction& outermost = tree_.functions[tree_.nodes[stack.nodes.front()].function];
    if (stack.nodes.size() == 1 && stack.is_first && outermost.is_thread) ++thread_;
    // What is left of one stack counts for the next, so that all together are the sum.
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
      frames += perf_frame(number + 1, function.name, function.module);
    }
    return frames;
  }

  const Profile& profile_;
  CostTree tree_;
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
