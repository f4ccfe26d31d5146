// SPDX-License-Identifier: Apache-2.0
#include "annotator/cost_tree.hpp"

#include <fmt/format.h>
#include <catch2/catch.hpp>

#include "annotator/estimates.hpp"
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

}  // namespace

TEST_CASE("a measured run's calls become a tree whose costs add up") {
  const Profile profile =
      measured(two_calls(), {1, 2, 3, 4, 8, 9, 6, 7, 5}, {100, 200, 300, 70, 120, 900, 60, 150, 80});
  CHECK(shown(profile.tree) ==
        ">p from 0 x1 0/0\n"
        "p>g from 20 x1 0/0\n"
        "p>f from 20 x1 0/0\n");
}

TEST_CASE("calls from one line are one node, and from another line another") {
  const Profile profile =
      measured(two_calls(), {1, 2, 3, 6, 7, 6, 7, 4, 6, 7, 5}, {1, 1, 10, 5, 50, 5, 50, 10, 5, 50, 1});
  CHECK(shown(profile.tree) == "");
}

TEST_CASE("a recording's threads are the roots of its tree") {
  CHECK(shown(cost_tree(test::some_recording().recording)) == "");
}

}  // namespace jcprof::annotator
