// SPDX-License-Identifier: Apache-2.0
#include "harness/card/trigger_path.hpp"

#include <algorithm>

namespace jcprof::harness {
namespace {

std::uint64_t key_of(Event event) {
  return std::uint64_t{number(event.trap)} << 32U | event.hit;
}

}  // namespace

void TriggerPath::take(std::uint64_t from, const TraceWindow& window) {
  if (window.run != run_) ends_.clear();
  if (ends_.empty()) return commands_.clear();
  if (from == taken_) take(window.traps);
}

void TriggerPath::take_all(std::span<const TrapId> path) {
  if (ends_.empty()) return;
  taken_ = 0;
  hits_.clear();
  take(path);
}

void TriggerPath::take(std::span<const TrapId> traps) {
  for (const TrapId trap : traps) {
    const auto command = std::ranges::upper_bound(ends_, taken_++) - ends_.begin();
    const Event event{.trap = trap, .hit = ++hits_[number(trap)]};
    commands_[key_of(event)] = static_cast<std::uint8_t>(command);
  }
}

std::optional<std::size_t> TriggerPath::command_of(Event event) const {
  const auto found = commands_.find(key_of(event));
  return found == commands_.end() ? std::nullopt : std::optional<std::size_t>(found->second);
}

}  // namespace jcprof::harness
