// SPDX-License-Identifier: Apache-2.0
// A place to run jcprof record in, as users do, on a program whose events are known.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <fcntl.h>
#include <unistd.h>
#include <catch2/catch.hpp>

#include "tests/end_to_end/workplace.hpp"

namespace jcprof::test {

/// The events of `calls work N`, of tests/end_to_end/recorded/calls.c.
constexpr std::uint64_t events_of(std::uint64_t calls) {
  return 2 + 2 * calls;
}

/// A folder with that program, compiled with hooks.
struct RecordPlace {
  Workplace files;
  std::filesystem::path log = files / "out/record.jcplog";
  std::filesystem::path profile = files / "out/profile.jcprof";

  explicit RecordPlace(const std::string& name) : files("record-" + name) {
    compile({"-finstrument-functions"}, "calls");
  }

  void compile(std::vector<std::string> flags, const std::string& program,
               const std::string& source = "calls.c") const {
    std::vector<std::string> argv{
        "gcc", "-O1",  "-g", "-pthread", JCPROF_SOURCE_DIR "/tests/end_to_end/recorded/" + source,
        "-o",  program};
    argv.insert(argv.end(), flags.begin(), flags.end());
    const Said said = files.run(argv);
    INFO(said.err);
    REQUIRE(said.status == 0);
  }

  static std::vector<std::string> record(const std::vector<std::string>& command,
                                         const std::vector<std::string>& options = {}) {
    std::vector<std::string> argv{"jcprof", "record", "-o", "out"};
    argv.insert(argv.end(), options.begin(), options.end());
    argv.emplace_back("--");
    argv.insert(argv.end(), command.begin(), command.end());
    return argv;
  }
  Said run(const std::vector<std::string>& command, const std::vector<std::string>& options = {}) const {
    return files.run(record(command, options));
  }
  /// Without the guard that others have here, which ends what a command leaves behind; its errors go to a
  /// file.
  pid_t start_unguarded(const std::vector<std::string>& command,
                        const std::vector<std::string>& options) const {
    std::vector<std::string> argv = record(command, options);
    argv.front() = JCPROF_BIN_DIR "/jcprof";
    std::vector<char*> words;
    for (std::string& word : argv) words.push_back(word.data());
    words.push_back(nullptr);
    const pid_t pid = ::fork();
    if (pid != 0) return pid;
    const bool is_ready = ::chdir((files / ".").c_str()) == 0 &&
                          ::dup2(::open("errors", O_WRONLY | O_CREAT, 0600), STDERR_FILENO) == STDERR_FILENO;
    if (is_ready) ::execv(words.front(), words.data());
    ::_exit(127);
  }
  std::string ask(const std::string& sql) const { return value_of(profile, sql).value_or("nothing"); }
};

}  // namespace jcprof::test
