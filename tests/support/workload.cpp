// SPDX-License-Identifier: Apache-2.0
#include "tests/support/workload.hpp"

#include <algorithm>
#include <cmath>

namespace jcprof::test {
namespace {

constexpr std::uint64_t passes = std::uint64_t{1} << 42U;  // a stream of random numbers
constexpr double hot_part = 0.05;

/// The mean of exp(-x) from 0 to `times`.
double part_of_slow(double times) {
  return times > 0 ? -std::expm1(-times) / times : 1;
}

bool may_be_dear(std::size_t block) {
  return block % 4 == 1;
}

}  // namespace

Workload::Workload(const DeviceModel& model, std::size_t blocks, Shape shape, std::uint64_t seed)
    : model_(model),
      seed_(seed),
      costs_(block_costs(blocks, model.work, shape)),
      dearest_(static_cast<std::size_t>(std::ranges::max_element(costs_) - costs_.begin())) {}

double Workload::ramped(double work) const {
  return work + model_.situation.ramp * std::min(work, model_.work / 6);
}

double Workload::work_to(std::size_t stop, std::uint64_t execution) const {
  const Situation& at = model_.situation;
  const auto executions = static_cast<double>(execution);
  double work = 0;
  for (std::size_t b = 0; b < stop; ++b) {
    double factor = 1;
    if (at.hot_slow > 0 && costs_[b] > hot_part * model_.work)
      factor += at.hot_slow * std::exp(-executions / at.hot_executions);
    if (b == dearest_) factor += at.leak * executions;
    if (at.dear_rate > 0 && may_be_dear(b) && uniform(seed_ + passes, execution, b) < at.dear_rate)
      factor *= at.dear_factor;
    work += factor * costs_[b];
  }
  return ramped(work) + static_cast<double>(stop) * model_.trap;
}

std::vector<double> Workload::truth(std::uint64_t executions) const {
  const Situation& at = model_.situation;
  std::vector<double> work{0};
  double sum = 0;
  for (std::size_t b = 0; b < costs_.size(); ++b) {
    double factor = may_be_dear(b) ? 1 + at.dear_rate * (at.dear_factor - 1) : 1;
    if (at.hot_slow > 0 && costs_[b] > hot_part * model_.work)
      factor += at.hot_slow * part_of_slow(static_cast<double>(executions) / at.hot_executions);
    if (b == dearest_) factor += at.leak * static_cast<double>(executions) / 2;
    sum += factor * costs_[b];
    work.push_back(ramped(sum) + static_cast<double>(work.size()) * model_.trap);
  }
  return work;
}

}  // namespace jcprof::test
