// SPDX-License-Identifier: Apache-2.0
// docs/schemas holds for what is exported.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "annotator/export/exports.hpp"
#include "annotator/record/profile.hpp"
#include "tests/annotator/foreign_reader.hpp"
#include "tests/annotator/some_measured.hpp"
#include "tests/annotator/some_recording.hpp"

namespace jcprof::annotator {
namespace {

/// "valid", or where and why not.
std::string judged(const std::string& document) {
  const test::ForeignReader reader;
  reader.write("profile.json", document);
  reader.write("judge.py", R"(import json, jsonschema, sys
schema = json.load(open(sys.argv[1]))
jsonschema.Draft202012Validator.check_schema(schema)
faults = list(jsonschema.Draft202012Validator(schema).iter_errors(json.load(open("profile.json"))))
print("valid" if not faults else "\n".join(f"{fault.json_path}: {fault.message[:80]}" for fault in faults))
)");
  return reader.says(
      {"/usr/bin/python3", "judge.py", JCPROF_SOURCE_DIR "/docs/schemas/jcprof-profile-1.json"});
}

}  // namespace

TEST_CASE("the schema accepts a measured profile, with intervals that are open too") {
  CHECK(judged(to_json(test::some_measured())) == "valid\n");
  SyntheticDevice device{.map = two_calls()};
  device.path = path_of({1, 2, 3, 4, 8, 9, 6, 7, 5});
  device.costs = {100, 200, 300, 70, 120, 900, 60, 150, 80};
  const Profile young = estimate(device.run(1));
  REQUIRE(std::isinf(young.lines.front().cost.ticks.high));
  CHECK(judged(to_json(young)) == "valid\n");
}

TEST_CASE("the schema accepts a recorded profile") {
  CHECK(judged(to_json(recorded_profile(test::some_recording()))) == "valid\n");
}

TEST_CASE("the schema refuses what is no profile") {
  auto document = nlohmann::json::parse(to_json(test::some_measured()));
  document["version"] = 2;
  document["lines"][0].erase("hits");
  document["functions"][0]["exclusive"]["ticks"]["low"] = "0";
  const std::string faults = judged(document.dump());
  INFO(faults);
  CHECK(faults.find("$.version: 1 was expected\n") != std::string::npos);
  CHECK(faults.find("$.lines[0]: 'hits' is a required property\n") != std::string::npos);
  CHECK(faults.find("$.functions[0].exclusive.ticks.low: '0' is not of type") != std::string::npos);
}

}  // namespace jcprof::annotator
