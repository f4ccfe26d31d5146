// SPDX-License-Identifier: Apache-2.0
// A card in a real reader that counts tries: after a failed one jcprof sends no second.
#include <catch2/catch.hpp>

#include "harness/card/status_words.hpp"
#include "harness/card/transport.hpp"
#include "harness/survey.hpp"
#include "src/core/error.hpp"
#include "src/core/hex.hpp"
#include "tests/support/fake_card.hpp"

using namespace jcprof;
using namespace jcprof::harness;
using jcprof::test::FakeApplet;

namespace {

/// Every command that the card takes for a try, and what it answers to a wrong one.
struct Counting {
  FakeApplet applet;
  std::uint8_t ins = 0x20;
  Bytes right{0x31, 0x32, 0x33, 0x34};
  Bytes failed{0x69, 0x82};
  int tries = 3;
  bool is_simulated = false;
  bool is_cut = false;  // a try is counted and then neither judged nor answered
  int starts = 0;
};

class CountingReader final : public ApduChannel {
 public:
  explicit CountingReader(Counting& card) : card_(card) {}

  std::optional<Absence> connect(std::chrono::milliseconds) override {
    ++card_.starts;
    card_.applet.reset();
    return std::nullopt;
  }
  Exchange exchange(std::span<const std::uint8_t> command) override {
    if (command[1] == card_.ins) {
      if (--card_.tries < 0) card_.failed = {0x69, 0x83};
      if (card_.is_cut) return {.state = ExchangeState::lost, .why = "the reader was unplugged"};
      const bool is_right = card_.tries >= 0 && std::ranges::equal(command.subspan(5), card_.right);
      if (is_right) card_.tries = 3;
      card_.applet.answer = is_right ? Bytes{0x90, 0x00} : card_.failed;
    }
    reply_ = card_.applet.process(command);
    return {.state = ExchangeState::answered, .reply = reply_, .start_ns = 1, .stop_ns = 2};
  }
  bool reset(ResetMode) override { return true; }
  ChannelDescription describe() const override {
    return {.transport = "pcsc", .reader = "Reader A", .simulated = card_.is_simulated};
  }
  std::string port() const override { return ""; }

 private:
  Counting& card_;
  Bytes reply_;
};

CardSetup setup_of(const Counting& card, const std::string& data = "0439393939") {
  CardSetup setup;
  setup.session.after_reset = {ApduStep{.apdu = "00A4040000", .expect = ""}};
  setup.trigger.apdus = {to_hex(Bytes{0x00, card.ins, 0x00, 0x81}) + data};
  setup.arming = card.applet.arming;
  setup.build = card.applet.build;
  return setup;
}

std::unique_ptr<Transport> transport_on(Counting& card, const CardSetup& setup) {
  return make_card_transport(setup, std::make_unique<CountingReader>(card),
                             make_foreign_device(std::chrono::seconds{1}));
}

/// All that a run does before it measures. The message of what ended it, on one line; empty: nothing.
std::string first_contact(Counting& card, const CardSetup& setup) {
  TrapMap map;
  map.traps.resize(3);
  try {
    const auto transport = transport_on(card, setup);
    survey(map, *transport, {StoredInput{}});
  } catch (const UserError& error) {
    CHECK(error.exit_code() == ExitCode::check_failed);
    return error.what();
  }
  return "";
}

TEST_CASE("after one failed VERIFY on a real card no second one is sent, whatever its answer") {
  for (const Bytes& failed : {Bytes{0x69, 0x82}, Bytes{0x63, 0x00}, Bytes{0x67, 0x00}, Bytes{0x6F, 0x01}}) {
    Counting card{.failed = failed};
    CHECK(first_contact(card, setup_of(card)).find(to_hex(Bytes{0x00, 0x20, 0x00, 0x81})) !=
          std::string::npos);
    CHECK(card.tries == 2);
  }
  Counting card;
  CHECK(first_contact(card, setup_of(card)) ==
        "the trigger 002000810439393939 was answered with 6982 (security status not satisfied); it may have "
        "used up a try of a PIN or key, so the run is ended before the next one\n"
        "hint: check how many tries are left, and correct the PIN or key; if the command counts no tries, "
        "put \"counts_tries\": false into \"trigger\", or \"expect\" into the step of \"session\"");
}

TEST_CASE("the right PIN is measured, and a card that forgets it ends the run at the first failure") {
  Counting card;
  const CardSetup setup = setup_of(card, "0431323334");
  CHECK(first_contact(card, setup).empty());
  CHECK(card.tries == 3);
  const auto transport = transport_on(card, setup);
  const std::vector<Shot> shots(50, Shot{});
  int shot = 0;
  const auto sink = [&](const Shot&, const Sample&) {
    if (++shot == 10) card.right = {0x30, 0x30, 0x30, 0x30};
    return true;
  };
  CHECK_THROWS_WITH(transport->measure(shots, sink), Catch::Contains("was answered with 6982"));
  CHECK(shot == 11);
  CHECK(card.tries == 2);
}

TEST_CASE("other commands that count tries, and their odd forms, are known by their INS") {
  for (const std::uint8_t ins : std::to_array<std::uint8_t>({0x20, 0x21, 0x24, 0x25, 0x2C, 0x2D, 0x82})) {
    Counting card{.ins = ins};
    CHECK_FALSE(first_contact(card, setup_of(card)).empty());
    CHECK(card.tries == 2);
  }
  CHECK_FALSE(counts_tries(Bytes{0x00, 0x20, 0x00, 0x81}));        // asks how many are left
  CHECK_FALSE(counts_tries(Bytes{0x00, 0x20, 0x00, 0x81, 0x00}));  // the same, with Le
  CHECK_FALSE(counts_tries(Bytes{0x00, 0x22, 0x41, 0xB6, 0x01, 0x01}));
}

TEST_CASE("a command of the applet's own counts tries where the project says so, and VERIFY none likewise") {
  Counting own{.ins = 0x31};
  CardSetup setup = setup_of(own);
  setup.trigger.expect = "6982";
  setup.trigger.counts_tries = true;
  CHECK_THAT(first_contact(own, setup), Catch::Contains("used up a try"));
  CHECK(own.tries == 2);
  Counting harmless{.tries = 1000};
  setup = setup_of(harmless);
  setup.trigger.expect = "6982";
  setup.trigger.counts_tries = false;
  CHECK(first_contact(harmless, setup).empty());
  CHECK(harmless.tries < 999);
}

TEST_CASE("a step of the session that fails to verify is not sent again either") {
  Counting card;
  CardSetup setup = setup_of(card);
  setup.session.before_each = {ApduStep{.apdu = "002000810439393939", .expect = ""}};
  setup.trigger.apdus = {"B0310000"};
  CHECK_THAT(first_contact(card, setup),
             Catch::StartsWith("session \"before_each\", step 1: 002000810439393939 was answered with 6982"));
  CHECK(card.tries == 2);
}

TEST_CASE("a try that was cut short is not made again, unless it was right before") {
  Counting card{.is_cut = true};
  CHECK_THAT(first_contact(card, setup_of(card)),
             Catch::Contains("was not answered: the reader was unplugged; it may have used up a try"));
  CHECK(card.tries == 2);
}

TEST_CASE("of a command that was right before one try that is cut short is excused, and not another") {
  Counting card;
  const CardSetup setup = setup_of(card, "0431323334");
  const auto transport = transport_on(card, setup);
  const std::vector<Shot> shots(50, Shot{});
  int shot = 0;
  const auto sink = [&](const Shot&, const Sample&) {
    ++shot;
    card.is_cut = shot == 5 || shot >= 10;
    return true;
  };
  CHECK_THROWS_WITH(transport->measure(shots, sink), Catch::Contains("was not answered"));
  CHECK(shot == 11);
  CHECK(card.tries == 1);
}

TEST_CASE("a right try excuses none of another command") {
  Counting card;
  CardSetup setup = setup_of(card);
  setup.session.after_reset.push_back(ApduStep{.apdu = "00200081 04 31323334", .expect = ""});
  const auto transport = transport_on(card, setup);
  (void)transport->describe();
  CHECK(card.tries == 3);
  card.is_cut = true;
  CHECK_THROWS_WITH(transport->measure(std::vector<Shot>(1), [](const Shot&, const Sample&) { return true; }),
                    Catch::Contains("0439393939 was not answered"));
  CHECK(card.tries == 2);
}

TEST_CASE("a try that is answered as its step expects was right") {
  Counting card;
  CardSetup setup = setup_of(card);
  setup.session.before_each = {ApduStep{.apdu = "00200081 04 31323334", .expect = "9000"}};
  setup.trigger.apdus = {"B0310000"};
  const auto transport = transport_on(card, setup);
  int shot = 0;
  transport->measure(std::vector<Shot>(10), [&](const Shot&, const Sample& sample) {
    CHECK((sample.outcome == Outcome::lost) == (++shot == 6));
    card.is_cut = shot == 5;
    return true;
  });
  CHECK(shot == 10);
}

TEST_CASE("a simulator's tries may be used up") {
  Counting card{.tries = 1, .is_simulated = true};
  CardSetup setup = setup_of(card);
  setup.trigger.expect = "6982|6983";
  setup.session.abort_on.clear();
  CHECK(first_contact(card, setup).empty());
  CHECK(card.tries < 0);
}

}  // namespace
