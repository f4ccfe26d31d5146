// SPDX-License-Identifier: Apache-2.0
// What of `pcsc:` needs no daemon: names of readers and cards, commands over T=0, the watchdog.
#include "harness/card/pcsc.hpp"

#include <atomic>
#include <thread>

#include <catch2/catch.hpp>

#include "harness/card/apdu.hpp"
#include "harness/card/name.hpp"
#include "harness/watchdog.hpp"
#include "src/core/hex.hpp"

using namespace jcprof;
using namespace jcprof::harness;
using namespace std::chrono_literals;

namespace {

using Names = std::vector<std::string>;

std::string tpdu(const std::string& apdu) {
  return to_hex(to_tpdu(*parse_hex(apdu)));
}

}  // namespace

TEST_CASE("a reader is named by its name, a glob, or a part of its name, in that order") {
  const Names readers{"ACS ACR39U 00 00", "ACS ACR39U 01 00", "Gemalto [CT30] 02 00"};
  CHECK(readers_named("", readers) == readers);
  CHECK(readers_named("ACS ACR39U 00 00", readers) == Names{"ACS ACR39U 00 00"});
  CHECK(readers_named("Gemalto*", readers) == Names{"Gemalto [CT30] 02 00"});
  CHECK(readers_named("ACR39U", readers) == Names{"ACS ACR39U 00 00", "ACS ACR39U 01 00"});
  CHECK(readers_named("[CT30]", readers) == Names{"Gemalto [CT30] 02 00"});
  CHECK(readers_named("Cherry", readers).empty());
}

TEST_CASE("over T=0 a command has neither Le behind data nor a missing P3") {
  CHECK(tpdu("00A40400") == "00a4040000");
  CHECK(tpdu("00B0000010") == "00b0000010");
  CHECK(tpdu("00D60000021122") == "00d60000021122");
  CHECK(tpdu("00A4040002112200") == "00a40400021122");
  CHECK(tpdu("00D60000000002"
             "1122")
            .empty());
  CHECK(tpdu("00B00000000100").empty());
}

TEST_CASE("a card has the name that the list gives its ATR, the more special one where several fit") {
  const std::string list =
      "# a comment\n"
      "3B 9F 96 81 31\n\tGemalto IDPrime\n\thttp://example.invalid\n\n"
      "3B 9F .. 81 [0-3]1\n\tany of that family\n"
      "3B 9F 96 (81\n\tno pattern\n"
      "3B 9E .* 38\n\tany length\n"
      "3B 9D " +
      std::string(64, '*') +
      "B\n\tmany stars\n"
      "3B 00\r\n\tthe shortest\r\n";
  const auto name = [&](const std::string& atr) { return find_card_name(*parse_hex(atr), list); };
  CHECK(name("3B9F968131") == "any of that family");
  CHECK(name("3B9F008121") == "any of that family");
  CHECK(name("3B00") == "the shortest");
  CHECK(name("3B9F008141") == std::nullopt);
  CHECK(name("3B9E010238") == "any length");
  CHECK(name("3B9D" + std::string(58, '0')) == std::nullopt);
  CHECK(name("") == std::nullopt);
}

TEST_CASE("the watchdog ends a call that is late, once, and leaves one alone that is not") {
  std::atomic<int> barks = 0;
  Watchdog watchdog(30ms, [&barks] { ++barks; });
  watchdog.begin();
  CHECK_FALSE(watchdog.end());
  watchdog.begin();
  while (barks == 0) std::this_thread::sleep_for(1ms);
  std::this_thread::sleep_for(100ms);
  CHECK(watchdog.end());
  CHECK(barks == 1);
}
