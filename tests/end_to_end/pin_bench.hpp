// SPDX-License-Identifier: Apache-2.0
// The applet of javacard-pin, instrumented and built, and runs of it that something happens to.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "tests/end_to_end/workplace.hpp"

namespace jcprof::test {

inline constexpr const char* pin_source = "src/PinApplet.java";
inline constexpr const char* rounds_stored = "SELECT count(DISTINCT round) FROM sample WHERE round > 0";
inline constexpr const char* states = "SELECT group_concat(id || ' ' || state) FROM run";
inline constexpr const char* shots_gone =
    "SELECT count(*) FROM sample WHERE outcome NOT IN ('stopped', 'ended')";

/// javacard-pin with two records, whose 1000 hash rounds take a millisecond of virtual time each.
std::filesystem::path paced_pin(const Workplace& place, const std::string& as = {});

/// javacard-pin with two records.
class PinBench {
 public:
  /// With a change to the applet's source.
  explicit PinBench(const std::string& name, const std::string& from = "", const std::string& to = "");

  /// Adds to "session" of the project file: "\"timeout\": \"1s\"".
  void set_in_session(const std::string& settings) const;

  /// More rounds than there is time for, where nothing else is said.
  Running start(const std::string& rounds = "100000") const;
  /// Waits until so many rounds are stored.
  void wait_for_rounds(int rounds) const;
  std::optional<std::string> ask(const std::string& sql) const { return value_of(profile(), sql); }
  std::filesystem::path profile() const { return project / "jcprof-out/profile.jcprof"; }

  /// At least so many rounds are still there, in a run of this state.
  void kept(int rounds, const std::string& state) const;
  /// So many rounds are there, or more if jcprof saw that commands depend on the one before, and began again.
  void has_rounds(int rounds) const;
  /// The next run goes on with it, for some rounds more.
  void goes_on() const;
  /// Something happens while the rounds go on: the run comes to its end all the same, and it costs one shot,
  /// with one of these outcomes.
  void survives(const std::function<void()>& mishap, const std::string& outcomes) const;
  void signal_simulator(int signal) const;

  Workplace place;
  std::filesystem::path project;
};

}  // namespace jcprof::test
