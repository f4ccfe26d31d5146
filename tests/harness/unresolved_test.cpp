// SPDX-License-Identifier: Apache-2.0
#include "harness/unresolved.hpp"

#include <limits>
#include <vector>

#include <catch2/catch.hpp>

namespace jcprof::harness {
namespace {

using engine::FigureLook;
using namespace std::chrono_literals;

FigureLook unsettled(std::string name, double share, double rounds, double shots) {
  return {.name = std::move(name), .share = share, .rounds_left = rounds, .shots_left = shots};
}

const Effort effort{.rounds = 24, .most_rounds = 1000, .per_shot = 18ms};

std::string text_of(const std::vector<FigureLook>& figures) {
  const auto warning = warning_of_unresolved(figures, {}, effort);
  return warning ? warning->text : "";
}

}  // namespace

TEST_CASE("lines that are not known well enough are named with what they take") {
  FigureLook known{.name = "a.c:1", .share = 0.7, .settled = true};
  CHECK(text_of({known}).empty());
  CHECK(text_of({known, unsettled("a.c:12", 0.2, 400, 39'500)}) ==
        "1 of 2 lines and functions are not known to ±0.5 points or 5 %: a.c:12 needs about 40,000 more "
        "shots (12 min)");
}

TEST_CASE("the lines with most of the time come first, and five are named") {
  std::vector<FigureLook> figures;
  for (int i = 1; i <= 7; ++i) figures.push_back(unsettled("a.c:" + std::to_string(i), 0.01 * i, 10, 100));
  const std::string text = text_of(figures);
  CHECK(text.find(": a.c:7 needs about 100 more shots (2 s), a.c:6 ") != std::string::npos);
  CHECK(text.find("a.c:3 ") != std::string::npos);
  CHECK(text.find("a.c:2 ") == std::string::npos);
  CHECK(text.ends_with(", and 2 others"));
}

TEST_CASE("a line that a call cannot settle comes with how many rounds can") {
  const std::vector far{unsettled("a.c:12", 0.2, 4000.5, 40'000), unsettled("a.c:13", 0.1, 2000, 20'000)};
  CHECK(warning_of_unresolved(far, {}, effort)->advice.starts_with("`jcprof run --rounds 4025` resumes"));
  const std::vector near{far[0], unsettled("a.c:13", 0.1, 900, 9000)};
  CHECK(warning_of_unresolved(near, {}, effort)->advice.starts_with("`jcprof run` resumes"));
  CHECK(text_of({unsettled("a.c:12", 0.2, 1e12, 1e14)}).ends_with("a.c:12 cannot be known that well"));
}

TEST_CASE("a session is not resumed, and advice says so") {
  const std::vector far{unsettled("a.c:12", 0.2, 4000.5, 40'000)};
  Effort of_session = effort;
  of_session.is_session = true;
  CHECK(warning_of_unresolved(far, {}, of_session)->advice ==
        "`jcprof run --fresh --rounds 4025` measures the sessions anew; or choose a larger --absolute");
}

TEST_CASE("a line that no number of rounds settles comes with its least half width") {
  FigureLook loop = unsettled("a.c:12", 0.8, std::numeric_limits<double>::infinity(), 1e300);
  loop.lasting = 0.217;
  CHECK(text_of({loop}).ends_with("a.c:12 cannot be known better than to ±22 points"));
  CHECK(warning_of_unresolved(std::vector{loop}, {}, effort)->advice ==
        "measure a command that does more work, or choose a coarser \"level\" in jcprof.json");
  FigureLook small = loop;
  small.lasting = 0.02;
  CHECK(warning_of_unresolved(std::vector{small}, {}, effort)->advice == "choose a larger --absolute");
  const std::vector two{loop, unsettled("a.c:13", 0.1, 2000, 20'000)};
  loop.wants_calibration = true;
  CHECK(text_of({loop}).ends_with("to ±22 points, because the cost of stops is not known well"));
  CHECK(warning_of_unresolved(std::vector{loop}, {}, effort)->advice ==
        "`jcprof run` resumes, and times more stops; or choose a larger --absolute");
  loop.wants_calibration = false;
  loop.lasting = 6.86;
  CHECK(text_of({loop}).ends_with("a.c:12 is hidden"));
  CHECK(warning_of_unresolved(std::vector{loop}, {}, effort)->advice ==
        "measure a command that does more work, or choose a coarser \"level\" in jcprof.json");
  loop.hidden_by_stops = true;
  CHECK(
      text_of({loop, unsettled("a.c:13", 0.1, 2000, 20'000)}).find("a.c:12 is hidden by the cost of stops") !=
      std::string::npos);
  CHECK(warning_of_unresolved(two, {}, effort)->advice.starts_with("`jcprof run --rounds 2024` resumes"));
}

TEST_CASE("if stops hide every line, one warning says so for all lines") {
  FigureLook a{.name = "a.c:1", .share = 0.3, .lasting = 0.4, .hidden_by_stops = true};
  FigureLook b{.name = "a.c:2", .share = 0, .lasting = 0.212, .hidden_by_stops = true};
  CHECK(text_of({a, b}) ==
        "stops hide every line and function: their cost may differ from trap to trap by more than the code "
        "between traps takes, and more rounds do not help");
  CHECK(warning_of_unresolved(std::vector{a, b}, {}, effort)->advice ==
        "measure a command that does more work between traps; or choose a coarser \"level\" or fewer "
        "functions (\"include\") in jcprof.json");
  b.hidden_by_stops = false;
  CHECK(text_of({a, b}).starts_with("2 of 2 lines and functions are not known"));
}

TEST_CASE("a call that made no shot does not know how long more of them take") {
  const auto warning = warning_of_unresolved(std::vector{unsettled("a.c:12", 0.2, 400, 1000)}, {},
                                             {.rounds = 24, .most_rounds = 1000});
  CHECK(warning->text.ends_with("a.c:12 needs about 1,000 more shots"));
}

TEST_CASE("times of hours and days are told so") {
  CHECK(time_text(0.2s) == "1 s");
  CHECK(time_text(119s) == "119 s");
  CHECK(time_text(150s) == "2 min");
  CHECK(time_text(5h) == "5 h");
  CHECK(time_text(72h) == "3 days");
}

}  // namespace jcprof::harness
