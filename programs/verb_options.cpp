// SPDX-License-Identifier: Apache-2.0
#include "programs/verb_options.hpp"

#include <charconv>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "programs/help.hpp"
#include "programs/option_parts.hpp"

namespace jcprof::cli {
void add_options(CLI::App& app, InitOptions& options) {
  app.add_option("FOLDER", options.folder,
                 "the sources of an applet, an enclave, a trusted application or a program (default: the "
                 "current folder)")
      ->check(CLI::ExistingDirectory);
  app.add_option("--entry", options.entry,
                 "choose by entry: a method such as PinApplet.process, an ecall, or a program's name or file")
      ->type_name("NAME");
  app.add_option("--ta", options.ta, "choose a trusted application by name, folder, UUID or file")
      ->type_name("NAME");
  add_quiet(app, options.quiet);
  add_consent(app, options.yes);
  app.add_flag("--no-try", options.no_try, "write the project file only; do not build and run it");
}

void add_options(CLI::App& app, GenOptions& options) {
  add_common(app, options.common, "print the result as JSON");
  app.add_flag("--record", options.records,
               "make traps for jcprof record: they write down instead of stopping (C and C++)");
  app.add_flag("--why", options.why, "list each place that gets no trap, with the reason");
  const std::string hidden;
  app.add_flag("--functions-only", options.functions_only)->group(hidden);
  app.add_option("--include", options.include)->allow_extra_args(false)->group(hidden);
  app.add_option("--exclude", options.exclude)->allow_extra_args(false)->group(hidden);
  app.add_option("--without", options.without)->allow_extra_args(false)->group(hidden);
  app.add_flag("--tell-if-tight", options.tells_if_tight)->group(hidden);
}

namespace {

void add_precision(CLI::App& app, RunOptions& options) {
  const CLI::Validator percent = within(CLI::Range(0.0, 100.0));
  app.add_option(
         "--absolute", options.absolute_points,
         "measure until the share of each line is known to +-POINTS percentage points (default: 0.5), or "
         "as well as --relative asks")
      ->type_name("POINTS")
      ->check(percent);
  app.add_option(
         "--relative", options.relative_percent,
         "measure until the time of each line is known to +-PERCENT of itself (default: 5), or as well "
         "as --absolute asks")
      ->type_name("PERCENT")
      ->check(percent);
  auto* zoom =
      app.add_option("--zoom", options.zoom_percent,
                     "on paths of more than 200 stops, look closer only where at least PERCENT of the "
                     "time goes (default: 1)")
          ->type_name("PERCENT")
          ->check(percent);
  app.add_flag("--no-zoom", options.no_zoom, "measure every stop of a long path")->excludes(zoom);
}

template <class Options>
void add_limits(CLI::App& app, Options& options) {
  app.add_option("--max-shots", options.max_shots, "end after N timed commands")->type_name("N");
  app.add_option("--max-time", options.max_time_ms,
                 "measure for this long at most, such as 30s or 5m; builds are extra")
      ->type_name("TIME")
      ->transform(within(CLI::AsNumberWithUnit(
          std::map<std::string, std::uint64_t>{{"ms", 1}, {"s", 1000}, {"m", 60'000}, {"h", 3'600'000}},
          CLI::AsNumberWithUnit::UNIT_REQUIRED, "TIME")));
  app.add_option("--seed", options.seed, "seed for the order of shots and for random inputs")->type_name("N");
}

/// Returns --memory, which some options exclude.
CLI::Option* add_run_options(CLI::App& app, RunOptions& options, const char* json) {
  add_common(app, options.common, json);
  CLI::Option* const devices = add_devices(app, options);
  app.add_flag("--fresh", options.fresh,
               "start a new profile; the old one is discarded once the target answers");
  CLI::Option* const memory =
      app.add_flag("--memory", options.memory,
                   "applets: show how much of the card's memory each line takes, in place of its time");
  devices->excludes(memory);
  app.add_flag("--dry-run", options.dry_run, "print the commands of the project, and run none");
  add_precision(app, options);
  app.add_option("--rounds", options.rounds, "measure N rounds over all stops, whatever the precision")
      ->type_name("N")
      ->check(within(CLI::Range(1U, 1'000'000U)));
  add_limits(app, options);
  return memory;
}

}  // namespace

void add_options(CLI::App& app, RunOptions& options) {
  CLI::Option* const memory = add_run_options(app, options, "print the result as JSON");
  CLI::Option* const devices = app.get_option("--devices");
  add_device_of_several(app, options);
  app.add_option("--sessions", options.sessions,
                 "measure N sessions for jcprof diff, each with a reset and a warm-up of its own; --rounds, "
                 "--max-shots and --max-time hold for each")
      ->type_name("N")
      ->check(within(CLI::Range(1U, 1000U)))
      ->excludes(memory)
      ->excludes(devices);
  app.add_option(
         "--interleave", options.interleave,
         fmt::format("measure in turn with another build: OTHER is a project or an output folder (default: "
                     "{} sessions of each)",
                     usual_sessions))
      ->type_name("OTHER")
      ->excludes(memory)
      ->excludes(devices);
}

namespace {

constexpr const char* estimates_as_json = "print the estimates as JSON, as jcprof export does";

}  // namespace

void add_options(CLI::App& app, AnnotateOptions& options) {
  add_common(app, options.common, estimates_as_json)->description(about_profile);
  options.common.project.clear();  // --show may have taken it
  add_colour(app, options.common.colour);
  auto* against = app.add_option("--against", options.against,
                                 "compare with an older profile of the same project, in the report")
                      ->type_name("PROFILE");
  auto* no_date =
      app.add_flag("--no-date", options.no_date,
                   "leave out the date of the run, so that copies of two runs on one device differ "
                   "only in their figures");
  const auto* show =
      app.add_option("--show", options.place, "print the profile, one source, or one line; write no file")
          ->type_name("[FILE[:LINE]]")
          ->expected(0, 1)
          ->excludes(against)
          ->excludes(no_date);
  app.callback([&options, show] {
    options.shows = show->count() > 0;
    if (!options.shows && options.common.project.empty()) options.common.project.assign(".");
  });
}

void add_options(CLI::App& app, ProfileOptions& options) {
  add_run_options(app, options.run, estimates_as_json);
  add_colour(app, options.run.common.colour);
  const auto wish = [&options](RefineWish refine) { return [&options, refine] { options.refine = refine; }; };
  auto* refine =
      app.add_flag_callback("--refine", wish(RefineWish::always),
                            "build and measure once more, with traps in hot code only (default: if "
                            "the traps take over a tenth of the time)")
          ->excludes(app.get_option("--devices"));
  app.add_flag_callback("--no-refine", wish(RefineWish::never), "build and measure once")
      ->excludes(refine)
      ->excludes(app.get_option("--devices"));
}

namespace {

constexpr const char* about_clock =
    "clock of the times: one of {} (default: own. With own the program reads the processor's counter, "
    "after its loads have ended. With fast it does not wait for them: events cost less, and the time of a "
    "cache miss may count for the function that follows. The others are for targets that cannot read a "
    "counter: with published a thread of jcprof copies the counter to the target, with counted it counts "
    "by itself, on a processor of its own. Then build code with hooks or traps of its own with "
    "-DJCPROF_CLOCK_SHARED)";

/// The words behind our options: "--", if it is there, and the command.
std::vector<std::string> command_of(const CLI::App& app) {
  std::vector<std::string> words = app.remaining();
  if (!words.empty() && words.front() == "--")
    words.erase(words.begin());
  else if (!words.empty() && words.front().starts_with('-'))
    throw UserError(unknown_option(app, words.front()));
  return words;
}

CLI::Validator size_in_bytes() {
  return within(CLI::AsSizeValue(false));
}

/// "1.5s" in nanoseconds. CLI11's own transform keeps six digits.
CLI::Validator time_in_ns() {
  const auto parse = [](std::string& text) -> std::string {
    static const std::map<std::string_view, double> units{{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};
    double number = 0;
    const char* const last = text.data() + text.size();
    const auto [end, error] = std::from_chars(text.data(), last, number);
    const auto unit = units.find(std::string_view(end, static_cast<std::size_t>(last - end)));
    if (error != std::errc() || !(number >= 0) || unit == units.end())
      return fmt::format("{} is no time such as 1.5s, 20ms, 10us or 500ns", text);
    text = fmt::format("{}", number * unit->second);
    return {};
  };
  return {parse, ""};
}

void add_timeline(CLI::App& app, TimelineOptions& options) {
  auto* const file =
      app.add_option("--timeline", options.file,
                     "write the calls in order of time to FILE: a trace for Perfetto if it ends with .json, "
                     "else text")
          ->type_name("FILE");
  const auto add_time = [&](const char* name, double& ns, const char* help) {
    app.add_option(name, ns, help)->type_name("TIME")->needs(file)->transform(time_in_ns());
  };
  add_time("--from", options.from_ns, "begin the time line so long after the first event, such as 20ms");
  add_time("--to", options.to_ns, "end the time line so long after the first event, such as 1.5s");
  add_time("--min-time", options.least_ns, "leave calls out of the time line that take less, such as 10us");
}

}  // namespace

void add_options(CLI::App& app, RecordOptions& options) {
  app.prefix_command();
  add_out(app, options.out, "output folder (default: jcprof-out; with --analyze the folder of LOG)");
  app.add_option("--memory", options.log.memory,
                 "memory shared with the program, for events that are not on the disk yet (default: 64M)")
      ->transform(size_in_bytes())
      ->type_name("SIZE");
  app.add_option("--max-log", options.log.most_bytes,
                 "largest log on the disk; events beyond it are counted as lost (default: 2G)")
      ->transform(size_in_bytes())
      ->type_name("SIZE");
  add_choice(app, "--clock", options.log.clock, record_clocks, about_clock)->type_name("CLOCK");
  auto* traps =
      app.add_option("--traps", options.traps, "traps.json of the build, if it has traps")->type_name("FILE");
  auto* no_preload = app.add_flag("--no-preload", options.no_preload,
                                  "do not set LD_PRELOAD: the program has hooks of its own");
  auto* summary =
      app.add_option("--summary", options.summary, "write a summary as JSON to FILE")->type_name("FILE");
  auto* analyze =
      app.add_option("--analyze", options.analyze, "run nothing; make the profile of an existing log again")
          ->type_name("LOG")
          ->excludes(summary);
  auto* project = app.add_option("--project", options.project,
                                 "record the trigger of a project in C or C++; its tree is built in DIR "
                                 "(default: jcprof-out/record beside the project file)")
                      ->type_name("PROJECT")
                      ->excludes(traps)
                      ->excludes(no_preload);
  app.add_option("--runs", options.runs, "run the trigger N times, with its inputs in turn (default: 1)")
      ->type_name("N")
      ->check(within(CLI::Range(1, 100'000)))
      ->needs(project);
  const auto add_names = [&](const char* name, std::vector<std::string>& names, const char* help) {
    app.add_option(name, names, help)
        ->type_name("NAME")
        ->allow_extra_args(false)
        ->excludes(project)
        ->excludes(analyze);
  };
  add_names("--filter", options.filter.only,
            "record functions of this name only, such as 'db::*'; repeat it for more");
  add_names("--notrace", options.filter.without, "record no functions of this name; repeat it for more");
  add_timeline(app, options.timeline);
  app.add_option("--elf", options.elf,
                 "take names from this file, if the target lists no modules (an enclave, a TA)")
      ->type_name("FILE");
  add_quiet(app, options.quiet);
  add_consent(app, options.yes);
  app.callback([&app, &options] {
    options.command = command_of(app);
    if (options.timeline.from_ns >= options.timeline.to_ns)
      throw CLI::ValidationError("--to", "must be later than --from");
  });
}

void add_options(CLI::App& app, ExportOptions& options) {
  app.add_option("PROJECT...", options.projects,
                 "projects or profiles (default: the current folder); several for parquet alone");
  add_choice(app, "--format", options.format, export_formats,
             "output format: one of {} (gmon: recordings only)")
      ->type_name("FORMAT")
      ->required();
  app.add_option("--elf", options.elf, "for gmon: the program or library that you give to gprof")
      ->type_name("FILE");
  app.add_option("-o,--out", options.out, "output file (default: standard output); for parquet a folder")
      ->type_name("FILE");
}

void add_options(CLI::App& app, QueryOptions& options) {
  app.add_option(
         "PROJECT... SQL", options.words,
         "projects or profiles (default: the current folder), then one SELECT statement. docs/formats.md "
         "lists tables and views. With several profiles each table has a first column \"profile\"")
      ->required();
  app.add_flag("--json", options.json, "print the rows as JSON");
}

void add_options(CLI::App& app, LayersOptions& options) {
  constexpr std::uint32_t most_rounds = 100'000;
  add_common(app, options.common, "print the layers as JSON")
      ->description("jcprof.json, its folder (default: the current one), or a FILE.ts of OP-TEE's benchmark");
  app.add_option("--rounds", options.rounds,
                 fmt::format("measure all layers N times; odd numbers are rounded up (default: {})",
                             usual_layers_rounds))
      ->type_name("N")
      ->check(within(CLI::Range(std::uint32_t{1}, most_rounds)));
  app.add_option("--hz", options.hz, "clock rate of the processor that wrote FILE.ts, to show times")
      ->type_name("HZ")
      ->check(within(CLI::PositiveNumber));
}

void add_options(CLI::App& app, LeakOptions& options) {
  add_common(app, options.common, "print the findings as JSON");
  add_colour(app, options.common.colour);
  add_transport(app, options.transport);
  app.add_flag("--sweep", options.sweep, "look at stops all along the path, also for what cancels later");
  app.add_option("--shots", options.shots,
                 "time at most N commands up to each stop (default: 2000, with --sweep 500)")
      ->type_name("N")
      ->check(within(CLI::Range(100U, 100'000'000U)));
  add_limits(app, options);
}

void add_options(CLI::App& app, DoctorOptions& options) {
  app.add_option("PROJECT", options.common.project, about_project);
  add_out(app, options.common.out, usual_out);
  app.add_flag("--json", options.common.json, "print the findings as JSON");
  add_consent(app, options.common.yes);
  app.add_option("--agent", options.agent,
                 "test an agent against the protocol (docs/agent-protocol.md) instead")
      ->type_name("COMMAND");
  auto* selftest =
      app.add_flag("--selftest", options.selftest,
                   "measure loops of known length on the target, to see how fine a difference it "
                   "resolves, instead")
          ->excludes("--agent");
  add_transport(app, options.transport)->needs(selftest);
}

void add_options(CLI::App& app, StripOptions& options) {
  app.add_option("PATH", options.paths, "files or folders with traps; they are changed in place")
      ->required()
      ->check(CLI::ExistingPath);
  add_quiet(app, options.quiet);
}

}  // namespace jcprof::cli
