// SPDX-License-Identifier: Apache-2.0
// What stock gprof makes of our gmon.out for a program that was really built; its run is made up.
#include "annotator/export/gmon.hpp"

#include <cstdlib>
#include <regex>
#include <sstream>

#include <catch2/catch.hpp>

#include "src/core/file.hpp"
#include "src/core/process.hpp"
#include "tests/annotator/some_recording.hpp"
#include "tests/core/temporary_folder.hpp"

namespace jcprof::annotator {
namespace {

constexpr std::string_view program =
    "int put(int x) { return x * 3; }\n"
    "int count(int x) { int s = 0; for (int i = 0; i < x; i++) s += put(i); return s; }\n"
    "int main(int argc, char** argv) { return count(argc + (argv != 0)); }\n";

class Gprof {
 public:
  explicit Gprof(std::vector<std::string> flags = {}) {
    write_file(folder_ / "words.c", program);
    flags.insert(flags.begin(), {"gcc", "-O0", "words.c", "-o", "words"});
    run(flags);
  }

  std::filesystem::path binary() const { return folder_ / "words"; }

  /// The made-up run, with the addresses that the functions have here.
  RecordedRun recording() {
    RecordedRun recorded = test::some_recording();
    std::istringstream lines(run({"sh", "-c", "nm words | grep -w T"}));
    std::string address;
    std::string kind;
    std::string name;
    while (lines >> address >> kind >> name)
      for (StoredSymbol& symbol : recorded.recording.symbols)
        if (symbol.name == name) {
          symbol.module = binary().string();
          symbol.address = std::stoull(address, nullptr, 16);
        }
    return recorded;
  }

  /// gprof's report with its blanks made one.
  std::string report(const RecordedRun& recorded, const std::string& which) {
    write_file(folder_ / "gmon.out", to_gmon(recorded, read_binary(binary())));
    return std::regex_replace(run({"gprof", "-b", which, "words", "gmon.out"}), std::regex("[ \t]+"), " ");
  }

 private:
  std::string run(const std::vector<std::string>& argv) {
    const ProcessResult result = run_and_wait({.argv = argv, .cwd = folder_.path()},
                                              {.file = folder_ / "log"}, std::chrono::minutes{1});
    const std::string output = read_file(folder_ / "log");
    INFO(output);
    REQUIRE(result.exit_status == 0);
    return output;
  }

  test::TemporaryFolder folder_;
};

bool has(const std::string& text, const std::string& part) {
  INFO(text);
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("gprof prints the exact counts of calls, threads summed, and who made them") {
  Gprof gprof;
  const RecordedRun recorded = gprof.recording();
  const std::string flat = gprof.report(recorded, "-p");
  CHECK(std::regex_search(flat, std::regex(" 100 [0-9.]+ [0-9.]+ put\n")));
  CHECK(std::regex_search(flat, std::regex(" 6 [0-9.]+ [0-9.]+ count\n")));
  CHECK(std::regex_search(flat, std::regex(" 1 [0-9.]+ [0-9.]+ main\n")));
  const std::string graph = gprof.report(recorded, "-q");
  CHECK(std::regex_search(graph, std::regex(" 100/100 count ")));
  CHECK(std::regex_search(graph, std::regex(" 4/6 main ")));
  CHECK(std::regex_search(graph, std::regex(" 2/6 _start ")));
}

TEST_CASE("gprof prints the times, whether they are micro-seconds or days") {
  const double factor = GENERATE(1e3, 1e12);
  Gprof gprof;
  RecordedRun recorded = gprof.recording();
  for (StoredCall& call : recorded.recording.calls) call.exclusive *= factor;
  const std::string flat = gprof.report(recorded, "-p");
  INFO(flat);
  std::map<std::string, double> percent;
  std::istringstream lines(flat);
  std::string line;
  while (std::getline(lines, line)) {
    std::istringstream words(line);
    std::vector<std::string> fields{std::istream_iterator<std::string>(words), {}};
    if (fields.size() > 3 && std::isdigit(fields[0][0]) != 0) percent[fields.back()] = std::stod(fields[0]);
  }
  // Of put, count and main: memcpy lies elsewhere.
  CHECK(percent["put"] == Approx(52.1).margin(0.1));
  CHECK(percent["count"] == Approx(39.2).margin(0.1));
  CHECK(percent["main"] == Approx(8.7).margin(0.1));
}

TEST_CASE("more calls than an arc can count are several arcs") {
  Gprof gprof;
  RecordedRun recorded = gprof.recording();
  recorded.recording.calls[2].count = 10'000'000'000;
  CHECK(has(gprof.report(recorded, "-q"), " 10000000000/10000000000 count "));
}

TEST_CASE("gprof reads it for programs at a fixed address too") {
  Gprof gprof({"-no-pie"});
  CHECK(has(gprof.report(gprof.recording(), "-q"), " 100/100 count "));
}

TEST_CASE("calls into a library are counted, though it has no entry") {
  Gprof gprof({"-shared", "-fPIC"});
  const std::string graph = gprof.report(gprof.recording(), "-q");
  INFO(graph);
  CHECK(std::regex_search(graph, std::regex(" 4/6 main ")));
  CHECK(std::regex_search(graph, std::regex(" 2/6 _init ")));
}

TEST_CASE("cycles are not called seconds") {
  Gprof gprof;
  RecordedRun recorded = gprof.recording();
  recorded.info.unit = ClockUnit::cycles;
  CHECK(has(gprof.report(recorded, "-p"), "Gcycles"));
}

TEST_CASE("a binary is known by its build-id, not by its name") {
  Gprof gprof({"-Wl,--build-id=0xabcdef01"});
  RecordedRun recorded = gprof.recording();
  const Binary binary = read_binary(gprof.binary());
  CHECK(binary.build_id == "abcdef01");
  for (StoredSymbol& symbol : recorded.recording.symbols) {
    symbol.build_id = symbol.name == "memcpy" ? "ffff" : "abcdef01";
    symbol.module = "/moved/words";
  }
  CHECK(has(gprof.report(recorded, "-q"), " 100/100 count "));
}

TEST_CASE("what is no ELF file, or another than was recorded, is refused") {
  const test::TemporaryFolder folder;
  write_file(folder / "words", "#!/bin/sh\n");
  CHECK_THROWS_WITH(read_binary(folder / "words"), Catch::Contains("cannot be read as an ELF file"));
  CHECK_THROWS_WITH(read_binary(folder / "nothing"), Catch::Contains("cannot be read as an ELF file"));
  Gprof gprof;
  CHECK_THROWS_WITH(to_gmon(test::some_recording(), read_binary(gprof.binary())),
                    Catch::Contains("none of the recorded functions is in it"));
}

}  // namespace jcprof::annotator
