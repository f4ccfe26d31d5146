// SPDX-License-Identifier: Apache-2.0
#include "tests/runtime/workshop.hpp"

#include <algorithm>
#include <cstring>
#include <ostream>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <catch2/catch.hpp>

#include "src/core/file.hpp"
#include "src/core/process.hpp"

namespace jcprof::test {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

constexpr std::size_t head_size = 72;

Ran run_in(const fs::path& folder, const Flags& argv,
           const std::vector<std::pair<std::string, std::string>>& environment) {
  const fs::path log = folder / "log";
  const ProcessResult result =
      run_and_wait({.argv = argv, .cwd = folder, .environment = environment}, {.file = log}, 120s);
  REQUIRE(!result.timed_out);
  return {.status = result.exit_status, .output = read_file(log)};
}

Compilers installed(const std::string& c, const std::string& cxx) {
  const TemporaryFolder folder;
  const Ran ran = run_in(folder.path(),
                         {"sh", "-c",
                          c + " --version && echo 'int main() {}' | " + cxx +
                              " -x c++ -fsanitize=address,undefined -o probe - && ./probe"},
                         {});
  if (ran.status != 0) return {};
  return {.c = c, .cxx = cxx, .version = ran.output.substr(0, ran.output.find('\n'))};
}

template <class T>
T take(const std::string& bytes, std::size_t at) {
  T value{};
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

template <class T>
void put(std::string& bytes, std::size_t at, T value) {
  std::memcpy(bytes.data() + at, &value, sizeof value);
}

}  // namespace

Compilers Gcc::compilers() {
  static const Compilers found = installed("gcc", "g++");
  return found;
}

Compilers Clang::compilers() {
  static const Compilers found = [] {
    Compilers numbered = installed("clang-19", "clang++-19");
    return numbered.c.empty() ? installed("clang", "clang++") : numbered;
  }();
  return found;
}

Flags operator+(Flags left, const Flags& right) {
  left.insert(left.end(), right.begin(), right.end());
  return left;
}

std::ostream& operator<<(std::ostream& out, const Ran& ran) {
  return out << "status " << ran.status << "\n" << ran.output;
}

std::vector<std::string> Workshop::compile(const std::vector<std::string>& sources,
                                           const Flags& flags) const {
  static const fs::path root = JCPROF_SOURCE_DIR;
  std::vector<std::string> objects;
  for (const std::string& source : sources) {
    const fs::path file = root / "tests/runtime/programs" / source;
    const bool is_c = file.extension() == ".c";
    objects.push_back(path(file.stem().string() + ".o"));
    const Flags argv = Flags{is_c ? compilers_.c : compilers_.cxx, "-I" + (root / "templates").string()} +
                       flags + Flags{"-c", file.string(), "-o", objects.back()};
    INFO(fmt::format("{}", fmt::join(argv, " ")));
    REQUIRE(run_in(folder_.path(), argv, {}) == Ran{});
  }
  return objects;
}

std::string Workshop::link(const std::string& name, const Flags& arguments) const {
  const Flags argv = Flags{compilers_.cxx} + arguments + Flags{"-o", path(name)};
  INFO(fmt::format("{}", fmt::join(argv, " ")));
  REQUIRE(run_in(folder_.path(), argv, {}) == Ran{});
  return path(name);
}

std::string Workshop::build(const std::string& name, const std::vector<std::string>& sources,
                            const Flags& flags) const {
  return link(name, compile(sources, flags) + flags);
}

Ran Workshop::run(const Flags& argv,
                  const std::vector<std::pair<std::string, std::string>>& environment) const {
  return run_in(folder_.path(), argv, environment);
}

Report Workshop::report(const std::string& name) const {
  const std::string bytes = read_file(path(name));
  REQUIRE(bytes.size() >= head_size);
  Report report{.magic = bytes.substr(0, 8),
                .build = take<std::uint32_t>(bytes, 8),
                .trap = take<std::uint32_t>(bytes, 12),
                .hit = take<std::uint64_t>(bytes, 16),
                .from = take<std::uint64_t>(bytes, 24),
                .room = take<std::uint64_t>(bytes, 32),
                .events = take<std::uint64_t>(bytes, 40),
                .before = take<std::uint32_t>(bytes, 48),
                .all = take<std::uint32_t>(bytes, 52),
                .passes = take<std::uint64_t>(bytes, 56),
                .ids = {}};
  REQUIRE(bytes.size() == head_size + 4 * report.room);
  const std::uint64_t behind = report.events - std::min(report.events, report.from);
  for (std::uint64_t i = 0; i < std::min(behind, report.room); i++) {
    report.ids.push_back(take<std::uint32_t>(bytes, head_size + 4 * i));
  }
  return report;
}

void Workshop::prepare_report(const std::string& name, std::uint64_t from, std::uint64_t room) const {
  std::string bytes(head_size + 4 * room, '\0');
  bytes.replace(0, 8, "JCPROF1\n");
  put(bytes, 24, from);
  put(bytes, 32, room);
  write_file(path(name), bytes);
}

std::string in_words(const std::vector<std::uint32_t>& ids) {
  return fmt::format("{}", fmt::join(ids, " "));
}

std::uint32_t hit_of(const std::vector<std::uint32_t>& ids, std::size_t index) {
  const auto end = ids.begin() + static_cast<std::ptrdiff_t>(index) + 1;
  return static_cast<std::uint32_t>(std::count(ids.begin(), end, ids[index]));
}

}  // namespace jcprof::test
