// SPDX-License-Identifier: Apache-2.0
// Fifty kills at random moments: of the card's JVM, of the PC/SC daemon and of jcprof-run itself. No sample
// that was committed is lost, nothing hangs, and what is there in the end is a whole profile.
#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <thread>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/end_to_end/pcsc_place.hpp"
#include "tests/end_to_end/pin_bench.hpp"

namespace jcprof {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;
using nlohmann::json;
using test::PinBench;
using test::PrivatePcscd;
using test::Running;
using test::Said;

constexpr int kills = 50;
/// From JCPROF_TEST_SEED, or another one each time.
unsigned chosen_seed() {
  const char* const text = std::getenv("JCPROF_TEST_SEED");
  return text != nullptr ? static_cast<unsigned>(std::stoul(text)) : std::random_device{}();
}

/// What a run is made of: daemon, card, jcprof-run. Each can be killed and is brought back.
class Scene {
 public:
  explicit Scene(unsigned seed) : random_(seed), bench_("kills") {
    test::use_card_by_hand(bench_.project);
    bench_.set_in_session("\"timeout\": \"1s\"");
    insert_card();
    start_run();
  }

  void kill_something() {
    std::this_thread::sleep_for(std::chrono::milliseconds(100 + random_() % 1400));
    look();
    const auto what = random_() % 100;
    if (what < 50)
      kill_run();
    else if (what < 75)
      kill_card();
    else if (what < 85)
      hang_card();
    else
      kill_daemon();
    look();
  }

  /// The last run, unharmed.
  void finish() {
    look();
    ::kill(run_->pid(), SIGINT);
    CHECK(run_->wait() == 130);
    const int rounds = number("SELECT max(round) FROM sample") + 8;
    const Said said = bench_.place.run(
        {"jcprof", "run", bench_.project.string(), "--rounds", std::to_string(rounds), "--json"});
    INFO(said.err << said.out);
    REQUIRE(said.status == 0);
    CHECK(json::parse(said.out)["continued"] == true);
    compare();
    CHECK(said_of(test::states) == "1 complete");
    bench_.has_rounds(rounds);
    CHECK(said_of("SELECT count(*) - count(DISTINCT sequence) FROM sample") == "0");
    CHECK(test::is_sound(bench_.profile()));
  }

  void is_sane() const {
    const Said said = bench_.place.run({"jcprof", "annotate", bench_.project.string(), "--json"});
    INFO(said.err);
    REQUIRE(said.status == 0);
    // How the time of a thousand passes divides between the loop's head and its body is noise here. So is the
    // order of functions on a busy machine, but the interval of the hottest one must allow for more than
    // half.
    const json functions = json::parse(said.out)["functions"];
    const auto hottest =
        std::ranges::find(functions, "PinApplet.deriveKey", [](const json& f) { return f["function"]; });
    REQUIRE(hottest != functions.end());
    INFO(*hottest);
    CHECK((*hottest)["calls"] == 1);
    const json& share = (*hottest)["exclusive"]["share"];
    CHECK((share["high"].is_null() || share["high"] > 0.5));
    CHECK((share["low"].is_null() || share["low"] < 1.0));
  }

  std::string account() const {
    return fmt::format("{} samples of {} rounds; killed: {} runs, {} cards, {} daemons; runs gave up: {}",
                       samples_, bench_.ask(test::rounds_stored).value_or("0"), killed_runs_, killed_cards_,
                       killed_daemons_, given_up_);
  }

 private:
  std::string said_of(const std::string& sql) const { return bench_.ask(sql).value_or("nothing"); }
  int number(const std::string& sql) const { return std::stoi(bench_.ask(sql).value_or("0")); }

  void insert_card() { card_.emplace(test::card_by_hand(bench_.project, daemon_), LogPolicy{}); }

  void start_run() { run_.reset(new Running(bench_.start())); }

  void kill_run() {
    ++killed_runs_;
    ::kill(run_->pid(), SIGKILL);
    CHECK(run_->wait() == 128 + SIGKILL);
    start_run();
  }

  void kill_card() {
    ++killed_cards_;
    bench_.signal_simulator(SIGKILL);
    insert_card();
  }

  void hang_card() {
    ++killed_cards_;
    bench_.signal_simulator(SIGSTOP);
    std::this_thread::sleep_for(1500ms);
    insert_card();
  }

  void kill_daemon() {
    ++killed_daemons_;
    daemon_.kill();
    daemon_.start();
    insert_card();
  }

  /// What was there at the last look is there still. A run may have given up, having said why.
  void look() {
    if (const std::optional<int> status = run_->ended()) {
      const std::string said = run_->said();
      INFO(said);
      CHECK(*status == 3);
      ++given_up_[said.substr(0, said.find('\n'))];
      start_run();
    }
    compare();
  }

  void compare() {
    const int samples = number("SELECT count(*) FROM sample");
    CHECK(samples >= samples_);
    samples_ = samples;
    if (samples == 0) return;
    CHECK(said_of("SELECT group_concat(id || ' ' || state || ' ' || reader) FROM run").find(',') ==
          std::string::npos);
    CHECK(said_of("SELECT count(*) - count(DISTINCT sequence) FROM sample") == "0");
    CHECK(test::integrity_of(bench_.profile()) == "ok");
  }

  std::mt19937 random_;
  PrivatePcscd daemon_;
  PinBench bench_;
  std::optional<BackgroundProcess> card_;
  std::unique_ptr<Running> run_;
  int samples_ = 0;
  int killed_runs_ = 0;
  int killed_cards_ = 0;
  int killed_daemons_ = 0;
  std::map<std::string, int> given_up_;  // runs, by why
};

TEST_CASE("fifty kills at random lose no committed sample and no run") {
  JCPROF_NEEDS_PRIVATE_PCSCD();
  const unsigned seed = chosen_seed();
  std::cout << "JCPROF_TEST_SEED=" << seed << '\n';
  INFO("JCPROF_TEST_SEED=" << seed);
  Scene scene(seed);
  for (int kill = 0; kill < kills; ++kill) {
    INFO("kill " << kill);
    scene.kill_something();
  }
  std::cout << scene.account() << '\n';
  scene.finish();
  scene.is_sane();
  std::cout << scene.account() << '\n';
}

}  // namespace
}  // namespace jcprof
