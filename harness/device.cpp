// SPDX-License-Identifier: Apache-2.0
#include "harness/device.hpp"

#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/device_cause.hpp"
#include "src/core/error.hpp"
#include "src/core/process.hpp"

namespace jcprof::harness {
namespace {

using std::chrono::milliseconds;

// A program that has closed its output may take so long to end.
constexpr milliseconds last_moments{500};

Command filled(const StartStep& start, const Placeholders& values) {
  Command command{.argv = {}, .cwd = fill_in(start.cwd, values)};
  for (const std::string& argument : start.run) command.argv.push_back(fill_in(argument, values));
  return command;
}

class StartedDevice final : public Device {
 public:
  StartedDevice(const StartStep& start, const Placeholders& values, const std::filesystem::path& log)
      : command_(filled(start, values)), ready_(start.ready), timeout_(start.timeout), log_{.file = log} {}

  void start() override {
    process_.reset();
    process_.emplace(command_, log_);
    if (ready_.empty() || process_->wait_for_output(ready_, timeout_)) return;
    if (process_->ended(last_moments)) throw ended_before(fmt::format("it said \"{}\"", ready_), account());
    throw environment_error(fmt::format("the device program did not say \"{}\" within {} s\n{}", ready_,
                                        timeout_.count() / 1000, account()),
                            "\"ready\" in \"start\" of jcprof.json is the text that is waited for");
  }

  void stop() override {
    if (process_) process_->stop();
  }

  bool has_ended() override { return !process_ || process_->ended().has_value(); }

  std::string account() const override {
    const std::string tail = process_ ? process_->tail() : "";
    return fmt::format("{}\nits last output (all of it is in {}):\n{}", fmt::join(command_.argv, " "),
                       log_.file.string(), tail.empty() ? "(none)" : tail);
  }

  milliseconds patience() const override { return timeout_; }

 private:
  Command command_;
  std::string ready_;
  milliseconds timeout_;
  LogPolicy log_;
  std::optional<BackgroundProcess> process_;
};

class ForeignDevice final : public Device {
 public:
  explicit ForeignDevice(milliseconds patience) : patience_(patience) {}

  void start() override {}
  void stop() override {}
  bool has_ended() override { return false; }
  std::string account() const override {
    return "jcprof.json has no \"start\", so the card is one that is started or inserted by hand";
  }
  milliseconds patience() const override { return patience_; }

 private:
  milliseconds patience_;
};

}  // namespace

std::unique_ptr<Device> make_started_device(const StartStep& start, const Placeholders& values,
                                            const std::filesystem::path& log) {
  return std::make_unique<StartedDevice>(start, values, log);
}

std::unique_ptr<Device> make_foreign_device(milliseconds patience) {
  return std::make_unique<ForeignDevice>(patience);
}

}  // namespace jcprof::harness
