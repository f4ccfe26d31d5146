// SPDX-License-Identifier: Apache-2.0
// A folder with copies of the examples, the built programs to run on them, and what they said. The card is
// the real jCardSim.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "src/core/process.hpp"

namespace jcprof::test {

/// What a program did; the workplace's folder is written "@" in its texts.
struct Said {
  int status = 0;
  std::string out;
  std::string err;
};

/// A program that runs beside the test.
class Running {
 public:
  Running(const Command& command, std::filesystem::path pid_file);
  /// Of the program itself.
  pid_t pid() const { return pid_; }
  /// The exit status, if it has ended.
  std::optional<int> ended() { return process_.ended(); }
  /// The exit status, once it has ended; fails the test when that takes too long.
  int wait();
  /// Its last lines.
  std::string said() const;

 private:
  BackgroundProcess process_;
  pid_t pid_ = 0;
};

/// By which clock the programs of a workplace go. A virtual one runs as ever, and jumps where they say that
/// they have worked, with pass_time() of virtual_time.h or of the Java text below: so far that what really
/// passes is small, on a busy machine too.
enum class TestClock : std::uint8_t { real, virtual_time };

/// Members of a Java class, among them "static void passTime(long ns)".
extern const std::string java_virtual_time;

class Workplace {
 public:
  /// Made anew under the build folder; gone with the object. Whatever the test is about, it fails where the
  /// exports and tables of a profile that lies there at its end disagree (export_agreement.hpp).
  explicit Workplace(const std::string& name, TestClock clock = TestClock::real);
  ~Workplace();
  Workplace(const Workplace&) = delete;
  Workplace& operator=(const Workplace&) = delete;

  std::filesystem::path operator/(const std::string& path) const { return folder_ / path; }

  /// Copies an example, under its own name or another, and returns the copy's folder.
  std::filesystem::path example(const std::string& name, const std::string& as = {}) const;
  /// Copies any folder of the repository, under its own name or another, into what may be there already.
  std::filesystem::path copied(const std::filesystem::path& folder, const std::string& as = {}) const;
  /// javac on what jcprof-gen wrote for the example javacard-pin, as its project file would do it.
  void build(const std::filesystem::path& project) const;

  /// Runs a program of ours (argv[0] by name) or any other, from the workplace's folder or another.
  Said run(const std::vector<std::string>& argv, const std::string& cwd = {}) const;
  Running start(const std::vector<std::string>& argv) const;

  /// Processes that this workplace's programs started, with that program name.
  std::vector<pid_t> processes(const std::string& program) const;

 private:
  std::string plain(std::string text) const;

  std::filesystem::path folder_;
  std::vector<std::pair<std::string, std::string>> environment_;
};

/// Looks every few milliseconds, for `patience` at most.
bool becomes_true(const std::function<bool()>& condition,
                  std::chrono::milliseconds patience = std::chrono::minutes{2});

/// Replaces the first `from` in a file; fails the test when there is none.
void replace_in(const std::filesystem::path& file, const std::string& from, const std::string& to);

/// The first value that a query yields, or nothing while there is no profile or no row yet.
std::optional<std::string> value_of(const std::filesystem::path& profile, const std::string& sql);

/// What SQLite's integrity check says; "ok" for a good file. Somebody may be writing it.
std::string integrity_of(const std::filesystem::path& profile);

/// Whether SQLite finds the file sound, and it is one plain file.
bool is_sound(const std::filesystem::path& profile);

}  // namespace jcprof::test
