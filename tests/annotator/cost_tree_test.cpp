// SPDX-License-Identifier: Apache-2.0
#include "annotator/estimate/cost_tree.hpp"

#include <utility>

#include <fmt/format.h>
#include <catch2/catch.hpp>

#include "annotator/estimate/estimates.hpp"
#include "tests/annotator/some_recording.hpp"
#include "tests/annotator/synthetic_device.hpp"
#include "tests/annotator/trap_maps.hpp"

namespace jcprof::annotator {
namespace {

/// Node by node: "parent>function from line xcalls exclusive/inclusive line:cost…".
std::string shown(const CostTree& tree) {
  std::string text;
  for (const CostNode& node : tree.nodes) {
    const std::string parent =
        node.parent == CostNode::none ? "" : tree.functions[tree.nodes[node.parent].function].name;
    text += fmt::format("{}>{} from {} x{} {:.0f}/{:.0f}", parent, tree.functions[node.function].name,
                        node.from_line, node.calls, node.exclusive, node.inclusive);
    for (const CostLine& line : node.lines) text += fmt::format(" {}:{:.0f}", line.line, line.cost);
    text += "\n";
  }
  return text;
}

Profile measured(const TrapMap& map, const std::vector<std::uint32_t>& traps, std::vector<double> costs) {
  SyntheticDevice device{.map = map, .pass = 10, .noise = 0};
  device.path = path_of(traps);
  device.costs = std::move(costs);
  return estimate(device.run(10));
}

double sum_of_blocks(const Profile& profile) {
  double sum = 0;
  for (const BlockEstimate& block : profile.blocks) sum += block.cost.ticks.value;
  return sum;
}

/// All exclusive costs, once by node and once by line.
std::pair<double, double> sums_of(const CostTree& tree) {
  std::pair<double, double> sums;
  for (const CostNode& node : tree.nodes) {
    sums.first += node.exclusive;
    for (const CostLine& line : node.lines) sums.second += line.cost;
  }
  return sums;
}

}  // namespace

TEST_CASE("a measured run's calls become a tree whose costs add up") {
  const Profile profile =
      measured(two_calls(), {1, 2, 3, 4, 8, 9, 6, 7, 5}, {100, 200, 300, 70, 120, 900, 60, 150, 80});
  // What runs behind a return is the caller's: 900 and 150 are of line 20.
  CHECK(shown(profile.tree) ==
        ">p from 0 x1 1800/1980 1:300 10:300 20:1120 30:80\n"
        "p>g from 20 x1 120/120 50:120\n"
        "p>f from 20 x1 60/60 40:60\n");
}

TEST_CASE("calls from one line are one node, and from another line another") {
  const Profile profile =
      measured(two_calls(), {1, 2, 3, 6, 7, 6, 7, 4, 6, 7, 5}, {1, 1, 10, 5, 50, 5, 50, 10, 5, 50, 1});
  CHECK(shown(profile.tree) ==
        ">p from 0 x1 173/188 1:2 10:110 20:60 30:1\n"
        "p>f from 10 x2 10/10 40:10\n"
        "p>f from 20 x1 5/5 40:5\n");
}

TEST_CASE("a recursion is a chain of nodes, each with what runs behind its own call") {
  // 10 f() {  11 if (n > 0) {  12 f(n - 1);  13 }  14 return;  }
  const TrapMap map = MapMaker()
                          .trap(TrapKind::entry, "f", 10)
                          .trap(TrapKind::before, "f", 11, 13)
                          .trap(TrapKind::before, "f", 12)
                          .trap(TrapKind::after, "f", 13)
                          .trap(TrapKind::returns, "f", 14)
                          .map();
  const Profile profile = measured(map, {1, 2, 3, 1, 2, 3, 1, 2, 5, 4, 5, 4, 5},
                                   {1, 2, 4, 10, 20, 40, 100, 200, 7, 8, 9, 30, 50});
  CHECK(shown(profile.tree) ==
        ">f from 0 x1 96/481 10:1 11:32 12:13 14:50\n"
        "f>f from 12 x1 85/385 10:10 11:28 12:47\n"
        "f>f from 12 x1 300/300 10:100 11:200\n");
}

TEST_CASE("calls that an exception leaves end where it is caught") {
  // p: 10 try {  11 f();  } catch {  13 h;  }  14 }     f: 20 entry 21 g();     g: 30 entry 31 throw
  const TrapMap map = MapMaker()
                          .trap(TrapKind::entry, "p", 9)
                          .trap(TrapKind::before, "p", 10, 14)
                          .trap(TrapKind::before, "p", 11)
                          .trap(TrapKind::handler, "p", 13)
                          .trap(TrapKind::after, "p", 14)
                          .trap(TrapKind::exit, "p", 15)
                          .trap(TrapKind::entry, "f", 20)
                          .trap(TrapKind::before, "f", 21)
                          .trap(TrapKind::entry, "g", 30)
                          .trap(TrapKind::before, "g", 31)
                          .map();
  const Profile profile =
      measured(map, {1, 2, 3, 7, 8, 9, 10, 4, 5, 6}, {10, 20, 30, 100, 200, 1000, 2000, 40, 50, 60});
  CHECK(shown(profile.tree) ==
        ">p from 0 x1 210/3510 9:10 10:70 11:30 13:40 15:60\n"
        "p>f from 11 x1 300/3300 20:100 21:200\n"
        "f>g from 21 x1 3000/3000 30:1000 31:2000\n");
}

TEST_CASE("of a function whose return alone has a trap, what runs behind it is the caller's") {
  const TrapMap map = MapMaker()
                          .trap(TrapKind::entry, "p", 1)
                          .trap(TrapKind::before, "p", 2)
                          .trap(TrapKind::exit, "p", 4)
                          .trap(TrapKind::returns, "g", 9)
                          .map();
  const Profile profile = measured(map, {1, 2, 4, 3}, {5, 20, 40, 60});
  CHECK(shown(profile.tree) ==
        ">p from 0 x1 125/125 1:5 2:60 4:60\n"
        "p>g from 2 x1 0/0\n");
}

TEST_CASE("costs add up to the sum of the blocks, with noise and sampled hits too") {
  const std::vector<std::uint32_t> traps{1, 2, 3, 6, 7, 6, 7, 6, 7, 4, 8, 9, 6, 7, 5};
  SyntheticDevice device{.map = two_calls(), .noise = GENERATE(0.0, 1.0)};
  device.path = path_of(traps);
  for (std::size_t i = 0; i < traps.size(); ++i) device.costs.push_back(100.0 * static_cast<double>(i + 1));
  device.is_measured = [](std::size_t i) { return i < 4 || i > 7; };
  const Profile profile = estimate(device.run(20));
  REQUIRE(profile.blocks.size() == traps.size() - 4);
  const double whole = sum_of_blocks(profile);
  CHECK(whole > 0);
  CHECK(sums_of(profile.tree).first == Approx(whole));
  CHECK(sums_of(profile.tree).second == Approx(whole));
  CHECK(profile.tree.nodes.front().inclusive == Approx(whole));
}

TEST_CASE("what lies behind the cut of a path is in no node") {
  SyntheticDevice device{.map = two_calls(), .pass = 10, .noise = 0};
  device.path = path_of({1, 2, 3, 4});
  device.costs = {100, 200, 300, 9000};
  RunData data = device.run(10);
  data.is_cut = true;
  const Profile profile = estimate(data);
  CHECK(shown(profile.tree) == ">p from 0 x1 600/600 1:300 10:300\n");
  CHECK(sum_of_blocks(profile) == 600);
}

TEST_CASE("what was lost is not taken off a thread's own time") {
  StoredRecording recording;
  recording.symbols = {{.number = 0, .name = "(lost)"}, {.number = 1, .name = "work"}};
  recording.threads = {{.serial = 1, .name = "pool", .recorded = 10, .gap = 6}};
  recording.calls = {{.id = 1, .thread = 1, .symbol = 1, .count = 2, .inclusive = 4, .exclusive = 4},
                     {.id = 2, .thread = 1, .count = 1, .inclusive = 6, .exclusive = 6}};
  CHECK(shown(cost_tree(recording)) ==
        ">thread 1 pool from 0 x1 6/16\n"
        "thread 1 pool>work from 0 x2 4/4\n"
        "thread 1 pool>(lost) from 0 x1 6/6\n");
}

TEST_CASE("a recording's threads are the roots of its tree") {
  StoredRecording recording = test::some_recording().recording;
  recording.threads[0].recorded = 1300.4;
  CHECK(shown(cost_tree(recording)) ==
        ">thread 1 words from 0 x1 300/1300\n"
        ">thread 2 from 0 x1 0/200\n"
        "thread 1 words>main from 0 x1 100/1000\n"
        "main>count from 0 x4 300/900\n"
        "count>put from 0 x100 600/600\n"
        "thread 2>count from 0 x2 150/200\n"
        "count>memcpy from 0 x8 50/50\n");
}

}  // namespace jcprof::annotator
