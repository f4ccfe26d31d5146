// SPDX-License-Identifier: Apache-2.0
#include "programs/unfit.hpp"

#include <limits>

#include <catch2/catch.hpp>

namespace jcprof::cli {
namespace {

annotator::LineEstimate line(double high) {
  annotator::LineEstimate estimate{.path = "a.c", .line = 1};
  estimate.cost.ticks = {5, 0, high};
  return estimate;
}

constexpr double unknown = std::numeric_limits<double>::infinity();

annotator::Profile profile_of(std::vector<annotator::LineEstimate> lines) {
  annotator::Profile profile;
  profile.rounds = 3;
  profile.blocks.resize(4999);
  profile.lines = std::move(lines);
  return profile;
}

TEST_CASE("a run that knows a line is fit, and so is one whose lines are unreliable") {
  CHECK_FALSE(unfit(profile_of({line(unknown), line(9)}), TargetKind::program));
  annotator::LineEstimate unreliable = line(unknown);
  unreliable.cost.unreliable = true;
  CHECK_FALSE(unfit(profile_of({unreliable}), TargetKind::program));
  CHECK_FALSE(unfit(profile_of({}), TargetKind::program));
}

TEST_CASE("a path too long for the time is said, with the better tool") {
  const std::optional<Fault> fault = unfit(profile_of({line(unknown)}), TargetKind::program);
  REQUIRE(fault);
  CHECK(fault->message ==
        "no line of the command has a time: 3 rounds of 5000 stops are too few for an interval");
  CHECK(fault->hint ==
        "such code is better measured by `jcprof record`, or perf, in one run; else more time "
        "(\"max_time\"), a "
        "coarser \"level\", or fewer functions (\"include\") in jcprof.json");
  CHECK(unfit(profile_of({line(unknown)}), TargetKind::applet)->hint.starts_with("more time"));
  CHECK(unfit(profile_of({line(unknown)}), TargetKind::optee_ta)->hint.find("perf") == std::string::npos);
}

TEST_CASE("where runs take different paths, that is the cause") {
  annotator::Profile profile = profile_of({line(unknown)});
  profile.noted = {{.kind = WarningKind::path_varies}};
  CHECK(unfit(profile, TargetKind::program)->message ==
        "no line of the command has a time: its runs take different paths, and too few shots tell which one "
        "they took");
}

}  // namespace
}  // namespace jcprof::cli
