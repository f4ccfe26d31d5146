// SPDX-License-Identifier: Apache-2.0
// How long a subject that was used is waited for where stops leave a lock.
#include <catch2/catch.hpp>

#include "agents/target.hpp"

namespace jcprof::test {
namespace {

using namespace agents;

/// Its command passes the traps 1 to 9. A stop at one of 3 to 7 leaves a lock, for which the next call waits
/// for ever.
class Locked : public Subject {
 public:
  /// Besides, the first call behind a stop at `stalled` hangs: the host gives it no time.
  explicit Locked(std::vector<std::int64_t>& waits, std::uint32_t stalled = 0)
      : waits_(waits), stalled_(stalled) {}

  bool is_loaded() const override { return is_loaded_; }
  void load(std::int64_t) override {
    is_loaded_ = true;
    is_held_ = false;
  }
  void end() override { is_loaded_ = false; }
  Run run(std::span<const Order> orders, const Take& take) override {
    Run run;
    for (const Order& order : orders) {
      if (is_held_) {
        waits_.push_back(order.limit_ns);
        is_loaded_ = false;
        run.end = ListEnd::hung;
        return run;
      }
      is_held_ = (order.trap >= 3 && order.trap <= 7) || (order.trap != 0 && order.trap == stalled_);
      if (order.trap == stalled_) stalled_ = 0;
      run.results.push_back({.came = Came::back, .trap = order.trap, .hit = 1, .ticks = 1000});
      take(run.results.size() - 1, run.results.back());
    }
    return run;
  }
  std::string why(const Run&) const override { return "it hangs"; }
  Window window() const override { return {.events = 9, .before = 0, .all = 5, .ids = {}}; }
  std::span<const std::uint8_t> reply(const Result&) const override { return {}; }
  std::vector<Placed> place(std::span<const Bytes> inputs) override {
    return std::vector<Placed>(inputs.size());
  }
  void record_into(const std::filesystem::path&) override {}

 private:
  std::vector<std::int64_t>& waits_;
  std::uint32_t stalled_;
  bool is_loaded_ = false;
  bool is_held_ = false;
};

TEST_CASE(
    "a lock that stops leave held is waited for a second the first time, then for a moment, twice an event") {
  std::vector<std::int64_t> waits;
  Target target(std::make_unique<Locked>(waits), {.what = "enclave"});
  const std::vector<Bytes> inputs(1);
  std::vector<Shot> shots;
  for (int round = 0; round < 20; ++round)
    for (std::uint32_t trap = 1; trap <= 9; ++trap) shots.push_back({.stop = {TrapId{trap}, 1}});
  std::size_t stopped = 0;
  target.measure(shots, inputs, [&](const Sample& sample) { stopped += sample.outcome == Outcome::stopped; });
  CHECK(stopped == shots.size());
  REQUIRE(!waits.empty());
  CHECK(waits.front() == 1'000'000'000);
  CHECK(waits.size() <= 9);
  for (std::size_t i = 1; i < waits.size(); ++i) CHECK(waits[i] == 20'000'000);
}

TEST_CASE("an event behind which a busy host has once given no time is not to blame") {
  const auto blamed_with = [](std::uint32_t stalled) {
    std::vector<std::int64_t> waits;
    Target target(std::make_unique<Locked>(waits, stalled), {.what = "enclave"});
    const std::vector<Bytes> inputs(1);
    std::vector<Shot> shots;
    for (int round = 0; round < 20; ++round)
      for (std::uint32_t trap = 3; trap <= 9; ++trap) shots.push_back({.stop = {TrapId{trap}, 1}});
    target.measure(shots, inputs, [](const Sample&) {});
    return std::pair(target.account().blamed, waits.size());
  };
  const auto [blamed, waits] = blamed_with(0);
  CHECK(blamed > 0);
  const auto [with_stall, more_waits] = blamed_with(9);
  CHECK(more_waits == waits + 1);
  CHECK(with_stall == blamed);
}

}  // namespace
}  // namespace jcprof::test
