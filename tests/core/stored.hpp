// SPDX-License-Identifier: Apache-2.0
// What the tests of the store share: a folder for a profile, values to put into it, and texts of what comes
// out.
#pragma once

#include <filesystem>
#include <string>

#include <fmt/format.h>
#include <unistd.h>

#include "src/core/error.hpp"
#include "src/core/store.hpp"

namespace jcprof::test {

struct StoreFolder {
  std::filesystem::path path =
      std::filesystem::temp_directory_path() / fmt::format("jcprof_store_{}", ::getpid());
  StoreFolder() {
    std::filesystem::remove_all(path);
    std::filesystem::create_directories(path);
  }
  ~StoreFolder() { std::filesystem::remove_all(path); }
  std::filesystem::path profile() const { return path / "profile.jcprof"; }
};

inline TrapMap two_traps() {
  return {.language = "java",
          .sources = {{.path = "src/A.java", .sha256 = "00ff"}},
          .traps = {{.id = TrapId{1},
                     .key = "k1",
                     .name = "TRAP_process_1",
                     .kind = TrapKind::entry0,
                     .function = "A.process",
                     .path = "src/A.java",
                     .line = 10,
                     .column = 3,
                     .offset = 100,
                     .end_line = 10},
                    {.id = TrapId{2},
                     .key = "k2",
                     .name = "TRAP_process_2",
                     .kind = TrapKind::loop_body,
                     .function = "A.process",
                     .path = "src/A.java",
                     .line = 12,
                     .column = 5,
                     .offset = 140,
                     .end_line = 14,
                     .end_offset = 190,
                     .guards = 3}},
          .card = {.cla = 0x80, .ins = 0xF4, .stop_status = 0x6FB5},
          .build = 0xDEADBEEF};
}

inline RunInfo some_run() {
  return {.state = RunState::running,
          .started = "2026-01-02T03:04:05.678Z",
          .tool = "jcprof 0.1.0",
          .project = "pin",
          .project_digest = "aa",
          .trap_digest = "bb",
          .transport = "pcsc",
          .agent = "jcprof-run",
          .device = "gd60",
          .atr = "3b00",
          .simulated = true,
          .unit = ClockUnit::cycles,
          .hz = 1e9,
          .resolution = 2.5,
          .seed = 0xFFFFFFFFFFFFFFFF,
          .rounds = 40,
          .absolute = 0.01,
          .relative = 0.1,
          .hot = 0.02};
}

inline StoredSample some_sample(std::uint64_t sequence) {
  return {.sequence = sequence,
          .round = 1,
          .asked = {.trap = TrapId{2}, .hit = 3},
          .ticks = 1234,
          .outcome = Outcome::stopped,
          .signature = 0xFFFFFFFF};
}

template <class Act>
std::string error_of(const StoreFolder& folder, Act act) {
  try {
    act();
  } catch (const UserError& error) {
    std::string text = error.what();
    const std::string prefix = folder.path.string() + "/";
    for (std::size_t at = text.find(prefix); at != std::string::npos; at = text.find(prefix))
      text.erase(at, prefix.size());
    return fmt::format("{} [{}]", text, static_cast<int>(error.exit_code()));
  }
  return "no error";
}

inline std::string shown(const QueryResult& result) {
  std::string text;
  for (const std::string& column : result.columns) text += column + "|";
  for (const auto& row : result.rows) {
    text += "\n";
    for (const auto& cell : row) text += cell.value_or("NULL") + "|";
  }
  return text;
}

}  // namespace jcprof::test
