// SPDX-License-Identifier: Apache-2.0
// The standard streams of a timed program: files in memory, so that nobody has to stand by with a pipe while
// it runs. Read afterwards, and bounded.
#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "harness/exec/timed_run.hpp"
#include "src/core/types.hpp"
#include "src/core/unique_fd.hpp"

namespace jcprof::harness {

class ExecStreams {
 public:
  /// The first MiB of what programs write to standard error goes to `log`.
  explicit ExecStreams(std::filesystem::path log);

  /// Standard input from the next open() on; without either it is empty. UserError when the file
  /// cannot be read.
  void give(std::span<const std::uint8_t> bytes);
  void give(const std::filesystem::path& file);
  /// Empty outputs, and the input from its start.
  ProgramStreams open();
  /// Takes what the run wrote.
  void keep();

  /// The first 64 KiB of what the last run wrote to standard output.
  const Bytes& reply() const { return reply_; }
  /// The last line that it wrote to standard error; a few hundred bytes of it.
  const std::string& last_error_line() const { return last_error_line_; }

 private:
  void log_errors();

  std::filesystem::path log_file_;
  UniqueFd log_;
  std::size_t log_room_ = std::size_t{1} << 20;
  UniqueFd bytes_;
  UniqueFd file_;
  UniqueFd output_;
  UniqueFd errors_;
  int input_ = -1;
  Bytes reply_;
  std::string last_error_line_;
};

}  // namespace jcprof::harness
