// SPDX-License-Identifier: Apache-2.0
// The program that is the card (a simulator, a VM) as something that can be started, watched and ended. Knows
// nothing of APDUs.
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>

#include "src/core/project.hpp"

namespace jcprof::harness {

class Device {
 public:
  virtual ~Device() = default;

  /// Starts it afresh; what was running is ended first. UserError (environment) when it cannot be started.
  virtual void start() = 0;
  virtual void stop() = 0;
  virtual bool has_ended() = 0;
  /// For a person, when it does not do its part: its command, its log and the log's last lines.
  virtual std::string account() const = 0;
  /// How long it may take to be there.
  virtual std::chrono::milliseconds patience() const = 0;
};

/// `start` of the project file; its output goes to `log`.
std::unique_ptr<Device> make_started_device(const StartStep& start, const Placeholders& values,
                                            const std::filesystem::path& log);

/// A card that somebody else starts, or puts into a reader.
std::unique_ptr<Device> make_foreign_device(std::chrono::milliseconds patience);

}  // namespace jcprof::harness
