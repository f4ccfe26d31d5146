// SPDX-License-Identifier: Apache-2.0
// jcprof-record: runs a command once and writes down each call, line and mark that it passes; docs/record.md.
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include "annotator/record/recording.hpp"
#include "harness/exec/timed_run.hpp"
#include "harness/record/recorder.hpp"
#include "programs/main_guard.hpp"
#include "programs/record_project.hpp"
#include "src/core/cancellation.hpp"
#include "src/core/file.hpp"
#include "src/core/name_table.hpp"
#include "src/core/store.hpp"

namespace jcprof::cli {
namespace {

namespace fs = std::filesystem;
using harness::LogOptions;
using harness::Recorded;
using harness::RecordProgress;

struct RecordOptions {
  LogOptions log;
  std::string out;
  std::string traps;
  std::string analyze;
  std::string project;
  std::uint32_t runs = 1;
  std::vector<std::string> elf;
  std::string json;
  std::string clock = "own";
  bool quiet = false;
  bool yes = false;
  bool no_preload = false;
};

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
      fmt::format("\"{}\": the dynamic loader preloads nothing whose path has a blank or a colon",
                  library.string()),
      "install jcprof elsewhere; --no-preload is for programs with hooks of their own");
}

/// The hooks that fit the clock, in the build folder or as they are installed.
fs::path preloaded_hooks(harness::RecordClock clock) {
  const char* const name =
      clock == harness::RecordClock::own ? "libjcprof-record.so" : "libjcprof-record-hostclock.so";
  for (const fs::path& file : {sibling("../lib") / name, sibling(JCPROF_HOOKS_FOLDER) / name})
    if (fs::exists(file)) return loadable(file.lexically_normal());
  throw environment_error(
      fmt::format("there is no \"{}\" beside jcprof", name),
      "is jcprof installed as a whole? --no-preload is for programs with hooks of their own");
}

/// The last run of a profile; nothing where there is none.
std::optional<RunInfo> last_run(const fs::path& profile) {
  if (!fs::exists(profile)) return std::nullopt;
  return Store(profile, OpenMode::read_only).last_run();
}

/// Hours of jcprof run may be in it.
void keep_measurements(const fs::path& profile) {
  const std::optional<RunInfo> last = last_run(profile);
  if (last && last->transport != "record")
    throw UserError(
        Fault{.message = fmt::format("\"{}\" holds what jcprof run has measured", profile.string()),
              .hint = "-o names another folder"});
}

struct Analysis {
  fs::path log;
  fs::path profile;
  std::optional<TrapMap> traps;
  std::string name;  // of the command, or the project
  std::string started;
  std::vector<fs::path> elf;
  RunInfo target;  // device, agent, simulated, and the unit of ticks that nothing calibrates
};

Analysis analysis_in(const fs::path& out, const RecordOptions& options) {
  return {.log = out / "record.jcplog",
          .profile = out / "profile.jcprof",
          .started = utc_now(),
          .elf = {options.elf.begin(), options.elf.end()},
          .target = {.unit = ClockUnit::cycles}};
}

std::vector<Warning> analyze(const Analysis& what) {
  annotator::RecordedRun run = annotator::analyze_log(
      {.file = what.log, .traps = what.traps, .elf = what.elf, .unit = what.target.unit});
  run.info.started = what.started;
  run.info.tool = "jcprof " JCPROF_VERSION;
  run.info.project = what.name;
  run.info.device = what.target.device;
  run.info.agent = what.target.agent;
  run.info.simulated = what.target.simulated;
  Store store(what.profile, OpenMode::fresh);
  annotator::store_recording(store, run);
  store.close();
  return std::move(run.warnings);
}

std::string json_of(const RecordOptions& options, const Recorded& recorded, const Analysis& what,
                    bool has_profile) {
  nlohmann::ordered_json warnings = nlohmann::ordered_json::array();
  for (const Warning& warning : recorded.warnings)
    warnings.push_back({{"kind", name_of(warning.kind)}, {"text", warning.text}, {"advice", warning.advice}});
  const nlohmann::ordered_json result{
      {"status", recorded.status},
      {"seconds", seconds(recorded.time)},
      {"events", recorded.log.events},
      {"lost", recorded.log.lost},
      {"threads", recorded.threads},
      {"dropped_chunks", recorded.log.dropped},
      {"clock",
       {{"source", options.clock},
        {"stalls", recorded.clock.stalls},
        {"stalled_ns", recorded.clock.stalled_ns},
        {"longest_ns", recorded.clock.longest_ns},
        {"steps_back", recorded.clock.steps_back}}},
      {"log", what.log.string()},
      {"bytes", recorded.log.bytes},
      {"profile", has_profile ? nlohmann::ordered_json(what.profile.string()) : nlohmann::ordered_json()},
      {"warnings", warnings}};
  return result.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
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

/// Analyses, and says what came of it.
std::vector<Warning> make_profile(const RecordOptions& options, const Analysis& what) {
  std::vector<Warning> warnings = analyze(what);
  if (options.quiet) return warnings;
  print_warnings(warnings);
  fmt::print(stderr, "profile: {}\n", what.profile.string());
  return warnings;
}

/// What fails when all is recorded is told, and hides nothing of how the command ended.
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
  bool has_profile = false;
  ExitCode code = ExitCode::done;
  if (recorded.log.events + recorded.log.lost > 0)
    code = attempt([&] {
      std::ranges::move(make_profile(options, what), std::back_inserter(recorded.warnings));
      has_profile = true;
    });
  if (options.json.empty()) return code;
  const ExitCode written =
      attempt([&] { write_file(options.json, json_of(options, recorded, what, has_profile)); });
  return code == ExitCode::done ? written : code;
}

ExitCode record_command(const RecordOptions& options, std::vector<std::string> argv) {
  const OutputFolder folder(
      {.folder = options.out.empty() ? usual_output_folder : options.out, .verb = verb});
  const fs::path& out = folder.path();
  Analysis what = analysis_in(out, options);
  if (!options.traps.empty()) what.traps = read_trap_map(options.traps);
  what.name = fs::path(argv.front()).filename().string();
  what.target.device = harness::name_of_processor();
  keep_measurements(what.profile);
  LogOptions log = options.log;
  log.file = what.log;
  const bool is_shown = !options.quiet && ::isatty(STDERR_FILENO) == 1;
  const auto line = std::make_shared<ProgressLine>();
  Recorded recorded =
      harness::record(log, {.argv = std::move(argv),
                            .preload = options.no_preload ? fs::path() : preloaded_hooks(log.clock),
                            .progress = is_shown ? [line](const RecordProgress& now) { line->print(now); }
                                                 : std::function<void(const RecordProgress&)>()});
  if (is_shown) fmt::print(stderr, "{}", clear_line);
  const ExitCode code = finish(options, what, recorded);
  return recorded.status == 0 ? code : static_cast<ExitCode>(recorded.status);
}

ExitCode record_a_project(const RecordOptions& options) {
  catch_signals();
  ProjectRecording wish{.project = read_project(options.project),
                        .runs = options.runs,
                        .log = options.log,
                        .is_quiet = options.quiet,
                        .consent = consent_of(options.yes)};
  // Beside what jcprof profile makes, whose traps stop.
  const OutputFolder folder(
      {.folder = options.out.empty() ? output_folder(wish.project, {}) / "record" : fs::path(options.out),
       .verb = verb,
       .project = wish.project.root});
  wish.folder = &folder;
  wish.out = folder.path();
  Analysis what = analysis_in(wish.out, options);
  what.name = wish.project.name;
  wish.log.file = what.log;
  keep_measurements(what.profile);
  RecordedProject done = record_project(wish);
  what.traps = std::move(done.map);
  what.target = std::move(done.target);
  return finish(options, what, done.recorded);
}

ExitCode analyze_again(const RecordOptions& options) {
  const fs::path log = fs::absolute(options.analyze).lexically_normal();
  const OutputFolder folder(
      {.folder = options.out.empty() ? log.parent_path() : fs::path(options.out), .verb = verb});
  const fs::path& out = folder.path();
  Analysis what = analysis_in(out, options);
  what.log = log;
  what.name = log.stem().string();
  if (!options.traps.empty()) what.traps = read_trap_map(options.traps);
  keep_measurements(what.profile);
  // What only the recorder knew stands in its profile.
  if (const auto earlier = last_run(log.parent_path() / "profile.jcprof");
      earlier && earlier->transport == "record") {
    what.target = *earlier;
    what.name = earlier->project;
    what.started = earlier->started;
    if (what.target.unit == ClockUnit::ns) what.target.unit = ClockUnit::cycles;  // calibrated, if at all
  }
  make_profile(options, what);
  return ExitCode::done;
}

/// What stands behind our options: "--", if it is there, and the command.
std::vector<std::string> command_of(const CLI::App& app) {
  std::vector<std::string> words = app.remaining();
  if (!words.empty() && words.front() == "--") {
    words.erase(words.begin());
  } else if (!words.empty() && words.front().starts_with('-')) {
    throw UserError(Fault{.message = fmt::format("jcprof record has no option \"{}\"", words.front()),
                          .hint = "jcprof record --help lists them"});
  }
  return words;
}

constexpr NameTable<harness::RecordClock, 3> clocks{{{harness::RecordClock::own, "own"},
                                                     {harness::RecordClock::published, "published"},
                                                     {harness::RecordClock::counted, "counted"}}};

harness::RecordClock clock_named(const std::string& name) {
  if (const auto clock = value_in(clocks, name)) return *clock;
  throw UserError(Fault{.message = fmt::format("there is no clock \"{}\"", name),
                        .hint = "--clock takes own, published or counted"});
}

ExitCode work(RecordOptions& options, std::vector<std::string> argv) {
  options.log.clock = clock_named(options.clock);
  const int asked = static_cast<int>(!options.analyze.empty()) + static_cast<int>(!options.project.empty()) +
                    static_cast<int>(!argv.empty());
  if (asked != 1)
    throw UserError(
        Fault{.message = asked == 0 ? "there is no command to record"
                                    : "a command, --project and --analyze exclude each other",
              .hint = "jcprof record [options] -- COMMAND..., or --project PROJECT, or --analyze LOG"});
  if (!options.project.empty()) return record_a_project(options);
  return argv.empty() ? analyze_again(options) : record_command(options, std::move(argv));
}

constexpr const char* description =
    R"(Each call of a function, each trap and each mark of a program, in one run of it.

The program is compiled with -finstrument-functions (gcc or clang), or with the
traps of jcprof gen and -DJCPROF_RECORD. It runs as if it had been started by
hand: its input, output and terminal are its own, Ctrl-C goes to it, and jcprof
ends with its exit status, 128 and the signal where one ended it. Processes that
it leaves behind are not recorded any further.

Written are DIR/record.jcplog, all events, and DIR/profile.jcprof, for jcprof
query, annotate and export. SIGUSR1 sent to jcprof record pauses recording,
SIGUSR2 resumes it.)";

constexpr const char* clock_help =
    R"(where times come from (default: own). own: the program reads the processor's
counter, which is best. For targets that may not: published, a thread of
jcprof's writes the counter where the target sees it, or counted, it counts
there; it gets a processor that the command is kept off. Preloaded hooks
follow; what has hooks or traps of its own is built with -DJCPROF_CLOCK_SHARED)";

void add_options(CLI::App& app, RecordOptions& options) {
  app.prefix_command();
  app.footer("The command stands behind the options: jcprof record [OPTIONS] -- COMMAND [ARGUMENT]...");
  app.add_option("-o,--out", options.out, "output folder (default: jcprof-out; of --analyze that of LOG)")
      ->type_name("DIR");
  app.add_option("--memory", options.log.memory,
                 "shared with the program, for events that are not on the disk yet (default: 64M)")
      ->transform(CLI::AsSizeValue(false).description(""))
      ->type_name("SIZE");
  app.add_option("--max-log", options.log.most_bytes,
                 "the most that is written to the disk; what is beyond counts as lost (default: 2G)")
      ->transform(CLI::AsSizeValue(false).description(""))
      ->type_name("SIZE");
  app.add_option("--clock", options.clock, clock_help)->type_name("CLOCK");
  auto* traps = app.add_option("--traps", options.traps, "traps.json of the build, where it has traps")
                    ->type_name("FILE");
  auto* no_preload = app.add_flag("--no-preload", options.no_preload,
                                  "leave LD_PRELOAD alone: the program has hooks of its own");
  auto* json =
      app.add_option("--json", options.json, "write the summary to FILE, as JSON")->type_name("FILE");
  app.add_option("--analyze", options.analyze, "run nothing: make the profile of a log again")
      ->type_name("LOG")
      ->excludes(json);
  auto* project =
      app.add_option("--project", options.project,
                     "record the trigger of an enclave's or trusted application's project, whose tree is "
                     "made and built for it in DIR (default: jcprof-out/record beside it)")
          ->type_name("PROJECT")
          ->excludes(traps)
          ->excludes(no_preload);
  app.add_option("--runs", options.runs, "how often, with the project's inputs in turn (default: 1)")
      ->check(CLI::Range(1, 100'000))
      ->needs(project);
  app.add_option("--elf", options.elf, "where names are found of what lists no modules: an enclave, a TA")
      ->type_name("FILE");
  app.add_flag("-q,--quiet", options.quiet, "print errors only");
  add_consent(app, options.yes);
}

}  // namespace
}  // namespace jcprof::cli

int main(int argc, char** argv) {
  CLI::App app{jcprof::cli::description, "jcprof-record"};
  jcprof::cli::RecordOptions options;
  add_options(app, options);
  return jcprof::cli::guarded_main(app, argc, argv,
                                   [&] { return jcprof::cli::work(options, jcprof::cli::command_of(app)); });
}
