// SPDX-License-Identifier: Apache-2.0
// jcprof import, and the verbs that take what it wrote.
#include <chrono>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include "src/core/file.hpp"
#include "src/core/process.hpp"
#include "src/core/store.hpp"
#include "tests/core/temporary_folder.hpp"

namespace jcprof {
namespace {

struct Said {
  int status = 0;
  std::string text;  // both of its streams
};

class Bench {
 public:
  Bench() {
    write(7, "a.cg");
    write(8, "b.cg");
  }
  /// `own`: instructions of f.
  void write(int own, const std::string& name) const {
    write_file(folder_ / name,
               "creator: test-1\ncmd: ./words\nevents: Ir\nfl=a.c\nfn=main\n3 5\ncfn=f\ncalls=2 1\n4 " +
                   std::to_string(own) + "\nfn=f\n1 " + std::to_string(own) +
                   "\ntotals: " + std::to_string(5 + own) + "\n");
  }
  Said run(std::vector<std::string> words) const {
    words.insert(words.begin(), JCPROF_BIN_DIR "/jcprof");
    const ProcessResult result = run_and_wait({.argv = std::move(words), .cwd = folder_.path()},
                                              {.file = folder_ / "log"}, std::chrono::minutes{1});
    return {.status = result.exit_status, .text = read_file(folder_ / "log")};
  }
  std::filesystem::path operator/(const std::string& name) const { return folder_ / name; }

 private:
  test::TemporaryFolder folder_;
};

}  // namespace

TEST_CASE("what jcprof import writes is shown, queried, exported, checked and compared") {
  const Bench bench;
  for (const char* name : {"a", "b"}) {
    const Said said = bench.run({"import", std::string(name) + ".cg", "-o", name});
    INFO(said.text);
    CHECK(said.status == 0);
    CHECK_THAT(said.text, Catch::Contains("profile: ") && !Catch::Contains("warning"));
  }
  const Said shown = bench.run({"annotate", "a/profile.jcprof", "--show"});
  CHECK_THAT(shown.text, Catch::StartsWith("words, imported from a.cg of test-1: functions\n") &&
                             Catch::Contains("thread 1 without a call tree"));
  CHECK_THAT(bench.run({"query", "a", "SELECT caller, callee, calls, inclusive FROM caller"}).text,
             Catch::Contains("main    f       2      7.0"));
  CHECK_THAT(bench.run({"export", "a/profile.jcprof", "--format", "json"}).text,
             Catch::Contains(R"("transport": "import:a.cg")") && Catch::Contains(R"("agent": "test-1")"));
  CHECK(bench.run({"check", "a", "--budget", "total <= 12 instructions"}).status == 0);
  CHECK(bench.run({"check", "b", "--budget", "total <= 12 instructions"}).status == 1);
  const Said compared = bench.run({"diff", "a", "b"});
  CHECK(compared.status == 1);
  CHECK_THAT(compared.text, Catch::Contains("functions: 1 slower, 1 same"));
  CHECK(bench.run({"annotate", "a/profile.jcprof"}).status == 0);
  CHECK_THAT(read_file(bench / "a/report.html"), Catch::Contains(R"("arcs":[[)"));
}

TEST_CASE("jcprof import keeps what jcprof measured, and refuses what it does not know") {
  const Bench bench;
  CHECK(bench.run({"import", "a.cg", "-q", "-o", "mine"}).status == 0);
  {
    Store store(bench / "mine/profile.jcprof", OpenMode::read_write);
    store.begin_run({.started = "2026-01-02T03:04:05Z", .transport = "vpcd:"}, {}, {});
    store.close();
  }
  const Said refused = bench.run({"import", "a.cg", "-o", "mine"});
  CHECK(refused.status == 2);
  CHECK_THAT(refused.text, Catch::Contains("holds what jcprof measured"));
  CHECK(bench.run({"import", "a.cg", "-q", "-o", "again"}).text.empty());
  CHECK(bench.run({"import", "b.cg", "-q", "-o", "again"}).status == 0);
  write_file(bench / "x.txt", "hello\n");
  const Said unknown = bench.run({"import", "x.txt"});
  CHECK(unknown.status == 2);
  CHECK(unknown.text ==
        "x.txt: this is no profile in a format that jcprof knows\nhint: docs/import.md lists the formats\n");
  CHECK(!std::filesystem::exists(bench / "jcprof-out"));
}

TEST_CASE("sources of JCProfilerNext are found beside a file that is named without a folder") {
  const Bench bench;
  write_file(bench / "m.csv", "# mode,type#signature,ATR\ntime,a.P#f(),3B\n00,01\nT_1,5,6\nT_2,7,8\n");
  std::filesystem::create_directory(bench / "sources_instr");
  write_file(bench / "sources_instr/P.java", "\nPM.check(PMC.T_1);\nPM.check(PMC.T_2);\n");
  const Said said = bench.run({"import", "m.csv", "-o", "m"});
  INFO(said.text);
  CHECK(said.status == 0);
  CHECK_THAT(bench.run({"query", "m", "SELECT path FROM trap"}).text,
             Catch::Contains("sources_instr/P.java"));
}

}  // namespace jcprof
