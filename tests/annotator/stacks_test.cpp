// SPDX-License-Identifier: Apache-2.0
#include "annotator/stacks.hpp"

#include <sstream>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "src/core/file.hpp"
#include "src/core/process.hpp"
#include "tests/annotator/some_recording.hpp"
#include "tests/core/temporary_folder.hpp"

namespace jcprof::annotator {

TEST_CASE("folded stacks begin with the thread and sum to the total") {
  const std::string text = to_folded(test::some_recording().recording);
  CHECK(text ==
        "thread 1 words;main (words.c:20) 100\n"
        "thread 1 words;main (words.c:20);count (words.c:5) 301\n"
        "thread 1 words;main (words.c:20);count (words.c:5);put (words.c:1) 599\n"
        "thread 2;count (words.c:5) 150\n"
        "thread 2;count (words.c:5);memcpy 51\n");
  std::istringstream lines(text);
  std::string line;
  int total = 0;
  while (std::getline(lines, line)) total += std::stoi(line.substr(line.rfind(' ')));
  CHECK(total == 1201);
}

TEST_CASE("a name with a semicolon stays one frame of a folded stack") {
  StoredRecording recording = test::some_recording().recording;
  recording.symbols[1].name = "a;b\nc";
  CHECK(to_folded(recording).starts_with("thread 1 words;a_b_c (words.c:20) 100\n"));
}

TEST_CASE("a recursion of a hundred thousand frames can be exported") {
  StoredRecording recording = test::some_recording().recording;
  recording.calls.clear();
  constexpr std::uint32_t depth = 100'000;
  for (std::uint32_t i = 1; i <= depth; ++i)
    recording.calls.push_back({.id = i,
                               .parent = i - 1,
                               .thread = 1,
                               .symbol = 1,
                               .count = 1,
                               .exclusive = i == depth ? 1.0 : 0.0});
  const std::string text = to_folded(recording);
  CHECK(std::ranges::count(text, ';') == depth);
}

TEST_CASE("speedscope has a profile a thread, its samples weigh what the nodes took") {
  const nlohmann::json document = nlohmann::json::parse(to_speedscope(test::some_recording()));
  REQUIRE(document["profiles"].size() == 2);
  const nlohmann::json& first = document["profiles"][0];
  CHECK(first["name"] == "thread 1 words");
  CHECK(first["unit"] == "nanoseconds");
  CHECK(first["samples"] == nlohmann::json::parse("[[1], [1, 2], [1, 2, 3]]"));
  CHECK(first["weights"] == nlohmann::json::parse("[100.4, 300.4, 599.6]"));
  CHECK(first["endValue"].get<double>() == Approx(1000.4));
  CHECK(document["shared"]["frames"][3] ==
        nlohmann::json::parse(R"({"name": "put", "file": "/src/words.c", "line": 1})"));
}

TEST_CASE("speedscope's own schema accepts the file") {
  const test::TemporaryFolder folder;
  const std::filesystem::path package(JCPROF_SPEEDSCOPE);
  REQUIRE(std::filesystem::exists(package));
  write_file(folder / "words.speedscope.json", to_speedscope(test::some_recording()));
  write_file(folder / "check.py", R"(import json, jsonschema, sys, tarfile
schema = json.load(tarfile.open(sys.argv[1]).extractfile("package/dist/release/file-format-schema.json"))
document = json.load(open("words.speedscope.json"))
jsonschema.validate(document, schema)
del document["shared"]["frames"][1]["name"]
try:
    jsonschema.validate(document, schema)
except jsonschema.ValidationError:
    print("accepted, and refused without a name")
)");
  const ProcessResult result =
      run_and_wait({.argv = {"/usr/bin/python3", "check.py", package.string()}, .cwd = folder.path()}, {},
                   std::chrono::minutes{1});
  CHECK(result.tail == "accepted, and refused without a name\n");
  CHECK(result.exit_status == 0);
}

}  // namespace jcprof::annotator
