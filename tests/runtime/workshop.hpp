// SPDX-License-Identifier: Apache-2.0
// Compiles small programs that include templates/jcprof.h, runs them, and reads the file in which they
// report. What they should do is the tests' to say.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "tests/core/temporary_folder.hpp"

namespace jcprof::test {

struct Compilers {
  std::string c;  // empty: not installed
  std::string cxx;
  std::string version;
};

/// As template parameters of test cases, so that each compiler is a test of its own, to be skipped alone.
struct Gcc {
  static Compilers compilers();
};
struct Clang {
  static Compilers compilers();
};

/// Ends a test case where the compiler is missing, with the reason; ctest calls it skipped.
#define REQUIRE_COMPILER(compilers)                                                             \
  if ((compilers).c.empty()) {                                                                  \
    WARN("SKIPPED: this compiler is missing, or its sanitizers (clang: scripts/setup --fuzz)"); \
    return;                                                                                     \
  }

/// Ends a test case on other processors, with the reason; ctest calls it skipped.
#ifdef __x86_64__
#define REQUIRE_X86_64(reason) static_cast<void>(0)
#else
#define REQUIRE_X86_64(reason) \
  {                            \
    WARN("SKIPPED: " reason);  \
    return;                    \
  }
#endif

using Flags = std::vector<std::string>;
Flags operator+(Flags left, const Flags& right);

struct Ran {
  int status = 0;
  std::string output;
  bool operator==(const Ran&) const = default;
};
std::ostream& operator<<(std::ostream& out, const Ran& ran);

/// What a program wrote to the file of JCPROF_TRACE or JCPROF_REPORT.
struct Report {
  std::string magic;
  std::uint32_t build = 0;
  std::uint32_t trap = 0;
  std::uint64_t hit = 0;
  std::uint64_t from = 0;
  std::uint64_t room = 0;
  std::uint64_t events = 0;
  std::uint32_t before = 0;
  std::uint32_t all = 0;
  std::uint64_t passes = 0;
  std::vector<std::uint32_t> ids;  // those in the window
};

class Workshop {
 public:
  explicit Workshop(Compilers compilers) : compilers_(std::move(compilers)) {}

  /// Compiles each of `sources` (of programs/, or absolute) with `flags`. Warnings end the test.
  std::vector<std::string> compile(const std::vector<std::string>& sources, const Flags& flags) const;
  /// Links objects and what else is in `arguments` with the C++ compiler.
  std::string link(const std::string& name, const Flags& arguments) const;
  std::string build(const std::string& name, const std::vector<std::string>& sources,
                    const Flags& flags) const;
  Ran run(const Flags& argv, const std::vector<std::pair<std::string, std::string>>& environment = {}) const;

  std::string path(const std::string& name) const { return folder_ / name; }
  Report report(const std::string& name) const;
  /// The file as a reader makes it, with a window wanted.
  void prepare_report(const std::string& name, std::uint64_t from, std::uint64_t room) const;

 private:
  Compilers compilers_;
  TemporaryFolder folder_;
};

/// "1 2 20 20"
std::string in_words(const std::vector<std::uint32_t>& ids);
/// The hit of the event at `index`.
std::uint32_t hit_of(const std::vector<std::uint32_t>& ids, std::size_t index);

}  // namespace jcprof::test
