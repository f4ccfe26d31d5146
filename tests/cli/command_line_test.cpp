// SPDX-License-Identifier: Apache-2.0
// What is made of the words of a command line.
#include "programs/command_line.hpp"

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "src/core/file.hpp"
#include "src/core/process.hpp"
#include "src/core/shell_words.hpp"
#include "tests/core/temporary_folder.hpp"

namespace jcprof::cli {
namespace {

Request request_of(std::vector<std::string> words) {
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  return parse_command_line(static_cast<int>(argv.size()), argv.data());
}

template <class Options>
Options options_of(std::vector<std::string> words) {
  const Request request = request_of(std::move(words));
  REQUIRE(std::holds_alternative<Options>(request));
  return std::get<Options>(request);
}

std::string mistake_in(std::vector<std::string> words) {
  try {
    request_of(std::move(words));
  } catch (const UserError& error) {
    CHECK(error.exit_code() == ExitCode::user_mistake);
    return error.what();
  }
  return "none";
}

TEST_CASE("the verb is the first word, or stands in the program's name") {
  CHECK(options_of<RunOptions>({"jcprof", "run", "p", "--rounds", "4"}).rounds == 4);
  CHECK(options_of<RunOptions>({"/usr/bin/jcprof-run", "p", "--rounds", "4"}).rounds == 4);
  CHECK(options_of<AnnotateOptions>({"jcprof-annotate", "run"}).common.project == "run");
}

TEST_CASE("a time line ends behind its beginning") {
  const std::vector<std::string> words{"jcprof", "record", "--timeline", "t.json", "--from", "6ms", "--to"};
  const auto with = [&](const char* to) {
    std::vector<std::string> all = words;
    all.insert(all.end(), {to, "--", "true"});
    return all;
  };
  CHECK_THAT(mistake_in(with("5ms")), Catch::Contains("must be later than --from"));
  CHECK(mistake_in(with("7ms")) == "none");
}

TEST_CASE("without a project the current folder is meant") {
  CHECK(options_of<RunOptions>({"jcprof", "run"}).common.project == ".");
  CHECK(options_of<ProfileOptions>({"jcprof", "profile", "--quiet"}).run.common.project == ".");
  CHECK(options_of<AnnotateOptions>({"jcprof", "annotate"}).common.project == ".");
  // --show takes the word behind it.
  CHECK(options_of<AnnotateOptions>({"jcprof", "annotate", "--show", "p"}).common.project.empty());
  CHECK(options_of<ExportOptions>({"jcprof", "export", "--format", "pprof"}).projects.empty());
  CHECK(options_of<QueryOptions>({"jcprof", "query", "SELECT 1"}).words.size() == 1);
  CHECK_THROWS_AS(request_of({"jcprof", "query"}), UserError);
}

TEST_CASE("profile takes each option of run, and is as strict") {
  const auto options = options_of<ProfileOptions>(
      {"jcprof", "profile", "p", "--fresh", "--max-time", "2m", "--zoom", "3", "--json", "--no-refine"});
  CHECK(options.run.fresh);
  CHECK(options.run.max_time_ms == 120'000);
  CHECK(options.run.zoom_percent == 3.0);
  CHECK(options.run.common.json);
  CHECK(options.refine == RefineWish::never);
  CHECK_THROWS_AS(request_of({"jcprof", "profile", "p", "--rounds", "0"}), UserError);
  CHECK(mistake_in({"jcprof", "profile", "p", "q"}) ==
        "\"q\" is one argument too many\nhint: `jcprof profile --help` shows how it is called");
}

TEST_CASE("a scope for gen may name nothing") {
  const auto options = options_of<GenOptions>({"jcprof-gen", "p", "--include", "a*", "--include", ""});
  CHECK(options.include == std::vector<std::string>{"a*", ""});
  CHECK(options.common.project == "p");
}

TEST_CASE("words behind the options of record are the command, whatever they are") {
  const auto options =
      options_of<RecordOptions>({"jcprof-record", "-q", "--memory", "1M", "--", "make", "-o", "run"});
  CHECK(options.command == std::vector<std::string>{"make", "-o", "run"});
  CHECK(options.quiet);
  CHECK(options.log.memory == std::uint64_t{1} << 20U);
  CHECK_THROWS_AS(request_of({"jcprof", "record", "--clock", "sun", "--", "x"}), UserError);
}

TEST_CASE("times of a time line keep all digits, and need a unit") {
  const auto from_ns = [](const std::string& time) {
    return options_of<RecordOptions>(
               {"jcprof", "record", "--timeline", "f", "--from", time, "--analyze", "x.jcplog"})
        .timeline.from_ns;
  };
  CHECK(from_ns("1234.567891ms") == 1234567891);
  CHECK(from_ns("1.5s") == 1.5e9);
  CHECK(from_ns("0us") == 0);
  for (const char* wrong : {"5", "-5ms", "5 parsecs", "ms", "nanms"})
    CHECK_THROWS_WITH(from_ns(wrong), Catch::Contains("is no time such as 1.5s"));
}

TEST_CASE("an unknown option is named first, with the nearest known one") {
  CHECK(mistake_in({"jcprof", "run", "--round", "5"}) ==
        "jcprof run has no option \"--round\"\nhint: did you mean \"--rounds\"?");
  CHECK(mistake_in({"jcprof-run", ".", "--max-tim=5s"}) ==
        "jcprof-run has no option \"--max-tim=5s\"\nhint: did you mean \"--max-time\"?");
  CHECK(mistake_in({"jcprof", "gen", ".", "--nothing-like-it"}) ==
        "jcprof gen has no option \"--nothing-like-it\"\nhint: `jcprof gen --help` lists the options");
  // Hidden options are not proposed.
  CHECK_THAT(mistake_in({"jcprof", "gen", ".", "--exclud"}), Catch::EndsWith("lists the options"));
  CHECK(mistake_in({"jcprof", "record", "--memry", "1M", "--", "x"}) ==
        "jcprof record has no option \"--memry\"\nhint: did you mean \"--memory\"?");
  CHECK_THAT(mistake_in({"jcprof", "record", "--memory", "x", "--", "prog", "-v"}),
             !Catch::Contains("no option"));
}

TEST_CASE("a name that an option does not know is refused with the nearest one") {
  CHECK(mistake_in({"jcprof", "annotate", ".", "--color", "alway"}) ==
        "--color: \"alway\" is none of auto, always, never; did you mean \"always\"?\n"
        "hint: `jcprof annotate --help` shows how it is called");
  CHECK(options_of<AnnotateOptions>({"jcprof", "annotate", ".", "--color", "never"}).common.colour ==
        ColourWish::never);
  CHECK(options_of<ExportOptions>({"jcprof", "export", "p", "--format", "gmon"}).format ==
        ExportFormat::gmon);
}

TEST_CASE("a folder in place of a verb is a project to profile") {
  const test::TemporaryFolder folder;
  CHECK_THAT(mistake_in({"jcprof", folder.path().string()}),
             Catch::Contains("did you mean `jcprof profile /"));
  CHECK_THAT(mistake_in({"jcprof", "nothing-here"}), Catch::EndsWith("jcprof --help lists the verbs"));
}

bool wants_json(std::vector<std::string> words) {
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  return error_form(static_cast<int>(argv.size()), argv.data()) == ErrorForm::json;
}

TEST_CASE("mistakes are JSON under --json, but not in a command that is recorded") {
  CHECK(wants_json({"jcprof", "run", "--round", "--json"}));
  CHECK_FALSE(wants_json({"jcprof", "record", "--", "prog", "--json"}));
  CHECK_FALSE(wants_json({"jcprof", "run", "."}));
}

std::string output_of(const std::vector<std::string>& argv) {
  const ProcessResult result = run_and_wait({.argv = argv, .cwd = "/"}, {}, std::chrono::seconds{20});
  CHECK(result.exit_status == 0);
  return result.tail;
}

/// Those behind "Examples:", without the remark of each.
std::vector<std::string> examples_in(const std::string& help) {
  std::istringstream lines(help.substr(help.find("\nExamples:\n") + 11));
  std::vector<std::string> examples;
  for (std::string line; std::getline(lines, line);) {
    REQUIRE(line.starts_with("  jcprof "));
    line.erase(0, 2);
    examples.push_back(line.substr(0, line.find("  ")));
  }
  return examples;
}

TEST_CASE("the text of --help has 80 columns of ASCII, and ends with examples that are command lines") {
  const test::TemporaryFolder folder;
  const std::filesystem::path before = std::filesystem::current_path();
  for (const char* source : {"src", "jcprof-out/tree"}) std::filesystem::create_directories(folder / source);
  write_file(folder / "sort.c", "");
  std::vector<std::string> verbs{""};
  for (const char* verb : {"init", "gen", "run", "annotate", "profile", "record", "import", "export", "query",
                           "diff", "check", "fleet", "history", "leak", "layers", "doctor", "strip"})
    verbs.emplace_back(verb);
  for (const std::string& verb : verbs) {
    INFO(verb);
    std::vector<std::string> argv{JCPROF_BIN_DIR "/jcprof"};
    if (!verb.empty()) argv.push_back(verb);
    argv.emplace_back("--help");
    const std::string help = output_of(argv);
    CHECK(std::ranges::all_of(help, [](char c) { return c == '\n' || (c >= ' ' && c <= '~'); }));
    std::istringstream lines(help);
    for (std::string line; std::getline(lines, line);) CHECK(line.size() <= 80);
    const std::vector<std::string> examples = examples_in(help);
    CHECK(examples.size() >= 2);
    std::filesystem::current_path(folder.path());
    for (const std::string& example : examples) {
      INFO(example);
      CHECK_FALSE(std::holds_alternative<ExitCode>(request_of(split_command(example).words)));
    }
    std::filesystem::current_path(before);
  }
}

}  // namespace
}  // namespace jcprof::cli
