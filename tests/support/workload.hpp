// SPDX-License-Identifier: Apache-2.0
// The command that a synthetic device runs in a trial: blocks in a row, whose costs may change from execution
// to execution. Times are in microseconds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tests/support/synthetic_device.hpp"

namespace jcprof::test {

class Workload {
 public:
  Workload(const DeviceModel& model, std::size_t blocks, Shape shape, std::uint64_t seed);

  /// The device's work up to a stop from 0 to `blocks`, traps included.
  double work_to(std::size_t stop, std::uint64_t execution) const;
  /// What it is on average over the first `executions`, to each stop.
  std::vector<double> truth(std::uint64_t executions) const;
  std::size_t stops() const { return costs_.size() + 1; }

 private:
  double ramped(double work) const;

  DeviceModel model_;
  std::uint64_t seed_;
  std::vector<double> costs_;
  std::size_t dearest_;
};

}  // namespace jcprof::test
