// SPDX-License-Identifier: Apache-2.0
#include "programs/command_line.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "src/core/text.hpp"

namespace jcprof::cli {
namespace {

void add_quiet(CLI::App& app, bool& quiet) {
  app.add_flag("-q,--quiet", quiet, "print errors only");
}

void add_out(CLI::App& app, std::string& out, const char* help) {
  app.add_option("-o,--out", out, help)->type_name("DIR");
}

/// JCPROF_YES=1 says it too.
void add_consent(CLI::App& app, bool& yes) {
  app.add_flag("--yes", yes, "run the programs that the project names without asking")->envname("JCPROF_YES");
}

constexpr const char* usual_out = "output folder (default: jcprof-out beside the project file)";

CLI::Option* add_common(CLI::App& app, CommonOptions& options, const char* json) {
  CLI::Option* const project =
      app.add_option("PROJECT", options.project, "jcprof.json, or a folder that holds one")->required();
  add_out(app, options.out, usual_out);
  add_quiet(app, options.quiet);
  add_consent(app, options.yes);
  app.add_flag("--json", options.json, json);
  return project;
}

void add_init(CLI::App& app, InitOptions& options) {
  app.add_option("FOLDER", options.folder,
                 "the sources of an applet, an enclave, a trusted application or a program (default: the "
                 "current folder)")
      ->check(CLI::ExistingDirectory);
  app.add_option("--entry", options.entry,
                 "takes the applet with this entry, such as PinApplet.process, the ecall of this name, or "
                 "the program of this name or file");
  app.add_option("--ta", options.ta, "takes the trusted application of this name, folder, UUID or file");
  add_quiet(app, options.quiet);
  add_consent(app, options.yes);
  app.add_flag("--no-try", options.no_try, "write the project file, and do not build and run it");
}

void add_gen(CLI::App& app, GenOptions& options) {
  add_common(app, options.common, "print the result as JSON");
  app.add_flag("--record", options.records, "traps of C and C++ record (jcprof record) instead of stopping");
  app.add_flag("--why", options.why, "name every place that is left without a trap, and the reason");
  const std::string hidden;
  app.add_flag("--functions-only", options.functions_only)->group(hidden);
  app.add_option("--include", options.include)->allow_extra_args(false)->group(hidden);
  app.add_option("--exclude", options.exclude)->allow_extra_args(false)->group(hidden);
  app.add_option("--without", options.without)->allow_extra_args(false)->group(hidden);
  app.add_flag("--tell-if-tight", options.tells_if_tight)->group(hidden);
}

void add_run_options(CLI::App& app, RunOptions& options, const char* json) {
  add_common(app, options.common, json);
  app.add_option("--transport", options.transport, "how the target is reached (default: the project's)")
      ->type_name("URI");
  app.add_flag("--fresh", options.fresh,
               "start a new profile; what was measured before is dropped once the target has answered");
  app.add_flag("--dry-run", options.dry_run, "print the commands of the project and stop");
  const CLI::Range percent(0.0, 100.0);
  app.add_option("--absolute", options.absolute_points,
                 "measure until each share is known to so many points (default 0.5)")
      ->type_name("POINTS")
      ->check(percent);
  app.add_option("--relative", options.relative_percent, "or to so many percent of itself (default 5)")
      ->type_name("PERCENT")
      ->check(percent);
  auto* zoom =
      app.add_option("--zoom", options.zoom_percent,
                     "on paths of more than 200 stops, look for what takes at least so much (default 1)")
          ->type_name("PERCENT")
          ->check(percent);
  app.add_flag("--no-zoom", options.no_zoom, "measure every stop of a long path")->excludes(zoom);
  app.add_option("--rounds", options.rounds, "so many rounds over all stops, whatever the precision")
      ->check(CLI::Range(1U, 1'000'000U));
  app.add_option("--max-shots", options.max_shots, "stop after so many commands");
  app.add_option("--max-time", options.max_time_ms, "stop after a time: 30s, 5m")
      ->transform(CLI::AsNumberWithUnit(
          std::map<std::string, std::uint64_t>{{"ms", 1}, {"s", 1000}, {"m", 60'000}, {"h", 3'600'000}},
          CLI::AsNumberWithUnit::UNIT_REQUIRED, "DURATION"));
  app.add_option("--seed", options.seed, "of the order of shots and of random inputs");
}

void add_run(CLI::App& app, RunOptions& options) {
  add_run_options(app, options, "print the result as JSON");
}

constexpr const char* estimates_as_json = "print the estimates as JSON, as jcprof export does";

void add_annotate(CLI::App& app, AnnotateOptions& options) {
  add_common(app, options.common, estimates_as_json)
      ->description("jcprof.json, a folder that holds one, or a profile.jcprof")
      ->required(false);
  auto* against =
      app.add_option("--against", options.against,
                     "an older profile of the same project: the report shows what has changed since")
          ->type_name("PROFILE");
  const auto* show =
      app.add_option("--show", options.place, "print the profile, a source, or a line, and write nothing")
          ->type_name("[FILE[:LINE]]")
          ->expected(0, 1)
          ->excludes(against);
  app.callback([&options, show] {
    options.shows = show->count() > 0;
    if (!options.shows && options.common.project.empty()) throw CLI::RequiredError("PROJECT");
  });
}

void add_profile(CLI::App& app, ProfileOptions& options) {
  add_run_options(app, options.run, estimates_as_json);
  const auto wish = [&options](RefineWish refine) { return [&options, refine] { options.refine = refine; }; };
  auto* refine = app.add_flag_callback("--refine", wish(RefineWish::always),
                                       "build and measure again with traps only where it is hot (default: "
                                       "where traps take over a tenth of the time)");
  app.add_flag_callback("--no-refine", wish(RefineWish::never), "build and measure once")->excludes(refine);
}

constexpr const char* about_record =
    R"(Each call of a function, each trap and each mark of a program, in one run of it.

The program is compiled with -finstrument-functions (gcc or clang), or with the
traps of jcprof gen and -DJCPROF_RECORD. It runs as if it had been started by
hand: its input, output and terminal are its own, Ctrl-C goes to it, and jcprof
ends with its exit status, 128 and the signal where one ended it. Processes that
it leaves behind are not recorded any further.

Written are DIR/record.jcplog, all events, and DIR/profile.jcprof, for jcprof
query, annotate and export. SIGUSR1 sent to jcprof record pauses recording,
SIGUSR2 resumes it.)";

constexpr const char* about_clock =
    R"(where times come from (default: own). own: the program reads the processor's
counter, which is best. For targets that may not: published, a thread of
jcprof's writes the counter where the target sees it, or counted, it counts
there; it gets a processor that the command is kept off. Preloaded hooks
follow; what has hooks or traps of its own is built with -DJCPROF_CLOCK_SHARED)";

harness::RecordClock clock_named(const std::string& name) {
  if (const auto clock = value_in(record_clocks, name)) return *clock;
  throw UserError(Fault{.message = fmt::format("there is no clock \"{}\"", name),
                        .hint = "--clock takes own, published or counted"});
}

/// The words behind our options: "--", if it is there, and the command.
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

void add_record(CLI::App& app, RecordOptions& options) {
  app.prefix_command();
  app.footer("The command stands behind the options: jcprof record [OPTIONS] -- COMMAND [ARGUMENT]...");
  add_out(app, options.out, "output folder (default: jcprof-out; of --analyze that of LOG)");
  app.add_option("--memory", options.log.memory,
                 "shared with the program, for events that are not on the disk yet (default: 64M)")
      ->transform(CLI::AsSizeValue(false).description(""))
      ->type_name("SIZE");
  app.add_option("--max-log", options.log.most_bytes,
                 "the most that is written to the disk; what is beyond counts as lost (default: 2G)")
      ->transform(CLI::AsSizeValue(false).description(""))
      ->type_name("SIZE");
  app.add_option_function<std::string>(
         "--clock", [&options](const std::string& name) { options.log.clock = clock_named(name); },
         about_clock)
      ->type_name("CLOCK");
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
                     "record the trigger of a project that is no applet's: its tree is made and built for "
                     "that in DIR (default: jcprof-out/record beside it)")
          ->type_name("PROJECT")
          ->excludes(traps)
          ->excludes(no_preload);
  app.add_option("--runs", options.runs, "how often, with the project's inputs in turn (default: 1)")
      ->check(CLI::Range(1, 100'000))
      ->needs(project);
  app.add_option("--elf", options.elf, "where names are found of what lists no modules: an enclave, a TA")
      ->type_name("FILE");
  add_quiet(app, options.quiet);
  add_consent(app, options.yes);
  app.callback([&app, &options] { options.command = command_of(app); });
}

void add_export(CLI::App& app, ExportOptions& options) {
  app.add_option("PROFILE", options.profile, "a profile.jcprof")->required();
  std::vector<std::string> names;
  for (const auto& [format, name] : export_formats) names.emplace_back(name);
  app.add_option_function<std::string>(
         "--format",
         [&options](const std::string& name) { options.format = value_in(export_formats, name).value(); },
         "of the output; gmon of recorded runs")
      ->required()
      ->check(CLI::IsMember(names));
  app.add_option("--elf", options.elf, "for gmon: the program or library that gprof is to be given")
      ->type_name("FILE");
  app.add_option("-o,--out", options.out, "where to (default: standard output)")->type_name("FILE");
}

void add_query(CLI::App& app, QueryOptions& options) {
  app.add_option("PROFILE... SQL", options.words,
                 "profiles, then one statement; tables and views: docs/formats.md. With several profiles "
                 "each table has a first column \"profile\"")
      ->required()
      ->expected(2, CLI::detail::expected_max_vector_size);
  app.add_flag("--json", options.json, "print the rows as JSON");
}

void add_layers(CLI::App& app, LayersOptions& options) {
  constexpr std::uint32_t most_rounds = 100'000;
  add_common(app, options.common, "print the layers as JSON")
      ->description("jcprof.json, a folder that holds one, or a FILE.ts of OP-TEE's benchmark framework");
  app.add_option("--rounds", options.rounds,
                 fmt::format("how often the ladder is climbed; an odd number is rounded up (default: {})",
                             usual_layers_rounds))
      ->check(CLI::Range(std::uint32_t{1}, most_rounds));
  app.add_option("--hz", options.hz, "cycles a second of the processor that wrote FILE.ts: shows times too")
      ->check(CLI::PositiveNumber);
}

void add_doctor(CLI::App& app, DoctorOptions& options) {
  app.add_option("PROJECT", options.common.project, "jcprof.json, or a folder that holds one: tried too");
  add_out(app, options.common.out, usual_out);
  app.add_flag("--json", options.common.json, "print the findings as JSON");
  add_consent(app, options.common.yes);
  app.add_option("--agent", options.agent,
                 "try an agent instead: does it do what docs/agent-protocol.md says?")
      ->type_name("COMMAND");
  auto* selftest = app.add_flag("--selftest", options.selftest,
                                "measure loops of known ratios instead: what does this target resolve?")
                       ->excludes("--agent");
  app.add_option("--transport", options.transport, "how the target is reached (default: the project's)")
      ->type_name("URI")
      ->needs(selftest);
}

void add_strip(CLI::App& app, StripOptions& options) {
  app.add_option("PATH", options.paths, "instrumented files or folders, changed in place")
      ->required()
      ->check(CLI::ExistingPath);
  add_quiet(app, options.quiet);
}

/// The first is the name of the program or of the verb.
struct Words {
  int count;
  char** first;
};

template <class Options, void (*add)(CLI::App&, Options&)>
Request parsed(CLI::App& app, const Words& words) {
  Options options;
  add(app, options);
  app.parse(words.count, words.first);
  return options;
}

std::string with_contradictions(const std::string& about) {
  return about + "\nEnds with 4 where what was measured contradicts itself (docs/formats.md).";
}

struct Verb {
  std::string name;
  std::string description;  // in the list of verbs
  Request (*parse)(CLI::App& app, const Words& words);
  std::string about = description;  // in its own help
};

const std::array<Verb, 11>& verbs() {
  static const std::array<Verb, 11> all{{
      {"init", "look at a source tree and write a first project file", parsed<InitOptions, add_init>},
      {"gen", "put traps into a copy of the sources", parsed<GenOptions, add_gen>,
       "Puts numbered traps into a copy of a project's sources."},
      {"run", "measure: stop at one trap at a time", parsed<RunOptions, add_run>,
       with_contradictions("Measures the command of a project, one stop at a time.")},
      {"annotate", "estimate, and write the times beside the source lines",
       parsed<AnnotateOptions, add_annotate>,
       with_contradictions("Writes the measured times beside the source lines.")},
      {"profile", "gen, build, install, run and annotate in one go", parsed<ProfileOptions, add_profile>,
       with_contradictions("gen, build, install, run and annotate in one go.")},
      {"record", "run a program once and write down each call, line and mark",
       parsed<RecordOptions, add_record>, about_record},
      {"export", "write a profile as JSON, CSV, flame graph or gmon.out", parsed<ExportOptions, add_export>},
      {"query", "SQL over profiles", parsed<QueryOptions, add_query>},
      {"layers", "where the time of a round trip to a trusted application goes",
       parsed<LayersOptions, add_layers>},
      {"doctor", "look at readers, JDK, clock; try the project: what is missing, what fails, what to do",
       parsed<DoctorOptions, add_doctor>},
      {"strip", "take traps out of sources again", parsed<StripOptions, add_strip>},
  }};
  return all;
}

const Verb* verb_named(std::string_view name) {
  const auto verb = std::ranges::find(verbs(), name, &Verb::name);
  return verb == verbs().end() ? nullptr : &*verb;
}

void refuse_unknown_verb(std::string_view word) {
  if (word.starts_with('-')) return;
  std::vector<std::string> names;
  for (const Verb& verb : verbs()) names.push_back(verb.name);
  std::string hint = did_you_mean(word, names);
  if (hint.empty()) hint = "jcprof --help lists the verbs";
  throw UserError(Fault{.message = fmt::format("unknown verb \"{}\"", word), .hint = hint});
}

/// Without a verb there is nothing but the list of verbs, the version, or a mistake.
Request parsed_without_verb(CLI::App& app, const Words& words) {
  app.require_subcommand(1);
  for (const Verb& verb : verbs()) app.add_subcommand(verb.name, verb.description);
  if (words.count > 1) refuse_unknown_verb(words.first[1]);
  app.parse(words.count, words.first);
  throw CLI::RequiredError("A subcommand");
}

Request parsed_as(const std::string& name, const Verb& verb, const Words& words) {
  CLI::App app{verb.about, name};
  app.set_version_flag("--version", "jcprof " JCPROF_VERSION);
  try {
    return verb.parse(app, words);
  } catch (const CLI::ParseError& error) {
    const int code = app.exit(error);  // prints help, version or the mistake
    return code == 0 ? ExitCode::done : ExitCode::user_mistake;
  }
}

}  // namespace

Request parse_command_line(int argc, char** argv) {
  constexpr std::string_view prefix = "jcprof-";
  const std::string program = std::filesystem::path(argc > 0 ? argv[0] : "").filename();
  if (program.starts_with(prefix))
    if (const Verb* verb = verb_named(std::string_view(program).substr(prefix.size())))
      return parsed_as(program, *verb, {argc, argv});
  if (argc > 1)
    if (const Verb* verb = verb_named(argv[1]))
      return parsed_as("jcprof " + verb->name, *verb, {argc - 1, argv + 1});
  const Verb none{
      "",
      "Times code in smart cards, enclaves, trusted applications and programs line by line, from outside.",
      parsed_without_verb};
  return parsed_as("jcprof", none, {argc, argv});
}

}  // namespace jcprof::cli
