// SPDX-License-Identifier: Apache-2.0
// What goes wrong with a card in a reader: what was measured stays, what a person reads says what happened
// and what to do, and the next run goes on.
#include <csignal>
#include <optional>
#include <thread>

#include <fmt/format.h>
#include <winscard.h>
#include <catch2/catch.hpp>

#include "src/core/file.hpp"
#include "tests/end_to_end/pcsc_place.hpp"
#include "tests/end_to_end/pin_bench.hpp"

namespace jcprof {
namespace {

using namespace std::chrono_literals;
using test::PinBench;
using test::PrivatePcscd;
using test::Readers;
using test::Running;
using test::Said;

constexpr const char* reader = "Virtual PCD 00 00";

void says(const PinBench& bench, const std::vector<std::string>& options, int status,
          const std::string& text) {
  std::vector<std::string> argv{"jcprof-run", bench.project.string(), "--rounds", "16", "-q"};
  argv.insert(argv.end(), options.begin(), options.end());
  const Said said = bench.place.run(argv);
  CHECK(said.err == text);
  CHECK(said.status == status);
  CHECK(said.out.empty());
}

constexpr const char* by_hand =
    "jcprof.json has no \"start\", so the card is one that is started or inserted by hand\n";

std::string no_daemon(const std::string& before, const std::string& account) {
  return fmt::format(
      "{}: no PC/SC daemon answers (Service not available.)\n{}"
      "hint: start it: \"systemctl start pcscd.socket\", or \"pcscd\" as root; "
      "`jcprof doctor` looks at it\n",
      before, account);
}

/// A card that somebody put in by hand, and a run on it that has three rounds already.
struct ByHand {
  explicit ByHand(const std::string& name, const std::string& in_session = {},
                  const std::string& rounds = "100000")
      : bench(name), command(command_for(bench, daemon, in_session)), run(bench.start(rounds)) {
    bench.wait_for_rounds(3);
  }
  void pull() { card.reset(); }
  void put_in() { card.emplace(command, LogPolicy{}); }
  /// The run ends with this, what it measured is kept, and once `mended` the next one goes on.
  void ends_and_goes_on(const std::string& text, const std::function<void()>& mend) {
    CHECK(run.wait() == 3);
    CHECK(run.said() == text);
    bench.kept(3, "interrupted");
    CHECK(test::is_sound(bench.profile()));
    mend();
    bench.goes_on();
  }

  PrivatePcscd daemon;
  PinBench bench;
  Command command;
  std::optional<BackgroundProcess> card{std::in_place, command, LogPolicy{}};
  Running run;

 private:
  static Command command_for(const PinBench& bench, const PrivatePcscd& daemon,
                             const std::string& in_session) {
    test::use_card_by_hand(bench.project);
    if (!in_session.empty()) bench.set_in_session(in_session);
    return test::card_by_hand(bench.project, daemon);
  }
};

TEST_CASE("a virtual card in a reader that dies is started again, and costs one shot") {
  JCPROF_NEEDS_PRIVATE_PCSCD();
  const PrivatePcscd daemon;
  const PinBench bench("pcsc-dead");
  test::use_reader(bench.project, daemon);
  bench.survives([&] { bench.signal_simulator(SIGKILL); }, "'lost'");
}

TEST_CASE("a virtual card in a reader that hangs is started again, and costs one shot") {
  JCPROF_NEEDS_PRIVATE_PCSCD();
  const PrivatePcscd daemon;
  const PinBench bench("pcsc-hung");
  test::use_reader(bench.project, daemon);
  bench.set_in_session("\"timeout\": \"1s\"");
  bench.survives([&] { bench.signal_simulator(SIGSTOP); }, "'lost', 'timed_out'");
}

TEST_CASE("a card that dies in the command answers 0 bytes, which is no answer") {
  JCPROF_NEEDS_PRIVATE_PCSCD();
  const PrivatePcscd daemon;
  const PinBench bench("pcsc-empty", "triesLeft--;",
                       "triesLeft--; if (new java.io.File(\"die\").delete()) Runtime.getRuntime().halt(1);");
  test::use_reader(bench.project, daemon);
  bench.survives([&] { write_file(bench.project / "die", ""); }, "'lost'");
  CHECK_THAT(bench.ask("SELECT text FROM warning WHERE kind = 'lost'").value_or(""),
             Catch::EndsWith("the card sent an answer of 0 bytes)"));
}

TEST_CASE("a daemon that is killed and started again costs one shot") {
  JCPROF_NEEDS_PRIVATE_PCSCD();
  PrivatePcscd daemon;
  const PinBench bench("pcscd-killed");
  test::use_reader(bench.project, daemon);
  bench.survives(
      [&] {
        daemon.kill();
        std::this_thread::sleep_for(1s);
        daemon.start();
      },
      "'lost'");
}

TEST_CASE("a daemon that is killed and stays away ends the run") {
  JCPROF_NEEDS_PRIVATE_PCSCD();
  ByHand it("pcscd-gone");
  it.daemon.kill();
  it.ends_and_goes_on(no_daemon("no card within 10 s", by_hand), [&] {
    it.daemon.start();
    it.put_in();
  });
}

TEST_CASE("a card that is pulled ends the run when it does not come back within ten seconds") {
  JCPROF_NEEDS_PRIVATE_PCSCD();
  ByHand it("pulled");
  it.pull();
  it.ends_and_goes_on(fmt::format("no card within 10 s: reader \"{}\" is empty\n{}"
                                  "hint: insert the card; a virtual card must connect to the port of vpcd\n",
                                  reader, by_hand),
                      [&] { it.put_in(); });
}

TEST_CASE("a card that is pulled and put back within ten seconds costs one shot") {
  JCPROF_NEEDS_PRIVATE_PCSCD();
  ByHand it("put-back", {}, "60");
  it.pull();
  std::this_thread::sleep_for(1s);
  it.put_in();
  CHECK(it.run.wait() == 0);
  CHECK(it.bench.ask(test::states) == "1 complete");
  CHECK(it.bench.ask(test::shots_gone) == "1");
}

TEST_CASE("a reader that is pulled ends the run when it does not come back within ten seconds") {
  JCPROF_NEEDS_PRIVATE_PCSCD();
  ByHand it("reader-pulled");
  it.daemon.kill();
  it.daemon.start(Readers::none);
  it.ends_and_goes_on(fmt::format("no card within 10 s: there is no reader \"{}\"\n{}"
                                  "hint: plug one in; `jcprof doctor` shows what the daemon sees\n",
                                  reader, by_hand),
                      [&] {
                        it.daemon.kill();
                        it.daemon.start();
                        it.put_in();
                      });
}

TEST_CASE("a hung card that jcprof did not start ends the run, and the daemon is let go") {
  JCPROF_NEEDS_PRIVATE_PCSCD();
  ByHand it("hung-by-hand", "\"timeout\": \"1s\"");
  it.bench.signal_simulator(SIGSTOP);
  it.ends_and_goes_on(
      fmt::format("no card within 10 s: reader \"{}\" does not answer\n{}"
                  "hint: a command may hang in it: pull the card, end a virtual one, or restart "
                  "pcscd\n",
                  reader, by_hand),
      [&] { it.put_in(); });
}

/// Until pcscd, which looks every 400 ms, has seen a card in so many readers, the first ones, and in no
/// other.
void wait_for_cards(std::size_t count) {
  SCARDCONTEXT context = 0;
  REQUIRE(SCardEstablishContext(SCARD_SCOPE_SYSTEM, nullptr, nullptr, &context) == SCARD_S_SUCCESS);
  for (std::size_t i = 0; i < std::size(PrivatePcscd::names); ++i) {
    SCARD_READERSTATE state{};
    state.szReader = std::string_view(PrivatePcscd::names[i]).data();
    CHECK(test::becomes_true([&] {
      SCardGetStatusChange(context, 0, &state, 1);
      return ((state.dwEventState & SCARD_STATE_PRESENT) != 0) == (i < count);
    }));
  }
  SCardReleaseContext(context);
}

/// Another program that has the card to itself.
class Holder {
 public:
  Holder() {
    REQUIRE(SCardEstablishContext(SCARD_SCOPE_SYSTEM, nullptr, nullptr, &context_) == SCARD_S_SUCCESS);
    DWORD protocol = 0;
    REQUIRE(test::becomes_true([&] {
      return SCardConnect(context_, reader, SCARD_SHARE_EXCLUSIVE, SCARD_PROTOCOL_T1, &card_, &protocol) ==
             SCARD_S_SUCCESS;
    }));
  }
  ~Holder() {
    SCardDisconnect(card_, SCARD_LEAVE_CARD);
    SCardReleaseContext(context_);
  }
  Holder(const Holder&) = delete;
  Holder& operator=(const Holder&) = delete;

 private:
  SCARDCONTEXT context_ = 0;
  SCARDHANDLE card_ = 0;
};

TEST_CASE("a card that another program holds is waited for, then named") {
  JCPROF_NEEDS_PRIVATE_PCSCD();
  const PrivatePcscd daemon;
  const PinBench bench("held");
  test::use_card_by_hand(bench.project);
  const BackgroundProcess card(test::card_by_hand(bench.project, daemon), LogPolicy{});
  {
    const Holder holder;
    says(bench, {}, 3,
         fmt::format("no card within 10 s: another program holds the card in reader \"{}\"\n{}"
                     "hint: close it: gpg's scdaemon (gpgconf --kill scdaemon), browsers and PKCS#11 "
                     "modules often do\n",
                     reader, by_hand));
  }
  std::optional<Holder> holder(std::in_place);
  Running run = bench.start("4");
  std::this_thread::sleep_for(2s);
  holder.reset();
  CHECK(run.wait() == 0);
  CHECK(bench.ask(test::states) == "1 complete");
}

TEST_CASE("without a daemon, or a reader of that name, the run says so") {
  JCPROF_NEEDS_PRIVATE_PCSCD();
  PrivatePcscd daemon;
  const PinBench bench("nothing");
  test::use_card_by_hand(bench.project);
  says(bench, {"--transport", "pcsc:Gemalto"}, 3,
       fmt::format("no card within 10 s: there is no reader \"Gemalto\"\n{}"
                   "hint: there is \"Virtual PCD 00 00\", \"Virtual PCD 00 01\"\n",
                   by_hand));
  daemon.kill();
  says(bench, {}, 3, no_daemon("no card within 10 s", by_hand));
}

TEST_CASE("a virtual card that finds no daemon is not blamed for it") {
  JCPROF_NEEDS_PRIVATE_PCSCD();
  PrivatePcscd daemon;
  const PinBench bench("not-blamed");
  test::use_reader(bench.project, daemon);
  daemon.kill();
  const Said said = bench.place.run({"jcprof-run", bench.project.string(), "-q"});
  CHECK(said.status == 3);
  // The device's own account lies between.
  CHECK_THAT(said.err, Catch::StartsWith("no card: no PC/SC daemon answers (Service not available.)\njava "));
  CHECK_THAT(said.err, Catch::EndsWith("\nhint: start it: \"systemctl start pcscd.socket\", or \"pcscd\" as "
                                       "root; `jcprof doctor` looks at it\n"));
  CHECK(bench.place.processes("java").empty());
}

TEST_CASE("of two readers with cards one must be named, and GP_READER names one too") {
  JCPROF_NEEDS_PRIVATE_PCSCD();
  const PrivatePcscd daemon;
  const PinBench bench("two-cards");
  test::use_card_by_hand(bench.project);
  const BackgroundProcess first(test::card_by_hand(bench.project, daemon, 0), LogPolicy{});
  std::optional<BackgroundProcess> second(std::in_place, test::card_by_hand(bench.project, daemon, 1),
                                          LogPolicy{});
  wait_for_cards(2);
  for (const std::string wanted : {"pcsc:", "pcsc:Virtual", "pcsc:*PCD*"})
    says(bench, {"--transport", wanted}, 2,
         "2 readers hold a card\n"
         "hint: name one: \"pcsc:Virtual PCD 00 00\", \"pcsc:Virtual PCD 00 01\"\n");
  ::setenv("GP_READER", "*00 01", 1);
  says(bench, {"--transport", "pcsc:", "--max-shots", "1"}, 0, "");
  ::unsetenv("GP_READER");
  CHECK(bench.ask("SELECT reader FROM run") == "Virtual PCD 00 01");
  second.reset();
  wait_for_cards(1);
  // The only one with a card.
  says(bench, {"--transport", "pcsc:", "--fresh", "--max-shots", "1"}, 0, "");
  CHECK(bench.ask("SELECT reader FROM run") == reader);
}

}  // namespace
}  // namespace jcprof
