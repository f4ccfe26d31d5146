// SPDX-License-Identifier: Apache-2.0
#include "harness/agent/interview.hpp"

#include <utility>

#include <fmt/format.h>

#include "src/core/json_text.hpp"

namespace jcprof::harness {

using nlohmann::json;
using Clock = AgentProcess::Clock;
using std::chrono::milliseconds;

json shot_at(Event stop, const std::string& input) {
  return {{"trap", number(stop.trap)}, {"hit", stop.hit}, {"input", input}};
}

std::string in_words(const Sample& sample) {
  return fmt::format("{}{}{}", name_of(sample.outcome),
                     sample.reached ? " at " + in_words(*sample.reached) : "",
                     sample.why.empty() ? "" : ": " + sample.why);
}

void AgentInterview::drop() {
  if (agent_) agent_->stop(milliseconds{0});
  agent_.reset();
}

AgentProcess& AgentInterview::spawn() {
  drop();
  LogPolicy log = settings_.log;
  log.start = std::exchange(log_start_, LogStart::go_on);
  return agent_.emplace(settings_.command, log);
}

AgentProcess& AgentInterview::agent() {
  if (agent_) return *agent_;
  spawn();
  say_hello();
  return *agent_;
}

Talk AgentInterview::say_hello() {
  const std::uint64_t id = next_id();
  agent_->send(request_line(id, settings_.greeting));
  return listen(id, settings_.start_timeout);
}

Talk AgentInterview::ask(json request) {
  AgentProcess& to = agent();
  request["id"] = next_id();
  to.send(request.dump() + "\n");
  const bool is_slow = request["do"] == "reset";
  return listen(last_id_, is_slow ? settings_.start_timeout : settings_.timeout);
}

Talk AgentInterview::measure(json shots) {
  const std::size_t count = shots.size();
  Talk talk = ask({{"do", "measure"}, {"shots", std::move(shots)}});
  if (talk.fault.empty() && !talk.is_ok()) talk.fault = "measure is answered with " + talk.end.dump();
  if (talk.fault.empty() && talk.samples.size() != count)
    talk.fault = fmt::format("{} shots were asked for, {} are answered", count, talk.samples.size());
  return talk;
}

Talk AgentInterview::listen(std::uint64_t id, milliseconds timeout) {
  Talk talk;
  while (talk.fault.empty()) {
    const ReadLine line = agent_->read_line(Clock::now() + timeout);
    if (line.state != LineState::read) {
      talk.fault = words_for(line.state);
      break;
    }
    const auto answer = read_shot(line.text, id);
    if (const auto* breach = std::get_if<Breach>(&answer)) {
      talk.fault = breach->why;
    } else if (const auto* shot = std::get_if<AgentShot>(&answer)) {
      if (shot->n != talk.samples.size())
        talk.fault = fmt::format("\"n\" is {} where {} is due", shot->n, talk.samples.size());
      talk.samples.push_back(shot->sample);
      talk.arrivals.push_back(Clock::now());
    } else {
      talk.end = parse_line(line.text);
      break;
    }
  }
  return talk;
}

std::string AgentInterview::words_for(LineState state) {
  if (state == LineState::timed_out) return "no answer in time";
  if (state == LineState::too_long) return "a line of more than 16 MiB";
  const std::string ending = agent_->ending();
  const std::string tail = agent_->tail();
  return fmt::format("it {}{}", ending.empty() ? "closed its standard output" : ending,
                     tail.empty() ? "" : "; the last of its log:\n" + tail);
}

std::string AgentInterview::fault_of_end() {
  const ReadLine line = agent_->read_line(Clock::now() + settings_.timeout);
  if (line.state == LineState::timed_out) return "it goes on";
  if (line.state != LineState::closed) return "it goes on talking";
  const std::string ending = agent_->ending(settings_.timeout);
  drop();
  if (ending.empty()) return "it closed its standard output, and goes on";
  return ending == "ended with status 0" ? "" : "it " + ending;
}

}  // namespace jcprof::harness
