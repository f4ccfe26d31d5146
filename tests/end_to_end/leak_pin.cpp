// SPDX-License-Identifier: Apache-2.0
#include "tests/end_to_end/leak_pin.hpp"

#include <map>

#include <catch2/catch.hpp>

namespace jcprof::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

std::string in_words(const json& place) {
  return place.value("path", "") + ": " + place.value("function", "") + "\n";
}

}  // namespace

fs::path leak_pin(const Workplace& place) {
  place.copied("examples/c-sort");  // its agent
  return place.copied("examples/leak-pin");
}

json leak_of(const Workplace& place, const fs::path& example, const std::string& name) {
  const Said said = place.run({"jcprof", "leak", (example / (name + ".json")).string(), "--json"});
  INFO(said.out << said.err);
  const json findings = json::parse(said.out);
  const std::map<std::string, int> statuses{{"leak", 1}, {"none", 0}, {"unresolved", 4}};
  REQUIRE(said.status == statuses.at(findings["verdict"].get<std::string>()));
  return findings;
}

std::string branches_of(const json& findings) {
  std::string text;
  for (const json& parting : findings["partings"])
    if (parting["of_class"] == true) text += in_words(parting["behind"]);
  return text;
}

std::string blocks_of(const json& findings) {
  std::string text;
  for (const json& pair : findings["pairs"])
    for (const json& block : pair["blocks"])
      if (block["confirmed"] == true) text += in_words(block);
  return text;
}

}  // namespace jcprof::test
