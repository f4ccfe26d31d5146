// SPDX-License-Identifier: Apache-2.0
#include "harness/survey.hpp"

#include <algorithm>
#include <array>
#include <map>

#include <fmt/format.h>

#include "src/core/error.hpp"
#include "src/core/hex.hpp"

namespace jcprof::harness {
namespace {

constexpr int attempts = 3;
constexpr std::uint32_t success = 0x9000;
// Each path takes a schedule of its own; inputs of more than these are too different to be profiled together.
constexpr std::size_t most_paths = 8;

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

std::uint64_t runs_of(const std::vector<Variant>& variants) {
  std::uint64_t runs = 0;
  for (const Variant& one : variants) runs += one.runs;
  return std::max<std::uint64_t>(runs, 1);
}

std::string name_of_input(const StoredInput& input) {
  constexpr std::size_t shown = 16;
  const std::string hex = to_hex(input.bytes);
  return fmt::format("input {} ({}{})", input.index, hex.substr(0, 2 * shown),
                     hex.size() > 2 * shown ? "…" : "");
}

/// No card has a status word that a program could end with.
std::string told(std::uint32_t status) {
  return status <= 0xFF ? fmt::format("ends with status {}", status) : fmt::format("answers {:04X}", status);
}

std::string told(const GoodAnswer& answer, bool is_length_told) {
  return told(answer.status) + (is_length_told ? fmt::format(" with {} bytes", answer.length) : "");
}

GoodAnswer answer_of(const Sample& run) {
  return {.status = run.status.value_or(0), .length = run.reply.size()};
}

class Surveyor {
 public:
  Surveyor(const TrapMap& map, Transport& transport) : map_(map), transport_(transport) {}

  void take(const StoredInput& input) {
    const Sample whole = take_full_run(input);
    const bool is_first = survey_.paths.empty();
    // An exit status of 0, which no card has for a status word.
    if (is_first && whole.status.value_or(success) != success && *whole.status != 0)
      warn(WarningKind::answer,
           fmt::format("the whole command {}: that is what is measured", told(*whole.status)));
    TracedPath path = trace(input);
    if (path.events.empty()) return take_no_trap(input, whole);
    judge_path(input, path);
    const auto known = std::ranges::find_if(survey_.paths, [&](const SurveyedPath& one) {
      return one.path.variants.empty() && path.variants.empty() && one.path.events == path.events &&
             one.path.signature == path.signature;
    });
    if (known != survey_.paths.end())
      known->inputs.push_back(input.index);
    else
      survey_.paths.push_back({.path = std::move(path),
                               .inputs = {input.index},
                               .carries_signatures = whole.signature.has_value()});
  }

  Survey result() && {
    std::ranges::stable_sort(survey_.paths, std::ranges::greater(),
                             [](const SurveyedPath& one) { return one.inputs.size(); });
    std::size_t left_out = 0;
    for (; survey_.paths.size() > most_paths; survey_.paths.pop_back())
      left_out += survey_.paths.back().inputs.size();
    if (survey_.paths.size() > 1)
      warn(WarningKind::path_varies,
           fmt::format(
               "the inputs take {} paths: each is measured by itself, and what is reported line by line is "
               "the path of {} of {} inputs",
               survey_.paths.size(), survey_.paths.front().inputs.size(), survey_.good.size()));
    if (left_out > 0)
      warn(WarningKind::input, fmt::format("{} inputs take still other paths and are left out", left_out));
    return std::move(survey_);
  }

 private:
  void warn(WarningKind kind, std::string text) {
    survey_.warnings.push_back({.kind = kind, .text = std::move(text)});
  }

  void take_no_trap(const StoredInput& input, const Sample& whole) {
    if (!survey_.paths.empty())
      return warn(WarningKind::input, fmt::format("{} passes no trap: it is left out", name_of_input(input)));
    throw UserError(
        Fault{.message = fmt::format("the command passes none of the {} traps", map_.traps.size()),
              .hint = "does the trigger reach the code that \"profile\" names? it answered " +
                      fmt::format("{:04X}", whole.status.value_or(0))},
        ExitCode::check_failed);
  }

  Sample take_full_run(const StoredInput& input) {
    Sample whole = full_run(transport_, input.index);
    survey_.good.push_back(answer_of(whole));
    return whole;
  }

  TracedPath trace(const StoredInput& input) {
    TracedPath path = trace_path(transport_, input.index);
    if (!is_answered_otherwise(path)) {
      if (path.end.status) judge_end(input, path);
      return path;
    }
    // One run may go wrong by chance, or its answer may have another length: a warning wants it twice.
    TracedPath again = trace_path(transport_, input.index);
    const bool is_alike =
        again.end.status == path.end.status && answer_of(again.end).length == answer_of(path.end).length;
    if (is_alike) judge_end(input, again);
    return again;
  }

  bool is_answered_otherwise(const TracedPath& path) const {
    const GoodAnswer& good = survey_.good.back();
    return path.end.status && (*path.end.status != good.status || answer_of(path.end).length != good.length);
  }

  /// A traced run that is answered otherwise than the plain ones did something else than these.
  void judge_end(const StoredInput& input, const TracedPath& path) {
    GoodAnswer& good = survey_.good.back();
    const GoodAnswer traced = answer_of(path.end);
    const bool is_other_length = traced.length != good.length;
    if (traced.status == good.status) {
      good.length_varies = is_other_length && length_varies(input, good);
      if (!is_other_length || good.length_varies) return;
    }
    // Where runs take several paths they may well end in several ways.
    const bool varies = path.state == PathState::varying;
    survey_.warnings.push_back(
        {.kind = varies ? WarningKind::answer : WarningKind::traced_answer,
         .text =
             fmt::format("{}: the traced run {}, the plain one {}: the path is not that of the measured "
                         "command",
                         name_of_input(input), told(traced, is_other_length), told(good, is_other_length)),
         .advice = "bring the target back to one state before each run: \"before_each\" or \"reset\" in "
                   "\"session\""});
  }

  /// A signature, say, is a byte shorter or longer by chance.
  bool length_varies(const StoredInput& input, const GoodAnswer& good) {
    constexpr int runs = 8;
    for (int i = 0; i < runs; ++i)
      if (full_run(transport_, input.index).reply.size() != good.length) return true;
    return false;
  }

  void judge_path(const StoredInput& input, const TracedPath& path) {
    switch (path.state) {
      case PathState::steady:
        return;
      case PathState::varying:
        warn(WarningKind::path_varies,
             fmt::format(
                 "runs of {} take different paths, {} of {} the most frequent one: that is what is reported "
                 "line by line, and of the others the edges",
                 name_of_input(input), path.variants.empty() ? 1 : path.variants.front().runs,
                 runs_of(path.variants)));
        return;
      case PathState::cut:
        warn_of_cut(path);
        return;
    }
  }

  void warn_of_cut(const TracedPath& path) {
    const std::string measured =
        fmt::format("only the first {} of {} events are measured, and no line has what runs behind them",
                    path.events.size(), path.total ? std::to_string(*path.total) : "more");
    if (path.events.size() < TraceLimits{}.events)
      return warn(WarningKind::path_cut, "the path varies, and its windows do not join: " + measured);
    std::map<std::string, std::size_t> passed;
    for (const Event& event : path.events) ++passed[map_.at(event.trap).function];
    const auto most =
        std::ranges::max_element(passed, {}, &std::pair<const std::string, std::size_t>::second);
    survey_.warnings.push_back(
        {.kind = WarningKind::path_cut,
         .text = "the path is too long: " + measured,
         .advice = fmt::format(
             "{} % of these first ones are traps of {}: leave it out by \"exclude\" in \"profile\", or "
             "choose a coarser \"level\" or a smaller input",
             100 * most->second / path.events.size(), most->first)});
  }

  const TrapMap& map_;
  Transport& transport_;
  Survey survey_;
};

std::vector<StoredPath> paths_of_input(std::uint32_t input, const TracedPath& path) {
  if (path.variants.empty()) return {{.input = input, .signature = path.signature, .events = path.events}};
  std::vector<StoredPath> paths;
  for (const Variant& seen : path.variants)
    paths.push_back({.input = input,
                     .variant = static_cast<std::uint32_t>(paths.size()),
                     .runs = seen.runs,
                     .signature = seen.signature,
                     .events = seen.events});
  return paths;
}

}  // namespace

Survey survey(const TrapMap& map, Transport& transport, const std::vector<StoredInput>& inputs) {
  Surveyor surveyor(map, transport);
  for (const StoredInput& input : inputs) surveyor.take(input);
  return std::move(surveyor).result();
}

std::vector<StoredPath> paths_of(const Survey& survey) {
  std::vector<StoredPath> paths;
  for (const SurveyedPath& one : survey.paths)
    for (const std::uint32_t input : one.inputs)
      std::ranges::move(paths_of_input(input, one.path), std::back_inserter(paths));
  std::ranges::stable_sort(paths, {}, &StoredPath::input);
  return paths;
}

bool recall_paths(Survey& survey, const std::vector<StoredPath>& earlier) {
  Survey recalled = survey;
  for (SurveyedPath& one : recalled.paths) {
    if (one.path.variants.empty()) continue;
    one.path.variants.clear();
    for (const StoredPath& path : earlier)
      if (path.input == one.inputs.front())
        one.path.variants.push_back({.events = path.events, .signature = path.signature, .runs = path.runs});
    if (one.path.variants.empty()) return false;
    one.path.events = one.path.variants.front().events;
    one.path.signature = one.path.variants.front().signature;
  }
  if (paths_of(recalled) != earlier) return false;
  survey = std::move(recalled);
  return true;
}

}  // namespace jcprof::harness
