// SPDX-License-Identifier: Apache-2.0
#include "annotator/hops/hops.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "src/core/error.hpp"

namespace jcprof::annotator {
namespace {

int depth_of(Component component) {
  return static_cast<int>(component);
}

std::uint64_t count_of(const HopTimes& times) {
  std::uint64_t count = times.crossings;
  for (const auto& [core, cycles] : times.cycles) count += cycles.size();
  return count;
}

}  // namespace

void HopTally::take(const Stamp& stamp) {
  ++hops_.stamps;
  if (stamp.component == Component::other) ++hops_.unknown;
  Core& core = cores_[stamp.core];
  Stamp& oldest = core.newest.at(core.taken % buffer_size);
  const bool is_repeated = core.taken >= buffer_size && oldest == stamp;
  const Stamp& previous = core.newest.at((core.taken + buffer_size - 1) % buffer_size);
  const bool is_step_back = core.taken > 0 && stamp.counter < previous.counter;
  oldest = stamp;
  ++core.taken;
  if (is_step_back) ++hops_.steps_back;
  if (is_repeated) ++hops_.repeated;
  if (is_step_back || is_repeated) lose_step(core);
  if (is_repeated) return;
  stamp.component == Component::libteec ? take_libteec(core, stamp) : take_deeper(core, stamp);
}

Hops HopTally::finish() {
  for (auto& [number, core] : cores_) drop(core.call);
  // A call has one timestamp more than hops.
  std::uint64_t counted = hops_.repeated + hops_.unpaired + count_of(hops_.round_trip);
  for (const Hop& hop : hops_.hops) counted += count_of(hop.times);
  check(counted == hops_.stamps, "each timestamp is of a call, or left out");
  return std::exchange(hops_, {});
}

bool HopTally::may_follow(const Call& call, const Stamp& stamp) {
  return stamp.component == Component::other || std::abs(depth_of(stamp.component) - call.depth) <= 1;
}

void HopTally::go_on(Call& call, const Stamp& stamp) {
  Step step{.from = call.last.component, .to = stamp.component, .core = stamp.core};
  if (call.last.core == stamp.core) step.cycles = static_cast<double>(stamp.counter - call.last.counter);
  call.steps.push_back(step);
  call.last = stamp;
  if (stamp.component != Component::other) call.depth = depth_of(stamp.component);
}

void HopTally::take_libteec(Core& core, const Stamp& stamp) {
  if (core.call && !core.call->steps.empty() && may_follow(*core.call, stamp))
    return complete(core.call, stamp);
  // Two in a row: the first was the end of a call that came from elsewhere, or of one whose beginning was
  // lost.
  if (core.call && core.call->steps.empty() && core.is_in_step)
    if (std::optional<Call>* const call = only_call_elsewhere(core.call->first)) {
      complete(*call, core.call->first);
      core.call.reset();
    }
  drop(core.call);
  core.call = Call{.first = stamp, .last = stamp};
}

void HopTally::take_deeper(Core& core, const Stamp& stamp) {
  if (core.call && may_follow(*core.call, stamp)) {
    core.is_in_step = true;
    return go_on(*core.call, stamp);
  }
  std::optional<Call>* const call = core.is_in_step ? only_call_elsewhere(stamp) : nullptr;
  if (call == nullptr) {
    ++hops_.unpaired;
    return lose_step(core);
  }
  drop(core.call);
  core.call = std::exchange(*call, std::nullopt);
  go_on(*core.call, stamp);
}

/// The only one on another core that `stamp` may follow, or null.
std::optional<HopTally::Call>* HopTally::only_call_elsewhere(const Stamp& stamp) {
  if (stamp.component == Component::other) return nullptr;
  std::optional<Call>* found = nullptr;
  for (auto& [number, core] : cores_) {
    const bool is_candidate = number != stamp.core && core.call && may_follow(*core.call, stamp) &&
                              (stamp.component != Component::libteec || !core.call->steps.empty());
    if (is_candidate && found != nullptr) return nullptr;
    if (is_candidate) found = &core.call;
  }
  return found;
}

void HopTally::lose_step(Core& core) {
  drop(core.call);
  core.is_in_step = false;
}

void HopTally::drop(std::optional<Call>& call) {
  if (call) hops_.unpaired += 1 + call->steps.size();
  call.reset();
}

void HopTally::complete(std::optional<Call>& call, const Stamp& stamp) {
  go_on(*call, stamp);
  bool has_crossed = false;
  for (const Step& step : call->steps) {
    HopTimes& times = times_of(step);
    if (step.cycles)
      times.cycles[step.core].push_back(*step.cycles);
    else
      ++times.crossings;
    has_crossed = has_crossed || !step.cycles;
  }
  if (has_crossed)
    ++hops_.round_trip.crossings;
  else
    hops_.round_trip.cycles[stamp.core].push_back(static_cast<double>(stamp.counter - call->first.counter));
  call.reset();
}

HopTimes& HopTally::times_of(const Step& step) {
  const auto found = std::ranges::find_if(
      hops_.hops, [&](const Hop& hop) { return hop.from == step.from && hop.to == step.to; });
  if (found != hops_.hops.end()) return found->times;
  return hops_.hops.emplace_back(Hop{.from = step.from, .to = step.to, .times = {}}).times;
}

}  // namespace jcprof::annotator
