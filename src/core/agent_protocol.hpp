// SPDX-License-Identifier: Apache-2.0
// The agent protocol (docs/agent-protocol.md): its messages as values and as lines of JSON, for the harness
// and for our own agents. Pure. The other side is a stranger: a line that is not as described is a Breach,
// never an exception.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "src/core/free_memory.hpp"
#include "src/core/types.hpp"

namespace jcprof {

inline constexpr std::uint64_t agent_protocol_version = 1;

/// The line is not what the protocol has here.
struct Breach {
  std::string why;
};

// ---- requests

/// hello: what an agent is told about the project.
struct AgentGreeting {
  std::uint64_t protocol = agent_protocol_version;
  std::string project;           // its name
  std::string target;            // "applet", …
  std::string trigger = "{}";    // JSON, as in the project file
  std::string session = "{}";    // the same
  std::string options = "{}";    // the same
  std::string arming;            // JSON: how the target is armed; empty: the agent knows
  std::uint64_t unanswered = 0;  // agents of this run that were ended because they did not answer in time
  // For applets: what their agent cannot take from the project's own sections.
  Bytes input = {};         // one as they will come
  std::string expect = {};  // right answers; empty: success
  std::string seed = {};    // for {seed}
};

struct RequestedShot {
  Event stop;
  Bytes input;
  std::int64_t delay_ns = 0;
};

struct MeasureRequest {
  std::vector<RequestedShot> shots;
};

struct TraceRequest {
  Bytes input;
  std::uint64_t from = 0;
  std::uint64_t count = 262'144;
};

struct CalibrateRequest {
  std::string kind;
  std::uint64_t passes = 0;
};

struct ResetRequest {
  std::string how;
};

/// The trigger once, with the free memory at each event, of a card.
struct MemoryRequest {
  Bytes input;
};

/// The whole path of an input, of a card: it tells in which command of the trigger an event is passed.
struct PathRequest {
  Bytes input;
  std::vector<TrapId> events;
};

/// One measurement of the ladder (docs/optee.md, "Layers").
struct LayersRequest {
  std::uint32_t rounds = 1;
  TrapId trap = run_to_end;
  Bytes input;
};

/// The trigger once with each input, recorded into the log in that file.
struct RecordRequest {
  std::vector<Bytes> inputs;
  std::string log;
};

struct ByeRequest {};

using AgentRequest = std::variant<AgentGreeting, MeasureRequest, TraceRequest, CalibrateRequest, ResetRequest,
                                  LayersRequest, RecordRequest, ByeRequest, MemoryRequest, PathRequest>;

/// With its newline.
std::string request_line(std::uint64_t id, const AgentRequest& request);

struct ReadRequest {
  std::optional<std::uint64_t> id;
  std::variant<AgentRequest, Breach> request;
};
ReadRequest read_request(std::string_view line);

// ---- answers

inline constexpr std::uint64_t longest_patience_ms = 3'600'000;

/// The card behind an agent. Such an agent serves all that jcprof asks of a card itself.
struct CardBehind {
  std::string reader;
  std::string protocol;           // "T=1"; empty where there is none
  std::string atr;                // lower-case hex
  bool counts_tries = false;      // commands of the project may use up a try of a PIN or key of a real card
  std::uint64_t patience_ms = 0;  // beyond a time-out an answer may take so long: the card is brought back
};

/// To hello: what an agent says of itself.
struct AgentDescription {
  std::uint64_t protocol = agent_protocol_version;  // where it is not ours, the rest is unknown
  std::string agent;
  std::string device;
  bool simulated = false;
  std::string clock;
  ClockUnit unit = ClockUnit::ns;
  double resolution = 1;
  double hz = 0;  // for cycles
  bool exact = false;
  std::size_t max_batch = 1;
  std::vector<std::string> can = {};  // verbs
  std::string note = {};              // a warning of what is measured; empty: none
  std::optional<CardBehind> card = {};
};
bool does(const AgentDescription& agent, std::string_view verb);

/// To measure, one a shot.
struct AgentShot {
  std::uint64_t n = 0;
  Sample sample;
};

/// All events of a traced run, as a card tells them.
struct AgentWholeRun {
  std::uint64_t events = 0;
  std::uint32_t signature = 0;
  std::optional<std::uint16_t> mix = {};
};

struct AgentWindow {
  std::vector<TrapId> events;
  bool more = false;
  std::uint32_t signature = 0;              // of what is before the window
  std::optional<std::uint16_t> mix = {};    // the same, of a card
  std::optional<AgentWholeRun> run = {};    // of a card
  std::optional<std::uint64_t> total = {};  // events of the run
  std::optional<Outcome> outcome = {};      // of a run that did not come to its end
  std::string why = {};
  // How it ended, as in a sample; where the agent says so.
  std::optional<std::uint32_t> status = {};
  Bytes reply = {};
};

struct AgentTicks {
  Ticks ticks = 0;
  std::optional<std::uint64_t> passes = {};  // that were made, where it is another number than was asked for
};

/// A card's traced run, with the free memory at each event.
struct AgentMemory {
  AgentWindow window;
  MemoryLog log;
};

struct AgentRungs {
  std::vector<Rung> rungs;
};

/// The target's own log; empty where it recorded into that of the request.
struct AgentLog {
  Bytes log;
};

/// `ok`, with nothing in it that counts.
struct AgentDone {};

/// `error`.
struct AgentError {
  std::string message;
  std::string hint = {};
  std::optional<std::uint32_t> exit = {};  // the run must end, with this exit code of jcprof
};

using AgentReply = std::variant<AgentError, AgentDone, AgentDescription, AgentShot, AgentWindow, AgentTicks,
                                AgentRungs, AgentLog, AgentMemory>;

/// Without a newline. A null stands for an `id` that could not be read.
std::string answer_line(std::optional<std::uint64_t> id, const AgentReply& reply);

template <class T>
using AgentAnswer = std::variant<T, AgentError, Breach>;

// Each takes one line without its newline. Another id than `id` is a Breach.
/// Reads an answer of one line: AgentDone, AgentDescription, AgentWindow, AgentTicks, AgentRungs, AgentLog or
/// AgentMemory.
template <class T>
AgentAnswer<T> read_answer(std::string_view line, std::uint64_t id);
/// AgentDone comes behind the last shot.
std::variant<AgentShot, AgentDone, AgentError, Breach> read_shot(std::string_view line, std::uint64_t id);

}  // namespace jcprof
