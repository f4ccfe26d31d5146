// SPDX-License-Identifier: Apache-2.0
// A transport of which nothing more is asked once somebody wants to end: whoever asks it in a loop needs no
// look of his own.
#pragma once

#include <chrono>
#include <optional>
#include <utility>
#include <vector>

#include "harness/transport.hpp"
#include "src/core/cancellation.hpp"

namespace jcprof::harness {

/// Each verb throws Cancelled once `cancellation` is asked. Both outlive this.
class CancellableTransport final : public Transport {
 public:
  CancellableTransport(Transport& transport, const Cancellation& cancellation)
      : transport_(transport), cancellation_(cancellation) {}

  Description describe() override { return checked().describe(); }
  void set_inputs(std::vector<Bytes> inputs) override { checked().set_inputs(std::move(inputs)); }
  void measure(std::span<const Shot> shots, const ShotSink& sink) override { checked().measure(shots, sink); }
  TraceWindow trace(std::uint32_t input, std::uint64_t from, std::uint32_t count) override {
    return checked().trace(input, from, count);
  }
  std::optional<MemoryTrace> trace_memory(std::uint32_t input) override {
    return checked().trace_memory(input);
  }
  std::optional<CalibrationTime> calibrate(CalibrationKind kind, std::uint64_t passes) override {
    return checked().calibrate(kind, passes);
  }
  void set_path(std::uint32_t input, std::span<const TrapId> path) override {
    transport_.set_path(input, path);
  }
  bool is_right(std::uint32_t status) const override { return transport_.is_right(status); }
  std::string account() override { return transport_.account(); }

 private:
  Transport& checked() const {
    cancellation_.check();
    return transport_;
  }

  Transport& transport_;
  const Cancellation& cancellation_;
};

/// Asks for the end once `most` has passed since `began`, as long as this lives. Nothing: no limit.
class TimeLimit {
 public:
  TimeLimit(Cancellation& cancellation, std::chrono::steady_clock::time_point began,
            std::optional<std::chrono::milliseconds> most)
      : cancellation_(cancellation) {
    if (most) cancellation_.end_by(began + *most);
  }
  ~TimeLimit() { cancellation_.end_by(std::chrono::steady_clock::time_point::max()); }
  TimeLimit(const TimeLimit&) = delete;
  TimeLimit& operator=(const TimeLimit&) = delete;

 private:
  Cancellation& cancellation_;
};

}  // namespace jcprof::harness
