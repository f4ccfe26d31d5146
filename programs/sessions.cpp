// SPDX-License-Identifier: Apache-2.0
// jcprof run --sessions and --interleave: measures a build several times, or two builds in turn.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <iterator>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/labgrid/held_place.hpp"
#include "harness/transports.hpp"
#include "programs/building.hpp"
#include "programs/built.hpp"
#include "programs/measuring.hpp"
#include "programs/output.hpp"
#include "programs/permission.hpp"
#include "programs/session_set.hpp"
#include "programs/steps.hpp"
#include "programs/verbs.hpp"
#include "src/core/cancellation.hpp"
#include "src/core/file.hpp"
#include "src/core/shell_words.hpp"

namespace jcprof::cli {
namespace {

namespace fs = std::filesystem;

/// A project, and the output folder that it was built into.
struct BuiltProject {
  Project project;
  fs::path out;
  bool has_its_sources = true;  // an output folder may be of sources that are gone
};

struct Turn {
  std::size_t build = 0;
  std::uint32_t session = 1;
};

bool has_reader(const Project& project, const std::string& transport) {
  return (transport.empty() ? project.transport : transport).starts_with("pcsc:");
}

/// A session begins with a card that has lost its state. Another transport is there anew.
void begin_with_reset(Project& project, const std::string& transport) {
  if (!has_reader(project, transport)) return;
  Script once{ResetStep{ResetMode::cold}};
  std::ranges::move(project.session.once, std::back_inserter(once));
  project.session.once = std::move(once);
}

/// An output folder is that of the project beside it, or another one of `project`.
BuiltProject other_place(const fs::path& given, const Project& project) {
  const fs::path folder = fs::absolute(given).lexically_normal();
  const bool is_output = is_output_folder(folder) && !fs::exists(folder / "jcprof.json");
  if (is_output) {
    const fs::path beside = folder.parent_path() / "jcprof.json";
    return {.project = fs::exists(beside) ? read_project(beside) : project, .out = folder};
  }
  Project other = read_project(given);
  fs::path out = output_folder(other, {});
  return {.project = std::move(other), .out = std::move(out)};
}

/// Those of PROJECT come last: it is the newer one, and stays on the device after three sessions of each.
std::vector<BuiltProject> places_of(const RunOptions& options) {
  const Project project = read_project(options.common.project);
  std::vector<BuiltProject> places;
  if (!options.interleave.empty()) {
    places.push_back(other_place(options.interleave, project));
    // jcprof diff compares profiles of one name, and that of a folder may be all that a project has.
    places.front().project.name = project.name;
    places.front().has_its_sources = !fs::equivalent(places.front().project.root, project.root);
  }
  places.push_back({.project = project, .out = output_folder(project, options.common)});
  for (BuiltProject& place : places) begin_with_reset(place.project, options.transport);
  return places;
}

void check_places(const std::vector<BuiltProject>& places, const std::string& transport) {
  for (const BuiltProject& place : places) refuse_unbuilt(place.out);
  if (places.size() < 2) return;
  if (fs::equivalent(places.front().out, places.back().out))
    throw UserError(Fault{
        .message = fmt::format("--interleave names the build itself, in \"{}\"", places.back().out.string()),
        .hint = "name another project, or an output folder with another build (-o)"});
  for (const auto& [project, out, has_its_sources] : places)
    if (has_reader(project, transport) && project.install.empty() && !project.start)
      throw UserError(
          Fault{.message = "two builds share one card, and the project does not say how each is installed",
                .place = {.file = project.file.string()},
                .hint = "\"install\" lists the steps that replace the applet on the card"});
}

/// Alternating, and neither build is always the first: 0 1 1 0 0 1 and so on.
std::vector<Turn> turns_of(std::size_t builds, std::uint32_t sessions) {
  std::vector<Turn> turns;
  for (std::uint32_t session = 1; session <= sessions; ++session)
    for (std::size_t i = 0; i < builds; ++i)
      turns.push_back({.build = session % 2 == 1 ? i : builds - 1 - i, .session = session});
  return turns;
}

/// A build that is measured: its folder is held, its sources are those of its traps.
struct Build {
  explicit Build(BuiltProject at)
      : place(std::move(at)),
        folder({.folder = place.out, .verb = "jcprof run", .project = place.project.root}),
        map(read_trap_map(folder.path() / "traps.json")) {
    if (place.has_its_sources) refuse_changed_sources(place.project, map);
    place.out = folder.path();
  }

  BuiltProject place;
  OutputFolder folder;
  TrapMap map;
};

/// Tells what is measured, and how it is reached. The number of rounds and the like do not matter.
std::string digest_of(const Build& build, const RunOptions& options) {
  const Project& project = build.place.project;
  return sha256(fmt::format("{}\n{}\n{}\n{}\n{}", jcprof::digest_of(build.map),
                            noted_build(build.place.out, build.map), project.digest, options.transport,
                            options.seed.value_or(project.measure.seed)));
}

[[noreturn]] void refuse_apart(const SessionSet& set) {
  throw UserError(Fault{
      .message = fmt::format("the sessions in \"{}\" were measured alone, or in turn with another build",
                             set.folder().string()),
      .hint = "--fresh discards them; or keep them elsewhere"});
}

class SessionRuns {
 public:
  SessionRuns(const std::vector<BuiltProject>& places, const RunOptions& options)
      : options_(options), count_(options.sessions.value_or(usual_sessions)) {
    for (const BuiltProject& place : places) builds_.push_back(std::make_unique<Build>(place));
    std::vector<std::string> digests;
    for (const auto& build : builds_) digests.push_back(digest_of(*build, options));
    for (std::size_t i = 0; i < builds_.size(); ++i) {
      SessionSubject subject{.build = digests[i]};
      if (is_in_turn()) {
        subject.with = builds_[1 - i]->place.out;
        subject.with_build = digests[1 - i];
      }
      sets_.emplace_back(builds_[i]->place.out, std::move(subject));
    }
    options_.fresh = !go_on();
  }

  /// For all sessions at once.
  void ask() {
    std::set<fs::path> asked;
    for (const auto& build : builds_) {
      const Project& project = build->place.project;
      if (!asked.insert(project.file).second) continue;
      std::vector<std::string> programs = programs_of_run(project);
      if (is_in_turn()) std::ranges::move(programs_of_install(project), std::back_inserter(programs));
      ask_about(project, programs, consent_of(options_.common.yes));
    }
  }

  ExitCode measure_all() {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    bool is_unreliable = false;
    for (const Turn& turn : turns_of(builds_.size(), count_)) {
      const RunResult result = result_of(turn);
      is_unreliable = is_unreliable || result.is_unreliable;
      list.push_back(in_json(turn, result));
      if (cancellation().signal() != 0) break;
    }
    const int signal = cancellation().signal();
    print_end(std::move(list));
    if (signal != 0) return exit_code_of(signal);
    return is_unreliable ? ExitCode::unreliable : ExitCode::done;
  }

 private:
  bool is_in_turn() const { return builds_.size() > 1; }
  bool is_told() const { return !options_.common.quiet && !options_.common.json; }

  /// The stored sessions are those of this call. False: it begins anew.
  bool go_on() const {
    if (options_.fresh) return false;
    bool are_same = true;
    bool are_there = false;
    for (const SessionSet& set : sets_) {
      const StoredSessions stored = set.stored();
      if (stored == StoredSessions::measured_apart) refuse_apart(set);
      are_same = are_same && stored == StoredSessions::same;
      are_there = are_there || stored != StoredSessions::none;
    }
    if (are_there && !are_same && !options_.common.quiet)
      fmt::print(stderr,
                 "note: jcprof discards the stored sessions and begins anew: they are of another build, "
                 "project file, transport or seed\n");
    return are_same;
  }

  std::string name_of(const Turn& turn) const {
    const std::string name = fmt::format("session {} of {}", turn.session, count_);
    return is_in_turn() ? fmt::format("{} of {}", name, builds_[turn.build]->place.out.string()) : name;
  }

  fs::path profile_of(const Turn& turn) const {
    return sets_[turn.build].folder_of(turn.session) / "profile.jcprof";
  }

  RunResult result_of(const Turn& turn) {
    try {
      RunResult result = measured(turn);
      if (result.unfit) throw UserError(*result.unfit, ExitCode::check_failed);
      return result;
    } catch (const UserError& error) {
      std::vector<Fault> faults = error.faults();
      for (Fault& fault : faults) {
        fault.message = fmt::format("{}: {}", name_of(turn), fault.message);
        if (error.exit_code() == ExitCode::environment)
          fault.hint +=
              fmt::format("{}the same command, without --fresh, resumes there: earlier sessions stay",
                          fault.hint.empty() ? "" : "; ");
      }
      throw UserError(faults, error.exit_code());
    }
  }

  RunResult measured(const Turn& turn) {
    const Build& build = *builds_[turn.build];
    const fs::path profile = profile_of(turn);
    const RunSubject subject{build.place.project, build.map, build.place.out, profile, true};
    if (!options_.fresh)
      if (std::optional<RunResult> finished = finished_run(subject, options_)) {
        if (is_told())
          fmt::print("{} is complete (--fresh measures anew): {}\n", name_of(turn), profile.string());
        return std::move(*finished);
      }
    open_own_folder(sets_[turn.build].folder());  // no link leads there
    if (is_told()) fmt::print("{}\n", name_of(turn));
    hold_place(build.place.project);
    if (is_in_turn())
      run_steps("install", build.place.project.install,
                values_of_steps(build.place.project, build.place.out, options_.transport),
                {.is_shown = is_told()});
    std::fflush(stdout);
    // For those who annotate it, or wish to meanwhile.
    const OutputFolder folder({.folder = profile.parent_path(), .verb = "jcprof run", .project = {}});
    // A profile without a run is no session.
    RunOptions options = options_;
    options.fresh = options.fresh || !last_run(profile);
    RunResult result = measure(subject, options, [this, &turn] { begin(turn); });
    if (is_told()) print(result, profile);
    return result;
  }

  /// That of the first session that is stored; empty: there is none.
  std::string earlier_reader() const {
    if (options_.fresh) return "";
    for (const SessionSet& set : sets_)
      for (std::uint32_t session = 1; session <= count_; ++session)
        if (const std::optional<RunInfo> run = last_run(set.folder_of(session) / "profile.jcprof"))
          return run->reader;
    return "";
  }

  /// Sessions of two places do not belong together.
  void hold_place(const Project& project) const {
    const std::string earlier = earlier_reader();
    const std::string place = harness::hold_place(project, options_.transport, earlier);
    if (place.empty() || earlier.empty() || place == harness::place_in(earlier)) return;
    throw UserError(
        Fault{.message = fmt::format("the stored sessions were measured at place \"{}\", and this is \"{}\"",
                                     harness::place_in(earlier), place),
              .hint = fmt::format("the same command resumes when \"{}\" is free; --fresh measures all anew",
                                  harness::place_in(earlier))});
  }

  /// All sessions of an earlier state go with the first one of the new.
  void begin(const Turn& first) {
    if (!options_.fresh || has_begun_) return;
    has_begun_ = true;
    for (std::size_t i = 0; i < sets_.size(); ++i) sets_[i].begin_anew(i == first.build ? first.session : 0);
  }

  nlohmann::ordered_json in_json(const Turn& turn, const RunResult& result) const {
    nlohmann::ordered_json json{{"session", turn.session}};
    json.update(cli::in_json(result, profile_of(turn)));
    return json;
  }

  void print_end(nlohmann::ordered_json list) const {
    const bool is_interrupted = cancellation().signal() != 0;
    std::vector<std::string> folders;
    for (const SessionSet& set : sets_) folders.push_back(set.folder().string());
    if (options_.common.json)
      fmt::print("{}", printed({{"state", is_interrupted ? "interrupted" : "complete"},
                                {"sides", folders},
                                {"sessions", std::move(list)}}));
    if (!is_told()) return;
    if (is_interrupted) fmt::print("the same command, without --fresh, resumes\n");
    for (std::string& folder : folders) folder = shell_word(folder);
    if (is_in_turn() && !is_interrupted)
      fmt::print("what changed: jcprof diff {}\n", fmt::join(folders, " "));
    else if (!is_interrupted)
      fmt::print("one side for `jcprof diff` and `jcprof check`: {}\n", folders.front());
  }

  RunOptions options_;  // of each session
  const std::uint32_t count_;
  std::vector<std::unique_ptr<Build>> builds_;
  std::vector<SessionSet> sets_;  // of each build
  bool has_begun_ = false;
};

/// Prints the commands and sessions of the call.
void print_plan(const std::vector<BuiltProject>& places, const RunOptions& options) {
  const std::uint32_t count = options.sessions.value_or(usual_sessions);
  for (const BuiltProject& place : places) {
    fmt::print("build: {}\n", place.out.string());
    if (places.size() > 1)
      run_steps("install", place.project.install,
                values_of_steps(place.project, place.out, options.transport),
                {.is_shown = true, .is_dry = true});
    print_commands(place.project, place.out);
  }
  for (const Turn& turn : turns_of(places.size(), count))
    fmt::print("session: {}\n",
               (places[turn.build].out / sessions_folder / std::to_string(turn.session)).string());
}

}  // namespace

ExitCode run_sessions(const RunOptions& options) {
  const std::vector<BuiltProject> places = places_of(options);
  if (options.dry_run) {
    print_plan(places, options);
    return ExitCode::done;
  }
  check_places(places, options.transport);
  SessionRuns runs(places, options);
  runs.ask();
  catch_signals();
  return runs.measure_all();
}

}  // namespace jcprof::cli
