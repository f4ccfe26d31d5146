// SPDX-License-Identifier: Apache-2.0
#include "annotator/estimate/estimates.hpp"

#include <array>
#include <cmath>
#include <map>
#include <numeric>

#include <fmt/format.h>
#include <unistd.h>
#include <catch2/catch.hpp>

#include "annotator/annotated_tree.hpp"
#include "annotator/export/exports.hpp"
#include "src/core/error.hpp"
#include "src/core/file.hpp"
#include "tests/annotator/scripted_run.hpp"
#include "tests/annotator/synthetic_device.hpp"
#include "tests/annotator/trap_maps.hpp"

namespace jcprof::annotator {
namespace {

using enum TrapKind;

/// 1 p() { 10 for (50 times) { 11 f(); 12 } 20 x; 21 }      30 f() { 31 work; 32 return }
TrapMap loop_map() {
  return MapMaker()
      .trap(entry0, "p", 1)
      .trap(entry, "p", 1)
      .trap(before, "p", 10, 12)
      .trap(loop_body, "p", 11)
      .trap(after, "p", 12)
      .trap(before, "p", 20)
      .trap(exit, "p", 21)
      .trap(entry, "f", 30)
      .trap(before, "f", 31)
      .guards(1)
      .trap(returns, "f", 32)
      .map();
}

SyntheticDevice loop_device(std::uint64_t seed) {
  SyntheticDevice device{.map = loop_map(), .pass = 10, .seed = seed};
  std::vector<std::uint32_t> traps{1, 2, 3};
  device.costs = {100, 200, 300};
  for (int i = 0; i < 50; ++i) {
    traps.insert(traps.end(), {4, 8, 9, 10, 5});
    device.costs.insert(device.costs.end(), {70, 120, 900, 60, 150});
  }
  traps.insert(traps.end(), {6, 7});
  device.costs.insert(device.costs.end(), {5000, 80});
  device.path = path_of(traps);
  return device;
}

/// Truth by line: 11 owns the call and the way back, 10 the end of the body as well.
const std::map<std::size_t, double> loop_truth{{1, 300},       {10, 300 + 50 * 150}, {11, 50 * (70 + 60)},
                                               {30, 50 * 120}, {31, 50 * 900},       {20, 5000},
                                               {21, 80}};

double truth_of(const SyntheticDevice& device) {
  return std::accumulate(device.costs.begin(), device.costs.end(), 0.0);
}

bool covers(const Interval& interval, double truth) {
  return interval.low <= truth && truth <= interval.high;
}

std::string shown(const Estimate& estimate) {
  return fmt::format("{:.1f} in {:.1f} … {:.1f}", estimate.raw, estimate.ticks.low, estimate.ticks.high);
}

const FunctionEstimate& function(const Profile& profile, const std::string& name) {
  for (const FunctionEstimate& f : profile.functions)
    if (f.function == name) return f;
  FAIL("no function " << name);
  return profile.functions.front();
}

}  // namespace

TEST_CASE("the annotated files are listed, and many are counted") {
  const std::vector<AnnotatedFile> two{{.file = "out/a.c"}, {.file = "out/b.c"}};
  CHECK(list_of(two, "out") == "annotated: out/a.c\nannotated: out/b.c\n");
  CHECK(list_of(two, "out", 1) == "annotated: 2 files below out\n");
}

TEST_CASE("without noise the estimates are the truth, the traps' own time taken off") {
  SyntheticDevice device = loop_device(1);
  device.noise = 0;
  const Profile profile = estimate(device.run(10));
  CHECK(profile.trap_cost.pass.value == Approx(10));
  CHECK(profile.trap_cost.counting.value == Approx(25));
  CHECK(profile.trap_cost.stop.value == Approx(4000));
  CHECK(profile.trap_cost.frame.value == Approx(60));
  CHECK(profile.trap_cost.guard.value == Approx(110));
  REQUIRE(profile.blocks.size() == device.path.size());
  for (std::size_t i = 0; i < device.costs.size(); ++i)
    CHECK(profile.blocks[i].cost.ticks.value == Approx(device.costs[i]).margin(1e-6));
  for (const LineEstimate& line : profile.lines) {
    INFO("line " << line.line);
    CHECK(line.cost.ticks.value == Approx(loop_truth.at(line.line)).margin(1e-6));
  }
  CHECK(profile.lines.front().line == 31);
  CHECK(profile.lines.front().hits == 50);
  CHECK(function(profile, "f").calls == 50);
  CHECK(function(profile, "f").inclusive.ticks.value == Approx(50 * 1020));
  CHECK(function(profile, "f").exclusive.ticks.value == Approx(50 * 1020));
  CHECK(function(profile, "p").inclusive.ticks.value == Approx(truth_of(device)));
  CHECK(profile.total.ticks.value == Approx(9000 + truth_of(device)));
  CHECK(profile.entry.ticks.value == Approx(9000));
  CHECK(profile.unattributed.value == Approx(0).margin(1e-6));
  CHECK(profile.blocks.back().to == Event{});
  REQUIRE(profile.loops.size() == 1);
  CHECK(profile.loops[0].line == 10);
  CHECK(profile.loops[0].entries == 1);
  CHECK(profile.loops[0].passes == 50);
  CHECK(profile.loops[0].cost.ticks.value == Approx(300 + 50 * 1300));
  CHECK(profile.edges.front().from == TrapId{9});
  CHECK(profile.edges.front().to == TrapId{10});
  CHECK(profile.edges.front().count == 50);
  CHECK(profile.edges.front().cost.ticks.value == Approx(50 * 900));
  CHECK(profile.warnings == std::vector<std::string>{});
}

TEST_CASE("under skewed noise, spikes and drift the intervals cover the truth as often as they say") {
  int asked = 0;
  int covered = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SyntheticDevice device = loop_device(seed);
    device.lost = 0.002;
    const Profile profile = estimate(device.run(24));
    for (std::size_t i = 0; i < 40; ++i, ++asked)
      covered += covers(profile.blocks[i].cost.ticks, std::max(0.0, device.costs[i])) ? 1 : 0;
    for (const LineEstimate& line : profile.lines) {
      INFO("seed " << seed << " line " << line.line << ": " << shown(line.cost));
      CHECK(line.cost.rounds > 12);
      ++asked;
      covered += covers(line.cost.ticks, loop_truth.at(line.line)) ? 1 : 0;
    }
  }
  CHECK(static_cast<double>(covered) / asked > 0.93);
}

TEST_CASE("a sampled loop loses nothing: the sum is kept, and shared out as the measured passes say") {
  SyntheticDevice device = loop_device(3);
  device.noise = 0;
  // The first, the last, and one pass in between are measured.
  device.is_measured = [](std::size_t i) {
    return i < 3 || i >= 253 || i < 8 || (i >= 103 && i < 108) || i >= 248;
  };
  const Profile profile = estimate(device.run(10));
  REQUIRE(profile.blocks.size() < 30);
  for (const LineEstimate& line : profile.lines) {
    INFO("line " << line.line);
    CHECK(line.cost.ticks.value == Approx(loop_truth.at(line.line)).epsilon(1e-9));
  }
  CHECK(function(profile, "f").inclusive.ticks.value == Approx(50 * 1020));
  double sum = 0;
  for (const BlockEstimate& block : profile.blocks) sum += block.cost.ticks.value;
  CHECK(sum == Approx(truth_of(device)));
}

TEST_CASE("what is published is never negative, and says that it is below resolution") {
  SyntheticDevice device = loop_device(5);
  for (double& cost : device.costs) cost = 1;
  const Profile profile = estimate(device.run(12));
  bool some_raw_is_negative = false;
  for (const BlockEstimate& block : profile.blocks) {
    some_raw_is_negative |= block.cost.raw < 0;
    CHECK(block.cost.ticks.value >= 0);
    CHECK(block.cost.ticks.high >= 0);
    if (block.cost.resolved) CHECK(block.cost.ticks.low > 0);
  }
  CHECK(some_raw_is_negative);
  CHECK(profile.warnings.size() == 1);  // the traps cost more than what lies between them
}

TEST_CASE(
    "the bound of a line that noise hides is no larger than its function, nor a function's than the whole") {
  SyntheticDevice device = loop_device(5);
  for (double& cost : device.costs) cost = 1;
  device.costs[3] = 4000;  // most noise is in lines of many passes
  bool is_bounded = false;
  const Profile profile = estimate(device.run(12));
  for (const LineEstimate& line : profile.lines) {
    const Estimate& whole = function(profile, line.function).exclusive;
    if (line.cost.resolved || !was_measured(line.cost)) continue;
    CHECK(line.cost.ticks.high <= std::max(line.cost.ticks.value, whole.ticks.high));
    CHECK(line.cost.share.high <= std::max(line.cost.share.value, whole.share.high));
    is_bounded = is_bounded || line.cost.ticks.high == whole.ticks.high;
  }
  CHECK(is_bounded);
  for (const FunctionEstimate& one : profile.functions)
    if (!one.inclusive.resolved) CHECK(one.inclusive.ticks.high <= profile.total.ticks.high);
}

TEST_CASE("three rounds give values without intervals; none, one shot or no path give no crash") {
  RunData data = loop_device(1).run(3);
  Profile profile = estimate(data);
  CHECK(profile.blocks.size() == 255);
  CHECK(std::isinf(profile.blocks[0].cost.ticks.high));
  CHECK_FALSE(profile.blocks[0].cost.resolved);
  CHECK(profile.warnings ==
        std::vector<std::string>{"3 rounds are too few for intervals; `jcprof run` adds rounds"});
  data.samples.resize(31);
  CHECK(estimate(data).warnings ==
        std::vector<std::string>{"no line was measured yet; `jcprof run` resumes"});
  data.samples.clear();
  CHECK(estimate(data).blocks.empty());
  CHECK(to_json(estimate(data)).find("null") != std::string::npos);
  data = loop_device(1).run(3);
  data.paths.clear();
  profile = estimate(data);
  CHECK(profile.warnings ==
        std::vector<std::string>{"the run has no path, so jcprof knows only the time of the whole command"});
  CHECK(profile.total.rounds == 3);
}

TEST_CASE("inputs that take another path do not change the lines, nor do commands that failed") {
  RunData data = loop_device(1).run(10);
  data.inputs.push_back({.index = 1});
  data.paths.push_back({.input = 1, .events = path_of({1, 2, 7})});
  const std::size_t shots = data.samples.size();
  for (std::size_t i = 0; i < shots; ++i) {
    StoredSample other = data.samples[i];
    other.input = 1;
    other.ticks = 1;
    data.samples.push_back(other);
  }
  data.samples.push_back(
      {.sequence = 9999, .round = 99, .ticks = 5, .outcome = Outcome::ended, .status = 0x6F00});
  const Profile with = estimate(data);
  const Profile without = estimate(loop_device(1).run(10));
  CHECK(with.lines.front().cost.ticks == without.lines.front().cost.ticks);
  CHECK(with.warnings ==
        std::vector<std::string>{"the command takes 2 paths: lines and functions show the most frequent path "
                                 "(50 % of the traced runs), and edges show all paths",
                                 "jcprof leaves out 1 commands: their status was not 9000"});
}

TEST_CASE("a stop that shortens what the next commands do is told where the next block is negative") {
  SyntheticDevice device{.map = two_calls(), .pass = 10, .stop = 500, .noise = 1};
  device.path = path_of({1, 2, 3, 4, 8, 9, 6, 7, 5});
  device.costs = {1000, 2000, 3000, 700, -1200, 9000, 600, 1500, 800};
  const Profile profile = estimate(device.run(20));
  REQUIRE(profile.warnings.size() == 1);
  CHECK_THAT(profile.warnings.front(),
             Catch::StartsWith("1 times are negative by more than noise explains, the first one at "));
  device.costs[4] = -20;  // well within the noise
  CHECK(estimate(device.run(20)).warnings.empty());
}

TEST_CASE("shots that missed their stop do not say how the whole command ends") {
  RunData data = loop_device(1).run(10);
  const Profile without = estimate(data);
  StoredSample missed = data.samples.front();
  missed.asked = data.paths.front().events.front();
  missed.outcome = Outcome::ended;
  missed.status = 0x6A80;
  data.samples.insert(data.samples.end(), 1000, missed);
  const Profile with = estimate(data);
  CHECK(with.total.ticks == without.total.ticks);
  CHECK(with.lines.front().cost.ticks == without.lines.front().cost.ticks);
  CHECK(with.warnings == without.warnings);
}

TEST_CASE("the same data give the same bytes, also through a store") {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / fmt::format("jcprof_annotator_{}", ::getpid());
  SyntheticDevice device = loop_device(2);
  device.stop = 400;
  const RunData data = device.run(10);
  const std::string direct = to_json(estimate(data));
  CHECK(to_json(estimate(data)) == direct);
  {
    Store store(folder / "profile.jcprof", OpenMode::fresh);
    const std::int64_t run = store.begin_run(data.run, data.map, data.inputs);
    store.add_path(run, data.paths.front());
    store.begin();
    for (const StoredSample& sample : data.samples) store.add_sample(run, sample);
    store.add_calibrations(run, data.calibrations);
    store.commit();
    const Profile profile = estimate(load_newest_run(store));
    CHECK(to_json(profile) == direct);
    store.replace_estimates(run, stored(profile));
  }
  const QueryResult hottest = query(folder / "profile.jcprof", "SELECT line, hits FROM line LIMIT 1");
  CHECK(hottest.rows.at(0) == std::vector<std::optional<std::string>>{"31", "50"});
  std::filesystem::remove_all(folder);
}

TEST_CASE("a profile whose path names traps that it does not have is refused") {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / fmt::format("jcprof_damaged_{}", ::getpid());
  Store store(folder / "profile.jcprof", OpenMode::fresh);
  CHECK_THROWS_WITH(load_newest_run(store), "the profile holds no run yet\nhint: `jcprof run` adds one");
  const std::int64_t run = store.begin_run({}, loop_map(), {{}});
  store.add_path(run, {.events = {{TrapId{11}, 1}}});
  CHECK_THROWS_WITH(load_newest_run(store), Catch::Contains("names hit 1 of trap 11, of 10 traps"));
  store.close();
  std::filesystem::remove_all(folder);
}

TEST_CASE("annotated sources are written below the output folder, and only of unchanged originals") {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / fmt::format("jcprof_tree_{}", ::getpid());
  write_file(folder / "A.java", "p() {\n}\n");
  Profile profile;
  profile.language = "java";
  profile.run.device = "gd60";
  profile.run.started = "1970-01-01T00:00:00Z";
  profile.unreached = {{"A.java", 1, "p"}};
  profile.sources = {{"A.java", sha256("p() {\n}\n")}};
  const auto files = write_annotated(profile, folder, folder / "out");
  REQUIRE(files.size() == 1);
  CHECK(read_file(folder / "out/A.java") == "p() { // not reached (gd60, no date)\n}\n");
  write_file(folder / "A.java", "p() {}\n");
  profile.sources.push_back({"../B.java", ""});
  profile.unreached.push_back({"../B.java", 1, "q"});
  CHECK_THROWS_WITH(write_annotated(profile, folder, folder / "out"),
                    "A.java: the file has changed since it was measured\n"
                    "hint: measure again with `jcprof profile`, or restore the old text\n"
                    "../B.java: the profile names a source outside the project");
  std::filesystem::remove_all(folder);
}

TEST_CASE("what is left over has an interval that holds it, however few the shots of each line are") {
  const auto measured = GENERATE(as<std::size_t>{}, 1, 7);
  int held = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SyntheticDevice device = loop_device(seed);
    device.noise = 5;
    device.is_measured = [&](std::size_t at) { return at < 3 || at > 252 || at % measured == 0; };
    const Profile profile = estimate(device.run(20));
    held += covers(profile.unattributed, 0) ? 1 : 0;
  }
  CHECK(held >= 36);
}

TEST_CASE("what runs behind the cut of a path is in no line, and shares are of the whole command") {
  const TrapMap map =
      MapMaker().trap(entry, "p", 1).trap(before, "p", 2).trap(before, "p", 3).trap(before, "p", 4).map();
  const std::vector<Event> path = path_of({1, 2, 3});
  RunData data = scripted_run(map, path, 10, [](std::uint32_t, std::size_t at) {
    return std::array<double, 4>{100, 200, 400, 10'100}[at];
  });
  CHECK(estimate(data).unreached.size() == 1);
  CHECK(line_of(estimate(data), 3)->cost.ticks.value == Approx(9700));
  data.is_cut = true;
  const Profile profile = estimate(data);
  CHECK(profile.total.raw == Approx(10'100));
  CHECK(profile.unattributed.value == Approx(9700));
  CHECK(profile.blocks.size() == 2);
  CHECK(line_of(profile, 2)->cost.ticks.value == Approx(200));
  CHECK(line_of(profile, 2)->cost.share.value == Approx(0.02));
  CHECK(line_of(profile, 3)->cost.ticks.value == 0);
  CHECK(profile.unreached.empty());
  CHECK(function(profile, "p").inclusive.ticks.value == Approx(300));
}

}  // namespace jcprof::annotator
