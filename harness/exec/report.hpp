// SPDX-License-Identifier: Apache-2.0
// The file through which an instrumented program says where it stopped and which path it took (docs/c.md,
// "Environment of an exec: program"). Made here, filled by the program, read after it; nothing is believed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "src/core/types.hpp"
#include "src/core/unique_fd.hpp"

namespace jcprof::harness {

/// The head of a program's file, as the program left it.
struct ExecReport {
  std::optional<std::uint32_t> build = {};  // none: it never got as far as its entry. 0: made by hand
  Event stopped = {};                       // {run_to_end}: it did not stop
  std::uint64_t events = 0;
  std::uint32_t signature_before = 0;
  std::uint32_t signature = 0;
  std::uint64_t passes = 0;  // of a calibration
};

/// A file in memory that has no name: when we are killed it is gone with us.
class ExecReportFile {
 public:
  /// UserError (environment) where the system has no room for it.
  ExecReportFile();

  /// A program of this user finds the file by this path as long as we live.
  const std::filesystem::path& file() const { return file_; }
  /// Ready for the next run, whatever the last one did to it: a fresh header, and room for `room` events from
  /// the `from`-th on. UserError (environment) when there is none.
  void reset(std::uint64_t from = 0, std::uint64_t room = 0);
  /// Nothing where it is no such file any more.
  std::optional<ExecReport> read() const;
  /// The first `count` of the recorded ids, or as many as there are.
  std::vector<TrapId> events(std::uint64_t count) const;

 private:
  UniqueFd fd_;
  std::filesystem::path file_;
};

}  // namespace jcprof::harness
