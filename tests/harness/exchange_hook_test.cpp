// SPDX-License-Identifier: Apache-2.0
// A card that takes commands through a secure channel only, and a hook that speaks it:
// tests/support/toy_hook.py. The card's side is written here once more.
#include "harness/card/exchange_hook.hpp"

#include <chrono>
#include <csignal>
#include <fstream>
#include <optional>
#include <sstream>

#include <fmt/format.h>
#include <catch2/catch.hpp>

#include "harness/card/protocol.hpp"
#include "src/core/error.hpp"
#include "src/core/file.hpp"
#include "tests/core/temporary_folder.hpp"
#include "tests/harness/card_world.hpp"

namespace jcprof::test {
namespace {

using namespace harness;
using namespace std::chrono_literals;

using Words = std::vector<std::string>;

/// The state of the card at the moment, and all that it was sent.
struct ToyCard {
  FakeApplet applet;
  std::vector<std::string> seen;   // as it came
  std::vector<std::string> plain;  // what the applet got of it
  int openings = 0;
  int starts = 0;
  bool is_simulated = false;
  bool closes_at_stop = false;
  bool unwraps_own = false;       // jcprof's own commands too
  bool sends_in_two = false;      // 61xx, then the rest
  bool has_inner_status = false;  // wrapped with the data, behind which stands 9000
  bool has_traps_in_opening = false;
  std::chrono::steady_clock::time_point last_seen;
  std::optional<std::string> dies_at;

  bool is_open = false;
  std::uint8_t nonce = 0x40;
  std::uint8_t key = 0;
  std::uint8_t counter = 0;
  std::uint32_t chain = 0;
  Bytes rest;

  void restart() {
    applet.reset();
    is_open = false;
  }

  void add(const Bytes& text) {
    for (const std::uint8_t byte : text) chain = chain * 31 + byte + key;
  }

  Bytes chain_bytes() const {
    Bytes bytes;
    for (int shift = 24; shift >= 0; shift -= 8) bytes.push_back(static_cast<std::uint8_t>(chain >> shift));
    return bytes;
  }

  /// The plain command; nothing for one that is not as it has to be.
  std::optional<Bytes> unwrap(const Bytes& apdu) {
    if (!is_open || (apdu[0] & 4U) == 0 || apdu.size() < 10) return std::nullopt;
    const std::size_t end = 5U + apdu[4];
    const Bytes header(apdu.begin(), apdu.begin() + 4);
    const auto body = std::span(apdu).subspan(5, apdu[4] - 4U);
    add(header);
    add(Bytes(body.begin(), body.end()));
    const Bytes check(apdu.begin() + static_cast<std::ptrdiff_t>(end) - 4,
                      apdu.begin() + static_cast<std::ptrdiff_t>(end));
    if (check != chain_bytes() || body.back() != ++counter) return std::nullopt;
    Bytes bytes = header;
    bytes[0] &= 0xFBU;
    if (body.size() > 1) bytes.push_back(static_cast<std::uint8_t>(body.size() - 1));
    for (const std::uint8_t byte : body.first(body.size() - 1)) bytes.push_back(byte ^ key);
    bytes.insert(bytes.end(), apdu.begin() + static_cast<std::ptrdiff_t>(end), apdu.end());
    return bytes;
  }

  Bytes wrapped(const Bytes& answer) {
    Bytes hidden(answer.begin(), answer.end() - 2);
    for (std::uint8_t& byte : hidden) byte ^= key;
    const Bytes status(answer.end() - 2, answer.end());
    add(hidden);
    add(status);
    for (const std::uint8_t byte : chain_bytes()) hidden.push_back(byte);
    hidden.insert(hidden.end(), status.begin(), status.end());
    return hidden;
  }

  Bytes open(const Bytes& apdu) {
    if (has_traps_in_opening) {
      const Bytes answer = applet.process(apdu);
      if (answer[0] == 0x6F) return answer;
    }
    if (apdu[1] == 0x50) {
      nonce += 3;  // so that keys differ
      key = static_cast<std::uint8_t>(0x5AU ^ apdu[5] ^ nonce);
      return {nonce, 0x90, 0x00};
    }
    is_open = apdu[5] == (key ^ 0xFFU);
    if (!is_open) return {0x69, 0x82};
    ++openings;
    counter = 0;
    chain = 0;
    return {0x90, 0x00};
  }

  Bytes process(const Bytes& apdu) {
    last_seen = std::chrono::steady_clock::now();
    seen.push_back(to_hex(apdu));
    if (apdu[1] == 0xC0) return std::exchange(rest, {});
    if (apdu[1] == 0x50 || apdu[1] == 0x82) return open(apdu);
    const bool is_bare = apdu[1] == 0xA4 || apdu[1] == 0xB8 || (apdu[1] == 0xF4 && !unwraps_own);
    if (is_bare) return applet.process(apdu);
    const std::optional<Bytes> command = unwrap(apdu);
    if (!command) {
      is_open = false;
      return {0x69, 0x88};
    }
    plain.push_back(to_hex(*command));
    Bytes answer = applet.process(*command);
    if (has_inner_status) answer.insert(answer.end(), {0x90, 0x00});
    const bool is_error = answer.size() == 2 && answer[0] == 0x6F;
    if (is_error && closes_at_stop) is_open = false;
    if (is_error) return answer;
    const Bytes whole = wrapped(answer);
    if (!sends_in_two || plain.back().starts_with("80f4")) return whole;
    rest = whole;
    return {0x61, static_cast<std::uint8_t>(whole.size() - 2)};
  }
};

/// Each exchange takes 7 ns, whatever the hook does.
class ToyChannel final : public ApduChannel {
 public:
  explicit ToyChannel(ToyCard& card) : card_(card) {}

  std::optional<Absence> connect(std::chrono::milliseconds) override {
    ++card_.starts;
    card_.restart();
    return std::nullopt;
  }
  Exchange exchange(std::span<const std::uint8_t> command) override {
    reply_ = card_.process(Bytes(command.begin(), command.end()));
    if (card_.dies_at && card_.seen.back().starts_with(*card_.dies_at)) {
      card_.dies_at.reset();
      return {.state = ExchangeState::lost, .why = "the card was pulled"};
    }
    return {.state = ExchangeState::answered, .reply = reply_, .start_ns = 100, .stop_ns = 107};
  }
  bool reset(ResetMode) override {
    card_.restart();
    return true;
  }
  ChannelDescription describe() const override {
    return {.transport = "pcsc", .reader = "A", .atr = {0x3B, 0x80}, .simulated = card_.is_simulated};
  }
  std::string port() const override { return "1"; }  // else a lost card is waited for

 private:
  ToyCard& card_;
  Bytes reply_;
};

/// A measurement of the card through the hook.
struct Bench {
  TemporaryFolder folder;
  ToyCard card;
  CardSetup setup = basic_setup();

  explicit Bench(const Words& words = {}) {
    setup.session.after_reset.clear();
    HookSettings hook{.command = {.argv = {"python3", JCPROF_SOURCE_DIR "/tests/support/toy_hook.py"},
                                  .cwd = folder.path()},
                      .log = {.file = folder / "exchange.log"}};
    hook.command.argv.insert(hook.command.argv.end(), words.begin(), words.end());
    hook.timeout = 60s;
    setup.hook = hook;
  }

  std::unique_ptr<Transport> transport() {
    std::unique_ptr<Transport> made =
        make_card_transport(setup, std::make_unique<ToyChannel>(card), make_foreign_device(1s));
    made->set_inputs({Bytes{0x31, 0x32}});
    return made;
  }

  /// The text of the fault that ends a run at one of these shots.
  std::string fault(const std::vector<Shot>& shots = {at(0)}) {
    const std::unique_ptr<Transport> measured = transport();
    try {
      shoot(*measured, shots);
    } catch (const UserError& error) {
      return error.what();
    }
    return "";
  }
  std::string first_line(const std::vector<Shot>& shots = {at(0)}) {
    const std::string text = fault(shots);
    return text.substr(0, text.find('\n'));
  }

  /// Requests of that kind that the hook had.
  std::vector<std::string> requests(const std::string& begin) const {
    std::istringstream log(read_file(folder / "exchange.log"));
    std::vector<std::string> found;
    for (std::string line; std::getline(log, line);)
      if (line.starts_with(begin)) found.push_back(line);
    return found;
  }
  bool is_hook_running() const {
    const std::vector<std::string> lines = requests("pid ");
    return !lines.empty() && ::kill(std::stoi(lines.back().substr(4)), 0) == 0;
  }
};

TEST_CASE("a command goes to the card wrapped, and its answer comes back plain") {
  Bench bench;
  bench.card.applet.answer = {0xAB, 0xCD, 0x90, 0x00};
  const std::vector<Sample> samples = shoot(*bench.transport(), {at(0), at(9)});
  for (const Sample& sample : samples) {
    CHECK(sample.outcome == Outcome::ended);
    CHECK(sample.status == 0x9000U);
    CHECK(sample.reply == Bytes{0xAB, 0xCD});
  }
  CHECK(bench.card.plain == std::vector<std::string>(2, "b0310000023132"));
  CHECK(bench.card.openings == 1);
}

TEST_CASE("the time is that of the wrapped command alone, however long the hook takes") {
  Bench bench({"slow=0.02"});
  for (const Sample& sample : shoot(*bench.transport(), {at(0), at(1)})) CHECK(sample.ticks == 7);
}

TEST_CASE("jcprof's own commands go past the channel where the hook lets them") {
  Bench bench;
  shoot(*bench.transport(), {at(1)});
  CHECK(std::ranges::find(bench.card.seen, "80f4000000") != bench.card.seen.end());
  CHECK(bench.requests("wrap 80f4000000 True").size() == 1);
  CHECK(bench.requests("wrap b0310000023132 False").size() == 1);
}

TEST_CASE("jcprof's own commands go through the channel where the hook wraps them, traces too") {
  Bench bench({"through"});
  bench.card.unwraps_own = true;
  const auto transport = bench.transport();
  CHECK(shoot(*transport, {at(2)})[0].outcome == Outcome::stopped);
  CHECK(transport->trace(0, 0, 100).traps.size() == 3);
  CHECK(bench.card.plain.front() == "80f4000000");
  CHECK(std::ranges::none_of(bench.card.seen,
                             [](const std::string& apdu) { return apdu.starts_with("80f4"); }));
}

TEST_CASE("once is sent bare before the channel is opened, and after_reset through it after each opening") {
  Bench bench;
  bench.setup.session.once = {ApduStep{.apdu = "80B80000", .expect = ""}};
  bench.setup.session.after_reset = {ApduStep{.apdu = "B0AA0000", .expect = ""}};
  bench.setup.session.reset = ResetMode::warm;
  shoot(*bench.transport(), {at(0)});
  const std::vector<std::string>& seen = bench.card.seen;
  REQUIRE(seen.size() > 5);
  CHECK(seen[0] == "80b80000");
  CHECK(seen[1] == "00a4040000");
  CHECK(seen[2].starts_with("80500000"));
  CHECK(seen[3].starts_with("84820000"));
  CHECK(seen[4].starts_with("b4aa0000"));
  CHECK(bench.card.plain == std::vector<std::string>{"b0aa0000", "b0aa0000", "b0310000023132"});
  CHECK(bench.requests("open") == std::vector<std::string>{"open start", "open reset"});
}

TEST_CASE("a reset in a script opens the channel again") {
  Bench bench;
  bench.setup.session.before_each = {ResetStep{.mode = ResetMode::cold}};
  CHECK(shoot(*bench.transport(), {at(1)})[0].outcome == Outcome::stopped);
  CHECK(bench.requests("open") == std::vector<std::string>{"open start", "open reset"});
}

TEST_CASE("a stop is told to the hook, which has the channel opened again before the next command") {
  Bench bench;
  bench.card.closes_at_stop = true;
  bench.setup.session.after_reset = {ApduStep{.apdu = "B0AA0000", .expect = ""}};
  bench.setup.session.after_each = {ApduStep{.apdu = "B0BB0000", .expect = "9000"}};
  const std::vector<Sample> samples = shoot(*bench.transport(), {at(1), at(2), at(0)});
  CHECK(samples[0].outcome == Outcome::stopped);
  CHECK(samples[1].outcome == Outcome::stopped);
  CHECK(samples[2].outcome == Outcome::ended);
  CHECK(bench.requests("open") == std::vector<std::string>{"open start", "open reopen", "open reopen"});
  CHECK(bench.requests("unwrap 6fb5 True").size() == 2);
  CHECK(std::ranges::count(bench.card.plain, "b0aa0000") == 3);
  CHECK(std::ranges::count(bench.card.plain, "b0bb0000") == 3);
}

TEST_CASE("a channel that outlasts a stop is not opened again") {
  Bench bench({"keep"});
  const std::vector<Sample> samples = shoot(*bench.transport(), {at(1), at(2), at(0)});
  CHECK(samples[1].outcome == Outcome::stopped);
  CHECK(samples[2].reply == Bytes{0xAB});
  CHECK(bench.card.openings == 1);
}

TEST_CASE("the status word that counts is the unwrapped one") {
  Bench bench({"inner"});
  bench.card.has_inner_status = true;
  const std::vector<Sample> samples = shoot(*bench.transport(), {at(1), at(0)});
  CHECK(samples[0].outcome == Outcome::stopped);
  CHECK(samples[1].status == 0x9000U);
  CHECK(bench.requests("unwrap 6fb5").empty());
}

TEST_CASE("what the card sends in pieces is fetched bare, and unwrapped as a whole") {
  Bench bench;
  bench.card.sends_in_two = true;
  const Sample sample = shoot(*bench.transport(), {at(0)})[0];
  CHECK(sample.reply == Bytes{0xAB});
  CHECK(sample.ticks == 14);
  CHECK(bench.requests("wrap 00c0").empty());
}

TEST_CASE("a card that is lost is opened again, in the midst of an opening too") {
  for (const char* const at_command : {"b431", "8050", "8482"}) {
    Bench bench;
    bench.card.is_simulated = true;
    bench.card.dies_at = at_command;
    const std::vector<Sample> samples = shoot(*bench.transport(), {at(0), at(0)});
    CHECK(samples[1].outcome == Outcome::ended);
    CHECK(bench.card.starts == 2);
    CHECK(bench.requests("open") == std::vector<std::string>{"open start", "open start"});
  }
}

TEST_CASE("the hook is started once, and has ended when the measurement has") {
  Bench bench;
  {
    const auto transport = bench.transport();
    shoot(*transport, {at(0), at(1), at(0)});
    CHECK(bench.is_hook_running());
  }
  CHECK(bench.requests("pid ").size() == 1);
  CHECK_FALSE(bench.is_hook_running());
}

TEST_CASE("a hook that cannot be started is named, and what looks for it") {
  Bench bench;
  bench.setup.hook->command.argv = {"no-such-hook"};
  CHECK(bench.fault() ==
        "the exchange hook: cannot start \"no-such-hook\": No such file or directory\n"
        "hint: is it installed, and in PATH?");
}

TEST_CASE("a hook that goes wrong ends the run with what it did, and where: nothing of it is left") {
  const std::vector<std::pair<std::string, std::string>> faults{
      {"open:exit",
       "the exchange hook ended with status 3 before it answered \"open\" (last in its log: the keys are "
       "lost)"},
      {"wrap:exit",
       "the exchange hook ended with status 3 before it answered \"wrap\" (last in its log: the keys are "
       "lost)"},
      {"unwrap:garbage",
       "the exchange hook answered \"unwrap\" wrongly: this is no JSON; it wrote \"so be it\""},
      {"open:list",
       "the exchange hook answered \"open\" wrongly: an object is expected, not []; it wrote \"[]\""},
      {"wrap:id",
       "the exchange hook answered \"wrap\" wrongly: \"id\" is 0, 5 was asked; it wrote \"{\"id\": 0, "
       "\"ok\": {}}\""},
      {"open:empty",
       "the exchange hook answered \"open\" wrongly: \"ok\" is missing; it wrote \"{\"id\": 1}\""},
      {"wrap:send",
       "the exchange hook answered \"wrap\" wrongly: \"ok\" is missing; it wrote \"{\"id\": 5, \"send\": "
       "\"0084000008\"}\""},
      {"wrap:apdu",
       "the exchange hook answered \"wrap\" wrongly: \"apdu\" is no command APDU (2 bytes, it has at least "
       "4); "
       "it wrote \"{\"id\": 5, \"ok\": {\"apdu\": \"8031\"}}\""},
      {"wrap:odd",
       "the exchange hook answered \"wrap\" wrongly: \"apdu\" is not hexadecimal; it wrote \"{\"id\": 5, "
       "\"ok\": "
       "{\"apdu\": \"8\"}}\""},
      {"open:no-apdu",
       "the exchange hook answered \"open\" wrongly: \"send\" is no command APDU (1 bytes, it has at least "
       "4); "
       "it wrote \"{\"id\": 1, \"send\": \"80\"}\""},
      {"unwrap:short",
       "the exchange hook answered \"unwrap\" wrongly: \"answer\" holds no status word; it wrote \"{\"id\": "
       "8, "
       "\"ok\": {\"answer\": \"90\"}}\""},
      {"sent:error", "the exchange hook says: no card key"},
      {"sent:send", "the exchange hook has sent 100 APDUs, and the channel is not open"}};
  for (const auto& [fault, text] : faults) {
    Bench bench({fault});
    INFO(fault);
    CHECK(bench.first_line() == text);
    CHECK_FALSE(bench.is_hook_running());
  }
}

TEST_CASE("the message of a hook's fault has its command, its log and a way out") {
  Bench bench({"sent:error"});
  const std::string script = JCPROF_SOURCE_DIR "/tests/support/toy_hook.py";
  CHECK_THAT(bench.fault(),
             Catch::StartsWith(fmt::format("the exchange hook says: no card key\npython3 {} sent:error\n"
                                           "the last of its log ({}):\n",
                                           script, (bench.folder / "exchange.log").string())) &&
                 Catch::EndsWith("\nhint: buy one"));
}

TEST_CASE("a hook that does not answer in time is ended, and so is one that closes its output") {
  for (const std::string fault : {"wrap:hang", "wrap:close"}) {
    Bench bench({fault});
    bench.setup.hook->timeout = 5s;
    CHECK(bench.first_line() == (fault == "wrap:hang"
                                     ? "the exchange hook did not answer \"wrap\" within 5000 ms"
                                     : "the exchange hook closed its standard output before it answered "
                                       "\"wrap\" (last in its log: wrap 80f4000000 True)"));
    CHECK_FALSE(bench.is_hook_running());
  }
}

TEST_CASE("a channel that would have to be opened between arming and trigger ends the run") {
  const std::string text =
      "the exchange hook wants the channel opened again between arming and the end of the trigger";
  Bench bench({"wrap:reopen"});
  CHECK(bench.first_line() == text);

  Bench two;
  two.setup.trigger.apdus = {"B0310000", "B0320000"};
  two.setup.trigger.expect = "????";
  two.card.applet.answer = {0x6F, 0x42};  // bare
  CHECK(two.first_line() == text);
  CHECK(two.card.plain == std::vector<std::string>{"b0310000"});
}

TEST_CASE("a card that serves GET RESPONSE itself is disarmed before the channel is opened again") {
  Bench bench({"unwrap:reopen"});
  bench.card.sends_in_two = true;
  bench.card.has_traps_in_opening = true;
  const auto transport = bench.transport();
  // The opening would pass trap 1 a second time.
  for (const Sample& sample : shoot(*transport, {at(0), at(1, 2), at(1, 2)}))
    CHECK(sample.outcome == Outcome::ended);
  CHECK(bench.requests("open") == std::vector<std::string>{"open start", "open reopen", "open reopen"});

  const TraceWindow window = transport->trace(0, 0, 100);
  CHECK(window.traps.size() == 3);
  CHECK(window.run->events == 3);
  CHECK(bench.card.seen.back() == to_hex(arm_command(bench.setup.arming, {}, 0)));
}

TEST_CASE("the channel is not opened where the trace is looked at between two commands of a trigger") {
  // Up to the second traced run, the hook has had 12 requests: 14 is its first command.
  Bench bench({"unwrap:reopen", "after=12"});
  bench.setup.trigger.apdus = {"B0310000", "B0320000"};
  const auto transport = bench.transport();
  CHECK_THROWS_WITH(transport->trace(0, 0, 100),
                    Catch::Contains("opened again between arming and the end of the trigger"));
  CHECK(bench.requests("open") == std::vector<std::string>{"open start"});
}

TEST_CASE("the channel may be opened again after the last command of a trigger, once the trace is read") {
  Bench bench({"unwrap:reopen", "after=15"});
  bench.setup.trigger.apdus = {"B0310000", "B0320000"};
  const auto transport = bench.transport();
  CHECK(transport->trace(0, 0, 100).traps.size() == 6);
  CHECK(bench.requests("unwrap").size() == 4);
  CHECK(bench.requests("open") == std::vector<std::string>{"open start"});
}

TEST_CASE("only an opening takes back that the hook wants one") {
  Bench bench({"wrap:reopen", "unwrap:no-reopen", "after=6"});  // 7 wraps the trigger
  bench.setup.session.after_each = {ApduStep{.apdu = "B0BB0000", .expect = ""}};
  CHECK(shoot(*bench.transport(), {at(0)})[0].outcome == Outcome::ended);
  CHECK(bench.requests("open") == std::vector<std::string>{"open start", "open reopen"});
}

TEST_CASE("the trigger is wrapped before the pause of a shot") {
  Bench bench({"clock"});
  Shot shot = at(0);
  shot.delay_ns = 30'000'000;
  shoot(*bench.transport(), {shot});
  const std::string line = bench.requests("clock wrap ").back();
  const auto answered = std::stoll(line.substr(line.rfind(' ')));
  const std::chrono::nanoseconds seen = bench.card.last_seen.time_since_epoch();
  CHECK(bench.card.plain.size() == 1);
  CHECK(seen.count() - answered >= shot.delay_ns);
}

TEST_CASE("a hook that wants the channel opened again by after_reset itself ends the run") {
  Bench bench({"unwrap:reopen"});
  bench.setup.session.after_reset = {ApduStep{.apdu = "B0AA0000", .expect = ""}};
  CHECK(bench.first_line() ==
        "the exchange hook wants the channel opened again after session \"after_reset\", step 1");
}

TEST_CASE("an opening that the card refuses ends the run: on a real card before a second try") {
  for (const bool is_simulated : {true, false}) {
    Bench bench({"wrong-key"});
    bench.card.is_simulated = is_simulated;
    const std::string text = bench.fault();
    CHECK_THAT(text,
               Catch::StartsWith(is_simulated ? "the exchange hook says: the card refuses step 3: 6982\n"
                                              : "the exchange hook's command 84820000"));
    if (!is_simulated) CHECK_THAT(text, Catch::Contains("used up a try of a PIN or key"));
    const auto is_try = [](const std::string& apdu) { return apdu.starts_with("8482"); };
    CHECK(std::ranges::count_if(bench.card.seen, is_try) == 1);
  }
}

TEST_CASE("a status word of \"abort_on\" ends the run in an opening too") {
  Bench bench({"wrong-key"});
  bench.card.is_simulated = true;
  bench.setup.session.abort_on = {"6982"};
  CHECK_THAT(bench.first_line(),
             Catch::StartsWith("the exchange hook's command 84820000") &&
                 Catch::EndsWith("was answered with 6982: the run is ended, as \"abort_on\" asks"));
}

TEST_CASE("a real card that is lost in an opening is opened once more, whatever the cryptogram was") {
  Bench bench;
  const auto transport = bench.transport();
  shoot(*transport, {at(1)});
  bench.card.dies_at = "8482";
  const std::vector<Sample> samples = shoot(*transport, {at(0), at(0)});
  CHECK(samples[0].outcome == Outcome::lost);
  CHECK(samples[1].outcome == Outcome::ended);
}

TEST_CASE("a PIN that fails inside of the channel counts its try") {
  Bench bench;
  bench.setup.trigger.apdus = {"00200000 {input}"};
  bench.card.applet.answer = {0x69, 0x82};
  CHECK_THAT(bench.fault(), Catch::Contains("the trigger 00200000023132 was answered with 6982"));
}

}  // namespace
}  // namespace jcprof::test
