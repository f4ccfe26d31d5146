// SPDX-License-Identifier: Apache-2.0
// The agent protocol as lines of JSON (docs/agent-protocol.md): requests to text, answers to values. Pure; an
// agent is a stranger, and a line of it that is not as described is a Breach, never an exception.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "harness/transport.hpp"
#include "src/core/types.hpp"

namespace jcprof::harness {

inline constexpr std::uint64_t agent_protocol_version = 1;

/// What an agent is told about the project.
struct AgentGreeting {
  std::string project;           // its name
  std::string target;            // "applet", …
  std::string trigger = "{}";    // JSON, as in the project file
  std::string session = "{}";    // the same
  std::string options = "{}";    // the same
  std::string arming;            // JSON: how the target is armed; empty: the agent knows
  std::uint64_t unanswered = 0;  // agents of this run that were ended because they did not answer in time
};

/// What an agent says of itself.
struct AgentDescription {
  std::uint64_t protocol = 0;  // where it is not ours, the rest is unknown
  std::string agent;
  std::string device;
  bool simulated = false;
  std::string clock;
  ClockUnit unit = ClockUnit::ns;
  double resolution = 1;
  double hz = 0;
  bool exact = false;
  std::size_t max_batch = 1;
  bool can_trace = false;
  bool can_calibrate = false;
  bool can_reset = false;
};

/// One shot of a `measure`.
struct AgentShot {
  std::uint64_t n = 0;
  Sample sample;
};

struct AgentWindow {
  std::vector<TrapId> events;
  bool more = false;
  std::uint32_t signature = 0;              // of what is before the window
  std::optional<std::uint64_t> total = {};  // events of the run
};

/// `ok`.
struct AgentDone {};

/// `error`.
struct AgentError {
  std::string message;
  std::string hint;
};

/// The line is not what the protocol has here.
struct Breach {
  std::string why;
};

template <class T>
using AgentAnswer = std::variant<T, AgentError, Breach>;

// Each ends with its newline.
std::string hello_request(std::uint64_t id, const AgentGreeting& greeting);
/// `inputs` in hex, which the shots count into.
std::string measure_request(std::uint64_t id, std::span<const Shot> shots,
                            std::span<const std::string> inputs);
std::string trace_request(std::uint64_t id, std::string_view input, std::uint64_t from, std::uint32_t count);
std::string calibrate_request(std::uint64_t id, std::string_view kind, std::uint64_t passes);
std::string reset_request(std::uint64_t id, std::string_view how);
/// One measurement of the ladder (docs/optee.md, "Layers"); `input` in hex.
std::string layers_request(std::uint64_t id, std::uint32_t rounds, TrapId trap, std::string_view input);
/// The trigger once with each of `inputs`, in hex, recorded into the log in that file.
std::string record_request(std::uint64_t id, std::span<const std::string> inputs,
                           const std::filesystem::path& log);
std::string bye_request(std::uint64_t id);

// Each takes one line without its newline. Another id than `id` is a Breach.
AgentAnswer<AgentDescription> read_hello(std::string_view line, std::uint64_t id);
/// AgentDone comes behind the last shot.
std::variant<AgentShot, AgentDone, AgentError, Breach> read_shot(std::string_view line, std::uint64_t id);
AgentAnswer<AgentWindow> read_window(std::string_view line, std::uint64_t id);
AgentAnswer<Ticks> read_ticks(std::string_view line, std::uint64_t id);
/// At least one rung, each with as many ticks as there were `rounds`.
AgentAnswer<std::vector<Rung>> read_rungs(std::string_view line, std::uint64_t id, std::uint32_t rounds);
/// The target's own log; empty where it recorded into that of the request.
AgentAnswer<Bytes> read_log(std::string_view line, std::uint64_t id);
AgentAnswer<AgentDone> read_done(std::string_view line, std::uint64_t id);

}  // namespace jcprof::harness
