// SPDX-License-Identifier: Apache-2.0
// scripts/optee-vm with programs of the tests' own in the agent's place.
#include <csignal>
#include <cstdlib>

#include <catch2/catch.hpp>

#include "src/core/file.hpp"
#include "tests/optee/machine.hpp"

namespace jcprof {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using test::becomes_true;
using test::optee_vm;
using test::Running;
using test::Said;
using test::Workplace;

/// A machine that runs echo.c; the trusted application is a file that nobody opens.
struct EchoMachine {
  explicit EchoMachine(const Workplace& workplace) : place(workplace), echo(test::echo_program(workplace)) {
    write_file(place / "none.ta", "");
  }

  std::vector<std::string> command(const std::string& options = {}) const {
    return {"sh", "-c", "exec " + optee_vm() + " agent " + options + " --program " + echo + " none.ta"};
  }
  /// Its input is what a shell's command writes.
  Said asked(const std::string& writer, const std::string& options = {}) const {
    return place.run({"sh", "-c", "(" + writer + ") | " + command(options).back()});
  }

  const Workplace& place;
  std::string echo;
};

TEST_CASE("what the host writes is answered by the machine, and its program's exit status is the script's") {
  const Workplace place("optee-echo");
  JCPROF_NEEDS_OPTEE_MACHINE(place);
  const Said said = EchoMachine(place).asked("echo one; echo two; echo exit 7");
  INFO(said.err);
  CHECK(said.status == 7);
  CHECK_THAT(said.out, Catch::Matches("one: [0-9]+, loop [0-9]+\ntwo: [0-9]+, loop [0-9]+\n"));
  CHECK(said.err.find("I/TC: OP-TEE version") != std::string::npos);
  CHECK(said.err.find("\noptee-vm: ready\n") != std::string::npos);
}

TEST_CASE("under an instruction counter the machine answers the same, whatever the host does") {
  const Workplace place("optee-icount");
  JCPROF_NEEDS_OPTEE_MACHINE(place);
  const EchoMachine machine(place);
  const Said at_once = machine.asked("printf 'one\\ntwo\\nthree\\n'", "--icount");
  const Said slowly = machine.asked(
      "timeout 20 sh -c 'while :; do :; done' & printf one; sleep 1; echo; sleep 2; echo two; sleep 0.3; "
      "echo three; kill $!",
      "--icount");
  INFO(at_once.err << slowly.err);
  CHECK(at_once.status == 0);
  CHECK(std::ranges::count(at_once.out, '\n') == 3);
  CHECK(at_once.out == slowly.out);
}

TEST_CASE("a machine that does not boot is given up after the time, with where it was") {
  const Workplace place("optee-no-boot");
  JCPROF_NEEDS_OPTEE_MACHINE(place);
  const std::string cache = test::cache_with(place, "firmware", "flash.bin", std::string(1 << 20, '\0'));
  const EchoMachine machine(place);
  const Said said = place.run({"env", cache, "sh", "-c", machine.command("--boot-timeout 2").back()});
  CHECK(said.status == 3);
  CHECK_THAT(said.err, Catch::EndsWith("optee-vm: the machine did not boot within 2 s (normal world: \"\", "
                                       "secure world: \"\")\n"));
}

TEST_CASE("a machine that ends before it is up is told of at once") {
  const Workplace place("optee-panic");
  JCPROF_NEEDS_OPTEE_MACHINE(place);
  const std::string cache = test::cache_with(place, "initramfs", "base.cpio", "");
  const EchoMachine machine(place);
  const Said said = place.run({"env", cache, "sh", "-c", machine.command().back()});
  INFO(said.err);
  CHECK(said.status == 3);
  CHECK(said.err.find("Kernel panic - not syncing") != std::string::npos);
  CHECK(said.err.find("\noptee-vm: the machine ended before it was up (normal world: \"") !=
        std::string::npos);
}

/// Runs the machine until its program waits for a line that never comes, and sends the script a signal.
int ended_by(const Workplace& place, int signal) {
  const EchoMachine machine(place);
  fs::create_directories(place / "temporary");
  // Opened for both, the FIFO never ends.
  const std::string script =
      "mkfifo lines; TMPDIR=" + (place / "temporary").string() + " " + machine.command().back() + " <>lines";
  Running run = place.start({"sh", "-c", script});
  REQUIRE(becomes_true([&] { return run.said().find("optee-vm: ready") != std::string::npos; }, 60s));
  REQUIRE(place.processes("qemu-system-aarch64").size() == 1);
  ::kill(run.pid(), signal);
  const int status = run.wait();
  CHECK(becomes_true([&] { return place.processes("qemu-system-aarch64").empty(); }, 5s));
  CHECK(becomes_true([&] { return place.processes("tail").empty(); }, 5s));
  return status;
}

TEST_CASE("SIGTERM ends the machine, and nothing of it stays") {
  const Workplace place("optee-sigterm");
  JCPROF_NEEDS_OPTEE_MACHINE(place);
  CHECK(ended_by(place, SIGTERM) == 128 + SIGTERM);
  CHECK(fs::is_empty(place / "temporary"));
}

TEST_CASE("SIGKILL of the script ends the machine too") {
  const Workplace place("optee-sigkill");
  JCPROF_NEEDS_OPTEE_MACHINE(place);
  CHECK(ended_by(place, SIGKILL) == 128 + SIGKILL);
}

/// A program for a PATH of the test's own.
void add_program(const Workplace& place, const std::string& name, const std::string& script) {
  fs::create_directories(place / "bin");
  write_file(place / "bin" / name, "#!/bin/sh\n" + script + "\n");
  fs::permissions(place / "bin" / name, fs::perms::owner_all);
}

/// That PATH with these of the system, and nothing else.
std::string path_with(const Workplace& place, const std::vector<std::string>& programs) {
  fs::create_directories(place / "bin");
  for (const std::string& program : programs)
    place.run({"sh", "-c", "ln -s \"$(command -v " + program + ")\" bin/" + program});
  return "PATH=" + (place / "bin").string();
}

TEST_CASE("tools that are missing are named, with how to get them") {
  const Workplace place("optee-tools");
  write_file(place / "none.ta", "");
  const std::string path = path_with(place, {"bash", "dirname", "readlink", "cpio"});
  const Said agent = place.run({"env", path, optee_vm(), "agent", "none.ta"});
  CHECK(agent.status == 3);
  CHECK(agent.err ==
        "optee-vm: not found: qemu-system-aarch64 fdtput setpriv\nhint: scripts/setup --optee\n");
  const Said build = place.run({"env", path, optee_vm(), "build"});
  CHECK(build.status == 3);
  CHECK(build.err.find("aarch64-linux-gnu-gcc") != std::string::npos);
}

TEST_CASE("a QEMU that is too old is refused") {
  const Workplace place("optee-old-qemu");
  write_file(place / "none.ta", "");
  add_program(place, "qemu-system-aarch64", "echo QEMU emulator version 7.1.0");
  for (const char* const tool : {"fdtput", "setpriv"}) add_program(place, tool, "exit 1");
  const std::string path = path_with(place, {"bash", "dirname", "readlink", "cpio", "sed", "sort"});
  const Said said = place.run({"env", path, optee_vm(), "agent", "none.ta"});
  CHECK(said.status == 3);
  CHECK(said.err == "optee-vm: QEMU 7.1.0 has no semihosting for programs; 7.2 is the first that has\n");
}

TEST_CASE("without a machine the agent says how to make one, and a build that fails leaves nothing half") {
  const Workplace place("optee-nothing");
  JCPROF_NEEDS_OPTEE_MACHINE(place);
  write_file(place / "none.ta", "");
  const std::string cache = "JCPROF_CACHE=" + (place / "cache").string();
  const std::string no_machine =
      "optee-vm: the machine in @/cache/optee-vm is missing, or not that of these sources\nhint: "
      "scripts/optee-vm build\n";
  const auto agent = [&] { return place.run({"env", cache, optee_vm(), "agent", "none.ta"}); };
  CHECK(agent().status == 3);
  CHECK(agent().err == no_machine);
  add_program(place, "apt-get", "echo no network >&2; exit 100");
  const std::string path = "PATH=" + (place / "bin").string() + ":" + std::getenv("PATH");
  const Said build = place.run({"env", cache, path, optee_vm(), "build"});
  CHECK(build.status == 3);
  CHECK(build.err.find("optee-vm: fetching root failed") != std::string::npos);
  CHECK_FALSE(fs::exists(place / "cache/optee-vm/root"));
  CHECK(agent().err == no_machine);
}

TEST_CASE("what is wrong with the command line is said") {
  const Workplace place("optee-arguments");
  const auto error_of = [&](const std::vector<std::string>& arguments) {
    std::vector<std::string> argv{optee_vm()};
    argv.insert(argv.end(), arguments.begin(), arguments.end());
    const Said said = place.run(argv);
    CHECK(said.status == 2);
    return said.err;
  };
  CHECK(error_of({"boot"}) == "optee-vm: build or agent? (boot is neither)\n");
  CHECK(error_of({"agent"}) == "optee-vm: which trusted applications? scripts/optee-vm agent FILE.ta…\n");
  CHECK(error_of({"agent", "missing.ta"}) == "optee-vm: there is no trusted application \"missing.ta\"\n");
  CHECK(error_of({"agent", "--fast"}) ==
        "optee-vm: agent has no option \"--fast\"\n"
        "hint: --icount, --no-supplicant, --boot-timeout and --program are known\n");
}

}  // namespace
}  // namespace jcprof
