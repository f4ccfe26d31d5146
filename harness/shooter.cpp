// SPDX-License-Identifier: Apache-2.0
#include "harness/shooter.hpp"

#include <array>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "src/core/error.hpp"

namespace jcprof::harness {
namespace {

constexpr int runs_to_regain_trust = 3;

}  // namespace

Shooter::Shooter(Transport& transport, ShotLog& log, const ShooterSettings& settings,
                 std::function<void()> after_shot)
    : transport_(transport), log_(log), settings_(settings), after_shot_(std::move(after_shot)) {}

std::vector<StoredSample> Shooter::shoot(std::span<const Shot> shots, std::uint32_t round) {
  std::vector<StoredSample> samples;
  samples.reserve(shots.size());
  const auto begun = std::chrono::steady_clock::now();
  while (samples.size() < shots.size() && goes_on()) {
    const std::span<const Shot> rest = shots.subspan(samples.size());
    std::ranges::move(shoot_until_lost(rest, round), std::back_inserter(samples));
    if (!log_.is_trusted()) regain_trust(rest.front().input);
  }
  shooting_ += std::chrono::steady_clock::now() - begun;
  return samples;
}

std::vector<StoredSample> Shooter::shoot_until_lost(std::span<const Shot> shots, std::uint32_t round) {
  std::vector<StoredSample> samples;
  samples.reserve(shots.size());
  const auto take = [&](const Shot& shot, const Sample& sample) {
    samples.push_back({.sequence = settings_.sequence++,
                       .round = shot.prepares ? warm_up_round : round,
                       .asked = shot.stop,
                       .input = shot.input,
                       .ticks = sample.ticks,
                       .outcome = sample.outcome,
                       .status = sample.status,
                       .signature = sample.signature});
    const std::uint64_t lost = log_.lost();
    log_.take(shot, sample);
    ++shots_;
    after_shot_();
    return goes_on() && log_.lost() == lost;
  };
  try {
    transport_.measure(shots, take);
  } catch (...) {  // whatever ended it
    keep(samples);
    throw;
  }
  keep(samples);
  return samples;
}

/// The whole command, until it is answered as it was at the first contact.
void Shooter::regain_trust(std::uint32_t input) {
  const std::array whole{Shot{.stop = {}, .input = input}};
  for (int i = 0; i < runs_to_regain_trust && !log_.is_trusted() && goes_on(); ++i)
    shoot_until_lost(whole, warm_up_round);
  if (!log_.is_trusted() && goes_on())
    throw environment_error(fmt::format("since the target was lost, {} runs of the whole command had another "
                                        "answer than at first contact",
                                        runs_to_regain_trust),
                            "\"after_reset\" and \"before_each\" in \"session\" must bring it back to the "
                            "same state; `jcprof run` resumes then");
}

void Shooter::keep(std::span<const StoredSample> samples) {
  if (samples.empty()) return;
  settings_.store.begin();
  for (const StoredSample& sample : samples) settings_.store.add_sample(settings_.run, sample);
  settings_.store.commit();
}

bool Shooter::goes_on() {
  if (halt_ != Halt::no) return false;
  if (settings_.cancellation.signal() != 0)
    halt_ = Halt::interrupted;
  else if (settings_.most_shots && shots_ >= *settings_.most_shots)
    halt_ = Halt::shots;
  else if (settings_.cancellation.is_late())
    halt_ = Halt::time;
  return halt_ == Halt::no;
}

}  // namespace jcprof::harness
