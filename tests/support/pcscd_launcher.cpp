// SPDX-License-Identifier: Apache-2.0
// pcscd-launcher FOLDER: becomes the pcscd in FOLDER, with the configuration and the socket there, by socket
// activation as systemd does it, so that a system's own daemon is not touched. As root it becomes an ordinary
// user first.
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace {

constexpr int activated_socket = 3;
constexpr uid_t nobody = 65534;

[[noreturn]] void fail(const char* what) {
  std::perror(what);
  std::exit(1);
}

int listening_socket(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) {
    errno = ENAMETOOLONG;
    fail(path.c_str());
  }
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  const int fd = ::socket(AF_UNIX, SOCK_STREAM, 0);
  // A name of its own first: who finds the socket finds it listening.
  if (fd < 0 || ::bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      ::chmod(path.c_str(), 0777) != 0 || ::listen(fd, 16) != 0)
    fail(path.c_str());
  return fd;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const std::string folder = argv[1];
  const std::string socket = folder + "/socket";
  const std::string fresh = socket + ".new";
  ::unlink(fresh.c_str());
  const int fd = listening_socket(fresh);
  if (std::rename(fresh.c_str(), socket.c_str()) != 0) fail("rename");
  if (fd != activated_socket && ::dup2(fd, activated_socket) < 0) fail("dup2");
  if (::getuid() == 0 && (::setgroups(0, nullptr) != 0 || ::setgid(nobody) != 0 || ::setuid(nobody) != 0))
    fail("setuid");
  // A change of user ends the wish to die with the test.
  const pid_t parent = ::getppid();
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) return 1;
  ::setenv("LISTEN_PID", std::to_string(::getpid()).c_str(), 1);
  ::setenv("LISTEN_FDS", "1", 1);
  std::printf("pid %d\n", ::getpid());
  std::fflush(stdout);
  const std::string program = folder + "/pcscd";
  const std::string configuration = folder + "/reader.conf.d";
  ::execl(program.c_str(), program.c_str(), "-f", "-c", configuration.c_str(), nullptr);
  fail(program.c_str());
}
