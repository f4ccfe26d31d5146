// SPDX-License-Identifier: Apache-2.0
#include "harness/survey.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "src/core/error.hpp"
#include "src/core/hex.hpp"

namespace jcprof::harness {
namespace {

constexpr int attempts = 3;
constexpr std::uint32_t sw_ok = 0x9000;

Sample full_run(Transport& transport, std::uint32_t input) {
  Sample sample;
  for (int attempt = 0; attempt < attempts; ++attempt) {
    const std::array shots{Shot{.stop = {}, .input = input}};
    transport.measure(shots, [&sample](const Shot&, const Sample& got) {
      sample = got;
      return true;
    });
    if (sample.outcome == Outcome::ended) return sample;
    if (sample.outcome == Outcome::stopped)
      throw UserError(
          Fault{.message = "the command answers what jcprof takes for a stop, though nothing is armed",
                .hint = "choose another status word: \"arming\": {\"status\": …} in jcprof.json"},
          ExitCode::check_failed);
  }
  throw environment_error(
      fmt::format("the command under study could not be run once ({}{}{})", name_of(sample.outcome),
                  sample.why.empty() ? "" : ": ", sample.why),
      "run it alone and see; \"trigger\" and \"session\" in jcprof.json say what is sent");
}

std::string name_of_input(const StoredInput& input) {
  constexpr std::size_t shown = 16;
  const std::string hex = to_hex(input.bytes);
  return fmt::format("input {} ({}{})", input.index, hex.substr(0, 2 * shown),
                     hex.size() > 2 * shown ? "…" : "");
}

class Surveyor {
 public:
  Surveyor(const TrapMap& map, Transport& transport) : map_(map), transport_(transport) {}

  void first(const StoredInput& input) {
    const Sample whole = take_full_run(input);
    // An exit status of 0, which no card has for a status word.
    if (whole.status.value_or(sw_ok) != sw_ok && *whole.status != 0)
      warn(fmt::format("the whole command answers {:04X}: that is what is measured", *whole.status));
    survey_.path = trace(input);
    if (survey_.path.events.empty())
      throw UserError(
          Fault{.message = fmt::format("the command passes none of the {} traps", map_.traps.size()),
                .hint = "does the trigger reach the code that \"profile\" names? it answered " +
                        fmt::format("{:04X}", whole.status.value_or(0))},
          ExitCode::check_failed);
    judge_path(input);
    survey_.inputs.push_back(input.index);
  }

  void next(const StoredInput& input) {
    take_full_run(input);
    const TracedPath path = trace(input);
    if (path.signature == survey_.path.signature && path.total == survey_.path.total)
      survey_.inputs.push_back(input.index);
    else
      warn(fmt::format("{} takes another path than the first input, {}: it is left out", name_of_input(input),
                       parting(path)));
  }

  Survey result() && { return std::move(survey_); }

 private:
  void warn(std::string text) { survey_.warnings.push_back(std::move(text)); }

  Sample take_full_run(const StoredInput& input) {
    Sample whole = full_run(transport_, input.index);
    survey_.good.push_back({.status = whole.status.value_or(0), .length = whole.reply.size()});
    return whole;
  }

  TracedPath trace(const StoredInput& input) {
    TracedPath path = trace_path(transport_, input.index);
    GoodAnswer& good = survey_.good.back();
    good.length_varies = path.end.status && path.end.reply.size() != good.length;
    if (path.end.status && path.end.status != good.status)
      warn(fmt::format("{}: the traced run answers {:04X}, the plain one {:04X}", name_of_input(input),
                       path.end.status.value_or(0), good.status));
    return path;
  }

  /// Where a path leaves that of the first input.
  std::string parting(const TracedPath& path) const {
    const auto& first = survey_.path.events;
    const auto [ours, theirs] = std::ranges::mismatch(path.events, first);
    const auto place = [&](auto at, const auto& events) {
      return at == events.end() ? "the end" : describe(map_, *at);
    };
    return fmt::format("from event {} of {} on: {} where that one passes {}", ours - path.events.begin() + 1,
                       path.total, place(ours, path.events), place(theirs, first));
  }

  void judge_path(const StoredInput& input) {
    const TracedPath& path = survey_.path;
    switch (path.state) {
      case PathState::steady:
        return;
      case PathState::varying:
        warn(fmt::format(
            "the path varies: two runs of {} went different ways; shots that miss their stop are counted",
            name_of_input(input)));
        return;
      case PathState::cut:
        warn(fmt::format("the path varies or is too long: only the first {} of {} events are measured",
                         path.events.size(), path.total));
        return;
    }
  }

  const TrapMap& map_;
  Transport& transport_;
  Survey survey_;
};

}  // namespace

Survey survey(const TrapMap& map, Transport& transport, const std::vector<StoredInput>& inputs,
              const std::atomic<bool>& interrupted) {
  Surveyor surveyor(map, transport);
  surveyor.first(inputs.front());
  for (std::size_t i = 1; i < inputs.size() && !interrupted; ++i) surveyor.next(inputs[i]);
  return std::move(surveyor).result();
}

}  // namespace jcprof::harness
