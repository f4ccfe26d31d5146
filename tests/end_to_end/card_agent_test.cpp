// SPDX-License-Identifier: Apache-2.0
// Cards behind jcprof-agent-card: what `pcsc:` finds, it finds, and what goes wrong there ends as it does
// with `pcsc:`.
#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <map>
#include <thread>

#include <fmt/format.h>
#include <unistd.h>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "src/core/file.hpp"
#include "tests/end_to_end/pcsc_place.hpp"
#include "tests/end_to_end/pin_bench.hpp"
#include "tests/end_to_end/workplace.hpp"

namespace jcprof {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using nlohmann::json;
using test::PinBench;
using test::PrivatePcscd;
using test::replace_in;
using test::Running;
using test::Said;
using test::TestClock;
using test::Workplace;

json profiled(const Workplace& place, const fs::path& project) {
  const Said said =
      place.run({"jcprof", "profile", project.string(), "--rounds", "8", "--max-time", "100h", "-q"});
  INFO(said.out << said.err);
  REQUIRE(said.status == 0);
  const std::string file = (project / "profile.json").string();
  const Said exported = place.run({"jcprof", "export", project.string(), "--format", "json", "-o", file});
  INFO(exported.err);
  REQUIRE(exported.status == 0);
  return json::parse(read_file(file));
}

/// Lines and functions, each with how often it was passed.
std::map<std::string, int> passes_of(const json& profile) {
  std::map<std::string, int> counts;
  for (const json& line : profile["lines"])
    counts[fmt::format("{}:{}", line["path"].get<std::string>(), line["line"].get<int>())] = line["hits"];
  for (const json& function : profile["functions"]) counts[function["function"]] = function["calls"];
  return counts;
}

/// Functions that take a tenth of the command or more, whose times are apart.
std::vector<std::string> apart(const json& a, const json& b) {
  // In virtual time that is more than what really passes.
  constexpr double tolerance = 0.05;
  std::map<std::string, json> others;
  for (const json& function : b["functions"]) others[function["function"]] = function["inclusive"]["ticks"];
  std::vector<std::string> names;
  for (const json& function : a["functions"]) {
    if (function["inclusive"]["share"]["value"] < 0.1) continue;
    const json& x = function["inclusive"]["ticks"];
    const json& y = others.at(function["function"]);
    if (x["low"].get<double>() > y["high"].get<double>() * (1 + tolerance) ||
        y["low"].get<double>() > x["high"].get<double>() * (1 + tolerance))
      names.push_back(
          fmt::format("{}: {} and {}", function["function"].get<std::string>(), x.dump(), y.dump()));
  }
  CHECK(a["functions"].size() > 3);
  return names;
}

void are_alike(const json& direct, const json& behind) {
  CHECK(direct["transport"] == "pcsc");
  CHECK(behind["transport"] == "agent");
  CHECK(passes_of(direct) == passes_of(behind));
  for (const char* key : {"reader", "protocol", "atr", "device", "simulated"})
    CHECK(direct[key] == behind[key]);
  CHECK(apart(direct, behind) == std::vector<std::string>{});
}

TEST_CASE("javacard-pin takes the same way and time through jcprof-agent-card as in the reader itself") {
  JCPROF_NEEDS_PRIVATE_PCSCD();
  const Workplace place("card-agent-pin", TestClock::virtual_time);
  const PrivatePcscd daemon;
  const fs::path direct = test::paced_pin(place, "direct");
  test::use_reader(direct, daemon);
  const fs::path behind = test::paced_pin(place, "behind");
  test::use_reader(behind, daemon);
  test::use_agent(behind);
  are_alike(profiled(place, direct), profiled(place, behind));
  CHECK(place.processes("java").empty());
}

/// A card that the agent starts.
struct Behind {
  explicit Behind(const std::string& name) : bench(name) {
    test::use_reader(bench.project, daemon);
    test::use_agent(bench.project);
  }
  PrivatePcscd daemon;
  PinBench bench;
};

TEST_CASE("a card behind an agent that dies is started again, and costs one shot") {
  JCPROF_NEEDS_PRIVATE_PCSCD();
  const Behind it("card-agent-dead");
  it.bench.survives([&] { it.bench.signal_simulator(SIGKILL); }, "'lost'");
}

TEST_CASE("a card behind an agent that hangs is started again, and costs one shot") {
  JCPROF_NEEDS_PRIVATE_PCSCD();
  const Behind it("card-agent-hung");
  it.bench.set_in_session("\"timeout\": \"1s\"");
  it.bench.survives([&] { it.bench.signal_simulator(SIGSTOP); }, "'lost', 'timed_out'");
}

/// Agents that were started in this folder; the guards of what they start come after them.
std::vector<pid_t> agents_in(const fs::path& project) {
  std::vector<pid_t> found;
  for (const fs::directory_entry& entry : fs::directory_iterator("/proc")) {
    std::error_code gone;
    const std::string name = entry.path().filename().string();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    const bool is_agent = fs::read_symlink(entry.path() / "exe", gone).filename() == "jcprof-agent-card";
    if (is_agent && fs::read_symlink(entry.path() / "cwd", gone) == project) found.push_back(std::stoi(name));
  }
  std::ranges::sort(found);
  return found;
}

TEST_CASE("an agent of a card that is killed is started again, and costs one shot") {
  JCPROF_NEEDS_PRIVATE_PCSCD();
  const Behind it("card-agent-killed");
  it.bench.survives(
      [&] {
        const std::vector<pid_t> agents = agents_in(it.bench.project);
        REQUIRE(!agents.empty());
        ::kill(agents.front(), SIGKILL);
      },
      "'lost'");
}

TEST_CASE("a daemon behind an agent that is killed and started again costs one shot") {
  JCPROF_NEEDS_PRIVATE_PCSCD();
  Behind it("card-agent-daemon");
  it.bench.survives(
      [&] {
        it.daemon.kill();
        std::this_thread::sleep_for(1s);
        it.daemon.start();
      },
      "'lost'");
}

TEST_CASE(
    "a card that is pulled behind an agent ends the run in the words of pcsc:, and the next one goes on") {
  JCPROF_NEEDS_PRIVATE_PCSCD();
  const PrivatePcscd daemon;
  const PinBench bench("card-agent-pulled");
  test::use_card_by_hand(bench.project);
  test::use_agent(bench.project);
  std::optional<BackgroundProcess> card(std::in_place, test::card_by_hand(bench.project, daemon),
                                        LogPolicy{});
  Running run = bench.start();
  bench.wait_for_rounds(3);
  card.reset();
  CHECK(run.wait() == 3);
  CHECK(run.said() ==
        "no card within 10 s: reader \"Virtual PCD 00 00\" is empty\n"
        "jcprof.json has no \"start\", so the card is one that is started or inserted by hand\n"
        "hint: insert the card; a virtual card must connect to the port of vpcd\n");
  bench.kept(3, "interrupted");
  card.emplace(test::card_by_hand(bench.project, daemon), LogPolicy{});
  bench.goes_on();
}

TEST_CASE("a reader that is not there, and words that are none, are errors of the run") {
  JCPROF_NEEDS_PRIVATE_PCSCD();
  const PrivatePcscd daemon;
  const PinBench bench("card-agent-nothing");
  test::use_card_by_hand(bench.project);
  const auto says = [&](const std::string& reader, int status, const std::string& text) {
    const Said said = bench.place.run(
        {"jcprof", "run", bench.project.string(), "-q", "--transport", "agent:jcprof-agent-card " + reader});
    CHECK(said.status == status);
    CHECK_THAT(said.err, Catch::StartsWith(text));
  };
  says("pcsc:Gemalto", 3, "no card within 10 s: there is no reader \"Gemalto\"\n");
  says("vpcd:x", 2, "\"x\" is no port\nhint: \"vpcd:\" takes any free one, \"vpcd:35963\" that one\n");
  says("usb:1", 2, "\"usb:1\" is no reader\nhint: there are \"pcsc:NAME\" and \"vpcd:PORT\"\n");
}

TEST_CASE("a trigger of several commands, its memory and its path are looked at through an agent, too") {
  JCPROF_NEEDS_PRIVATE_PCSCD();
  const Behind it("card-agent-several");
  replace_in(it.bench.project / "jcprof.json", "{\"apdu\": \"B0310000 {input}\"}",
             "{\"apdu\": [\"B0330000\", \"B0310000 {input}\"]}");
  CHECK(it.bench.start("4").wait() == 0);
  CHECK(it.bench.ask(test::shots_gone) == "0");
  const Said memory = it.bench.place.run({"jcprof", "run", it.bench.project.string(), "--memory", "-q"});
  INFO(memory.out << memory.err);
  CHECK(memory.status == 0);
}

/// A server of the test's own, which lets in whoever has the test's key, at a port of its own.
class LoopbackSsh {
 public:
  static std::string obstacle() {
    for (const char* program : {"/usr/sbin/sshd", "/usr/bin/ssh", "/usr/bin/ssh-keygen"})
      if (!fs::exists(program))
        return fmt::format("there is no {}: scripts/setup --test installs it", program);
    return "";
  }

  explicit LoopbackSsh(const fs::path& folder) : folder_(folder), port_(test::free_ports()) {
    fs::create_directories(folder_);
    for (const char* key : {"host", "user"})
      REQUIRE(run_and_wait({.argv = {"/usr/bin/ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f",
                                     (folder_ / key).string()},
                            .cwd = folder_},
                           {}, 1min)
                  .exit_status == 0);
    write_file(
        folder_ / "sshd_config",
        fmt::format("Port {}\nListenAddress 127.0.0.1\nHostKey {}\nAuthorizedKeysFile {}\nPidFile none\n"
                    "UsePAM no\nStrictModes no\nPasswordAuthentication no\nPermitRootLogin yes\n",
                    port_, (folder_ / "host").string(), (folder_ / "user.pub").string()));
    write_file(folder_ / "ssh_config",
               fmt::format("Host lab\n  HostName 127.0.0.1\n  Port {}\n  IdentityFile {}\n  BatchMode yes\n"
                           "  StrictHostKeyChecking no\n  UserKnownHostsFile /dev/null\n  LogLevel ERROR\n",
                           port_, (folder_ / "user").string()));
    if (::geteuid() == 0) fs::create_directories("/run/sshd");
    server_.emplace(Command{.argv = {"/usr/sbin/sshd", "-D", "-e", "-f", (folder_ / "sshd_config").string()},
                            .cwd = folder_},
                    LogPolicy{.file = folder_ / "sshd.log"});
    INFO(server_->tail());
    REQUIRE(test::becomes_true([&] { return test::is_listening(port_); }, 20s));
  }

  /// Goes before a command on the other side.
  std::string to(const fs::path& project) const {
    return fmt::format("ssh -F {} lab cd {} && env PCSCLITE_CSOCK_NAME={} {}/",
                       (folder_ / "ssh_config").string(), project.string(),
                       std::getenv("PCSCLITE_CSOCK_NAME"), JCPROF_BIN_DIR);
  }

 private:
  fs::path folder_;
  std::uint16_t port_;
  std::optional<BackgroundProcess> server_;
};

#define JCPROF_NEEDS_SSH()                                             \
  if (const std::string why = LoopbackSsh::obstacle(); !why.empty()) { \
    WARN("SKIPPED: " << why);                                          \
    return;                                                            \
  }

TEST_CASE(
    "a card behind an agent on another host, by ssh, goes the same way, and a cut connection costs one "
    "shot") {
  JCPROF_NEEDS_PRIVATE_PCSCD();
  JCPROF_NEEDS_SSH();
  const PrivatePcscd daemon;
  const PinBench bench("card-agent-ssh");
  const LoopbackSsh ssh(bench.place / "ssh");
  test::use_reader(bench.project, daemon);
  test::use_agent(bench.project, ssh.to(bench.project));
  bench.survives(
      [&] {
        const std::vector<pid_t> clients = bench.place.processes("ssh");
        REQUIRE(!clients.empty());
        ::kill(clients.front(), SIGKILL);
      },
      "'lost'");
  CHECK(bench.ask("SELECT reader FROM run") == "Virtual PCD 00 00");
}

}  // namespace
}  // namespace jcprof
