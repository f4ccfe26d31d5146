// SPDX-License-Identifier: Apache-2.0
#include "harness/device_cause.hpp"

#include <catch2/catch.hpp>

#include "src/core/file.hpp"
#include "tests/core/temporary_folder.hpp"

using namespace jcprof;
using jcprof::harness::cause_of_end;

TEST_CASE("a jar of the class path that is not there is the cause, whatever java says of classes") {
  const test::TemporaryFolder folder;
  write_file(folder / "there.jar", "");
  const std::string there = (folder / "there.jar").string();
  const std::string gone = (folder / "gone.jar").string();
  const std::string words = "\nCould not find or load main class a.B\n";
  CHECK(cause_of_end("java -cp " + there + ":" + gone + " a.B" + words) == "there is no \"" + gone + "\"");
  CHECK(cause_of_end("java -classpath " + there + ":/nowhere/classes a.B" + words) ==
        "there is no \"/nowhere/classes\"");
  CHECK(cause_of_end("java -Djar=" + gone + words) == "there is no \"" + gone + "\"");
  CHECK(cause_of_end("java -cp " + there + " a.B" + words) ==
        "java does not find the main class on the class path");
}

TEST_CASE("a file that the output names is the cause, and one that it does not name is none") {
  const test::TemporaryFolder folder;
  const std::string gone = (folder / "gone.img").string();
  const std::string command = "qemu -drive file=" + gone + " -D /nowhere/log";
  CHECK(cause_of_end(command + "\nqemu: Could not open '" + gone + "': No such file\n") ==
        "there is no \"" + gone + "\"");
  CHECK(cause_of_end(command + "\nsomething else\n").empty());
  CHECK(cause_of_end("java -o /nowhere/out\njava.net.ConnectException: Connection refused\n") ==
        "nothing listens at the port that it connects to; {port} is the one where jcprof waits");
  CHECK(cause_of_end("java -o /nowhere/out -cp /\nCould not find or load main class a.B\n") ==
        "java does not find the main class on the class path");
}

TEST_CASE("a simulator's last words name a wrong port, a wrong class and an old java") {
  CHECK(cause_of_end("java\njava.net.ConnectException: Connection refused\n") ==
        "nothing listens at the port that it connects to; {port} is the one where jcprof waits");
  CHECK(cause_of_end("java\njava.lang.NumberFormatException: For input string: \"\"\n") ==
        "{port} is empty; only with \"vpcd:\" there is one");
  CHECK(cause_of_end("java\n\tat com.licel.jcardsim.base.Simulator.loadApplet(Simulator.java:146)\n") ==
        "it cannot load the applet; the class that it is told must be on its class path");
  CHECK(cause_of_end("java\njava.lang.UnsupportedClassVersionError: A\n") ==
        "this java is older than the classes that it loads: install a newer one (default-jdk-headless), or "
        "name it in \"start\"");
  CHECK(cause_of_end("qemu\nsomething else\n").empty());
}

TEST_CASE("a device program that ends too early is told with its cause, its command and what to do") {
  CHECK_THROWS_WITH(
      throw harness::ended_before("it said \"up\"", "java\nUnsupportedClassVersionError\n"),
      "the device program ended before it said \"up\": this java is older than the classes that "
      "it loads: install a newer one (default-jdk-headless), or name it in "
      "\"start\"\njava\nUnsupportedClassVersionError\n"
      "hint: run the command above by hand; \"start\" in jcprof.json says what is run");
}
