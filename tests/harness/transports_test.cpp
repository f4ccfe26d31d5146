// SPDX-License-Identifier: Apache-2.0
#include "harness/transports.hpp"

#include <catch2/catch.hpp>

#include "src/core/error.hpp"

using namespace jcprof;
using namespace jcprof::harness;

namespace {

Project applet() {
  Project project;
  project.file = "/p/jcprof.json";
  project.root = "/p";
  project.trigger.apdus = {"B0310000"};
  return project;
}

void make(const Project& project, const std::string& uri) {
  make_transport(project, {}, uri, harness::OutputPlaces("/tmp/jcprof-out"));
}

}  // namespace

TEST_CASE("an unknown transport is answered with the one that was meant") {
  CHECK_THROWS_WITH(make(applet(), "vpdc:"),
                    "/p/jcprof.json: unknown transport \"vpdc\"\nhint: did you mean \"vpcd\"?");
  CHECK_THROWS_WITH(make(applet(), "pcsd:x"), Catch::Contains("did you mean \"pcsc\"?"));
  CHECK_THROWS_WITH(
      make(applet(), "telepathy"),
      Catch::Contains("hint: there are \"pcsc:\", \"vpcd:\", \"exec:\", \"agent:\" and \"labgrid:\""));
}

TEST_CASE("exec runs the trigger of a program, and nothing else") {
  CHECK_THROWS_WITH(make(applet(), "exec:"),
                    "/p/jcprof.json: transport \"exec:\" runs programs, and the target is something else\n"
                    "hint: \"target\": \"program\"");
  Project project = applet();
  project.target = TargetKind::program;
  CHECK_THROWS_WITH(make(project, "exec:"), Catch::Contains("and \"trigger\" names none"));
  project.trigger.run = {"true"};
  CHECK_NOTHROW(make(project, "exec:"));
}

TEST_CASE("the project's transport is taken where none is named, and one there must be") {
  Project project = applet();
  CHECK_THROWS_WITH(make(project, ""), Catch::Contains("no transport is named"));
  project.transport = "exec:";
  CHECK_THROWS_WITH(make(project, ""), Catch::Contains("\"exec:\" runs programs"));
}

TEST_CASE("a port that is none is refused") {
  CHECK_THROWS_WITH(make(applet(), "vpcd:0"), Catch::Contains("\"0\" is no port"));
  CHECK_THROWS_WITH(make(applet(), "vpcd:99999"), Catch::Contains("\"99999\" is no port"));
  CHECK_THROWS_WITH(make(applet(), "vpcd:12x"), Catch::Contains("\"12x\" is no port"));
}

TEST_CASE("a trigger that writes its Lc itself is checked with an input of the project") {
  Project project = applet();
  project.trigger.apdus = {"00DB3FFF 17 5C035FC1025310 {input}"};
  project.inputs = RandomInput{.bytes = 16};
  CHECK_NOTHROW(make(project, "vpcd:"));
  project.inputs = RandomInput{.bytes = 15};
  CHECK_THROWS_WITH(make(project, "vpcd:"), Catch::Contains("its Lc says 23 bytes of data, 22 follow"));
}

TEST_CASE("vpcd takes any free port") {
  CHECK_NOTHROW(make(applet(), "vpcd:"));
  CHECK_NOTHROW(make(applet(), "vpcd"));
}
