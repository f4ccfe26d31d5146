// SPDX-License-Identifier: Apache-2.0
#include "harness/agent/recording.hpp"

#include <string>
#include <vector>

#include "harness/record/drain.hpp"
#include "harness/record/warnings.hpp"

namespace jcprof::harness {
namespace {

/// The target's own log; empty where it writes into ours.
Bytes ask(AgentLink& link, std::span<const Bytes> inputs, const std::filesystem::path& log) {
  constexpr int runs_besides = 8;  // that warm it up, and the calls that fetch a log
  const std::uint64_t id = link.next_id();
  link.open(request_line(id, RecordRequest{.inputs = {inputs.begin(), inputs.end()}, .log = log.string()}));
  const auto runs = static_cast<std::int64_t>(inputs.size()) + runs_besides;
  AgentLog own =
      link.expect<AgentLog>(id, link.settings().timeout * runs,
                            {"nothing was recorded", "was it built with JCPROF_RECORD? docs/record.md"});
  link.close();
  return std::move(own.log);
}

Recorded written(const Bytes& own, const LogOptions& options) {
  const LogMemory memory(own);
  LogWriter writer(options.file, options.most_bytes);
  writer.begin(memory.head());
  Drainer(memory, writer, "/proc").finish();
  writer.end(memory.head(), 0);
  Recorded recorded{.log = writer.written(), .threads = memory.head().threads};
  recorded.warnings = record_warnings({.log = recorded.log, .attached = memory.head().attached});
  return recorded;
}

}  // namespace

Recorded record_by_agent(const LogOptions& log, AgentLink& link, std::span<const Bytes> inputs) {
  Bytes own;
  {
    Recording recording(log);
    recording.begin();
    own = ask(link, inputs, recording.memory());
    if (own.empty()) {
      recording.stop();
      return recording.end(0, 0);
    }
  }
  return written(own, log);
}

}  // namespace jcprof::harness
