// SPDX-License-Identifier: Apache-2.0
// Counts what went otherwise than expected, shot by shot, and tells it in a few sentences at the end. A
// failing run is not a fast run: every answer is held against that of the known good run. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "src/core/trap_map.hpp"
#include "src/core/types.hpp"
#include "src/core/warning.hpp"

namespace jcprof::harness {

/// The answer to the whole command when nothing is armed.
struct GoodAnswer {
  std::uint32_t status = 0;
  std::size_t length = 0;      // of its data
  bool length_varies = false;  // full runs themselves did not agree on it
  bool is_known = true;        // else the first full run tells it
};

/// "TRAP_multiply_3 (src/Mul.java:12), hit 3".
std::string describe(const TrapMap& map, Event event);

class ShotLog {
 public:
  /// One known good answer for each input.
  ShotLog(const TrapMap& map, std::vector<GoodAnswer> good) : map_(map), good_(std::move(good)) {}

  void take(const Shot& shot, const Sample& sample);
  /// False once the target was lost at this event twice in a row (asked for twice, lost both times).
  bool can_stop_at(Event event) const { return !given_up_.contains(event); }
  /// False from the loss of the target until the whole command was answered as it should be.
  bool is_trusted() const { return trusted_; }
  /// Shots so far that ended in the loss of the target.
  std::uint64_t lost() const { return lost_; }
  /// A shot of an earlier call. It counts for what can be stopped and for the warnings, since its sample is
  /// part of the result. The target of this call has nothing to do with it.
  void recall(const Shot& shot, Outcome outcome, std::optional<std::uint32_t> status);
  std::vector<Warning> warnings() const;

 private:
  /// Shots of one kind: how many, and the first of them as a text.
  struct Oddity {
    std::uint64_t count = 0;
    std::string first;
  };
  void note(Oddity& oddity, const Shot& shot, const std::string& what);
  void take_end(const Shot& shot, const Sample& sample);
  void count_loss(Event event);
  void take_loss(const Shot& shot, const Sample& sample);

  const TrapMap& map_;
  std::vector<GoodAnswer> good_;
  std::uint64_t shots_ = 0;
  std::uint64_t lost_ = 0;
  bool trusted_ = true;
  std::map<Event, int> losses_in_a_row_;
  std::set<Event> given_up_;
  Oddity not_stopped_;
  Oddity other_answer_;
  Oddity other_length_;
  Oddity stopped_unasked_;
  Oddity refused_;
  Oddity elsewhere_;
  Oddity dead_;
};

}  // namespace jcprof::harness
