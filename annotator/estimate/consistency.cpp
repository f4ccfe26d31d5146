// SPDX-License-Identifier: Apache-2.0
#include "annotator/estimate/consistency.hpp"

#include <algorithm>
#include <cstddef>
#include <span>

namespace jcprof::annotator {
namespace {

constexpr std::size_t fewest_rounds = 10;
constexpr double least_excess = 0.05;  // of the command
constexpr double widths_of_proof = 4;  // half ones
constexpr double most_rounds = 0.85;   // of them
constexpr double wrong_in_a_run = 0.01;
// A round goes along the path, its twin back. Where a stop changes the next command, times fall behind that
// stop in the one and before it in the other: only neighbours together are less than nothing in both.
constexpr std::size_t most_neighbours = 8;

/// The deviation is that of a normal distribution with the same middle, or more where there are several heaps
/// or tails. Values farther out than four of these are brought nearer, or one spike would hide all.
engine::Interval mean_of_tamed(std::vector<double> values, double alpha) {
  constexpr double quantile_of_normal = 1.2816;  // of 0.9
  constexpr double far = 4;
  const double middle = engine::median(values);
  const double spread =
      (engine::quantile(values, 0.9) - engine::quantile(values, 0.1)) / (2 * quantile_of_normal);
  const double sigma = std::max(engine::mad_sigma(values), spread);
  for (double& value : values) value = std::clamp(value, middle - far * sigma, middle + far * sigma);
  return engine::mean_interval(values, alpha, sigma);
}

class Judge {
 public:
  Judge(double total, std::size_t stretches)
      : least_(least_excess * total),
        alpha_(wrong_in_a_run /
               static_cast<double>((most_neighbours + 1) * std::max<std::size_t>(stretches, 1))) {}

  /// A time that cannot be below zero is, by all that is asked.
  bool is_below_zero(const std::vector<double>& rounds, double doubt) const {
    const std::vector<double> values = engine::present(rounds);
    if (values.size() < fewest_rounds || !is_far_below(values)) return false;
    const std::span<const double> all(values);
    const std::size_t half = values.size() / 2;
    if (!is_far_below(all.first(half)) || !is_far_below(all.subspan(half))) return false;
    const auto below = std::ranges::count_if(values, [](double value) { return value < 0; });
    if (static_cast<double>(below) < most_rounds * static_cast<double>(values.size())) return false;
    const engine::Interval mean = mean_of_tamed(values, alpha_);
    return -engine::median(values) > widths_of_proof * (engine::half_width(mean) + doubt) && mean.high < 0;
  }

 private:
  bool is_far_below(std::span<const double> values) const {
    return engine::median({values.begin(), values.end()}) <= -least_;
  }

  double least_;
  double alpha_;
};

void add(std::vector<double>& sum, const std::vector<double>& values, double times) {
  for (std::size_t r = 0; r < std::min(sum.size(), values.size()); ++r) sum[r] += times * values[r];
}

/// Behind the last of the fewest neighbours from `first` on that take less than nothing; 0: there are none.
std::size_t end_of_less_than_nothing(const Judge& judge, const std::vector<StretchRounds>& stretches,
                                     std::size_t first) {
  std::vector<double> sum(stretches[first].rounds.size(), 0);
  double doubt = 0;
  for (std::size_t i = first; i < std::min(stretches.size(), first + most_neighbours); ++i) {
    add(sum, stretches[i].rounds, 1);
    doubt += stretches[i].doubt;
    if (judge.is_below_zero(sum, doubt)) return i + 1;
  }
  return 0;
}

}  // namespace

std::vector<bool> contradicted(const std::vector<StretchRounds>& stretches, const CommandRounds& command) {
  std::vector<bool> result(stretches.size());
  if (!(command.total > 0)) return result;
  const Judge judge(command.total, stretches.size());
  // Neighbours that hold others which are less than nothing already tell nothing more.
  std::size_t nearest_end = stretches.size() + 1;
  for (std::size_t i = stretches.size(); i-- > 0;) {
    std::vector<double> others = command.between;
    add(others, stretches[i].rounds, -1);
    if (judge.is_below_zero(others, command.doubt + stretches[i].doubt)) result[i] = true;
    const std::size_t end = end_of_less_than_nothing(judge, stretches, i);
    if (end == 0 || end >= nearest_end) continue;
    nearest_end = end;
    std::fill(result.begin() + static_cast<std::ptrdiff_t>(i),
              result.begin() + static_cast<std::ptrdiff_t>(end), true);
  }
  return result;
}

}  // namespace jcprof::annotator
