// SPDX-License-Identifier: Apache-2.0
#include "harness/agent/transport.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "harness/agent/card_answers.hpp"
#include "src/core/error.hpp"
#include "src/core/hex.hpp"
#include "src/core/tee_result.hpp"

namespace jcprof::harness {
namespace {

// A round trip is long forgotten at that many, and those in flight when a run ends have to be waited for.
constexpr std::size_t most_in_flight = 1024;

/// A `measure` whose answers are on their way.
struct Flight {
  std::uint64_t id = 0;
  std::span<const Shot> shots;  // gone once measure() has returned, but for their number
  std::size_t answered = 0;
};

/// The next step after a shot.
enum class Next : std::uint8_t { go_on, send_again, start_again };

/// The outcome of the shot whose turn it was.
struct Turn {
  Sample sample;
  Next next = Next::go_on;
};

Turn lost(std::string why, Next next) {
  return {.sample = {.outcome = Outcome::lost, .why = std::move(why)}, .next = next};
}

class AgentTransport final : public Transport {
 public:
  AgentTransport(const AgentSetup& setup, std::unique_ptr<Device> started)
      : device_(setup.device),
        traps_(setup.traps),
        right_(setup.right),
        link_(setup.settings, std::move(started)) {}

  Description describe() override {
    const AgentDescription& agent = link_.description();
    const std::string& place = link_.settings().place;
    const std::string reader = agent.card ? agent.card->reader : "";
    // Boards of one kind call themselves the same.
    return {.transport = "agent",
            .agent = agent.agent,
            .reader = place.empty() || reader.empty() ? place + reader : fmt::format("{}: {}", place, reader),
            .protocol = agent.card ? agent.card->protocol : "",
            .device = device_.empty() ? agent.device : device_,
            .atr = agent.card ? agent.card->atr : "",
            .simulated = agent.simulated,
            .unit = agent.unit,
            .hz = agent.hz,
            .resolution = agent.resolution,
            .exact = agent.exact,
            .note = agent.note};
  }
  std::string account() override { return link_.account(); }

  ~AgentTransport() override {
    // Nobody waits for shots in flight, which may take their time.
    if (!in_flight_.empty()) link_.drop();
  }
  AgentTransport(const AgentTransport&) = delete;
  AgentTransport& operator=(const AgentTransport&) = delete;

  void set_inputs(std::vector<Bytes> inputs) override { inputs_ = std::move(inputs); }

  void measure(std::span<const Shot> shots, const ShotSink& sink) override {
    while (!shots.empty() && fly(shots, sink)) {
    }
  }

  TraceWindow trace(std::uint32_t input, std::uint64_t from, std::uint32_t count) override;
  std::optional<MemoryTrace> trace_memory(std::uint32_t input) override;
  std::optional<CalibrationTime> calibrate(CalibrationKind kind, std::uint64_t passes) override;
  void set_path(std::uint32_t input, std::span<const TrapId> path) override;
  bool is_right(std::uint32_t status) const override { return right_.accepts(status); }

 private:
  bool is_per_batch() const { return link_.settings().life == AgentLife::batch; }
  void open(const std::string& requests, std::set<Bytes> inputs) {
    link_.open(requests);
    link_.tries().send(std::move(inputs));
  }
  std::vector<Flight> take_off(std::span<const Shot> shots);
  bool fly(std::span<const Shot>& shots, const ShotSink& sink);
  bool fly_one(Flight& flight, std::span<const Shot>& shots, const ShotSink& sink);
  Turn take_turn(const Flight& flight, const Shot& shot);
  void judge_status(const Shot& shot, const Sample& sample);
  Turn take_shot(const Flight& flight, const Shot& shot, AgentShot&& answer);
  bool land(const Flight& flight);
  void settle();
  void drain(Flight flight);
  void reset_target();
  template <class T>
  std::variant<T, AgentError, NoAnswer> ask(const AgentRequest& request, std::chrono::milliseconds timeout,
                                            std::set<Bytes> inputs = {});
  /// An answer to a traced run that went wrong; nothing if it is good.
  template <class T>
  std::optional<Sample> failed_run(const std::variant<T, AgentError, NoAnswer>& answer);
  TraceWindow seen(std::uint32_t input, TraceWindow window);
  bool has_card() { return link_.description().card.has_value(); }
  std::optional<CalibrationTime> time_passes(CalibrationKind kind, std::uint64_t passes);

  std::string device_;
  std::size_t traps_;
  RightAnswer right_;
  std::set<std::uint32_t> were_right_;  // inputs that a whole run answered as the project wants it
  AgentLink link_;
  std::vector<Bytes> inputs_{{}};
  std::map<std::uint32_t, std::vector<TrapId>> paths_;  // by input
  std::set<std::uint32_t> told_;                        // inputs whose path the agent knows
  std::vector<Flight> in_flight_;
  bool wants_reset_ = false;
  std::optional<std::uint64_t> first_n_;  // 0; 1 for agents that count from there
};

/// Sends as many of the shots as one batch takes.
std::vector<Flight> AgentTransport::take_off(std::span<const Shot> shots) {
  const std::size_t most = std::min(link_.description().max_batch, most_in_flight);
  std::vector<Flight> flights;
  std::string requests;
  std::set<Bytes> inputs;
  do {
    const Flight flight{.id = link_.next_id(), .shots = shots.first(std::min(most, shots.size()))};
    shots = shots.subspan(flight.shots.size());
    MeasureRequest request;
    for (const Shot& shot : flight.shots)
      request.shots.push_back({.stop = shot.stop,
                               .input = *inputs.insert(inputs_.at(shot.input)).first,
                               .delay_ns = shot.delay_ns});
    requests += request_line(flight.id, request);
    flights.push_back(flight);
  } while (is_per_batch() && !shots.empty());
  open(requests, std::move(inputs));
  return flights;
}

/// One batch of the shots, which are taken off as they are done. False when no more are wanted.
bool AgentTransport::fly(std::span<const Shot>& shots, const ShotSink& sink) {
  settle();
  in_flight_ = take_off(shots);
  while (!in_flight_.empty()) {
    if (!fly_one(in_flight_.front(), shots, sink)) return false;
    if (in_flight_.empty()) return true;  // broken off: what is left is sent again
    const bool has_landed = land(in_flight_.front());
    in_flight_.erase(in_flight_.begin());
    if (!has_landed) in_flight_.clear();
  }
  if (link_.is_running()) link_.close();
  return true;
}

/// False when no more are wanted.
bool AgentTransport::fly_one(Flight& flight, std::span<const Shot>& shots, const ShotSink& sink) {
  for (const Shot& shot : flight.shots) {
    const Turn turn = take_turn(flight, shot);
    ++flight.answered;
    shots = shots.subspan(1);
    // An agent that is to be started again must not be waited for.
    if (turn.next == Next::start_again) link_.drop(turn.sample.why);
    if (turn.next != Next::go_on) in_flight_.clear();
    const bool goes_on = sink(shot, turn.sample);
    judge_status(shot, turn.sample);
    if (turn.next == Next::go_on) link_.succeed();
    if (turn.next != Next::go_on) link_.fail(turn.sample.why);
    if (!goes_on) return false;
    if (turn.next != Next::go_on) return true;
  }
  return true;
}

/// Ends the run where the first whole run of an input is answered otherwise than the project wants it.
void AgentTransport::judge_status(const Shot& shot, const Sample& sample) {
  if (has_card()) return;  // its agent does
  if (!sample.status || were_right_.contains(shot.input)) return;
  if (right_.accepts(*sample.status)) {
    if (shot.stop.trap == run_to_end) were_right_.insert(shot.input);
    return;
  }
  throw wrong_answer(
      right_,
      {.sent = fmt::format("the trigger {}{}", link_.settings().greeting.trigger,
                           with_input(to_hex(inputs_.at(shot.input)))),
       .status = *sample.status,
       .meaning = right_.form == StatusForm::code ? tee_result(*sample.status) : "",
       .remedy = "correct its command, its parameters or \"inputs\", or what goes before it in \"session\""});
}

Turn AgentTransport::take_turn(const Flight& flight, const Shot& shot) {
  const auto timeout = link_.timeout() + std::chrono::nanoseconds(shot.delay_ns);
  const ReadLine line = link_.read_line(timeout);
  if (line.state != LineState::read) {
    NoAnswer none = link_.no_answer(line.state);
    return {.sample = {.outcome = none.outcome, .why = std::move(none.why)}, .next = Next::start_again};
  }
  auto answer = read_shot(line.text, flight.id);
  if (auto* made = std::get_if<AgentShot>(&answer)) return take_shot(flight, shot, std::move(*made));
  // The agent lives, so it need not be started again; but a per-batch one has said its last word.
  if (const auto* error = std::get_if<AgentError>(&answer)) {
    end_if_asked(*error);
    return lost(words_of(*error), Next::send_again);
  }
  if (const auto* breach = std::get_if<Breach>(&answer)) return lost(breach->why, Next::start_again);
  return lost(fmt::format("the agent says \"ok\" after {} of {} shots", flight.answered, flight.shots.size()),
              Next::start_again);
}

Turn AgentTransport::take_shot(const Flight& flight, const Shot& shot, AgentShot&& answer) {
  // Only where there is one shot, no line can be missing before it.
  if (!first_n_) first_n_ = flight.shots.size() == 1 && answer.n == 1 ? 1 : 0;
  const std::uint64_t expected = *first_n_ + flight.answered;
  if (answer.n != expected)
    return lost(fmt::format("the agent answers shot {} where shot {} is due", answer.n, expected),
                Next::start_again);
  Turn turn{.sample = std::move(answer.sample)};
  judge(shot.stop, turn.sample);
  link_.tries().judge(inputs_.at(shot.input), turn.sample.outcome, turn.sample.status);
  if (turn.sample.outcome == Outcome::lost) turn.sample.why = link_.explained(turn.sample.why);
  if (turn.sample.outcome == Outcome::lost || turn.sample.outcome == Outcome::timed_out)
    wants_reset_ = does(link_.description(), "reset");
  return turn;
}

/// Takes the `ok` behind the last shot. False when the agent did not get so far, which costs no shot.
bool AgentTransport::land(const Flight& flight) {
  const ReadLine line = link_.read_line(link_.timeout());
  if (line.state == LineState::read) {
    const auto answer = read_shot(line.text, flight.id);
    if (std::holds_alternative<AgentDone>(answer)) return true;
    if (const auto* error = std::get_if<AgentError>(&answer)) end_if_asked(*error);
  }
  const std::string why = line.state == LineState::read ? "the agent does not end a batch with \"ok\""
                                                        : link_.no_answer(line.state).why;
  link_.drop(why);
  link_.fail(why);
  return false;
}

/// Sees to it that nothing of an earlier batch is on its way any more, and that a new agent knows all paths.
void AgentTransport::settle() {
  if (is_per_batch() && !in_flight_.empty()) link_.drop();
  for (const Flight& flight : std::exchange(in_flight_, {}))
    if (link_.is_running()) drain(flight);
  if (std::exchange(wants_reset_, false) && link_.is_running() && !is_per_batch()) reset_target();
  if (is_per_batch() || paths_.empty() || !does(link_.description(), "path")) return;
  if (!link_.is_running()) told_.clear();
  for (const auto& [input, path] : paths_) {
    if (!told_.insert(input).second) continue;
    ask<AgentDone>(PathRequest{.input = inputs_.at(input), .events = path}, link_.timeout());
    if (!link_.is_running()) return;
  }
}

/// The shots that nobody wants any more, in the time of one of them; an agent that takes longer is ended.
void AgentTransport::drain(Flight flight) {
  const auto deadline = AgentProcess::Clock::now() + link_.timeout();
  while (true) {
    const ReadLine line = link_.read_line(deadline - AgentProcess::Clock::now());
    if (line.state != LineState::read) return link_.drop(link_.no_answer(line.state).why);
    const auto answer = read_shot(line.text, flight.id);
    if (const auto* breach = std::get_if<Breach>(&answer)) return link_.drop(breach->why);
    const auto* shot = std::get_if<AgentShot>(&answer);
    if (shot == nullptr) return;
    link_.tries().judge({}, shot->sample.outcome, std::nullopt);
    if (++flight.answered > flight.shots.size()) return link_.drop();
  }
}

template <class T>
std::variant<T, AgentError, NoAnswer> AgentTransport::ask(const AgentRequest& request,
                                                          std::chrono::milliseconds timeout,
                                                          std::set<Bytes> inputs) {
  const std::uint64_t id = link_.next_id();
  open(request_line(id, request), std::move(inputs));
  const ReadLine line = link_.read_line(timeout);
  NoAnswer none;
  if (line.state == LineState::read) {
    AgentAnswer<T> answer = read_answer<T>(line.text, id);
    if (const auto* breach = std::get_if<Breach>(&answer)) {
      none = {.outcome = Outcome::lost, .why = breach->why};
    } else {
      link_.close();
      link_.succeed();
      if (auto* error = std::get_if<AgentError>(&answer)) {
        end_if_asked(*error);
        return std::move(*error);
      }
      return std::get<T>(std::move(answer));
    }
  } else {
    none = link_.no_answer(line.state);
  }
  link_.drop(none.why);
  link_.fail(none.why);
  return none;
}

void AgentTransport::reset_target() {
  const auto answer = ask<AgentDone>(ResetRequest{.how = "target"}, link_.settings().start_timeout);
  // An agent that cannot reset may be able to start.
  if (std::holds_alternative<AgentError>(answer)) link_.drop();
}

TraceWindow AgentTransport::trace(std::uint32_t input, std::uint64_t from, std::uint32_t count) {
  if (!does(link_.description(), "trace"))
    throw environment_error(
        fmt::format("the agent {} cannot trace, so jcprof does not know at which events to stop",
                    link_.description().agent),
        "the agent must serve \"trace\" and name it in its hello (docs/agent-protocol.md)");
  settle();
  const auto answer = ask<AgentWindow>(TraceRequest{.input = inputs_.at(input), .from = from, .count = count},
                                       link_.timeout(), {inputs_.at(input)});
  if (std::optional<Sample> failed = failed_run(answer)) return {.end = std::move(*failed)};
  return seen(input, window_of(std::get<AgentWindow>(answer), traps_, count));
}

TraceWindow AgentTransport::seen(std::uint32_t input, TraceWindow window) {
  link_.tries().judge(inputs_.at(input), window.end.outcome, window.end.status);
  return window;
}

template <class T>
std::optional<Sample> AgentTransport::failed_run(const std::variant<T, AgentError, NoAnswer>& answer) {
  if (const auto* error = std::get_if<AgentError>(&answer))
    return Sample{.outcome = Outcome::lost, .why = link_.explained(words_of(*error))};
  if (const auto* none = std::get_if<NoAnswer>(&answer))
    return Sample{.outcome = none->outcome, .why = none->why};
  return std::nullopt;
}

std::optional<MemoryTrace> AgentTransport::trace_memory(std::uint32_t input) {
  if (!does(link_.description(), "memory")) return std::nullopt;
  settle();
  const auto answer =
      ask<AgentMemory>(MemoryRequest{.input = inputs_.at(input)}, link_.timeout(), {inputs_.at(input)});
  if (std::optional<Sample> failed = failed_run(answer))
    return MemoryTrace{.window = {.end = std::move(*failed)}, .log = {}};
  const auto& memory = std::get<AgentMemory>(answer);
  return MemoryTrace{.window = seen(input, window_of(memory.window, traps_, memory.window.events.size())),
                     .log = memory.log};
}

void AgentTransport::set_path(std::uint32_t input, std::span<const TrapId> path) {
  paths_[input].assign(path.begin(), path.end());
  told_.erase(input);
  settle();
}

std::optional<CalibrationTime> AgentTransport::calibrate(CalibrationKind kind, std::uint64_t passes) {
  using enum CalibrationKind;
  const bool is_known = has_card() || (kind != calls && kind != frames && kind != guards && kind != sites);
  if (!is_known || !does(link_.description(), "calibrate")) return std::nullopt;
  if (kind != empty || has_card()) return time_passes(kind, passes);
  // An empty loop is a loop of no passes, of whatever it does.
  std::optional<CalibrationTime> time = time_passes(unarmed, 0);
  if (!time) time = time_passes(counting, 0);
  if (time) *time = {.kind = kind, .passes = passes, .ticks = time->ticks};
  return time;
}

std::optional<CalibrationTime> AgentTransport::time_passes(CalibrationKind kind, std::uint64_t passes) {
  std::string why;
  for (int attempt = 0; attempt < calibration_attempts; ++attempt) {
    settle();
    const CalibrateRequest request{.kind = std::string(name_of(kind)), .passes = passes};
    const auto answer = ask<AgentTicks>(request, link_.timeout());
    if (std::holds_alternative<AgentError>(answer)) return std::nullopt;
    if (const auto* ticks = std::get_if<AgentTicks>(&answer))
      return CalibrationTime{.kind = kind, .passes = ticks->passes.value_or(passes), .ticks = ticks->ticks};
    why = std::get<NoAnswer>(answer).why;
  }
  throw environment_error(fmt::format("the agent was lost in a calibration ({} of {} passes): {}\n{}",
                                      name_of(kind), passes, why, link_.account()),
                          "if the agent cannot calibrate, leave \"calibrate\" out of its \"can\"");
}

}  // namespace

std::unique_ptr<Transport> make_agent_transport(const AgentSetup& setup, std::unique_ptr<Device> started) {
  return std::make_unique<AgentTransport>(setup, std::move(started));
}

}  // namespace jcprof::harness
