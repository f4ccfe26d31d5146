// SPDX-License-Identifier: Apache-2.0
#include "tests/cli/lab.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <thread>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>
#include <catch2/catch.hpp>

#include "harness/labgrid/places.hpp"
#include "src/core/file.hpp"
#include "src/core/output_folder.hpp"
#include "src/core/store.hpp"
#include "src/core/text.hpp"
#include "src/core/trap_map.hpp"
#include "tests/support/line_traps.hpp"

namespace jcprof::test {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using nlohmann::json;

const fs::path labgrid = fs::path(JCPROF_CACHE) / "labgrid-26.0.1/bin";
constexpr const char* source = "int f(int a)\n{\n    a += 1;\n    a += 2;\n    return a;\n}\n";

/// One that nobody had a moment ago.
int free_port() {
  const int fd = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  REQUIRE(::bind(fd, reinterpret_cast<sockaddr*>(&address), size) == 0);
  REQUIRE(::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size) == 0);
  ::close(fd);
  return ntohs(address.sin_port);
}

void write_script(const fs::path& file, const std::string& text) {
  write_file(file, text);
  fs::permissions(file, fs::perms(0755));
}

}  // namespace

bool becomes_true(const std::function<bool()>& condition, std::chrono::seconds patience) {
  const auto end = std::chrono::steady_clock::now() + patience;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(100ms);
  }
  return true;
}

std::string Lab::obstacle() {
  if (!fs::exists(labgrid / "labgrid-coordinator")) return "scripts/setup --test fetches labgrid";
  for (const char* program : {"/usr/sbin/sshd", "/usr/bin/ssh", "/usr/bin/ssh-keygen"})
    if (!fs::exists(program)) return fmt::format("there is no {}: scripts/setup --test installs it", program);
  return "";
}

Lab::Lab() {
  fs::create_directories(folder_ / "bin");
  fs::create_directories(folder_ / "t");
  ::setenv("TMPDIR", (folder_ / "t").c_str(), 1);  // labgrid's sockets of ssh
  ::setenv("PATH",
           fmt::format("{}:{}:/usr/sbin:/usr/bin:/sbin:/bin", (folder_ / "bin").string(), labgrid.string())
               .c_str(),
           1);
  ::setenv("LG_SSH_CONNECT_TIMEOUT", "10", 1);
  for (const char* name : {"LG_PLACE", "LG_TOKEN", "LG_ENV", "LG_USERNAME", "JCPROF_PLACE"}) ::unsetenv(name);
  start_sshd();
  start_coordinator();
  for (const std::string side : {"a", "b"}) {
    const std::string place = "desk-" + side;
    client({"-p", place, "create"});
    client({"-p", place, "add-match", "lab1/" + place + "/*"});
    client({"-p", place, "set-tags", "board=imx8", "rack=" + side});
  }
  client({"-p", "desk-a", "add-alias", "first"});
}

Lab::~Lab() {
  // One that waits for our coordinator would do so for an hour.
  for (const pid_t holder : processes_with("jcprof-labgrid")) ::kill(holder, SIGKILL);
  ::unsetenv("TMPDIR");
}

void Lab::start_sshd() {
  const int port = free_port();
  for (const char* key : {"host", "user"})
    REQUIRE(
        run_and_wait({.argv = {"ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", (folder_ / key).string()},
                      .cwd = folder_.path()},
                     {}, 1min)
            .exit_status == 0);
  const std::string folder = folder_.path().string();
  write_file(folder_ / "sshd_config",
             fmt::format("Port {}\nListenAddress 127.0.0.1\nHostKey {}/host\nAuthorizedKeysFile {}/user.pub\n"
                         "PidFile none\nUsePAM no\nStrictModes no\nPasswordAuthentication no\n"
                         "PermitRootLogin yes\nMaxStartups 100\n",
                         port, folder, folder));
  // labgrid takes ssh from PATH; the key is usually the user's own.
  write_script(folder_ / "bin/ssh", fmt::format("#!/bin/sh\nexec /usr/bin/ssh -i {}/user \"$@\"\n", folder));
  std::string exported;
  for (const char* place : {"desk-a", "desk-b"})
    exported +=
        fmt::format("{}:\n  NetworkService:\n    address: 127.0.0.1\n    port: {}\n    username: {}\n", place,
                    port, ::geteuid() == 0 ? "root" : std::getenv("USER"));
  write_file(folder_ / "exporter.yaml", exported);
  if (::geteuid() == 0) fs::create_directories("/run/sshd");
  sshd_.emplace(
      Command{.argv = {"/usr/sbin/sshd", "-D", "-e", "-f", folder + "/sshd_config"}, .cwd = folder_.path()},
      LogPolicy{.file = folder_ / "sshd.log"});
  REQUIRE(sshd_->wait_for_output("listening on 127.0.0.1", 30s));
}

void Lab::start_coordinator() {
  const std::string n = std::to_string(++starts_);
  coordinator_.emplace(Command{.argv = {"labgrid-coordinator", "-l", "127.0.0.1:" + port_},
                               .cwd = folder_.path(),
                               .environment = {{"PYTHONUNBUFFERED", "1"}}},
                       LogPolicy{.file = folder_ / ("coordinator" + n)});
  const std::string listens = "listening on 127.0.0.1:";
  REQUIRE(coordinator_->wait_for_output(listens, 60s));
  const std::string said = read_file(folder_ / ("coordinator" + n));
  port_ = said.substr(said.find(listens) + listens.size());
  port_ = port_.substr(0, port_.find_first_not_of("0123456789"));
  ::setenv("LG_COORDINATOR", ("127.0.0.1:" + port_).c_str(), 1);
  exporter_.emplace(Command{.argv = {"labgrid-exporter", "-n", "lab1", "exporter.yaml"},
                            .cwd = folder_.path(),
                            .environment = {{"PYTHONUNBUFFERED", "1"}}},
                    LogPolicy{.file = folder_ / ("exporter" + n)});
  REQUIRE(becomes_true([&] { return client({"resources"}).find("desk-b") != std::string::npos; }));
}

void Lab::stop_coordinator() {
  // It saves its places four times a minute.
  const fs::path saved = folder_ / "places.yaml";
  REQUIRE(
      becomes_true([&] { return fs::exists(saved) && read_file(saved).find("first") != std::string::npos; }));
  coordinator_.reset();
  exporter_.reset();
}

std::string Lab::client(const std::vector<std::string>& words, const std::string& user) const {
  Command command{.argv = {"labgrid-client"}, .cwd = folder_.path()};
  command.argv.insert(command.argv.end(), words.begin(), words.end());
  if (!user.empty()) command.environment = {{"LG_USERNAME", user}};
  const ProcessResult result = run_and_wait(command, {}, 1min);
  INFO(result.tail);
  REQUIRE(result.exit_status == 0);
  return result.tail;
}

std::string Lab::holder(const std::string& place) const {
  for (const harness::LabPlace& one : harness::places_of_lab())
    if (one.name == place) return one.holder;
  FAIL("there is no place " << place);
  return "";
}

bool Lab::becomes_free() const {
  return becomes_true([this] { return is_free(); });
}

std::vector<pid_t> Lab::processes_with(const std::string& text) const {
  std::vector<pid_t> found;
  for (const fs::directory_entry& entry : fs::directory_iterator("/proc")) {
    const std::string name = entry.path().filename().string();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    try {
      std::string line = read_file(entry.path() / "cmdline");
      std::ranges::replace(line, '\0', ' ');
      if (line.find(text) == std::string::npos || std::stoi(name) == ::getpid()) continue;
      // Other labs may be on this machine. A place has no variables of ours, but its agent names the lab.
      const std::string all = line + read_file(entry.path() / "environ");
      if (all.find(folder_.path().string() + "/") != std::string::npos) found.push_back(std::stoi(name));
    } catch (const std::exception&) {
      continue;  // it has ended
    }
  }
  return found;
}

bool Lab::was_acquired(const std::string& place) const {
  std::string said;
  for (int i = 1; i <= starts_; ++i) said += read_file(folder_ / ("coordinator" + std::to_string(i)));
  return said.find(place + ": place acquired by") != std::string::npos;
}

LabBench::LabBench(const std::string& transport) {
  const json project{{"format", "jcprof-project"},
                     {"version", 1},
                     {"target", "program"},
                     {"sources", {"a.c"}},
                     {"entry", "f"},
                     {"transport", transport},
                     {"trigger", {{"function", "f"}}}};
  write_file(folder_ / "jcprof.json", project.dump());
  write_file(folder_ / "a.c", source);
  const TrapMap map = traps_at_lines(source, 4, 2);
  write_file(folder_ / "jcprof-out" / output_marker, "");
  write_file(folder_ / "jcprof-out/traps.json", write_trap_map(map));
}

std::string LabBench::agent() {
  return JCPROF_FAULTY_AGENT " '" + json{{"lab", std::getenv("TMPDIR")}}.dump() + "'";
}

void LabBench::list(const std::vector<std::pair<std::string, std::string>>& devices) const {
  json list = json::array();
  for (const auto& [name, transport] : devices) list.push_back({{"name", name}, {"transport", transport}});
  write_file(folder_ / "devices.json",
             json{{"format", "jcprof-devices"}, {"version", 1}, {"devices", list}}.dump());
}

Command LabBench::command(std::vector<std::string> words) const {
  words.insert(words.begin(), JCPROF_BIN_DIR "/jcprof");
  return {.argv = std::move(words), .cwd = folder_.path(), .environment = {{"JCPROF_YES", "1"}}};
}

ProcessResult LabBench::run(const std::vector<std::string>& words) const {
  return run_and_wait(command(words), {}, 5min);
}

StartedAlone LabBench::start_alone(const std::vector<std::string>& words) const {
  const Command of = command(words);
  const pid_t process = ::fork();
  if (process == 0) {
    std::vector<char*> argv;
    for (const std::string& word : of.argv) argv.push_back(const_cast<char*>(word.c_str()));
    argv.push_back(nullptr);
    ::setenv("JCPROF_YES", "1", 1);
    const int log = ::open((folder_ / "said").c_str(), O_CREAT | O_WRONLY | O_TRUNC, 0644);
    ::dup2(log, STDOUT_FILENO);
    ::dup2(log, STDERR_FILENO);
    if (::chdir(folder_.path().c_str()) == 0) ::execv(argv.front(), argv.data());
    ::_exit(127);
  }
  return StartedAlone(process);
}

json LabBench::fleet() const {
  return json::parse(read_file(folder_ / "jcprof-out/devices/fleet.json"));
}

fs::path LabBench::profile(const std::string& device) const {
  return folder_ / "jcprof-out" / (device.empty() ? "" : "devices/" + device) / "profile.jcprof";
}

std::string LabBench::text(const std::string& sql, const std::string& device) const {
  return query(profile(device), sql).rows.at(0).at(0).value_or("");
}

long LabBench::count(const std::string& sql, const std::string& device) const {
  try {
    return std::stol(text(sql, device));
  } catch (const std::exception&) {
    return 0;
  }
}

void LabBench::wait_for_rounds(int rounds, const std::string& device) const {
  CHECK(becomes_true([&] { return count(last_round, device) >= rounds; }, 120s));
}

StartedAlone::~StartedAlone() {
  if (process_ < 0) return;
  ::kill(process_, SIGTERM);
  status();
}

void StartedAlone::signal(int number) const {
  REQUIRE(process_ > 0);
  ::kill(process_, number);
}

int StartedAlone::status() {
  int status = 0;
  while (::waitpid(process_, &status, 0) < 0 && errno == EINTR) {
  }
  process_ = -1;
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace jcprof::test
