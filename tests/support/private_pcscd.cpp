// SPDX-License-Identifier: Apache-2.0
#include "tests/support/private_pcscd.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <random>
#include <thread>

#include <fmt/format.h>

#include "src/core/error.hpp"
#include "src/core/file.hpp"

namespace jcprof::test {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr const char* driver = "libifdvpcd.so.0.8";
// pcscd wants to write its pid there. It need not succeed, but the folder must be there.
constexpr const char* run_folder = "/run/pcscd";

bool is_free(std::uint16_t port) {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  const int on = 1;
  ::setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  const bool is_bound = ::bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  ::close(fd);
  return is_bound;
}

}  // namespace

std::uint16_t free_ports() {
  std::random_device random;
  for (;;) {
    const auto port = static_cast<std::uint16_t>(20'000 + 2 * (random() % 6'000));
    if (is_free(port) && is_free(static_cast<std::uint16_t>(port + 1))) return port;
  }
}

bool is_listening(std::uint16_t port) {
  std::ifstream stream("/proc/net/tcp");
  const std::string wanted = fmt::format(":{:04X} 00000000:0000 0A", port);
  for (std::string line; std::getline(stream, line);)
    if (line.find(wanted) != std::string::npos) return true;
  return false;
}

std::optional<std::string> PrivatePcscd::obstacle() {
  if (!fs::exists(fs::path(JCPROF_PCSCD) / "usr/sbin/pcscd")) return "scripts/setup --test fetches pcscd";
  std::error_code error;
  fs::create_directories(run_folder, error);
  if (!fs::exists(run_folder)) return fmt::format("pcscd needs {}, which only root can make", run_folder);
  return std::nullopt;
}

PrivatePcscd::PrivatePcscd() : port_(free_ports()) {
  // The library keeps the socket's name for the life of a process, so that all daemons of one process share
  // it. Not the build folder: an ordinary user must get there, and names of sockets must be short.
  folder_ = fs::temp_directory_path() / fmt::format("jcprof-pcscd-{}", ::getpid());
  fs::remove_all(folder_);
  fs::create_directories(folder_ / "reader.conf.d");
  fs::permissions(folder_, fs::perms(0755));
  const fs::path unpacked = JCPROF_PCSCD;
  fs::copy_file(unpacked / "usr/sbin/pcscd", folder_ / "pcscd");
  fs::copy_file(unpacked / "usr/lib/pcsc/drivers/serial" / driver, folder_ / driver);
  ::setenv("PCSCLITE_CSOCK_NAME", (folder_ / "socket").c_str(), 1);
  start();
}

PrivatePcscd::~PrivatePcscd() {
  daemon_.reset();
  ::unsetenv("PCSCLITE_CSOCK_NAME");
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

void PrivatePcscd::start(Readers readers) {
  const fs::path configuration = folder_ / "reader.conf.d/vpcd";
  fs::remove(configuration);
  if (readers == Readers::two)
    write_file(configuration,
               fmt::format("FRIENDLYNAME \"Virtual PCD\"\nDEVICENAME /dev/null:{0:#x}\nLIBPATH {1}\n"
                           "CHANNELID {0:#x}\n",
                           port_, (folder_ / driver).string()));
  daemon_.reset();
  daemon_.emplace(
      Command{.argv = {JCPROF_PCSCD_LAUNCHER, folder_.string()}, .cwd = folder_, .environment = {}},
      LogPolicy{});
  check(daemon_->wait_for_output("pid ", 10s), "the daemon starts");
  const std::string said = daemon_->tail();
  pid_ = std::stoi(said.substr(said.find("pid ") + 4));
  for (int look = 0; look < 1000 && !serves(readers); ++look) std::this_thread::sleep_for(10ms);
  if (!serves(readers)) throw environment_error("a private pcscd does not serve\n" + daemon_->tail());
}

bool PrivatePcscd::serves(Readers readers) const {
  return readers == Readers::none || (is_listening(port(0)) && is_listening(port(1)));
}

void PrivatePcscd::kill() {
  ::kill(pid_, SIGKILL);
  daemon_.reset();
}

std::string virtual_card_classpath() {
  return fmt::format("{}:{}", JCPROF_JCARDSIM, JCPROF_VIRTUAL_CARD);
}

}  // namespace jcprof::test
