// SPDX-License-Identifier: Apache-2.0
// The file through which an instrumented program says where it stopped and which way it went (docs/c.md,
// "Environment of an exec: program"). Made here, filled by the program, read after it; nothing is believed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "src/core/types.hpp"
#include "src/core/unique_fd.hpp"

namespace jcprof::harness {

/// What a program wrote into the head of its file.
struct ExecReport {
  std::optional<std::uint32_t> build = {};  // none: it never got as far as its entry. 0: made by hand
  Event stopped = {};                       // {run_to_end}: it did not stop
  std::uint64_t events = 0;
  std::uint32_t signature_before = 0;
  std::uint32_t signature = 0;
  std::uint64_t passes = 0;  // of a calibration
};

class ExecReportFile {
 public:
  /// Made at the first reset(). `folder` must exist.
  explicit ExecReportFile(std::filesystem::path file) : file_(std::move(file)) {}

  const std::filesystem::path& file() const { return file_; }
  /// Ready for the next run, whatever the last one did to it: a fresh header, and room for `room` events from
  /// the `from`-th on. UserError (environment) when the disk refuses.
  void reset(std::uint64_t from = 0, std::uint64_t room = 0);
  /// Nothing where it is no such file any more.
  std::optional<ExecReport> read() const;
  /// The first `count` of the recorded ids, or as many as there are.
  std::vector<TrapId> events(std::uint64_t count) const;

 private:
  bool is_in_place() const;

  std::filesystem::path file_;
  UniqueFd fd_;
};

/// A folder in memory where there is one, so that no disk is waited for; gone with the object.
class ScratchFolder {
 public:
  ScratchFolder();
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  std::filesystem::path operator/(const char* name) const { return folder_ / name; }

 private:
  std::filesystem::path folder_;
};

}  // namespace jcprof::harness
