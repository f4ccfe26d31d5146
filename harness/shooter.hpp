// SPDX-License-Identifier: Apache-2.0
// Makes shots and keeps them: each is judged against the known good run and stored raw, a budget or a person
// can end it, and a target that was lost must answer as before before the next number. Plans nothing.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "harness/shot_log.hpp"
#include "harness/transport.hpp"
#include "src/core/cancellation.hpp"
#include "src/core/store.hpp"

namespace jcprof::harness {

/// Samples of this round are those of warm-up and recovery, and of shots that prepare others: stored, because
/// all is, but of no round.
inline constexpr std::uint32_t warm_up_round = 0;

/// The store of the samples, and the limits of a run.
struct ShooterSettings {
  Store& store;
  std::int64_t run = 0;
  std::uint64_t sequence = 0;  // of the next sample
  std::optional<std::uint64_t> most_shots = {};
  const Cancellation& cancellation;  // ends everything after the shot in flight once it is asked
};

enum class Halt : std::uint8_t { no, interrupted, shots, time };

class Shooter {
 public:
  /// `after_shot` is called after each, never within a timed region.
  Shooter(Transport& transport, ShotLog& log, const ShooterSettings& settings,
          std::function<void()> after_shot);

  /// The shots of a round, in order, up to the end of the budget. UserErrors of the transport pass through,
  /// and there is one when the target, once lost, does not answer as it did; what was measured is stored
  /// before.
  std::vector<StoredSample> shoot(std::span<const Shot> shots, std::uint32_t round);

  /// False once a budget is spent or somebody has had enough.
  bool goes_on();
  Halt halt() const { return halt_; }
  std::uint64_t shots() const { return shots_; }
  /// Time that the shots took, with all the work around them.
  std::chrono::nanoseconds shooting() const { return shooting_; }

 private:
  std::vector<StoredSample> shoot_until_lost(std::span<const Shot> shots, std::uint32_t round);
  void regain_trust(std::uint32_t input);
  void keep(std::span<const StoredSample> samples);

  Transport& transport_;
  ShotLog& log_;
  ShooterSettings settings_;
  std::function<void()> after_shot_;
  std::chrono::nanoseconds shooting_{0};
  std::uint64_t shots_ = 0;
  Halt halt_ = Halt::no;
};

}  // namespace jcprof::harness
