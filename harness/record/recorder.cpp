// SPDX-License-Identifier: Apache-2.0
#include "harness/record/recorder.hpp"

#include <array>
#include <csignal>
#include <cstdlib>
#include <optional>

#include <fmt/format.h>
#include <poll.h>

#include "harness/clock.hpp"
#include "harness/record/program.hpp"

namespace jcprof::harness {
namespace {

constexpr int progress_ms = 250;
// Two seconds are promised until all has ended (docs/safety.md), and the recording is written then.
constexpr std::int64_t most_grace_ns = 1'000'000'000;

std::vector<std::string> variables_of(const RecordCommand& command, const Recording& recording) {
  std::vector<std::string> variables{fmt::format("JCPROF_RECORD={}", recording.memory().string())};
  if (command.preload.empty()) return variables;
  const char* const users = std::getenv("LD_PRELOAD");
  variables.push_back(fmt::format("LD_PRELOAD={}{}{}", command.preload.string(), users == nullptr ? "" : ":",
                                  users == nullptr ? "" : users));
  return variables;
}

void stand_by(const RecordedProgram& program, const SignalsTaken& signals, Recording& recording,
              const RecordCommand& command) {
  std::array<pollfd, 2> events{pollfd{.fd = program.fd(), .events = POLLIN, .revents = 0},
                               pollfd{.fd = signals.fd(), .events = POLLIN, .revents = 0}};
  const int patience = command.progress ? progress_ms : -1;
  std::optional<std::int64_t> told;  // when it was told to end
  for (;;) {
    const int ready = ::poll(events.data(), events.size(), told ? progress_ms : patience);
    if (ready > 0 && events[0].revents != 0) return;
    while (const std::optional<int> signal = signals.next()) {
      if (*signal == SIGUSR1 || *signal == SIGUSR2) {
        recording.pause(*signal == SIGUSR1);
        continue;
      }
      program.send(*signal);
      told = told.value_or(now_ns());
    }
    if (told && now_ns() - *told > most_grace_ns) program.send(SIGKILL);
    if (ready == 0 && command.progress) command.progress(recording.progress());
  }
}

}  // namespace

Recorded record(const LogOptions& log, const RecordCommand& command) {
  const SignalsTaken signals;
  Recording recording(log);
  const RecordedProgram program(command.argv, variables_of(command, recording), signals);
  recording.begin();
  stand_by(program, signals, recording, command);
  recording.stop();
  return recording.end(program.reap(), static_cast<std::uint32_t>(program.pid()));
}

}  // namespace jcprof::harness
