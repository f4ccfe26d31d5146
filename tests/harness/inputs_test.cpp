// SPDX-License-Identifier: Apache-2.0
#include "harness/inputs.hpp"

#include <bit>
#include <filesystem>
#include <set>

#include <catch2/catch.hpp>

#include "src/core/error.hpp"
#include "src/core/file.hpp"
#include "src/core/hex.hpp"

using namespace jcprof;
using namespace jcprof::harness;

namespace {

std::vector<std::string> hex_of(const InputSpec& spec, const InputSettings& settings = {}) {
  std::vector<std::string> all;
  for (const StoredInput& input : make_inputs(spec, settings)) {
    CHECK(input.index == all.size());
    all.push_back(to_hex(input.bytes));
  }
  return all;
}

using Hex = std::vector<std::string>;

}  // namespace

TEST_CASE("without inputs there is one, and it is empty") {
  CHECK(hex_of({}) == Hex{""});
}

TEST_CASE("fixed and listed inputs are taken as they are") {
  CHECK(hex_of(FixedInput{"31 32"}) == Hex{"3132"});
  CHECK(hex_of(InputList{{"00", "FF"}}) == Hex{"00", "ff"});
  CHECK_THROWS_WITH(hex_of(FixedInput{"3"}), "input \"3\" is not whole bytes of hex");
  CHECK_THROWS_WITH(hex_of(InputList{}), "\"inputs\" of jcprof.json names none");
}

TEST_CASE("an input file has one input a line, comments and blank lines aside") {
  const std::filesystem::path folder = std::filesystem::temp_directory_path() / "jcprof-inputs-test";
  write_file(folder / "in.txt", "# keys\n0102  # the first\n\n\tAABB\r\n03");
  CHECK(hex_of(InputFile{"in.txt"}, {.root = folder}) == Hex{"0102", "aabb", "03"});
  write_file(folder / "bad.txt", "00\nxy\n");
  CHECK_THROWS_WITH(hex_of(InputFile{"bad.txt"}, {.root = folder}),
                    Catch::Contains("bad.txt:2: input \"xy\""));
  write_file(folder / "none.txt", "# nothing\n");
  CHECK_THROWS_WITH(hex_of(InputFile{"none.txt"}, {.root = folder}), Catch::Contains("no inputs in it"));
  std::filesystem::remove_all(folder);
}

TEST_CASE("a pattern gives distinct inputs that match it, the same ones for the same seed") {
  const Hex drawn = hex_of(InputPattern{"00[0-9A-F]{2} 3[1357]"});
  CHECK(drawn.size() == 16);
  CHECK(std::set<std::string>(drawn.begin(), drawn.end()).size() == 16);
  for (const std::string& hex : drawn) {
    CHECK(hex.size() == 6);
    CHECK(hex.starts_with("00"));
    CHECK(hex[4] == '3');
    CHECK(std::string("1357").find(hex[5]) != std::string::npos);
  }
  CHECK(hex_of(InputPattern{"00[0-9A-F]{2} 3[1357]"}) == drawn);
  CHECK(hex_of(InputPattern{"00[0-9A-F]{2} 3[1357]"}, {.seed = 2}) != drawn);
  CHECK(hex_of(InputPattern{"A{4}"}) == Hex{"aaaa"});
  CHECK(hex_of(InputPattern{"0[01]"}).size() == 2);
}

TEST_CASE("a faulty pattern is refused with its reason") {
  CHECK_THROWS_WITH(hex_of(InputPattern{"0"}), Catch::Contains("it has an odd number of digits"));
  CHECK_THROWS_WITH(hex_of(InputPattern{"[0-9"}), Catch::Contains("a \"]\" is missing"));
  CHECK_THROWS_WITH(hex_of(InputPattern{"[9-0]0"}), Catch::Contains("runs backwards"));
  CHECK_THROWS_WITH(hex_of(InputPattern{"{2}"}), Catch::Contains("repeats nothing"));
  CHECK_THROWS_WITH(hex_of(InputPattern{"0{0}"}), Catch::Contains("out of range"));
  CHECK_THROWS_WITH(hex_of(InputPattern{"0{999999}"}), Catch::Contains("out of range"));
  CHECK_THROWS_WITH(hex_of(InputPattern{"0g"}), Catch::Contains("\"g\" is no hex digit"));
}

TEST_CASE("random inputs have the length asked for") {
  for (const std::string& hex : hex_of(RandomInput{.bytes = 20})) CHECK(hex.size() == 40);
  CHECK(hex_of(RandomInput{.bytes = 0}) == Hex{""});
}

TEST_CASE("classes keep their names and their order") {
  InputClasses classes;
  classes.classes = {{"zero", FixedInput{"00"}}, {"one", InputList{{"01", "02"}}}};
  const std::vector<StoredInput> inputs = make_inputs(std::make_shared<InputClasses>(classes), {});
  REQUIRE(inputs.size() == 3);
  CHECK(inputs[0].input_class == "zero");
  CHECK(inputs[2].input_class == "one");
  CHECK(inputs[2].index == 2);
}

TEST_CASE("a split puts inputs below the median of a property into low") {
  InputSplit split{.by = SplitBy::hamming_weight, .of = InputList{{"00", "FF", "01", "7F"}}};
  std::vector<std::string> classes;
  for (const StoredInput& input : make_inputs(std::make_shared<InputSplit>(split), {}))
    classes.push_back(input.input_class);
  CHECK(classes == Hex{"low", "high", "low", "high"});
  split = {.by = SplitBy::bit_length, .of = InputList{{"0100", "0001", "0080"}}};
  classes.clear();
  for (const StoredInput& input : make_inputs(std::make_shared<InputSplit>(split), {}))
    classes.push_back(input.input_class);
  CHECK(classes == Hex{"high", "low", "high"});
  split = {.by = SplitBy::hamming_weight, .of = InputList{{"01", "02"}}};
  CHECK_THROWS_WITH(make_inputs(std::make_shared<InputSplit>(split), {}),
                    Catch::Contains("all of them have 1 bits set"));
}
