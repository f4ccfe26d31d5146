// SPDX-License-Identifier: Apache-2.0
// What is made of the words of a command line.
#include "programs/command_line.hpp"

#include <catch2/catch.hpp>

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

TEST_CASE("the verb is the first word, or stands in the program's name") {
  CHECK(options_of<RunOptions>({"jcprof", "run", "p", "--rounds", "4"}).rounds == 4);
  CHECK(options_of<RunOptions>({"/usr/bin/jcprof-run", "p", "--rounds", "4"}).rounds == 4);
  CHECK(options_of<AnnotateOptions>({"jcprof-annotate", "run"}).common.project == "run");
  CHECK(std::get<ExitCode>(request_of({"jcprof", "run"})) == ExitCode::user_mistake);
}

TEST_CASE("profile takes each option of run, and is as strict") {
  const auto options = options_of<ProfileOptions>(
      {"jcprof", "profile", "p", "--fresh", "--max-time", "2m", "--zoom", "3", "--json", "--no-refine"});
  CHECK(options.run.fresh);
  CHECK(options.run.max_time_ms == 120'000);
  CHECK(options.run.zoom_percent == 3.0);
  CHECK(options.run.common.json);
  CHECK(options.refine == RefineWish::never);
  CHECK(std::get<ExitCode>(request_of({"jcprof", "profile", "p", "--rounds", "0"})) ==
        ExitCode::user_mistake);
  CHECK(std::get<ExitCode>(request_of({"jcprof", "profile", "p", "q"})) == ExitCode::user_mistake);
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

}  // namespace
}  // namespace jcprof::cli
