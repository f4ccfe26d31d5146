// SPDX-License-Identifier: Apache-2.0
#include "src/engine/class_paths.hpp"

#include <algorithm>
#include <initializer_list>
#include <random>

#include <catch2/catch.hpp>

namespace jcprof::engine {
namespace {

std::vector<TrapId> traps(std::initializer_list<std::uint32_t> numbers) {
  std::vector<TrapId> ids;
  for (const std::uint32_t number : numbers) ids.push_back(TrapId{number});
  return ids;
}

TEST_CASE("equal paths do not part") {
  const std::vector<ClassPath> paths(4, {.input_class = 0, .traps = traps({1, 2, 3})});
  CHECK(partings_of(paths, 1).empty());
  CHECK(shared_events(paths) == 3);
}

TEST_CASE("classes that share no way part there, though each has one input") {
  const std::vector<ClassPath> paths{{.input_class = 0, .traps = traps({1, 2, 3})},
                                     {.input_class = 1, .traps = traps({1, 2, 4, 3})}};
  const std::vector<Parting> partings = partings_of(paths, 2);
  REQUIRE(partings.size() == 1);
  CHECK(partings[0].events == 2);
  CHECK(partings[0].last == TrapId{2});
  CHECK(partings[0].is_of_class);
  REQUIRE(partings[0].ways.size() == 2);
  CHECK(partings[0].ways[1].next == TrapId{4});
  CHECK(partings[0].ways[1].inputs == std::vector<std::size_t>{0, 1});
  CHECK(shared_events(paths) == 2);
}

TEST_CASE("a path that ends earlier parts from the others there") {
  const std::vector<ClassPath> paths{{.input_class = 0, .traps = traps({1})},
                                     {.input_class = 1, .traps = traps({1, 2})}};
  const std::vector<Parting> partings = partings_of(paths, 2);
  REQUIRE(partings.size() == 1);
  CHECK(partings[0].ways[0].next == run_to_end);
  CHECK(shared_events(paths) == 1);
  // Nobody knows how a path goes on that was cut.
  std::vector<ClassPath> cut = paths;
  cut[0].is_whole = false;
  CHECK(partings_of(cut, 2).empty());
}

TEST_CASE("inputs of one class that part say nothing of the class") {
  std::vector<ClassPath> paths;
  for (const std::size_t its_class : {0U, 1U})
    for (std::uint32_t i = 0; i < 16; ++i)
      paths.push_back({.input_class = its_class, .traps = traps({1, 2 + i % 2})});
  const std::vector<Parting> partings = partings_of(paths, 2);
  REQUIRE(partings.size() == 1);
  CHECK_FALSE(partings[0].is_of_class);
}

TEST_CASE("classes of many inputs that mostly go another way depend on it") {
  std::vector<ClassPath> paths;
  for (std::uint32_t i = 0; i < 16; ++i) {
    paths.push_back({.input_class = 0, .traps = traps({1, i == 0 ? 3U : 2U})});
    paths.push_back({.input_class = 1, .traps = traps({1, i == 0 ? 2U : 3U})});
  }
  REQUIRE(partings_of(paths, 2).size() == 1);
  CHECK(partings_of(paths, 2)[0].is_of_class);
}

TEST_CASE("classes drawn from one source are not told apart, however many branches their paths have") {
  std::mt19937_64 random(1);
  int told = 0;
  for (int i = 0; i < 100; ++i) {
    std::vector<ClassPath> paths;
    for (std::size_t input = 0; input < 32; ++input) {
      ClassPath path{.input_class = input / 16};
      for (std::uint32_t branch = 0; branch < 6; ++branch)
        path.traps.push_back(TrapId{2 * branch + 1 + static_cast<std::uint32_t>(random() % 2)});
      paths.push_back(std::move(path));
    }
    told += std::ranges::any_of(partings_of(paths, 2), &Parting::is_of_class) ? 1 : 0;
  }
  CHECK(told == 0);
}

TEST_CASE("a path that is cut before the parting does not hide it") {
  const std::vector<ClassPath> paths{{.input_class = 0, .traps = traps({1}), .is_whole = false},
                                     {.input_class = 0, .traps = traps({1, 2, 3, 4})},
                                     {.input_class = 1, .traps = traps({1, 2, 3, 5})}};
  const std::vector<Parting> partings = partings_of(paths, 2);
  REQUIRE(partings.size() == 1);
  CHECK(partings[0].last == TrapId{3});
}

TEST_CASE("a parting behind another one is found if both classes go there") {
  const std::vector<ClassPath> paths{{.input_class = 0, .traps = traps({1, 2, 5})},
                                     {.input_class = 1, .traps = traps({1, 2, 6})},
                                     {.input_class = 0, .traps = traps({1, 3, 7})},
                                     {.input_class = 0, .traps = traps({1, 3, 8})}};
  std::vector<ClassPath> many;
  for (int i = 0; i < 10; ++i) many.insert(many.end(), paths.begin(), paths.end());
  const std::vector<Parting> partings = partings_of(many, 2);
  REQUIRE(partings.size() == 2);
  CHECK(partings[1].events == 2);
  CHECK(partings[1].is_of_class);
  // Two inputs may differ in more than their class.
  CHECK_FALSE(partings_of(paths, 2)[1].is_of_class);
}

}  // namespace
}  // namespace jcprof::engine
