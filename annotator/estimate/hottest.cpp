// SPDX-License-Identifier: Apache-2.0
#include "annotator/estimate/hottest.hpp"

#include <algorithm>
#include <cmath>

namespace jcprof::annotator {
namespace {

constexpr double wrong_rankings = 0.05;

/// The chance that noise alone puts `top` so far above `other`.
double chance_apart(const MeasuredPath& path, const Sum& top, const Sum& other) {
  // Where stretches are shared, the one has less of them as the other has more.
  const double division = top.doubt.division_low + other.doubt.division_high;
  const double doubt = std::hypot(path.doubt_between(top, other), division);
  return path.stretches().fit().chance_above_nothing(top.sway - other.sway, doubt);
}

}  // namespace

Hottest hottest(const MeasuredPath& path, const Contest& contest, double alpha) {
  std::vector<std::size_t> known;
  for (std::size_t i = 0; i < contest.sums.size(); ++i)
    if (was_measured(path.estimate_of(contest.sums[i]))) known.push_back(i);
  if (known.size() < 2) return {};
  const auto value = [&](std::size_t i) { return contest.sums[i].sway.value; };
  std::ranges::stable_sort(known, std::ranges::greater{}, value);
  const auto others = static_cast<double>(known.size() - 1);
  Hottest result{.among = {contest.places[known.front()]}};
  double error = 0;  // of the top one alone
  for (std::size_t k = 1; k < known.size(); ++k) {
    const double joint = others * chance_apart(path, contest.sums[known.front()], contest.sums[known[k]]);
    if (joint > alpha) result.among.push_back(contest.places[known[k]]);
    error = std::max(error, joint);
  }
  result.confidence = 1 - wrong_rankings * std::min(1.0, error / alpha);
  return result;
}

}  // namespace jcprof::annotator
