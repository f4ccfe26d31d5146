// SPDX-License-Identifier: Apache-2.0
#include "annotator/memory.hpp"

#include <catch2/catch.hpp>

#include "tests/annotator/trap_maps.hpp"

namespace jcprof::annotator {
namespace {

using enum TrapKind;

/// 1 p(): 2 entry | 10 a = f(); | 11 b;      f: 20 entry  21 c;  21 exit
TrapMap caller_and_callee() {
  return MapMaker()
      .trap(entry0, "p", 9)
      .trap(entry, "p", 9)
      .trap(before, "p", 10)
      .trap(before, "p", 11)
      .trap(entry, "f", 20)
      .trap(before, "f", 21)
      .trap(exit, "f", 22)
      .map();
}

const std::vector<std::uint32_t> whole_path{1, 2, 3, 5, 6, 7, 4};

MemoryProfile profile_of(const MemoryLog& log, const std::vector<FreeMemory>& later = {}) {
  return memory_profile(caller_and_callee(), path_of(whole_path), log, later);
}

constexpr TableStyle wide{.width = 100};

TEST_CASE("memory belongs to the line that runs when it goes, and all of it sums to the total") {
  const MemoryProfile profile = profile_of({.before = {1000, 500, 900},
                                            .after = {1000, 484, 836},
                                            .changes = {{.event = 0, .free = {1000, 498, 900}},
                                                        {.event = 5, .free = {1000, 498, 836}},
                                                        {.event = 6, .free = {992, 498, 836}}},
                                            .is_cut = false},
                                           std::vector<FreeMemory>(later_commands, {1000, 484, 836}));
  CHECK(memory_table(profile, wide) ==
        "bytes of memory that the first command took\n\n"
        "line          function  hits  persistent  transient-reset  transient-deselect\n"
        "A.java:10     p            1           8\n"
        "A.java:11     p            1          -8               14\n"
        "A.java:21     f            1                                               64\n"
        "unattributed                                            2\n"
        "total                                                  16                  64\n"
        "free before                         1000              500                 900\n"
        "free after                          1000              484                 836\n");
  CHECK(memory_comment(profile.lines.at(1)) == "// -8 bytes persistent, 14 bytes transient-reset");
}

TEST_CASE("more free memory than a card can tell is never a number that may be wrong") {
  const MemoryProfile profile = profile_of({.before = {32767, 32767, 100},
                                            .after = {32767, 32000, 32767},
                                            .changes = {{.event = 5, .free = {32767, 32700, 100}}},
                                            .is_cut = false});
  CHECK(memory_comment(profile.lines.at(1)) == "// >= 67 bytes transient-reset");
  CHECK(memory_comment(profile.lines.at(0)) ==
        "// 700 bytes transient-reset, <= -32667 bytes transient-deselect");
  CHECK(in_words(profile.total.at(0)) == "?");
  CHECK(in_words(profile.total.at(1)) == ">= 767");
  CHECK(free_in_words(profile.before.at(0)) == ">= 32767");
  CHECK(memory_warnings(profile).size() == 3);
}

TEST_CASE("a line that runs while more is free than a card can tell is not known, whatever it shows later") {
  // Line 21 takes 100 out of sight, then line 11 goes below what can be told.
  const MemoryProfile profile = profile_of(
      {.before = {32767, 900, 900},
       .after = {32600, 836, 900},
       .changes = {{.event = 5, .free = {32767, 836, 900}}, {.event = 6, .free = {32700, 836, 900}}},
       .is_cut = false});
  REQUIRE(profile.lines.size() == 3);
  CHECK(in_words(profile.lines.at(0).used.at(0)) ==
        "?");  // of line 10: 67 at least when its call ends, and before?
  CHECK(profile.lines.at(1).used.at(0) == MemoryUse{.bytes = 100});
  CHECK(in_words(profile.lines.at(2).used.at(0)) == "?");
  CHECK(profile.lines.at(2).used.at(1) == MemoryUse{.bytes = 64});
  CHECK(memory_comment(profile.lines.at(2)) == "// 64 bytes transient-reset");
}

TEST_CASE("memory that each later command takes is a leak, and memory that one of them takes is none") {
  const MemoryLog still{.before = {9, 900, 900}, .after = {9, 900, 900}, .changes = {}, .is_cut = false};
  const MemoryProfile profile = profile_of(still, {{9, 836, 836}, {9, 772, 836}, {9, 700, 772}});
  CHECK(leak(profile, 0) == std::nullopt);
  CHECK(leak(profile, 1) == 64);
  CHECK(leak(profile, 2) == std::nullopt);
  CHECK(memory_warnings(profile) ==
        std::vector<std::string>{"leak: each of 3 more commands took at least 64 bytes of transient-reset "
                                 "memory and did not give them back"});
  CHECK(leak(profile_of(still, {{9, 836, 836}, {9, 772, 836}}), 1) == std::nullopt);
  CHECK_THAT(memory_warnings(profile_of(still, {})).back(), Catch::StartsWith("leaks cannot be told"));
}

TEST_CASE("behind the last noted change memory is nobody's") {
  const MemoryProfile profile = profile_of({.before = {9, 900, 900},
                                            .after = {9, 800, 900},
                                            .changes = {{.event = 3, .free = {9, 890, 900}}},
                                            .is_cut = true});
  CHECK(profile.lines.size() == 1);
  CHECK(profile.unattributed.at(1).bytes == 90);
  CHECK(memory_warnings(profile).size() == 2);
}

}  // namespace
}  // namespace jcprof::annotator
