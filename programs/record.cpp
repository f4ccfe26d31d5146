// SPDX-License-Identifier: Apache-2.0
// jcprof record: runs a command once and writes down each call, line and mark that it passes; docs/record.md.
#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "annotator/record/log.hpp"
#include "annotator/record/timeline.hpp"
#include "harness/exec/timed_run.hpp"
#include "harness/record/recorder.hpp"
#include "programs/function_filter.hpp"
#include "programs/output.hpp"
#include "programs/record_programs.hpp"
#include "programs/record_project.hpp"
#include "programs/terminal.hpp"
#include "programs/verbs.hpp"
#include "src/core/cancellation.hpp"
#include "src/core/file.hpp"
#include "src/core/process.hpp"
#include "src/core/store.hpp"

namespace jcprof::cli {
namespace {

namespace fs = std::filesystem;
using harness::Recorded;
using harness::RecordProgress;

constexpr const char* verb = "jcprof record";
constexpr const char* clear_line = "\r\x1b[K";

double seconds(std::chrono::nanoseconds time) {
  return std::chrono::duration<double>(time).count();
}

double megabytes(std::uint64_t bytes) {
  return static_cast<double>(bytes) / 1e6;
}

/// Prints a line over the last one; the rate is that since then.
class ProgressLine {
 public:
  void print(const RecordProgress& now) {
    const double time = seconds(now.time - last_.time);
    const double rate = time > 0 ? static_cast<double>(now.events - last_.events) / time : 0;
    fmt::print(stderr, "{}recording{}: {} events, {:.1f} MB, {} lost, {} threads, {:.1f} M events/s",
               clear_line, now.is_paused ? " (paused)" : "", now.events, megabytes(now.bytes), now.lost,
               now.threads, rate / 1e6);
    last_ = now;
  }

 private:
  RecordProgress last_;
};

fs::path loadable(fs::path library) {
  if (library.native().find_first_of(" :") == std::string::npos) return library;
  throw environment_error(
      fmt::format("\"{}\": the dynamic loader cannot preload a file if its path has a blank or a colon",
                  library.string()),
      "install jcprof in another folder; use --no-preload if the program has hooks of its own");
}

/// The hooks that fit the clock, in the build folder or as they are installed.
fs::path preloaded_hooks(harness::RecordClock clock) {
  const char* const name =
      harness::is_of_target(clock) ? "libjcprof-record.so" : "libjcprof-record-hostclock.so";
  for (const fs::path& file : {sibling("../lib") / name, sibling(JCPROF_HOOKS_FOLDER) / name})
    if (fs::exists(file)) return loadable(file.lexically_normal());
  throw environment_error(fmt::format("there is no \"{}\" beside jcprof", name),
                          "install all of jcprof; use --no-preload if the program has hooks of its own");
}

/// Refuses to overwrite what jcprof run has measured, maybe for hours.
void keep_measurements(const fs::path& profile) {
  const std::optional<RunInfo> last = last_run(profile);
  if (last && last->transport != "record" && !is_imported(*last))
    throw UserError(
        Fault{.message = fmt::format("\"{}\" holds a measurement of `jcprof run`", profile.string()),
              .hint = "name another folder with -o"});
}

Analysis analysis_in(const fs::path& out, const RecordOptions& options) {
  return {.log = out / "record.jcplog",
          .profile = out / "profile.jcprof",
          .started = utc_now(),
          .elf = {options.elf.begin(), options.elf.end()},
          .target = {.unit = ClockUnit::cycles}};
}

std::string json_of(const RecordOptions& options, const Recorded& recorded, const Analysis& what,
                    bool has_profile, const std::vector<RecordedProgram>& programs) {
  const nlohmann::ordered_json result{
      {"status", recorded.status},
      {"seconds", seconds(recorded.time)},
      {"events", recorded.log.events},
      {"lost", recorded.log.lost},
      {"threads", recorded.threads},
      {"dropped_chunks", recorded.log.dropped},
      {"clock",
       {{"source", name_in(record_clocks, options.log.clock)},
        {"stalls", recorded.clock.stalls},
        {"stalled_ns", recorded.clock.stalled_ns},
        {"longest_ns", recorded.clock.longest_ns},
        {"steps_back", recorded.clock.steps_back}}},
      {"log", what.log.string()},
      {"bytes", recorded.log.bytes},
      {"profile", has_profile ? nlohmann::ordered_json(what.profile.string()) : nlohmann::ordered_json()},
      {"warnings", in_json(recorded.warnings)},
      {"programs", in_json(programs)}};
  return printed(result);
}

void print_warnings(const std::vector<Warning>& warnings) {
  for (const Warning& warning : warnings) fmt::print(stderr, "warning: {}\n", harmless(to_text(warning)));
}

void print_summary(const Recorded& recorded, const fs::path& log) {
  print_warnings(recorded.warnings);
  fmt::print(stderr, "{} events of {} threads in {:.2f} s, {} lost: {} ({:.1f} MB)\n", recorded.log.events,
             recorded.threads, seconds(recorded.time), recorded.log.lost, log.string(),
             megabytes(recorded.log.bytes));
}

/// Analyses the log and tells the result.
Analyzed make_profile(const RecordOptions& options, const Analysis& what) {
  Analyzed analyzed = analyze(what);
  if (options.quiet || !options.tells_profile) return analyzed;
  print_warnings(analyzed.warnings);
  fmt::print(stderr, "profile: {}\n", what.profile.string());
  return analyzed;
}

/// Analyses the logs of all other programs, and tells the results in one table.
std::vector<RecordedProgram> make_profiles(const RecordOptions& options, const Analysis& what,
                                           const std::optional<Analyzed>& of_first, Recorded& recorded) {
  std::vector<Warning> warnings;
  std::vector<RecordedProgram> programs =
      analyze_programs(recorded.programs, what, of_first ? &*of_first : nullptr, warnings);
  if (!options.quiet && !programs.empty()) {
    print_warnings(warnings);
    fmt::print(stderr, "{}", program_table(programs));
  }
  std::ranges::move(warnings, std::back_inserter(recorded.warnings));
  return programs;
}

/// A trace if the file is called .json, else text.
void make_timeline(const TimelineOptions& options, const Analysis& what) {
  if (options.file.empty()) return;
  using annotator::TimelineFormat;
  const bool is_trace = fs::path(options.file).extension() == ".json";
  write_file(
      options.file,
      annotator::timeline({.file = what.log, .traps = what.traps, .elf = what.elf, .unit = what.target.unit},
                          {.format = is_trace ? TimelineFormat::trace : TimelineFormat::text,
                           .from = options.from_ns,
                           .to = options.to_ns,
                           .least = options.least_ns}));
}

/// A step after the recording may fail: it says so, and the command's exit status still counts.
template <class Step>
ExitCode attempt(Step step) {
  try {
    step();
    return ExitCode::done;
  } catch (const UserError& error) {
    fmt::print(stderr, "{}\n", error.what());
    return error.exit_code();
  }
}

/// The summary comes first: a large log takes a while to analyse, or cannot be.
ExitCode finish(const RecordOptions& options, const Analysis& what, Recorded& recorded) {
  std::error_code ignored;
  fs::remove(what.profile, ignored);  // of the log that is no more
  if (!options.quiet) print_summary(recorded, what.log);
  std::optional<Analyzed> analyzed;
  ExitCode code = ExitCode::done;
  if (recorded.log.events + recorded.log.lost > 0)
    code = attempt([&] {
      analyzed = make_profile(options, what);
      std::ranges::copy(analyzed->warnings, std::back_inserter(recorded.warnings));
    });
  const bool has_profile = analyzed.has_value();
  const std::vector<RecordedProgram> programs = make_profiles(options, what, analyzed, recorded);
  const auto then = [&code](ExitCode next) { code = code == ExitCode::done ? next : code; };
  if (has_profile) then(attempt([&] { make_timeline(options.timeline, what); }));
  if (!options.summary.empty())
    then(attempt(
        [&] { write_file(options.summary, json_of(options, recorded, what, has_profile, programs)); }));
  return code;
}

/// One for each log. They may be made on any thread.
class Choosers {
 public:
  Choosers(const FunctionFilter& filter, const std::vector<fs::path>& elf) : filter_(filter), elf_(elf) {}

  harness::LeftOut of(const fs::path& log) {
    const std::scoped_lock lock(mutex_);
    const auto chooser = all_.emplace_back(std::make_shared<FunctionChooser>(filter_, log, elf_));
    return
        [chooser](std::span<const jcprof_log_function> functions) { return chooser->left_out_of(functions); };
  }
  /// Names that no function had in any program.
  std::vector<std::string> unused() const {
    std::map<std::string, std::size_t> count;
    for (const auto& chooser : all_)
      for (const std::string& name : chooser->unused()) ++count[name];
    std::erase_if(count, [&](const auto& name) { return name.second < all_.size(); });
    std::vector<std::string> names;
    for (const auto& [name, times] : count) names.push_back(name);
    return names;
  }

 private:
  const FunctionFilter& filter_;
  const std::vector<fs::path>& elf_;
  std::mutex mutex_;
  std::vector<std::shared_ptr<FunctionChooser>> all_;
};

ExitCode record_command(const RecordOptions& options) {
  const OutputFolder folder(
      {.folder = options.out.empty() ? usual_output_folder : options.out, .verb = verb});
  const fs::path& out = folder.path();
  Analysis what = analysis_in(out, options);
  if (!options.traps.empty()) what.traps = read_trap_map(options.traps);
  what.name = fs::path(options.command.front()).filename().string();
  what.target.device = harness::name_of_processor();
  keep_measurements(what.profile);
  harness::LogOptions log = options.log;
  log.file = what.log;
  log.programs = out / "programs";
  Choosers choosers(options.filter, what.elf);
  if (options.filter.is_given())
    log.left_out = [&choosers](const fs::path& file) { return choosers.of(file); };
  const bool is_shown = !options.quiet && rewrites_lines(Stream::err);
  const auto line = std::make_shared<ProgressLine>();
  Recorded recorded =
      harness::record(log, {.argv = options.command,
                            .preload = options.no_preload ? fs::path() : preloaded_hooks(log.clock),
                            .progress = is_shown ? [line](const RecordProgress& now) { line->print(now); }
                                                 : std::function<void(const RecordProgress&)>()});
  if (is_shown) fmt::print(stderr, "{}", clear_line);
  for (const std::string& name : choosers.unused())
    recorded.warnings.push_back(
        {.text = fmt::format("\"{}\" names no function that was called", name),
         .advice = "`jcprof annotate` lists the functions of a recording without a filter"});
  const ExitCode code = finish(options, what, recorded);
  return recorded.status == 0 ? code : static_cast<ExitCode>(recorded.status);
}

ExitCode record_a_project(const RecordOptions& options) {
  catch_signals();
  const Project project = read_project(options.project);
  // Beside what jcprof profile makes, whose traps stop.
  const OutputFolder folder(
      {.folder = options.out.empty() ? output_folder(project, {}) / record_folder : fs::path(options.out),
       .verb = verb,
       .project = project.root});
  check_and_ask(project, options);
  RecordOptions timed = options;
  timed.plain = runs_without_traps(project, folder, options);
  return record_project_in(folder, project, timed);
}

ExitCode analyze_again(const RecordOptions& options) {
  const fs::path log = fs::absolute(options.analyze).lexically_normal();
  annotator::RecordLog{log};  // refuses a wrong file before anything looks at its folder
  const OutputFolder folder(
      {.folder = options.out.empty() ? log.parent_path() : fs::path(options.out), .verb = verb});
  const fs::path& out = folder.path();
  Analysis what = analysis_in(out, options);
  what.log = log;
  what.name = log.stem().string();
  if (!options.traps.empty()) what.traps = read_trap_map(options.traps);
  keep_measurements(what.profile);
  // The profile keeps facts that only the recorder knew.
  if (const auto earlier = last_run(log.parent_path() / "profile.jcprof");
      earlier && earlier->transport == "record") {
    what.target = *earlier;
    what.name = earlier->project;
    what.started = earlier->started;
    if (what.target.unit == ClockUnit::ns) what.target.unit = ClockUnit::cycles;  // calibrated, if at all
  }
  make_profile(options, what);
  make_timeline(options.timeline, what);
  return ExitCode::done;
}

}  // namespace

ExitCode record_project_in(const OutputFolder& folder, const Project& project, const RecordOptions& options) {
  Analysis what = analysis_in(folder.path(), options);
  what.name = project.name;
  keep_measurements(what.profile);
  RecordedProject done = record_project(project, folder, options);
  // A recording of a command may have left some, and this one has none.
  std::error_code ignored;
  fs::remove_all(folder.path() / "programs", ignored);
  what.traps = std::move(done.map);
  what.target = std::move(done.target);
  what.note = done.note.empty() ? options.note : done.note;
  what.plain = options.plain;
  const ExitCode code = finish(options, what, done.recorded);
  // A profile of the run's beginning says nothing of the run.
  return code == ExitCode::done && done.recorded.log.dropped > 0 ? ExitCode::unreliable : code;
}

ExitCode record(const RecordOptions& options) {
  const int asked = static_cast<int>(!options.analyze.empty()) + static_cast<int>(!options.project.empty()) +
                    static_cast<int>(!options.command.empty());
  if (asked != 1)
    throw UserError(
        Fault{.message = asked == 0 ? "there is no command to record"
                                    : "a command, --project and --analyze exclude each other",
              .hint = "jcprof record [options] -- COMMAND..., or --project PROJECT, or --analyze LOG"});
  if (!options.project.empty()) return record_a_project(options);
  return options.command.empty() ? analyze_again(options) : record_command(options);
}

}  // namespace jcprof::cli
