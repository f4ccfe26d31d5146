// SPDX-License-Identifier: Apache-2.0
#include "harness/survey.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "harness/right_answer.hpp"
#include "harness/survey_words.hpp"
#include "src/core/error.hpp"

namespace jcprof::harness {
namespace {

constexpr int attempts = 3;
// Shots that carry signatures show what the survey missed. Where they do not, of 26 commands that take
// another way in three runs of ten one is taken for steady after so many more runs that agree with the first.
constexpr std::size_t agreements = 11;
// Each path takes a schedule of its own; inputs of more than these are too different to be profiled together.
constexpr std::size_t most_paths = 8;
// Where a traced run is answered otherwise than a plain one: five traced runs in a row that were all unlike
// most of nine plain ones by chance are one case in thirty at worst (half of all runs), and in 400 where
// three runs in ten are.
constexpr int tries_of_trace = 5;
constexpr std::size_t plain_runs = 9;

/// Inputs that take one steady path are measured together.
void join(std::vector<SurveyedPath>& paths, SurveyedPath path) {
  const auto known = std::ranges::find_if(paths, [&](const SurveyedPath& one) {
    return one.path.variants.empty() && path.path.variants.empty() && one.path.events == path.path.events &&
           one.path.signature == path.path.signature;
  });
  if (known != paths.end())
    known->inputs.insert(known->inputs.end(), path.inputs.begin(), path.inputs.end());
  else
    paths.push_back(std::move(path));
}

void put_most_inputs_first(std::vector<SurveyedPath>& paths) {
  std::ranges::stable_sort(paths, std::ranges::greater(),
                           [](const SurveyedPath& one) { return one.inputs.size(); });
}

class Surveyor {
 public:
  Surveyor(const TrapMap& map, Transport& transport, std::size_t inputs,
           const std::set<std::uint32_t>& suspects)
      : map_(map), transport_(transport), inputs_(inputs), suspects_(suspects) {}

  void take(const StoredInput& input) {
    const Sample whole = full_run(transport_, input.index);
    if (suspects_.contains(input.index)) check_state(whole, input.index);
    survey_.good.push_back(answer_of(whole));
    if (auto threads = warning_of_threads(map_, whole.other_threads); threads && survey_.good.size() == 1)
      survey_.warnings.push_back(*std::move(threads));
    Traced traced = trace(input, limits_for(input, whole));
    if (traced.path.events.empty()) return take_no_trap(input, whole);
    const bool varies = traced.path.state == PathState::varying;
    // Where runs take several paths they may well end in several ways.
    if (varies && !traced.unlike.empty())
      warn_of_unlike(WarningKind::answer, fmt::format("{}: {}", name_of_input(input), traced.unlike));
    SurveyedPath path{.path = std::move(traced.path),
                      .inputs = {input.index},
                      .carries_signatures = whole.signature.has_value()};
    if (varies || traced.unlike.empty())
      add(input, std::move(path));
    else
      unlike_.push_back({.input = input, .path = std::move(path), .how = std::move(traced.unlike)});
  }

  Survey result() && {
    judge_unlike();
    put_most_inputs_first(survey_.paths);
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
    warn_of_unseen();
    return std::move(survey_);
  }

 private:
  void warn_of_unseen() {
    std::vector<bool> passed(map_.traps.size());
    const auto pass = [&](const std::vector<Event>& events) {
      // An agent may name traps that there are not.
      for (const Event& event : events)
        if (const std::size_t at = number(event.trap) - 1; at < passed.size()) passed[at] = true;
    };
    for (const SurveyedPath& one : survey_.paths) {
      pass(one.path.events);
      for (const Variant& variant : one.path.variants) pass(variant.events);
    }
    std::ranges::move(warnings_of_unseen(map_, passed), std::back_inserter(survey_.warnings));
    std::ranges::move(warnings_of_left_out(map_), std::back_inserter(survey_.warnings));
  }

  void warn(WarningKind kind, std::string text, std::string_view advice = {}) {
    survey_.warnings.push_back({.kind = kind, .text = std::move(text), .advice = std::string(advice)});
  }

  /// Stops came before. If no run is answered right since then, what shots tell is of no use.
  void check_state(const Sample& whole, std::uint32_t input) {
    Sample run = whole;
    for (int attempt = 1; run.status && !transport_.is_right(*run.status); ++attempt) {
      if (attempt == attempts) throw right_before_stops(*run.status);
      run = full_run(transport_, input);
    }
  }

  struct Traced {
    TracedPath path;
    std::string unlike;  // by how its answer differs from those of plain runs; empty: it does not
  };
  struct Unlike {
    StoredInput input;
    SurveyedPath path;
    std::string how;
  };

  void warn_of_unlike(WarningKind kind, std::string text) {
    warn(kind, std::move(text) + ": the path is not that of the measured command", to_one_state);
  }

  void add(const StoredInput& input, SurveyedPath path) {
    const PathState state = path.path.state;
    if (state == PathState::varying) survey_.warnings.push_back(warning_of_varying(input, path.path));
    if (state == PathState::cut) survey_.warnings.push_back(warning_of_cut(map_, path.path));
    join(survey_.paths, std::move(path));
  }

  /// A traced run that is answered otherwise than plain ones did something else than these. Such inputs are
  /// left out, unless there are no others.
  void judge_unlike() {
    const bool are_all = survey_.paths.empty();
    for (Unlike& one : unlike_) {
      const std::string name = name_of_input(one.input);
      if (!are_all) {
        warn_of_unlike(WarningKind::input, fmt::format("{} is left out: {}", name, one.how));
        continue;
      }
      warn_of_unlike(WarningKind::traced_answer, fmt::format("{}: {}", name, one.how));
      add(one.input, std::move(one.path));
    }
  }

  void take_no_trap(const StoredInput& input, const Sample& whole) {
    if (!survey_.paths.empty() || !unlike_.empty())
      return warn(WarningKind::input, fmt::format("{} passes no trap: it is left out", name_of_input(input)));
    throw UserError(
        Fault{.message = fmt::format("the command passes none of the {} traps", map_.traps.size()),
              .hint = "does the trigger reach the code that \"profile\" names? it answered " +
                      fmt::format("{:04X}", whole.status.value_or(0))},
        ExitCode::check_failed);
  }

  /// Many inputs show by themselves that paths vary.
  TraceLimits limits_for(const StoredInput& input, const Sample& whole) const {
    TraceLimits limits{.is_suspected = suspects_.contains(input.index)};
    if (!whole.signature)
      limits.agreements_of_runs = static_cast<int>(std::max<std::size_t>(1, agreements / inputs_));
    return limits;
  }

  Traced trace(const StoredInput& input, const TraceLimits& limits) {
    Traced traced{.path = trace_path(transport_, input.index, limits, memory_)};
    if (!is_unlike(traced.path)) return traced;
    note_plain_answers(input);
    // One run may be answered otherwise by chance, the plain one as well as the traced one.
    for (int i = 1; i < tries_of_trace && is_unlike(traced.path); ++i)
      traced.path = trace_path(transport_, input.index, limits, memory_);
    if (is_unlike(traced.path)) {
      const GoodAnswer& good = survey_.good.back();
      const GoodAnswer end = answer_of(traced.path.end);
      const bool is_length_told = end.length != good.length && !good.length_varies;
      traced.unlike = fmt::format("the traced run {}, the plain one {}", told(end, is_length_told),
                                  told(good, is_length_told));
    }
    return traced;
  }

  bool is_unlike(const TracedPath& path) const {
    const GoodAnswer& good = survey_.good.back();
    const GoodAnswer end = answer_of(path.end);
    return path.end.status &&
           (end.status != good.status || (end.length != good.length && !good.length_varies));
  }

  /// The good answer is the one that most plain runs give. Its length may vary: a signature, say, is a byte
  /// shorter or longer by chance.
  void note_plain_answers(const StoredInput& input) {
    GoodAnswer& good = survey_.good.back();
    const std::uint32_t first = good.status;
    std::vector<GoodAnswer> answers{good};
    while (answers.size() < plain_runs) answers.push_back(answer_of(full_run(transport_, input.index)));
    const auto runs_with = [&](auto of, auto value) { return std::ranges::count(answers, value, of); };
    good.status = std::ranges::max_element(answers, {}, [&](const GoodAnswer& one) {
                    return runs_with(&GoodAnswer::status, one.status);
                  })->status;
    const auto with_it = runs_with(&GoodAnswer::status, good.status);
    std::erase_if(answers, [&](const GoodAnswer& one) { return one.status != good.status; });
    good.length = std::ranges::max_element(answers, {}, [&](const GoodAnswer& one) {
                    return runs_with(&GoodAnswer::length, one.length);
                  })->length;
    good.length_varies = std::cmp_less(runs_with(&GoodAnswer::length, good.length), answers.size());
    const std::string most = fmt::format("{} of {} plain runs of {} {}", with_it, plain_runs,
                                         name_of_input(input), told_of_many(good.status));
    if (transport_.is_right(first) && !transport_.is_right(good.status))
      throw right_at_first(first, good.status, most);
    if (std::cmp_less(with_it, plain_runs))
      warn(WarningKind::answer, most + ", the others otherwise", to_one_state);
  }

  const TrapMap& map_;
  Transport& transport_;
  PathMemory memory_{.model = PathModel(roles_of(map_))};
  std::size_t inputs_;
  const std::set<std::uint32_t>& suspects_;
  Survey survey_;
  std::vector<Unlike> unlike_;
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

/// The path of an input in one survey, as one of several where the other survey saw these. Nothing: it is
/// another path.
std::optional<TracedPath> recalled(TracedPath now, const std::vector<StoredPath>& earlier) {
  std::vector<Variant> before;
  for (const StoredPath& one : earlier)
    before.push_back({.events = one.events, .signature = one.signature, .runs = one.runs});
  if (before.empty()) return std::nullopt;
  const bool varied = before.size() > 1;
  if (now.variants.empty() && !varied) {
    const bool is_same = now.events == before.front().events && now.signature == before.front().signature;
    return is_same ? std::optional(std::move(now)) : std::nullopt;
  }
  // Two surveys of a path that hardly repeats itself need not see the same.
  const std::vector<Event>& one = varied ? now.events : before.front().events;
  const std::vector<Variant>& others = varied ? before : now.variants;
  const bool both_vary = varied && !now.variants.empty();
  if (!both_vary && std::ranges::find(others, one, &Variant::events) == others.end()) return std::nullopt;
  if (varied) now.variants = std::move(before);
  now.state = PathState::varying;
  now.events = now.variants.front().events;
  now.signature = now.variants.front().signature;
  now.total = now.events.size();
  return now;
}

}  // namespace

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
  const std::string account = transport.account();
  throw environment_error(
      fmt::format("the command under study could not be run once ({}{}{}){}{}", name_of(sample.outcome),
                  sample.why.empty() ? "" : ": ", sample.why, account.empty() ? "" : "\n", account),
      sample.outcome == Outcome::timed_out
          ? "does it wait for input (\"stdin\" in \"trigger\"), or need longer (\"timeout\" in \"session\")?"
          : "run it alone and see; \"trigger\" and \"session\" in jcprof.json say what is sent");
}

Survey survey(const TrapMap& map, Transport& transport, const std::vector<StoredInput>& inputs,
              const std::set<std::uint32_t>& suspects) {
  Surveyor surveyor(map, transport, inputs.size(), suspects);
  for (const StoredInput& input : inputs) surveyor.take(input);
  return std::move(surveyor).result();
}

bool finds_more(const Survey& again, const Survey& known) {
  const auto key = [](const StoredPath& path) { return std::pair(path.input, path.events); };
  const std::vector<StoredPath> before = paths_of(known);
  return std::ranges::any_of(paths_of(again), [&](const StoredPath& path) {
    return std::ranges::find(before, key(path), key) == before.end();
  });
}

std::vector<StoredPath> paths_of(const Survey& survey) {
  std::vector<StoredPath> paths;
  for (const SurveyedPath& one : survey.paths)
    for (const std::uint32_t input : one.inputs)
      std::ranges::move(paths_of_input(input, one.path), std::back_inserter(paths));
  std::ranges::stable_sort(paths, {}, &StoredPath::input);
  return paths;
}

bool recall_paths(Survey& survey, const std::vector<StoredInput>& inputs,
                  const std::vector<StoredPath>& earlier) {
  std::map<std::uint32_t, std::vector<StoredPath>> of_input;
  for (const StoredPath& path : earlier) of_input[path.input].push_back(path);
  std::map<std::uint32_t, SurveyedPath> alone;
  std::vector<Warning> warnings;
  for (const SurveyedPath& one : survey.paths)
    for (const std::uint32_t input : one.inputs) {
      std::optional<TracedPath> path = recalled(one.path, of_input[input]);
      if (!path) return false;
      if (one.path.variants.empty() && !path->variants.empty())
        warnings.push_back(warning_of_varying(inputs.at(input), *path));
      alone.emplace(input, SurveyedPath{std::move(*path), {input}, one.carries_signatures});
    }
  if (alone.size() != of_input.size()) return false;
  survey.paths.clear();
  for (auto& [input, path] : alone) join(survey.paths, std::move(path));
  put_most_inputs_first(survey.paths);
  std::ranges::move(warnings, std::back_inserter(survey.warnings));
  return true;
}

}  // namespace jcprof::harness
