// SPDX-License-Identifier: Apache-2.0
// The command line of jcprof-run, which jcprof profile takes as well.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "harness/measure.hpp"
#include "programs/main_guard.hpp"

namespace jcprof::cli {

struct RunOptions {
  CommonOptions common;
  std::string transport;
  bool fresh = false;
  bool dry_run = false;
  std::optional<std::uint32_t> rounds;
  std::optional<double> absolute_points;
  std::optional<double> relative_percent;
  std::optional<double> zoom_percent;
  bool no_zoom = false;
  std::optional<std::uint64_t> max_shots;
  std::optional<std::uint64_t> max_time_ms;
  std::optional<std::uint64_t> seed;
};

void add_run_options(CLI::App& app, RunOptions& options);

}  // namespace jcprof::cli
