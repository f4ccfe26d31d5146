// SPDX-License-Identifier: Apache-2.0
// What the target is known to do with one input while no stop has touched it: its answer, its path, its time.
// Tells what differs by itself from what stops have changed. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace jcprof::agents {

/// A value that should be the same each time, until it is seen that it is not.
template <class T>
class Steady {
 public:
  /// As seen on a fresh target.
  void see(T value) {
    varies_ = varies_ || (value_ && *value_ != value);
    value_ = value;
  }
  bool is_known() const { return value_.has_value(); }
  /// What to expect; nothing where nobody knows.
  std::optional<T> expected() const { return varies_ ? std::nullopt : value_; }
  bool allows(T value) const { return !expected() || *expected() == value; }

 private:
  std::optional<T> value_;
  bool varies_ = false;
};

struct Known {
  Steady<std::uint64_t> answer;       // digest of status and reply
  Steady<std::uint32_t> path;         // signature of all events
  bool is_path_in_doubt = false;      // a used target went another way: does a fresh one?
  std::vector<std::int64_t> times{};  // the last few to the end, in ticks
};

/// Of an answer's status and reply, which had `size` bytes; `reply` may be fewer.
std::uint64_t answer_digest(std::uint32_t status, std::uint64_t size, std::span<const std::uint8_t> reply);

void see_time(Known& known, std::int64_t ticks);
/// The median; nothing where it was never timed.
std::optional<std::int64_t> usual_time(const Known& known);
/// The same in nanoseconds; 0 where it was never timed.
std::int64_t usual_ns(const Known& known, double ticks_per_ns);

}  // namespace jcprof::agents
