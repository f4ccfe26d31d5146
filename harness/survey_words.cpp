// SPDX-License-Identifier: Apache-2.0
#include "harness/survey_words.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "harness/right_answer.hpp"
#include "src/core/hex.hpp"

namespace jcprof::harness {
namespace {

std::uint64_t runs_of(const std::vector<Variant>& variants) {
  std::uint64_t runs = 0;
  for (const Variant& one : variants) runs += one.runs;
  return std::max<std::uint64_t>(runs, 1);
}

}  // namespace

std::string name_of_input(const StoredInput& input) {
  constexpr std::size_t shown = 16;
  const std::string hex = to_hex(input.bytes);
  return fmt::format("input {} ({}{})", input.index, hex.substr(0, 2 * shown),
                     hex.size() > 2 * shown ? "…" : "");
}

std::string told(std::uint32_t status) {
  return status <= 0xFF ? fmt::format("ends with status {}", status) : fmt::format("answers {:04X}", status);
}

std::string told_of_many(std::uint32_t status) {
  return status <= 0xFF ? fmt::format("end with status {}", status) : fmt::format("answer {:04X}", status);
}

std::string told(const GoodAnswer& answer, bool is_length_told) {
  return told(answer.status) + (is_length_told ? fmt::format(" with {} bytes", answer.length) : "");
}

GoodAnswer answer_of(const Sample& run) {
  return {.status = run.status.value_or(0), .length = run.reply.size()};
}

Warning warning_of_varying(const StoredInput& input, const TracedPath& path) {
  return {.kind = WarningKind::path_varies,
          .text = fmt::format(
              "runs of {} take different paths, {} of {} the most frequent one: that is what is reported "
              "line by line, and of the others the edges",
              name_of_input(input), path.variants.empty() ? 1 : path.variants.front().runs,
              runs_of(path.variants)),
          .advice = fmt::format("where a state of the target decides, {}", to_one_state)};
}

Warning warning_of_cut(const TrapMap& map, const TracedPath& path) {
  const std::string measured =
      fmt::format("only the first {} of {} events are measured, and no line has what runs behind them",
                  path.events.size(), path.total ? std::to_string(*path.total) : "more");
  if (path.events.size() < TraceLimits{}.events)
    return {.kind = WarningKind::path_cut,
            .text = "the path varies, and its windows do not join: " + measured};
  std::map<std::string, std::size_t> passed;
  for (const Event& event : path.events) ++passed[map.at(event.trap).function];
  const auto most = std::ranges::max_element(passed, {}, &std::pair<const std::string, std::size_t>::second);
  return {.kind = WarningKind::path_cut,
          .text = "the path is too long: " + measured,
          .advice = fmt::format(
              "{} % of these first ones are traps of {}: leave it out by \"exclude\" in \"profile\", or "
              "choose a coarser \"level\" or a smaller input",
              100 * most->second / path.events.size(), most->first)};
}

std::optional<Warning> warning_of_threads(const TrapMap& map, double other_threads) {
  constexpr double much = 0.1;
  const auto is_main = [](const Trap& trap) {
    return trap.kind == TrapKind::entry0 && trap.function == "main";
  };
  if (other_threads < much || std::ranges::none_of(map.traps, is_main)) return std::nullopt;
  return Warning{.kind = WarningKind::threads,
                 .text = fmt::format("other threads take {:.0f} % of the processor's time, and stops measure "
                                     "the first thread alone",
                                     100 * other_threads),
                 .advice = "`jcprof record` or perf shows all threads"};
}

}  // namespace jcprof::harness
