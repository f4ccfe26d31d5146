// SPDX-License-Identifier: Apache-2.0
#include "harness/shot_log.hpp"

#include <string>
#include <vector>

#include <catch2/catch.hpp>

using namespace jcprof;
using namespace jcprof::harness;

namespace {

const Event first{.trap = TrapId{1}, .hit = 1};
const Event second{.trap = TrapId{1}, .hit = 2};
const Event whole{};

TrapMap one_trap() {
  TrapMap map;
  map.traps.push_back({.id = TrapId{1}, .name = "TRAP_run_1", .path = "A.java", .line = 7});
  return map;
}

const TrapMap map = one_trap();

Sample ended(std::uint32_t status, Bytes reply) {
  return {.outcome = Outcome::ended, .status = status, .reply = std::move(reply)};
}

const Sample good = ended(0x9000, {1, 2});
const Sample lost{.outcome = Outcome::lost, .why = "it died"};
const Sample shot_stopped{.outcome = Outcome::stopped};

/// A log of two inputs: the first answers 9000 with two bytes, the second 6A80 with none.
ShotLog log_of_two() {
  return {map, {{.status = 0x9000, .length = 2}, {.status = 0x6A80}}};
}

std::vector<std::string> texts(const ShotLog& log) {
  std::vector<std::string> result;
  for (const Warning& warning : log.warnings()) result.push_back(warning.text);
  return result;
}

using Texts = std::vector<std::string>;

}  // namespace

TEST_CASE("the log counts shots of one kind and names the first") {
  ShotLog log = log_of_two();
  log.take({.stop = first}, good);
  log.take({.stop = second}, ended(0x6F00, {}));
  log.take({.stop = whole}, good);
  CHECK(texts(log) ==
        Texts{"2 of 3 shots ran to their end instead of stopping (first: TRAP_run_1 (A.java:7), hit 1: as "
              "usual: 9000 with 2 bytes of data)"});
}

TEST_CASE("what goes otherwise than expected has its own words for each kind") {
  ShotLog log = log_of_two();
  log.take({.stop = whole}, shot_stopped);
  log.take({.stop = first}, {.outcome = Outcome::refused, .why = "not now"});
  log.take({.stop = second}, {.outcome = Outcome::elsewhere, .why = "it was passed before"});
  log.take({.stop = whole}, ended(0x6F00, {1, 2}));
  log.take({.stop = first}, lost);
  CHECK(texts(log) ==
        Texts{"1 of 5 shots of the whole command had another answer than the known good run (first: the end: "
              "6F00 with 2 bytes of data instead of 9000 with 2 bytes of data)",
              "1 of 5 shots stopped although no trap was armed (first: the end: stopped)",
              "1 of 5 shots were refused (first: TRAP_run_1 (A.java:7), hit 1: not now)",
              "1 of 5 shots stopped at another place than the traced run (first: TRAP_run_1 (A.java:7), hit "
              "2: it was passed before)",
              "1 of 5 shots lost the target (first: TRAP_run_1 (A.java:7), hit 1: it died)"});
  CHECK(log.lost() == 1);
}

TEST_CASE("an answer of another length alone need not be a fault") {
  ShotLog log = log_of_two();
  log.take({.stop = whole}, ended(0x9000, {1, 2, 3}));
  log.take({.stop = whole}, ended(0x9000, {1}));
  CHECK(texts(log) == Texts{"2 of 2 shots of the whole command had an answer of another length (first: the "
                            "end: 9000 with 3 bytes of data instead of 9000 with 2 bytes of data)"});
}

TEST_CASE("an answer is compared with the good one of its input, in status and length") {
  const auto warnings = [](std::uint32_t input, const Sample& sample) {
    ShotLog log = log_of_two();
    log.take({.stop = whole, .input = input}, sample);
    return texts(log).size();
  };
  CHECK(warnings(0, good) == 0);
  CHECK(warnings(1, good) == 1);
  CHECK(warnings(1, ended(0x6A80, {})) == 0);
  CHECK(warnings(0, ended(0x9000, {1})) == 1);
  CHECK(warnings(0, ended(0x9000, {1, 2, 3})) == 1);
  ShotLog varying(map, {{.status = 0x9000, .length = 2, .length_varies = true}});
  varying.take({.stop = whole}, ended(0x9000, {1}));
  CHECK(texts(varying).empty());
}

TEST_CASE("an event that loses the target twice in a row is given up, what lies between forgives") {
  for (const Sample& between : {shot_stopped, good}) {
    ShotLog log = log_of_two();
    log.take({.stop = first}, lost);
    log.take({.stop = first}, between);
    log.take({.stop = first}, lost);
    CHECK(log.can_stop_at(first));
    log.take({.stop = first}, {.outcome = Outcome::timed_out, .why = "late"});
    CHECK_FALSE(log.can_stop_at(first));
    CHECK(log.can_stop_at(second));
    CHECK(texts(log).back() ==
          "jcprof leaves out the stop at TRAP_run_1 (A.java:7), hit 1: the target was lost there twice");
  }
}

TEST_CASE("a shot that was refused says nothing of a loss before it") {
  ShotLog log = log_of_two();
  log.recall({.stop = first}, Outcome::lost, {});
  log.recall({.stop = first}, Outcome::refused, {});
  CHECK(log.can_stop_at(first));
  log.recall({.stop = first}, Outcome::timed_out, {});
  CHECK_FALSE(log.can_stop_at(first));
  log.recall({.stop = second}, Outcome::lost, {});
  log.recall({.stop = second}, Outcome::ended, {});
  log.recall({.stop = second}, Outcome::lost, {});
  CHECK(log.can_stop_at(second));
  CHECK(log.lost() == 0);
}

TEST_CASE("shots of an earlier call are part of the warnings") {
  ShotLog log = log_of_two();
  log.recall({.stop = first}, Outcome::ended, 0x6985);
  log.recall({.stop = whole}, Outcome::ended, 0x9000);
  log.take({.stop = first}, shot_stopped);
  CHECK(texts(log).size() == 1);
  CHECK(
      texts(log).front().starts_with("1 of 3 shots ran to their end instead of stopping (first: TRAP_run_1 "
                                     "(A.java:7), hit 1: 6985 in an earlier call)"));
  CHECK(log.is_trusted());
  log.recall({.stop = whole}, Outcome::ended, 0x6A80);
  CHECK(texts(log).size() == 2);
  CHECK_THAT(texts(log).back(), Catch::Contains("6A80 in an earlier call"));
}

TEST_CASE("the whole command is never given up") {
  ShotLog log = log_of_two();
  for (int i = 0; i < 3; ++i) log.take({.stop = whole}, lost);
  CHECK(log.can_stop_at(whole));
  CHECK(log.lost() == 3);
}

TEST_CASE("after a loss the target is trusted once the whole command is answered as it should be") {
  ShotLog log = log_of_two();
  CHECK(log.is_trusted());
  log.take({.stop = first}, lost);
  CHECK_FALSE(log.is_trusted());
  log.take({.stop = first}, shot_stopped);
  log.take({.stop = whole}, ended(0x6F00, {1, 2}));
  CHECK_FALSE(log.is_trusted());
  log.take({.stop = whole}, good);
  CHECK(log.is_trusted());
}
