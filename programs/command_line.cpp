// SPDX-License-Identifier: Apache-2.0
#include "programs/command_line.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "programs/help.hpp"
#include "programs/verb_options.hpp"
#include "src/core/text.hpp"

namespace jcprof::cli {
namespace {

/// The first is the name of the program or of the verb.
struct Words {
  int count;
  char** first;
};

template <class Options>
Request parsed(CLI::App& app, const Words& words) {
  Options options;
  add_options(app, options);
  app.parse(words.count, words.first);
  return options;
}

std::string with_contradictions(const std::string& about) {
  return about + "\nThe exit status is 4 if measurements contradict each other (docs/formats.md).";
}

constexpr const char* about_record =
    R"(Runs a program once, and writes down each call, line and mark.

Compile the program with -finstrument-functions (gcc or clang), or with the
traps of jcprof gen --record and -DJCPROF_RECORD. It runs as if you had started
it by hand: input, output and terminal are its own, and Ctrl-C goes to it.
jcprof ends with its exit status. Processes that it leaves behind are no longer
recorded.

The result is DIR/record.jcplog with all events, and DIR/profile.jcprof for
jcprof query, annotate and export. SIGUSR1 to jcprof record pauses the
recording, and SIGUSR2 resumes it.)";

struct Verb {
  std::string name;
  std::string description;  // in the list of verbs
  Request (*parse)(CLI::App& app, const Words& words);
  std::string about;     // in its own help
  std::string examples;  // each in a line, with a remark behind two blanks or more
};

const std::array<Verb, 17> verbs{{
    {"init", "write a first project file for a source tree", parsed<InitOptions>,
     "Looks at a source tree, writes a commented jcprof.json, and tries it.",
     R"(  jcprof init                              for the current folder
  jcprof init src --entry main             if there are several programs
  jcprof init --yes --no-try               ask nothing, run nothing
)"},
    {"gen", "put traps into a copy of the sources", parsed<GenOptions>,
     "Puts numbered traps into a copy of a project's sources.",
     R"(  jcprof gen .                             write jcprof-out/tree
  jcprof gen . --why                       list the places without a trap
  jcprof gen . --record                    traps for jcprof record
)"},
    {"run", "measure, stopped at one trap at a time", parsed<RunOptions>,
     with_contradictions("Measures the command of a project, stopped at one trap at a time."),
     R"(  jcprof run .                             until all lines are known
  jcprof run . --max-time 10m              for ten minutes at most
  jcprof run . --rounds 12 --fresh         take a quick look, from the start
  jcprof run . --interleave ../old         three sessions each of two builds
)"},
    {"annotate", "write the times beside the source lines", parsed<AnnotateOptions>,
     with_contradictions("Writes the measured times beside the source lines, and a report."),
     R"(  jcprof annotate .                        tables, annotated/, report.html
  jcprof annotate . --show sort.c:30       one line, in the terminal
  jcprof annotate . --against old.jcprof   what changed since old.jcprof
)"},
    {"profile", "do it all: gen, build, install, run, annotate", parsed<ProfileOptions>,
     with_contradictions("Does it all in one go: gen, build, install, run and annotate."),
     R"(  jcprof profile .                         the project in this folder
  jcprof profile . --max-time 2m           measure for two minutes at most
  jcprof profile . --dry-run               print the commands, run none
)"},
    {"record", "run a program once, and write down each call", parsed<RecordOptions>, about_record,
     R"(  jcprof record -- ./words a.txt           a program with hooks
  jcprof record --project .                the trigger of a project
  jcprof record --analyze out/record.jcplog --timeline calls.json
)"},
    {"import", "read the profile of another tool", parsed<ImportOptions>,
     "Reads the profile of another tool, for all other verbs: DIR/profile.jcprof.\n"
     "The file itself tells its format (docs/import.md).",
     R"(  jcprof import callgrind.out.4711         valgrind --tool=callgrind
  jcprof import measurements.csv -o old    JCProfilerNext
)"},
    {"export", "write a profile as JSON, CSV, flame graph or other", parsed<ExportOptions>,
     "Writes a profile in another format.",
     R"(  jcprof export . --format csv -o lines.csv
  jcprof export . --format folded          for flamegraph.pl
  jcprof export old.jcprof --format markdown
  jcprof export */profile.jcprof --format parquet -o fleet
)"},
    {"query", "run an SQL query over profiles", parsed<QueryOptions>,
     "Runs one SQL query over one or more profiles.",
     R"(  jcprof query . "SELECT * FROM line LIMIT 10"
  jcprof query --json a.jcprof b.jcprof "SELECT profile, function FROM function"
)"},
    {"diff", "say what changed between two versions", parsed<DiffOptions>,
     "Compares two versions, line by line and as a whole.\nThe exit status is 1 if anything is slower "
     "(docs/compare.md).",
     R"(  jcprof diff old.jcprof .                 with the newest profile here
  jcprof diff before after                 two folders with sessions
  jcprof diff old.jcprof . --markdown      for a pull request
)"},
    {"check", "say whether a profile keeps its budgets", parsed<CheckOptions>,
     "Compares a profile with budgets.\nThe exit status is 1 if one is broken, else 4 if one is "
     "unresolved (docs/ci.md).",
     R"(  jcprof check .                           the budgets of jcprof-budget.json
  jcprof check . --budget 'PinApplet.verify <= 40ms'
  jcprof check . --against base.jcprof --max-regression 3
  jcprof check . --history timing.jcphist --label 3f2a91c
)"},
    {"fleet", "say which of several devices differ", parsed<FleetOptions>,
     "Compares devices that jcprof run --devices measured.\nThe exit status is 1 if one differs from the "
     "others, else 4 if there are too few\n(docs/fleet.md).",
     R"(  jcprof fleet .                           the devices of the project here
  jcprof fleet cards/fleet.json --markdown
  jcprof fleet . --json
)"},
    {"history", "show what was measured over time", parsed<HistoryOptions>,
     "Shows what jcprof check measured over time, and where it changed.",
     R"(  jcprof history timing.jcphist            tables in the terminal
  jcprof history timing.jcphist --html timing.html
)"},
    {"leak", "say where time depends on a secret", parsed<LeakOptions>,
     "Builds a project, and finds the line from which on its time depends on the class\nof the input. The "
     "exit status is 1 if there is a leak, 4 if it is unresolved\n(docs/leak.md).",
     R"(  jcprof leak .                            the classes of jcprof.json
  jcprof leak . --sweep                    all along the path
  jcprof leak . --max-time 10m             for ten minutes at most
)"},
    {"layers", "split the round trip to a trusted application", parsed<LayersOptions>,
     "Splits the time of a round trip to a trusted application into layers.",
     R"(  jcprof layers .                          the project in this folder
  jcprof layers hello.ts --hz 1.5e9        timestamps of OP-TEE's benchmark
)"},
    {"doctor", "check this machine and a project", parsed<DoctorOptions>,
     "Checks readers, tools and clock, then tries the project step by step.",
     R"(  jcprof doctor .                          what is missing, what fails
  jcprof doctor . --selftest               how fine a difference is seen
  jcprof doctor . --agent "python3 agent.py"
)"},
    {"strip", "take the traps out of sources again", parsed<StripOptions>,
     "Takes the traps out of sources again.",
     R"(  jcprof strip jcprof-out/tree             turn a tree back into sources
  jcprof strip sort.c                      one file
)"},
}};

const Verb* verb_named(std::string_view name) {
  const auto verb = std::ranges::find(verbs, name, &Verb::name);
  return verb == verbs.end() ? nullptr : &*verb;
}

void refuse_unknown_verb(std::string_view word) {
  if (word.starts_with('-')) return;
  std::vector<std::string> names;
  for (const Verb& verb : verbs) names.push_back(verb.name);
  std::string hint = did_you_mean(word, names);
  std::error_code unreadable;
  if (hint.empty())
    hint = std::filesystem::exists(word, unreadable) ? fmt::format("did you mean `jcprof profile {}`?", word)
                                                     : "jcprof --help lists the verbs";
  throw UserError(Fault{.message = fmt::format("unknown verb \"{}\"", word), .hint = hint});
}

/// Without a verb there is nothing but the list of verbs, the version, or a mistake.
Request parsed_without_verb(CLI::App& app, const Words& words) {
  app.require_subcommand(1);
  for (const Verb& verb : verbs) app.add_subcommand(verb.name, verb.description);
  if (words.count < 2)
    throw UserError(Fault{.message = "a verb is required", .hint = "jcprof --help lists them"});
  refuse_unknown_verb(words.first[1]);
  app.parse(words.count, words.first);
  throw CLI::RequiredError("a verb");
}

Request parsed_as(const std::string& name, const Verb& verb, const Words& words) {
  CLI::App app{verb.about, name};
  set_up_help(app, verb.examples);
  app.set_version_flag("--version", "jcprof " JCPROF_VERSION, "print the version");
  try {
    return verb.parse(app, words);
  } catch (const CLI::Success& asked) {
    app.exit(asked);  // prints help or version
    return ExitCode::done;
  } catch (const CLI::ParseError& error) {
    throw UserError(fault_of(app, error));
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
  const Verb none{"", "", parsed_without_verb,
                  "Times code in smart cards, enclaves, trusted applications and programs\n"
                  "line by line, from outside.",
                  R"(  jcprof init                              write a project file, once
  jcprof profile .                         build, measure, write the report
  jcprof annotate . --show                 look at the result
)"};
  return parsed_as("jcprof", none, {argc, argv});
}

ErrorForm error_form(int argc, char** argv) {
  const std::span<char*> words(argv, static_cast<std::size_t>(argc));
  for (const std::string_view word : words) {
    if (word == "--") break;  // a command of the user's
    if (word == "--json") return ErrorForm::json;
  }
  return ErrorForm::text;
}

}  // namespace jcprof::cli
