// SPDX-License-Identifier: Apache-2.0
// examples/javacard-torture as it is: the trigger of its project file, and what jcprof-gen makes of its
// sources.
#include <algorithm>
#include <vector>

#include <catch2/catch.hpp>

#include "src/core/file.hpp"
#include "tests/end_to_end/torture.hpp"

namespace jcprof {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using test::Said;
using test::Torture;
using test::Workplace;

TEST_CASE("the three commands of javacard-torture have their work where its sources say") {
  Torture(json::object())
      .does({.works = {{"attempt", {1, 1, 1}}, {"heavy finally", {2}}, {"rare branch", {2}}},
             .functions = {{"Exceptions.attempt", 3, 3, 3}, {"Loops.rarely", 1, 2, 2}}});
}

TEST_CASE("a catch in a function that has no traps of its own swallows no stop either") {
  const Workplace place("untrapped");
  const fs::path project = place.example("javacard-torture");
  test::replace_in(project / "jcprof.json", R"(["Work.*"])", R"(["Work.*", "Exceptions.retriesForever"])");
  test::replace_in(project / "jcprof.json", R"(["B010040000", "B010060000", "B020040000"])",
                   R"("B010050000")");
  const Said said =
      place.run({"jcprof", "profile", project.string(), "--rounds", "14", "--json", "--no-refine"});
  INFO(said.err);
  REQUIRE(said.status == 0);
  const std::string profile = (project / "jcprof-out/profile.jcprof").string();
  CHECK(test::value_of(profile, "SELECT calls FROM function WHERE function = 'Exceptions.attempt'") == "3");
  CHECK(test::value_of(profile,
                       "SELECT count(*) FROM function WHERE function = 'Exceptions.retriesForever'") == "0");
  CHECK(test::value_of(profile, "SELECT count(*) FROM sample WHERE trap > 0 AND outcome <> 'stopped'") ==
        "0");
}

TEST_CASE("sources keep every byte and every line, whatever constructs are in them") {
  const Workplace place("bytes");
  const fs::path project = place.example("javacard-torture");
  REQUIRE(place.run({"jcprof-gen", project.string()}).status == 0);
  const fs::path tree = project / "jcprof-out/tree";
  const fs::path original = fs::path(JCPROF_SOURCE_DIR) / "examples/javacard-torture";
  const auto lines = [](const std::string& text) { return std::ranges::count(text, '\n'); };
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(original / "src"))
    if (entry.is_regular_file()) files.push_back(fs::relative(entry.path(), original));
  CHECK(files.size() == 7);
  for (const fs::path& file : files) {
    CHECK(read_file(project / file) == read_file(original / file));
    CHECK(lines(read_file(tree / file)) == lines(read_file(original / file)));
  }
  // All but Work.java, which has no trap, and with the two classes of the runtime, which go.
  CHECK(place.run({"jcprof", "strip", tree.string()}).out == "8 files changed\n");
  for (const fs::path& file : files) CHECK(read_file(tree / file) == read_file(original / file));
}

}  // namespace
}  // namespace jcprof
