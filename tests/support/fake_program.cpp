// SPDX-License-Identifier: Apache-2.0
// A program that reports as an instrumented one does (docs/c.md), written from that page alone, and does what
// a test wants of it besides: `fake_program "1 2 3 3 4" WISH…`, the path and then wishes by name.
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/core/path_signature.hpp"

namespace {

using jcprof::TrapId;

struct Header {
  char magic[8];
  std::uint32_t build, trap;
  std::uint64_t hit, from, room, events;
  std::uint32_t signature_before, signature;
  std::uint64_t passes, reserved;
};

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::uint64_t number_in(const char* name) {
  return std::strtoull(variable(name).c_str(), nullptr, 10);
}

class Program {
 public:
  Program(const std::string& path, std::vector<std::string> wishes) : wishes_(std::move(wishes)) {
    std::istringstream ids(path);
    for (std::uint32_t id = 0; ids >> id;) path_.push_back(TrapId{id});
  }

  int run() {
    if (wants("early")) return 7;
    if (wants("build")) build_ = 0x1234;
    const std::string trace = variable("JCPROF_TRACE");
    file_ = trace.empty() ? variable("JCPROF_REPORT") : trace;
    if (!file_.empty()) begin();
    if (const std::string what = variable("JCPROF_CALIBRATE"); !what.empty()) return calibrate(what);
    wreck();
    pass(number_in("JCPROF_TRAP"), std::max<std::uint64_t>(1, number_in("JCPROF_HIT")));
    if (!trace.empty()) record();
    return end();
  }

 private:
  bool wants(const std::string& wish) const {
    for (const std::string& one : wishes_)
      if (one.substr(0, one.find('=')) == wish) return true;
    return false;
  }
  std::string value(const std::string& wish) const {
    for (const std::string& one : wishes_)
      if (one.starts_with(wish + "=")) return one.substr(wish.size() + 1);
    return "";
  }

  void begin() {
    fd_ = ::open(file_.c_str(), O_RDWR | O_CLOEXEC);
    if (fd_ < 0 || ::pread(fd_, &header_, sizeof header_, 0) != sizeof header_) std::abort();
    header_.build = build_;
    write_header();
  }

  void write_header() const {
    if (fd_ >= 0 && ::pwrite(fd_, &header_, sizeof header_, 0) != sizeof header_) std::abort();
  }

  int calibrate(const std::string& what) {
    header_.passes = std::strtoull(what.c_str() + what.find(':') + 1, nullptr, 10);
    volatile std::uint64_t passes = 0;
    while (passes < header_.passes) passes = passes + 1;
    write_header();
    return 86;
  }

  void wreck() {
    if (wants("delete")) ::unlink(file_.c_str());
    if (wants("crash")) ::raise(SIGSEGV);
    if (wants("hang")) ::pause();
    if (wants("compute")) compute();
    if (wants("thread")) std::thread(compute).join();
    if (wants("child")) compute_in_child();
    if (wants("close")) ::close(STDIN_FILENO);
    if (wants("orphan")) leave_orphan();
    if (wants("complain")) std::cerr << "to itself\n" << value("complain") << std::endl;
    for (std::uint64_t left = std::strtoull(value("print").c_str(), nullptr, 10); left > 0; --left)
      std::cout.put('x');
    if (wants("flood")) flood();
    if (wants("cat")) std::cout << std::cin.rdbuf();
    if (wants("arguments")) std::cout << value("arguments") << std::filesystem::current_path().string();
  }

  static void compute() {
    volatile std::uint64_t steps = 0;
    while (steps < 20'000'000) steps = steps + 1;
  }

  static void compute_in_child() {
    const pid_t child = ::fork();
    if (child == 0) {
      compute();
      ::_exit(0);
    }
    ::waitpid(child, nullptr, 0);
  }

  void leave_orphan() const {
    if (const pid_t child = ::fork(); child != 0) {
      std::ofstream(value("orphan")) << child << std::endl;
      return;
    }
    ::sleep(1000);
    ::_exit(0);
  }

  static void flood() {
    const std::string much(1 << 20, 'x');
    while (::write(STDOUT_FILENO, much.data(), much.size()) > 0) {
    }
  }

  void pass(std::uint64_t trap, std::uint64_t hit) {
    std::uint64_t hits = 0;
    for (const TrapId id : path_)
      if (jcprof::number(id) == trap && ++hits == hit) stop(trap, hit);
  }

  void stop(std::uint64_t trap, std::uint64_t hit) {
    header_.trap = static_cast<std::uint32_t>(wants("elsewhere") ? trap + 1 : trap);
    header_.hit = hit;
    write_header();
    ::_exit(86);
  }

  void record() {
    const std::size_t first = std::min<std::size_t>(header_.from, path_.size());
    header_.events = path_.size();
    header_.signature_before = jcprof::path_signature(std::span(path_).first(first));
    header_.signature = jcprof::path_signature(path_);
    const std::size_t size = std::min<std::size_t>(header_.room, path_.size() - first) * sizeof(TrapId);
    if (::pwrite(fd_, path_.data() + first, size, sizeof header_) != static_cast<ssize_t>(size)) std::abort();
    write_header();
  }

  int end() {
    if (wants("spoil") && ::pwrite(fd_, "rubbish", 7, 0) != 7) std::abort();
    if (wants("cut") && ::ftruncate(fd_, 3) != 0) std::abort();
    return std::atoi(value("exit").c_str());
  }

  std::vector<TrapId> path_;
  std::vector<std::string> wishes_;
  std::uint32_t build_ = 0x1b;
  std::string file_;
  int fd_ = -1;
  Header header_{};
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  return Program(argv[1], {argv + 2, argv + argc}).run();
}
