// SPDX-License-Identifier: Apache-2.0
// A lab of the test's own: the real labgrid with a coordinator, an exporter and two places, and an sshd that
// stands for both boards, all on loopback. And a project that is measured there.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "src/core/process.hpp"
#include "tests/core/temporary_folder.hpp"

namespace jcprof::test {

bool becomes_true(const std::function<bool()>& condition,
                  std::chrono::seconds patience = std::chrono::seconds{60});

class Lab {
 public:
  /// Why there can be none on this machine; empty: there can.
  static std::string obstacle();

  /// With the places desk-a and desk-b, both with the tag board=imx8, and rack=a and rack=b. Sets PATH and
  /// the variables of labgrid for this process.
  Lab();
  ~Lab();
  Lab(const Lab&) = delete;
  Lab& operator=(const Lab&) = delete;

  /// The output of labgrid-client, as the user of this process or another. It must succeed.
  std::string client(const std::vector<std::string>& words, const std::string& user = {}) const;
  /// "HOST/USER"; empty: it is free.
  std::string holder(const std::string& place) const;
  bool is_free() const { return holder("desk-a").empty() && holder("desk-b").empty(); }
  bool becomes_free() const;
  /// Somebody has had the place.
  bool was_acquired(const std::string& place) const;
  /// Those of this lab whose command line has this text.
  std::vector<pid_t> processes_with(const std::string& text) const;

  /// The coordinator dies; exporters end then, and are started again with it, as systemd does.
  void stop_coordinator();
  void start_coordinator();

 private:
  void start_sshd();

  TemporaryFolder folder_;
  std::string port_ = "0";
  int starts_ = 0;
  std::optional<BackgroundProcess> sshd_;
  std::optional<BackgroundProcess> coordinator_;
  std::optional<BackgroundProcess> exporter_;
};

/// A process that ends with this object. It is no child of a guard, which would end all that it left behind.
class StartedAlone {
 public:
  explicit StartedAlone(pid_t process) : process_(process) {}
  ~StartedAlone();
  StartedAlone(const StartedAlone&) = delete;
  StartedAlone& operator=(const StartedAlone&) = delete;

  void signal(int number) const;
  /// Its exit status, once it has ended; 128 and the signal.
  int status();

 private:
  pid_t process_;  // negative: it was waited for
};

/// A program with four traps, as if it had been built.
class LabBench {
 public:
  explicit LabBench(const std::string& transport);

  /// The command of an agent that answers well, for the shell of a place. It names the lab that there is.
  static std::string agent();
  /// Devices with these names and transports.
  void list(const std::vector<std::pair<std::string, std::string>>& devices) const;

  Command command(std::vector<std::string> words) const;
  ProcessResult run(const std::vector<std::string>& words) const;
  StartedAlone start_alone(const std::vector<std::string>& words) const;
  nlohmann::json fleet() const;

  std::filesystem::path profile(const std::string& device = {}) const;
  /// 0 where there is no profile yet.
  long count(const std::string& sql, const std::string& device = {}) const;
  std::string text(const std::string& sql, const std::string& device = {}) const;
  void wait_for_rounds(int rounds, const std::string& device = {}) const;
  const std::filesystem::path& folder() const { return folder_.path(); }

 private:
  TemporaryFolder folder_;
};

inline constexpr const char* last_round = "SELECT coalesce(max(round), 0) FROM sample";
inline constexpr const char* samples = "SELECT count(*) FROM sample";

}  // namespace jcprof::test

#define JCPROF_NEEDS_LAB()                                                   \
  if (const std::string why = jcprof::test::Lab::obstacle(); !why.empty()) { \
    WARN("SKIPPED: " << why);                                                \
    return;                                                                  \
  }
