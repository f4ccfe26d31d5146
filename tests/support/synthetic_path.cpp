// SPDX-License-Identifier: Apache-2.0
#include "tests/support/synthetic_path.hpp"

#include <algorithm>
#include <utility>

#include "tests/support/synthetic_device.hpp"

namespace jcprof::test {
namespace {

bool varies(const std::vector<Step>& steps) {
  return std::ranges::any_of(steps, [](const Step& step) {
    return step.kind == Step::Kind::by_chance || step.kind == Step::Kind::by_input ||
           std::ranges::any_of(step.arms, varies);
  });
}

/// A stream of its own beside the device's.
constexpr std::uint64_t ways = 0x77617973;

}  // namespace

std::vector<Step> straight(std::size_t count) {
  std::vector<Step> steps(count);
  for (std::size_t i = 0; i < count; ++i) steps[i].trap = TrapId{static_cast<std::uint32_t>(i + 1)};
  return steps;
}

SyntheticCommand::SyntheticCommand(std::vector<Step> steps, std::vector<double> costs, const TrapCosts& traps,
                                   std::uint64_t seed)
    : steps_(std::move(steps)),
      costs_(std::move(costs)),
      trap_costs_(traps),
      seed_(seed),
      varies_(varies(steps_)) {
  walk(steps_, {});
}

const Route& SyntheticCommand::route(std::uint64_t execution, std::span<const std::uint8_t> input) {
  if (varies_) {
    route_ = {};
    choices_ = 0;
    walk(steps_, {.execution = execution, .input = input.empty() ? std::uint8_t{0} : input.front()});
  }
  return route_;
}

std::optional<double> SyntheticCommand::work_to(const Event& stop) const {
  if (stop.trap == run_to_end) return route_.whole;
  std::uint32_t hit = 0;
  for (std::size_t i = 0; i < route_.traps.size(); ++i)
    if (route_.traps[i] == stop.trap && ++hit == stop.hit)
      return route_.work[i] + trap_costs_.counting * (hit - 1) + trap_costs_.frame * route_.depths[i];
  return std::nullopt;
}

void SyntheticCommand::walk(const std::vector<Step>& steps, const Walk& at) {
  for (const Step& step : steps) {
    Walk inner = at;
    switch (step.kind) {
      case Step::Kind::trap:
        route_.traps.push_back(step.trap);
        route_.work.push_back(route_.whole);
        route_.depths.push_back(at.depth);
        route_.whole += costs_.at(number(step.trap) - 1) / static_cast<double>(at.passes) + trap_costs_.pass;
        break;
      case Step::Kind::loop:
        inner.passes *= step.passes;
        for (std::uint64_t pass = 0; pass < step.passes; ++pass) walk(step.arms.at(0), inner);
        break;
      case Step::Kind::call:
        ++inner.depth;
        walk(step.arms.at(0), inner);
        break;
      case Step::Kind::by_chance:
        walk(step.arms.at(static_cast<std::size_t>(uniform(seed_ + ways, at.execution, choices_++) *
                                                   static_cast<double>(step.arms.size()))),
             inner);
        break;
      case Step::Kind::by_input:
        walk(step.arms.at(at.input % step.arms.size()), inner);
        break;
    }
  }
}

}  // namespace jcprof::test
