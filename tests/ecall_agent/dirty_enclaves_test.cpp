// SPDX-License-Identifier: Apache-2.0
// What stops leave behind in an enclave must never be told of another event; what cannot be stopped is said.
#include <catch2/catch.hpp>

#include "src/core/file.hpp"
#include "tests/ecall_agent/bridges.hpp"

namespace jcprof::test {
namespace {

using Wrong = std::vector<std::string>;

Wrong wrong_with(const Shop& shop, int rounds) {
  const auto agent = shop.agent();
  return wrong_answers(*agent, rounds);
}

TEST_CASE("an enclave that bears its stops is loaded ever more rarely") {
  const Shop shop;
  CHECK(wrong_with(shop, 200) == Wrong{});
  INFO(shop.account());
  CHECK(shop.count_of("stops") == 2000);
  CHECK(shop.count_of("suspects") == 0);
  CHECK(shop.count_of("loads") < 400);
}

TEST_CASE("an enclave whose path nobody asks for is not taken for another at each look") {
  const Shop shop;
  std::size_t stopped = 0;
  shop.agent()->measure(std::vector<Shot>(2000, Shot{.stop = {TrapId{2}, 1}}),
                        [&](const Shot&, const Sample& sample) {
                          stopped += sample.outcome == Outcome::stopped ? 1 : 0;
                          return true;
                        });
  CHECK(stopped == 2000);
  INFO(shop.account());
  CHECK(shop.count_of("loads") < 400);
}

TEST_CASE("a leak until memory runs out is told of no event") {
  for (const char* fault : {"FAULT=LEAK", "FAULT=LEAK_END", "FAULT=LEAK_LIE"}) {
    INFO(fault);
    const Shop shop({fault});
    CHECK(wrong_with(shop, 60) == Wrong{});
    CHECK(shop.count_of("loads") > 10);
  }
}

TEST_CASE("a leak is found though whole commands are all that notices") {
  const Shop shop({"FAULT=LEAK_LIE", "FLAGS=JCPROF_PLUGIN_NEW_PROCESS"});
  CHECK(wrong_with(shop, 30) == Wrong{});
}

TEST_CASE("a mutex that a stop leaves locked is told of no event, and waited for once an event") {
  const Shop shop({"FAULT=MUTEX"});
  CHECK(wrong_with(shop, 10) == Wrong{});
  INFO(shop.account());
  CHECK(shop.count_of("suspects") + shop.count_of("deviations") <= 6);
}

TEST_CASE("a mutex that unloading waits for is left with its process") {
  const Shop shop({"FAULT=LOCKED_IN"});
  CHECK(wrong_with(shop, 5) == Wrong{});
}

TEST_CASE("an abort, a bad write or an exception that a stop has caused is told of no event") {
  for (const char* fault : {"FAULT=ABORT", "FAULT=WRITE", "FAULT=THROW"}) {
    INFO(fault);
    const Shop shop({fault});
    CHECK(wrong_with(shop, 10) == Wrong{});
    CHECK(shop.count_of("losses") == 0);
  }
}

TEST_CASE("an event at which the ecall crashes is lost, with the last trap, and nothing else is") {
  const Shop shop({"FAULT=CRASH"});
  CHECK(wrong_with(shop, 3) ==
        Wrong{"5/1: lost the enclave's process was ended by signal 11 (Segmentation fault); the "
              "trap passed last was 4"});
}

TEST_CASE("an event at which the ecall never returns is timed out in time, and nothing else is") {
  const Shop shop({"FAULT=SPIN"});
  CHECK(wrong_with(shop, 2) == Wrong{"5/1: timed_out the ecall does not return; the trap passed last was 4"});
}

TEST_CASE("an ecall that crashes by itself is lost, and the agent lives") {
  const Shop shop({"FAULT=NEVER"});
  const auto agent = shop.agent();
  std::vector<std::string> whys;
  agent->measure(std::vector<Shot>(3), [&](const Shot&, const Sample& sample) {
    whys.push_back(sample.why);
    return true;
  });
  const std::string why =
      "on a fresh enclave, with nothing armed: the enclave's process was ended by signal 6 (Aborted); "
      "the trap passed last was 2";
  CHECK(whys == std::vector{why, why, why});
}

TEST_CASE("stops that make it slower are found by the time of the whole command") {
  const Shop shop({"FAULT=WEAR"});
  CHECK(wrong_with(shop, 20) == Wrong{});
  INFO(shop.account());
  CHECK(shop.count_of("deviations") > 0);
  CHECK(shop.count_of("loads") > 20);
}

TEST_CASE("an enclave of which there is one a process is loaded in others") {
  const Shop shop({"FAULT=ONE_LOAD"});
  CHECK(wrong_with(shop, 10) == Wrong{});
}

TEST_CASE("an answer that is another one each time is no suspect") {
  const Shop shop({"FAULT=FICKLE"});
  const auto agent = shop.agent();
  int ended = 0;
  agent->measure(std::vector<Shot>(50), [&](const Shot&, const Sample& sample) {
    ended += sample.outcome == Outcome::ended ? 1 : 0;
    return true;
  });
  CHECK(ended == 50);
}

}  // namespace
}  // namespace jcprof::test
