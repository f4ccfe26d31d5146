// SPDX-License-Identifier: Apache-2.0
// A measured run of known costs.
#pragma once

#include "annotator/estimate/estimates.hpp"
#include "tests/annotator/synthetic_device.hpp"
#include "tests/annotator/trap_maps.hpp"

namespace jcprof::test {

/// two_calls() with 1980 ns in all: p 1800, of it 1120 in line 20, g 120, f 60.
inline annotator::Profile some_measured() {
  annotator::SyntheticDevice device{.map = annotator::two_calls(), .pass = 10, .noise = 0};
  device.path = annotator::path_of({1, 2, 3, 4, 8, 9, 6, 7, 5});
  device.costs = {100, 200, 300, 70, 120, 900, 60, 150, 80};
  annotator::RunData data = device.run(10);
  data.run.state = RunState::complete;
  data.run.started = "2026-01-02T03:04:05.678Z";
  data.run.tool = "jcprof 0.1.0";
  data.run.project = "pin";
  data.run.transport = "vpcd";
  data.map.sources = {{.path = "A.java", .sha256 = std::string(64, 'a')}};
  return annotator::estimate(data);
}

}  // namespace jcprof::test
