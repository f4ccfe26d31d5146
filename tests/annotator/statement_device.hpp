// SPDX-License-Identifier: Apache-2.0
// A device with one function of a statement a line: p() { 10 … }.
#pragma once

#include <numeric>

#include "tests/annotator/synthetic_device.hpp"
#include "tests/annotator/trap_maps.hpp"

namespace jcprof::annotator {

inline TrapMap statement_map(std::size_t lines) {
  MapMaker maker;
  maker.trap(TrapKind::entry0, "p", 1).trap(TrapKind::entry, "p", 1);
  for (std::size_t line = 10; line < 10 + lines; ++line) maker.trap(TrapKind::before, "p", line);
  return maker.trap(TrapKind::exit, "p", 30).map();
}

/// The first line takes `first` ticks, and each further one `step` more.
inline SyntheticDevice statement_device(std::size_t lines, double first, double step, std::uint64_t seed) {
  SyntheticDevice device{.map = statement_map(lines), .costs = {100, 100}, .pass = 10, .seed = seed};
  for (std::size_t i = 0; i < lines; ++i) device.costs.push_back(first + step * static_cast<double>(i));
  device.costs.push_back(60);
  std::vector<std::uint32_t> traps(lines + 3);
  std::iota(traps.begin(), traps.end(), 1U);
  device.path = path_of(traps);
  return device;
}

}  // namespace jcprof::annotator
