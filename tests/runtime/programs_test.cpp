// SPDX-License-Identifier: Apache-2.0
// Programs that are run once for each shot: armed by environment, stopped by _exit, reporting in a file.
#include <algorithm>
#include <filesystem>

#include <fmt/format.h>
#include <catch2/catch.hpp>

#include "src/core/file.hpp"
#include "src/core/path_signature.hpp"
#include "tests/runtime/workshop.hpp"

namespace jcprof::test {
namespace {

using Ids = std::vector<std::uint32_t>;

const Flags live = {"-DJCPROF", "-DJCPROF_PROGRAM", "-DJCPROF_BUILD=0xCAFE0001u"};
struct Optimisation {
  Flags flags;
  std::size_t step;  // stops at each so-manieth event
};
const std::vector<Optimisation> optimisations = {
    {{"-O0"}, 7}, {{"-O3"}, 1}, {{"-O1", "-g", "-fsanitize=address,undefined"}, 7}};

/// work(3) of flow.c, which calls work(2) once.
const std::string flow_path =
    "1 2 20 20 20 21 22 22 3 30 31 4 40 41 43 41 43 42 43 50 50 50 51 5 60 60 6 70000 70000 131071 70000 "
    "131071 4294967295 "
    "1 2 20 20 21 22 3 30 31 4 40 41 43 41 43 42 43 50 50 50 51 5 60 60 6 70000 70000 131071 70000 131071 "
    "4294967295 7 7";

/// Stops at events of the path; the answers must be these.
void stop_at_events(const Workshop& workshop, const std::string& program, const Ids& path, std::size_t step) {
  for (std::size_t i = 0; i < path.size(); i += step) {
    const std::string trap = std::to_string(path[i]);
    const std::string hit = std::to_string(hit_of(path, i));
    INFO("trap " << trap << ", hit " << hit);
    workshop.prepare_report("report", 0, 0);
    CHECK(workshop.run({program}, {{"JCPROF_TRAP", trap}, {"JCPROF_HIT", hit}, {"JCPROF_REPORT", "report"}})
              .status == 86);
    const Report report = workshop.report("report");
    CHECK((report.build == 0xCAFE0001 && report.trap == path[i] && report.hit == hit_of(path, i)));
  }
}

std::uint32_t signature_of(const Ids& ids, std::size_t count) {
  std::vector<TrapId> traps;
  for (const std::uint32_t id : ids) traps.push_back(TrapId{id});
  return path_signature(std::span(traps).first(count));
}

}  // namespace

TEMPLATE_TEST_CASE("a C program logs its path and stops at each event of it", "", Gcc, Clang) {
  REQUIRE_COMPILER(TestType::compilers());
  const Workshop workshop(TestType::compilers());
  for (const auto& [optimisation, step] : optimisations) {
    INFO(optimisation.back());
    const std::string program = workshop.build("flow", {"flow.c", "program.c"}, live + optimisation);
    workshop.prepare_report("trace", 0, 1000);
    CHECK(workshop.run({program}) == Ran{0, "result 234\n"});
    CHECK(workshop.run({program}, {{"JCPROF_TRACE", "trace"}}) == Ran{0, "result 234\n"});
    const Report trace = workshop.report("trace");
    CHECK(in_words(trace.ids) == "1000 " + flow_path + " 1001");
    stop_at_events(workshop, program, trace.ids, step);
  }
}

TEMPLATE_TEST_CASE(
    "a C++ program logs its path and stops at each event of it, in spite of catch and noexcept", "", Gcc,
    Clang) {
  REQUIRE_COMPILER(TestType::compilers());
  const Workshop workshop(TestType::compilers());
  for (const auto& [optimisation, step] : optimisations) {
    for (const std::string standard : {"-std=c++11", "-std=c++20"}) {
      INFO(optimisation.back() << " " << standard);
      const Flags flags = live + optimisation;
      const std::string program =
          workshop.link("unwinding", workshop.compile({"unwinding.cpp"}, flags + Flags{standard}) +
                                         workshop.compile({"program.c"}, flags) + flags);
      workshop.prepare_report("trace", 0, 1000);
      CHECK(workshop.run({program}, {{"JCPROF_TRACE", "trace"}}) == Ran{0, "result 112\n"});
      const Report trace = workshop.report("trace");
      CHECK(in_words(trace.ids) ==
            "1000 1 30 22 20 21 10 24 23 31 30 22 20 10 24 32 2 40 22 20 10 24 42 3 4 11 12 10 5 60 50 51 52 "
            "51 52 "
            "53 54 6 1001");
      stop_at_events(workshop, program, trace.ids, step);
    }
  }
}

TEMPLATE_TEST_CASE("a window holds what fits of the path, with signatures of what came before and of all", "",
                   Gcc, Clang) {
  REQUIRE_COMPILER(TestType::compilers());
  const Workshop workshop(TestType::compilers());
  const std::string program = workshop.build("flow", {"flow.c", "program.c"}, live + Flags{"-O2"});
  workshop.prepare_report("whole", 0, 1000);
  workshop.run({program}, {{"JCPROF_TRACE", "whole"}});
  const Ids path = workshop.report("whole").ids;
  const auto rooms = {0U, 1U, 7U, 66U, 68U, 100U};
  for (const std::size_t from :
       {std::size_t{0}, std::size_t{1}, std::size_t{30}, path.size() - 1, path.size(), path.size() + 5}) {
    for (const std::size_t room : rooms) {
      INFO("from " << from << ", room " << room);
      workshop.prepare_report("window", from, room);
      workshop.run({program}, {{"JCPROF_TRACE", "window"}});
      const Report window = workshop.report("window");
      const std::size_t first = std::min(from, path.size());
      const std::size_t last = std::min(first + room, path.size());
      CHECK(in_words(window.ids) == in_words(Ids(path.begin() + static_cast<std::ptrdiff_t>(first),
                                                 path.begin() + static_cast<std::ptrdiff_t>(last))));
      CHECK(window.magic == "JCPROF1\n");
      CHECK((window.events == path.size() && window.from == from && window.room == room && window.trap == 0));
      CHECK(window.before == signature_of(path, first));
      CHECK(window.all == signature_of(path, path.size()));
    }
  }
}

TEMPLATE_TEST_CASE("a file that is not there, or is empty, is made with room for a million events", "", Gcc,
                   Clang) {
  REQUIRE_COMPILER(TestType::compilers());
  const Workshop workshop(TestType::compilers());
  const std::string program = workshop.build("flow", {"flow.c", "program.c"}, live + Flags{"-O2"});
  write_file(workshop.path("empty"), "");
  for (const std::string name : {"new", "empty"}) {
    CHECK(workshop.run({program}, {{"JCPROF_TRACE", name}}) == Ran{0, "result 234\n"});
    const Report trace = workshop.report(name);
    CHECK((trace.room == 1U << 20U && trace.from == 0));
    CHECK(in_words(trace.ids) == "1000 " + flow_path + " 1001");
  }
  CHECK(workshop.run({program}, {{"JCPROF_TRAP", "5"}, {"JCPROF_REPORT", "made"}}).status == 86);
  CHECK((workshop.report("made").trap == 5 && workshop.report("made").room == 0));
}

TEMPLATE_TEST_CASE("a trace that is stopped says where, and what was passed up to there", "", Gcc, Clang) {
  REQUIRE_COMPILER(TestType::compilers());
  const Workshop workshop(TestType::compilers());
  const std::string program = workshop.build("flow", {"flow.c", "program.c"}, live);
  CHECK(workshop.run({program}, {{"JCPROF_TRACE", "trace"}, {"JCPROF_TRAP", "20"}, {"JCPROF_HIT", "2"}})
            .status == 86);
  const Report trace = workshop.report("trace");
  CHECK(in_words(trace.ids) == "1000 1 2 20 20");
  CHECK((trace.trap == 20 && trace.hit == 2));
}

TEMPLATE_TEST_CASE("a trap that is not passed so often lets the program run to its end", "", Gcc, Clang) {
  REQUIRE_COMPILER(TestType::compilers());
  const Workshop workshop(TestType::compilers());
  const std::string program = workshop.build("flow", {"flow.c", "program.c"}, live);
  CHECK(workshop.run({program}, {{"JCPROF_TRAP", "20"}, {"JCPROF_HIT", "6"}, {"JCPROF_REPORT", "r"}}) ==
        Ran{0, "result 234\n"});
  CHECK(workshop.report("r").trap == 0);
  CHECK(workshop.run({program}, {{"JCPROF_TRAP", "0"}, {"JCPROF_REPORT", "r"}}) == Ran{0, "result 234\n"});
  CHECK(workshop.report("r").trap == 0);
}

TEMPLATE_TEST_CASE("calibration makes its passes and leaves", "", Gcc, Clang) {
  REQUIRE_COMPILER(TestType::compilers());
  const Workshop workshop(TestType::compilers());
  const std::string program = workshop.build("flow", {"flow.c", "program.c"}, live + Flags{"-O2"});
  for (const std::string kind : {"empty", "unarmed", "counting"}) {
    CHECK(workshop.run({program}, {{"JCPROF_CALIBRATE", kind + ":1234567"}, {"JCPROF_REPORT", "r"}}) ==
          Ran{0, ""});
    CHECK((workshop.report("r").passes == 1234567 && workshop.report("r").trap == 0));
  }
}

TEMPLATE_TEST_CASE("what cannot be used is said, and nothing runs", "", Gcc, Clang) {
  REQUIRE_COMPILER(TestType::compilers());
  const Workshop workshop(TestType::compilers());
  const std::string program = workshop.build("flow", {"flow.c", "program.c"}, live);
  const auto fault = [&](const std::string& variable, const std::string& value) {
    return workshop.run({program}, {{variable, value}});
  };
  write_file(workshop.path("novel"), std::string(100, 'x'));
  write_file(workshop.path("short"), "JCPROF1\n");
  CHECK(fault("JCPROF_TRAP", "") == Ran{87, "jcprof: JCPROF_TRAP is not a number that fits\n"});
  CHECK(fault("JCPROF_TRAP", "x1") == Ran{87, "jcprof: JCPROF_TRAP is not a number that fits\n"});
  CHECK(fault("JCPROF_TRAP", "4294967296") == Ran{87, "jcprof: JCPROF_TRAP is not a number that fits\n"});
  CHECK(fault("JCPROF_HIT", "99999999999999999999") ==
        Ran{87, "jcprof: JCPROF_HIT is not a number that fits\n"});
  CHECK(fault("JCPROF_HIT", "0") == Ran{87, "jcprof: JCPROF_HIT is not a number that fits\n"});
  CHECK(fault("JCPROF_TRACE", "no/such/folder") ==
        Ran{87, "jcprof: JCPROF_TRACE: that file cannot be written\n"});
  CHECK(fault("JCPROF_TRACE", "novel") == Ran{87, "jcprof: JCPROF_TRACE: that file is not of jcprof\n"});
  CHECK(fault("JCPROF_REPORT", "short") == Ran{87, "jcprof: JCPROF_REPORT: that file is not of jcprof\n"});
  CHECK(fault("JCPROF_CALIBRATE", "full:3") ==
        Ran{87, "jcprof: JCPROF_CALIBRATE is neither empty:N nor unarmed:N nor counting:N\n"});
  CHECK(read_file(workshop.path("novel")) == std::string(100, 'x'));
}

TEMPLATE_TEST_CASE("only the thread that began is armed", "", Gcc, Clang) {
  REQUIRE_COMPILER(TestType::compilers());
  const Workshop workshop(TestType::compilers());
  const std::string program = workshop.build("threads", {"threads.c"}, live + Flags{"-pthread"});
  CHECK(workshop.run({program}, {{"JCPROF_TRACE", "trace"}}) == Ran{0, "499500\n3\n"});
  CHECK(in_words(workshop.report("trace").ids) == "1 2 2 2 3");
  CHECK(workshop.run({program}, {{"JCPROF_TRAP", "2"}, {"JCPROF_HIT", "3"}}) == Ran{86, "499500\n"});
}

TEMPLATE_TEST_CASE("a child of fork is not armed and writes nothing, and what is started is not armed", "",
                   Gcc, Clang) {
  REQUIRE_COMPILER(TestType::compilers());
  const Workshop workshop(TestType::compilers());
  const std::string program = workshop.build("forks", {"forks.c"}, live);
  CHECK(workshop.run({program}, {{"JCPROF_TRACE", "trace"}}) == Ran{0, "child 42\nparent\n"});
  CHECK(in_words(workshop.report("trace").ids) == "1 2 2 2 3");
  CHECK(workshop.run({program}, {{"JCPROF_TRAP", "2"}, {"JCPROF_HIT", "2"}, {"JCPROF_REPORT", "r"}}) ==
        Ran{86, "child 42\n"});
  CHECK((workshop.report("r").trap == 2 && workshop.report("r").hit == 2));
}

TEMPLATE_TEST_CASE("a child of vfork does not take its parent's stop", "", Gcc, Clang) {
  REQUIRE_COMPILER(TestType::compilers());
  const Workshop workshop(TestType::compilers());
  const std::string program = workshop.build("vforks", {"vforks.c"}, live);
  CHECK(workshop.run({program}, {{"JCPROF_TRACE", "trace"}}) == Ran{0, "parent\n"});
  CHECK(in_words(workshop.report("trace").ids) == "1 2 2 2 3");
  CHECK(workshop.run({program}, {{"JCPROF_TRAP", "2"}, {"JCPROF_REPORT", "r"}}) == Ran{86, ""});
  CHECK((workshop.report("r").trap == 2 && workshop.report("r").hit == 1));
}

TEMPLATE_TEST_CASE("without traps the same sources do the same, and no symbol of jcprof is left", "", Gcc,
                   Clang) {
  REQUIRE_COMPILER(TestType::compilers());
  const Workshop workshop(TestType::compilers());
  for (const Flags& off : {Flags{}, live + Flags{"-DJCPROF_OFF"}}) {
    const std::string flow = workshop.build("flow", {"flow.c", "program.c"}, off);
    CHECK(workshop.run({flow}, {{"JCPROF_TRAP", "1"}}) == Ran{0, "result 234\n"});
    CHECK(workshop.run({"sh", "-c", "nm flow | grep -i jcprof"}) == Ran{1, ""});
    workshop.link("unwinding", workshop.compile({"unwinding.cpp", "program.c"}, off));
    CHECK(workshop.run({workshop.path("unwinding")}, {{"JCPROF_TRAP", "1"}}) == Ran{0, "result 112\n"});
    CHECK(workshop.run({"sh", "-c", "nm unwinding | grep -i jcprof"}) == Ran{1, ""});
  }
}

}  // namespace jcprof::test
