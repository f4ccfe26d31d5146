// SPDX-License-Identifier: Apache-2.0
// Profiles of examples/javacard-torture, one construct each, and whether the known work stands where it
// belongs. The applet is instrumented and compiled once for all tests.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "tests/end_to_end/workplace.hpp"

namespace jcprof::test {

/// Work of the applet, by the comment "// work: TAG" at its line.
struct Work {
  std::string tag;
  std::vector<double> units{1};  // that each hit does
};

/// A function that the command calls, with the work in it and in what it calls.
struct Called {
  std::string name;
  int calls = 1;
  double own = 0;
  double with_calls = 0;
};

/// All that a command does: no other line does anything.
struct Expected {
  std::vector<Work> works;
  std::vector<Called> functions;  // not all: those that are asked about
  std::vector<std::string> warnings;
  int status = 0x9000;
};

/// A copy of the example, under its own name or another, whose units of work pass virtual time.
std::filesystem::path passing_torture(const Workplace& place, const std::string& as = {});

/// The change to the project file that makes this APDU, or these, the trigger.
nlohmann::json command(const nlohmann::json& apdu, const std::string& expect = "9000");

class Torture {
 public:
  /// A copy of the built applet, whose work passes virtual time instead of hashing, with these changes to its
  /// project file (RFC 7396).
  explicit Torture(const nlohmann::json& changes);

  /// Measures the command; wants its work where it is known to be, a stop at every event of the path in every
  /// round, and no other answer.
  void does(const Expected& expected);

  /// Runs and annotates; both must end with status 0.
  void measure(int rounds);
  /// Of the profile. Counts of shots and of events are N and M.
  std::vector<std::string> warnings() const;
  std::optional<std::string> value(const std::string& sql) const;

 private:
  void reached_everything(int rounds, int status) const;

  Workplace place_{"torture", TestClock::virtual_time};
  std::filesystem::path project_;
  nlohmann::json profile_;
};

}  // namespace jcprof::test
