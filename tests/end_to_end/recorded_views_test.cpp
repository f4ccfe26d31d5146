// SPDX-License-Identifier: Apache-2.0
// What people see of a recorded run: jcprof annotate and jcprof export behind jcprof record.
#include <algorithm>
#include <regex>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "src/core/file.hpp"
#include "tests/end_to_end/workplace.hpp"

namespace jcprof {
namespace {

using test::Said;
using test::Workplace;

/// A thousand calls of leaf, in work.
struct Recording {
  Workplace files;

  explicit Recording(const std::string& name) : files("recorded-" + name) {
    expect({"gcc", "-O1", "-g", "-pthread", "-finstrument-functions",
            JCPROF_SOURCE_DIR "/tests/end_to_end/recorded/calls.c", "-o", "calls"});
    expect({"jcprof", "record", "-q", "-o", "out", "--", "./calls", "work", "1000"});
  }

  std::string expect(const std::vector<std::string>& argv) const {
    const Said said = files.run(argv);
    INFO(said.err);
    REQUIRE(said.status == 0);
    return said.out;
  }
};

}  // namespace

TEST_CASE("a recorded profile is annotated without a project, its sources beside it") {
  const Recording recording("annotate");
  const std::string out = recording.expect({"jcprof", "annotate", "out/profile.jcprof"});
  CHECK(std::regex_search(out, std::regex("calls on .*: 2002 events of 1 thread\n")));
  CHECK(std::regex_search(out, std::regex(" ×1000 .* leaf +calls\\.c:")));
  const std::string annotated = read_file(recording.files / "out/annotated/calls.c");
  CHECK(std::regex_search(annotated, std::regex("void leaf\\(long i\\) \\{ // [^\n]* ×1000[^\n]*\n")));
  CHECK(std::regex_search(annotated, std::regex("void\\* work\\(void\\* unused\\) \\{ // [^\n]* ×1[; (]")));
}

TEST_CASE("a profile is shown on the terminal, from a file that is not written to") {
  const Recording recording("show");
  const std::string before = read_file(recording.files / "out/profile.jcprof");
  const std::string all = recording.expect({"jcprof", "annotate", "--show", "out/profile.jcprof"});
  CHECK(std::regex_search(all, std::regex("\\n +share +own +calls  call tree\n")));
  CHECK(std::regex_search(all, std::regex(" ×1000 +leaf\n")));
  const std::string source =
      recording.expect({"jcprof", "annotate", "out/profile.jcprof", "--show", "calls.c"});
  CHECK(std::regex_search(source, std::regex(" ×1000 +[0-9]+ \\| .*void leaf\\(long i\\) \\{\n")));
  const Said unknown = recording.files.run({"jcprof", "annotate", "out/profile.jcprof", "--show", "clals.c"});
  CHECK(unknown.status == 2);
  CHECK(unknown.err.ends_with("hint: did you mean \"calls.c\"?\n"));
  CHECK_FALSE(std::filesystem::exists(recording.files / "out/annotated"));
  CHECK(read_file(recording.files / "out/profile.jcprof") == before);
}

TEST_CASE("gprof reads what was recorded, with the exact number of calls") {
  const Recording recording("gmon");
  recording.expect(
      {"jcprof", "export", "out/profile.jcprof", "--format", "gmon", "--elf", "calls", "-o", "gmon.out"});
  const std::string graph = recording.expect({"gprof", "-b", "-q", "calls", "gmon.out"});
  INFO(graph);
  CHECK(std::regex_search(graph, std::regex(" 1000/1000 +work ")));
  CHECK(std::regex_search(graph, std::regex(" 1/1 +_start ")));
}

TEST_CASE("flame graphs are made of what was recorded") {
  const Recording recording("flames");
  const std::string folded =
      recording.expect({"jcprof", "export", "out/profile.jcprof", "--format", "folded"});
  CHECK(std::regex_match(folded,
                         std::regex("thread 1 calls;work \\(calls\\.c:[0-9]+\\) [0-9]+\n"
                                    "thread 1 calls;work \\(calls\\.c:[0-9]+\\);leaf \\(calls\\.c:[0-9]+\\) "
                                    "[0-9]+\n")));
  const auto speedscope = nlohmann::json::parse(
      recording.expect({"jcprof", "export", "out/profile.jcprof", "--format", "speedscope"}));
  CHECK(speedscope.at("profiles").at(0).at("samples").size() == 2);
}

TEST_CASE("all formats of a recording have its total") {
  const Recording recording("formats");
  const auto exported = [&](const std::string& format) {
    return recording.expect({"jcprof", "export", "out/profile.jcprof", "--format", format});
  };
  const nlohmann::json profile = nlohmann::json::parse(exported("json"));
  const double total = profile.at("total").at("value");
  const std::string callgrind = exported("callgrind");
  CHECK(std::stod(callgrind.substr(callgrind.rfind(' '))) == Approx(total).margin(1));
  const nlohmann::json sarif = nlohmann::json::parse(exported("sarif"));
  CHECK(sarif.at("runs").at(0).at("properties").at("total").at("value") == total);
  // A busy machine keeps the thread off its processor, and then no function may be resolved.
  const nlohmann::json& results = sarif.at("runs").at(0).at("results");
  CHECK(results.empty() == std::ranges::none_of(profile.at("functions"), [](const nlohmann::json& function) {
          return function.at("exclusive").at("resolved") == true && function.contains("path");
        }));
  for (const nlohmann::json& result : results)
    CHECK(result.at("locations").at(0).at("physicalLocation").at("artifactLocation") ==
          nlohmann::json::parse(R"({"uri": "calls.c", "uriBaseId": "SRCROOT"})"));
  CHECK(exported("markdown").starts_with("### `calls` on "));
  CHECK(exported("pprof").starts_with("\x1f\x8b"));
}

TEST_CASE("what is binary is not written to a terminal") {
  const Recording recording("binary");
  const std::string jcprof = JCPROF_BIN_DIR "/jcprof export out/profile.jcprof --format pprof";
  const Said refused = recording.files.run({"script", "-qec", jcprof, "/dev/null"});
  CHECK(refused.status == 2);
  CHECK(refused.out == "pprof is binary, and this is a terminal\r\nhint: -o FILE writes it to a file\r\n");
  const Said written = recording.files.run({"script", "-qec", jcprof + " -o profile.pb.gz", "/dev/null"});
  CHECK(written.status == 0);
  CHECK(read_file(recording.files / "profile.pb.gz").starts_with("\x1f\x8b"));
}

TEST_CASE("gmon without a binary is refused") {
  const Recording recording("no-elf");
  const Said said = recording.files.run({"jcprof", "export", "out/profile.jcprof", "--format", "gmon"});
  CHECK(said.status == 2);
  CHECK(said.err == "--format gmon needs --elf FILE\nhint: name the program that you give to gprof\n");
}

}  // namespace jcprof
