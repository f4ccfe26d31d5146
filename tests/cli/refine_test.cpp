// SPDX-License-Identifier: Apache-2.0
#include "programs/refine.hpp"

#include <catch2/catch.hpp>

namespace jcprof::cli {
namespace {

using Names = std::vector<std::string>;

Trap trap(const std::string& function, TrapKind kind) {
  return {.kind = kind, .function = function};
}

annotator::FunctionEstimate function(const std::string& name, double share, double high) {
  annotator::FunctionEstimate estimate{.function = name};
  estimate.exclusive.share = {share, 0, high};
  return estimate;
}

/// A.process calls A.hot once and the cold ones often; A.unused is never called.
struct First {
  annotator::Profile profile;
  TrapMap map;
  ProfileScope asked{.include = {"A.*"}, .exclude = {"A.log"}, .level = TrapLevel::block};
  FirstScope scope = FirstScope::as_asked;

  First() {
    map.traps = {trap("A.process", TrapKind::entry0),
                 trap("A.process", TrapKind::entry),
                 trap("A.process", TrapKind::before),
                 trap("A.hot", TrapKind::entry),
                 trap("A.cold(byte[],short)", TrapKind::entry),
                 trap("A.cool", TrapKind::entry),
                 trap("A.unused", TrapKind::entry)};
    profile.functions = {function("A.hot", 0.98, 0.99), function("A.cool", 0.009, 0.0099),
                         function("A.cold(byte[],short)", 0.001, 0.002), function("A.process", 0.001, 0.002)};
    profile.blocks = {{.function = "A.process"},
                      {.function = "A.hot"},
                      {.function = "A.cool", .passed = 2},
                      {.function = "A.cold(byte[],short)", .passed = 6}};
    profile.trap_share = 0.3;
  }
  std::optional<Refinement> refined(RefineWish wish = RefineWish::when_needed) const {
    return refinement({.profile = profile, .map = map, .asked = asked, .scope = scope}, wish);
  }
};

/// A second's work whose recording took twice as long.
annotator::RecordedRun some_recording() {
  const auto function = [](const char* name, std::uint64_t calls, double ticks, bool is_resolved) {
    return StoredEstimate{.scope = EstimateScope::function,
                          .function = name,
                          .hits = calls,
                          .ticks = ticks,
                          .high = 1e6,  // runs without traps differ by much
                          .resolved = is_resolved};
  };
  annotator::RecordedRun run;
  run.recording.threads = {{.recorded = 600, .overhead = 1500}, {.recorded = 400, .overhead = 500}};
  run.events = 1'000'000;
  // An event costs 0.002.
  run.estimates = {function("work", 250'000, 600, true), function("compare", 50'000, 70, false),
                   function("index", 99'000, 90, false), function("interpret", 100'000, 160, false),
                   function("once", 1'000, 1, false)};
  return run;
}

TEST_CASE("functions that the cost of recording hides are left out of a second recording") {
  // Without index 802,000 events cost 1604.
  CHECK(not_worth_recording(some_recording()) == Names{"index", "compare"});
}

TEST_CASE("the time of functions that are left out is that of the callers that stay") {
  annotator::RecordedRun run;
  run.recording.symbols = {{.number = 0},
                           {.number = 1, .name = "main"},
                           {.number = 2, .name = "outer"},
                           {.number = 3, .name = "inner"},
                           {.number = 4, .name = "other"}};
  run.recording.calls = {{.id = 1, .symbol = 1},
                         {.id = 2, .parent = 1, .symbol = 2},
                         {.id = 3, .parent = 2, .symbol = 3},
                         {.id = 4, .parent = 1, .symbol = 4},
                         {.id = 5, .symbol = 3}};  // of a thread
  CHECK(callers_of({"inner"}, run) == std::set<std::string>{"outer"});
  CHECK(callers_of({"inner", "outer"}, run) == std::set<std::string>{"main"});
  CHECK(callers_of({"main"}, run).empty());
}

TEST_CASE("no more functions are left out than it takes") {
  annotator::RecordedRun run = some_recording();
  run.recording.threads = {{.recorded = 1990, .overhead = 2000}};
  run.estimates.push_back(run.estimates.at(1));
  run.estimates.back().function = "most";
  run.estimates.back().hits = 251'000;  // 498,000 others cost 996, and half of the command's time is 995
  CHECK(not_worth_recording(run) == Names{"most", "index"});
  run.estimates.back().hits = 252'000;
  CHECK(not_worth_recording(run) == Names{"most"});
}

TEST_CASE("a recording that takes less than the command, or has few events, is good as it is") {
  annotator::RecordedRun cheap = some_recording();
  cheap.recording.threads.front().overhead = 400;
  CHECK(not_worth_recording(cheap).empty());
  annotator::RecordedRun few = some_recording();
  few.events = 99'999;
  CHECK(not_worth_recording(few).empty());
}

TEST_CASE("time in which threads wait changes nothing") {
  annotator::RecordedRun run = some_recording();
  run.recording.threads.front().overhead = 499;  // 999 in all, of 1000
  run.recording.threads.back().away = 5000;
  CHECK_FALSE(is_hidden_by_recording(run));
  run.recording.threads.front().overhead = 501;
  CHECK(is_hidden_by_recording(run));
}

TEST_CASE("a recording that lost many events hides the command") {
  annotator::RecordedRun run = some_recording();
  run.recording.threads.front().overhead = 400;
  run.lost = 10'000;
  CHECK_FALSE(is_hidden_by_recording(run));
  run.lost = 10'200;
  CHECK(is_hidden_by_recording(run));
}

TEST_CASE("dear traps are left out of cold functions, the entry and all else that was asked for stays") {
  const auto refined = First().refined();
  REQUIRE(refined);
  CHECK(refined->scope.include == Names{"A.hot", "A.process"});
  CHECK(refined->scope.exclude == Names{"A.log"});
  CHECK(refined->scope.level == TrapLevel::block);
  CHECK(refined->kept == Names{"A.hot", "A.process"});
  CHECK(refined->left_out == std::vector<LeftOut>{{"A.cool", 0.009}, {"A.cold(byte[],short)", 0.001}});
  CHECK(refined->unknown == Names{"A.unused"});
  CHECK(refined->passes == Approx(0.8));
  CHECK(to_text(*refined) ==
        "refine: traps stay in A.hot, A.process\n"
        "refine: these functions get no traps, because none takes 1 %: A.cool (0.9 %), A.cold(byte[],short) "
        "(0.1 %); together 1 % of the time and 80 % of the passes\n"
        "refine: these functions get no traps, because the command does not reach them: A.unused\n");
}

TEST_CASE("an array parameter of a function that is kept is no set of characters") {
  First first;
  first.profile.functions[2].exclusive.share.high = 0.01;
  const auto refined = first.refined(RefineWish::always);
  REQUIRE(refined);
  CHECK(refined->scope.include == Names{"A.cold(byte??,short)", "A.hot", "A.process"});
}

TEST_CASE("by itself nothing is refined where traps are cheap, or where hot functions pass most of them") {
  First first;
  first.profile.trap_share = 0.1;
  CHECK_FALSE(first.refined());
  CHECK(first.refined(RefineWish::always));
  first.profile.trap_share = 0.3;
  first.profile.blocks[1].passed = 100;
  CHECK_FALSE(first.refined());
  CHECK(first.refined(RefineWish::always));
}

TEST_CASE("after a first build of functions only, the hot ones are refined whatever traps cost") {
  First first;
  first.profile.trap_share = 0;
  first.scope = FirstScope::functions_only;
  const auto refined = first.refined();
  REQUIRE(refined);
  CHECK(refined->scope.level == TrapLevel::block);
}

TEST_CASE("nothing is refined against the user's wish, without a path, or where every function may be hot") {
  First first;
  CHECK_FALSE(first.refined(RefineWish::never));
  First unmeasured;
  unmeasured.profile.blocks.clear();
  CHECK_FALSE(unmeasured.refined(RefineWish::always));
  first.map.traps.pop_back();
  for (annotator::FunctionEstimate& estimate : first.profile.functions) estimate.exclusive.share.high = 1;
  CHECK_FALSE(first.refined(RefineWish::always));
}

TEST_CASE("an entry out of scope is not drawn into it") {
  First first;
  std::erase_if(first.map.traps, [](const Trap& t) { return t.kind == TrapKind::before; });
  const auto refined = first.refined();
  REQUIRE(refined);
  CHECK(refined->scope.include == Names{"A.hot"});
}

TEST_CASE("a function that is hot on a rarer path only keeps its traps") {
  First first;
  annotator::EdgeEstimate edge{.function = "A.unused"};
  edge.cost.share = {0.006, 0.005, 0.007};
  first.profile.edges = {edge, edge};
  const auto refined = first.refined();
  REQUIRE(refined);
  CHECK(refined->kept == Names{"A.hot", "A.process", "A.unused"});
}

}  // namespace
}  // namespace jcprof::cli
