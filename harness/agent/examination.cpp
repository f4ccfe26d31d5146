// SPDX-License-Identifier: Apache-2.0
#include "harness/agent/examination.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "harness/agent/interview.hpp"
#include "harness/path.hpp"
#include "src/core/hex.hpp"

namespace jcprof::harness {
namespace {

using nlohmann::json;
using Clock = AgentProcess::Clock;
using std::chrono::milliseconds;

constexpr std::uint32_t whole_path = 262'144;
constexpr std::size_t most_shots = 256;
constexpr std::uint32_t no_trap = UINT32_MAX;
constexpr const char* not_in_can = "it is not in \"can\", and answered with an error";
// So long that no machine is too busy to show it.
constexpr milliseconds delay{100};
constexpr int delayed_shots = 3;

/// Thrown by a check that does not pass.
struct Failed {
  std::string why;
};
struct Skipped {
  std::string why;
};

void fail_if(bool is_wrong, std::string why) {
  if (is_wrong) throw Failed{std::move(why)};
}

/// The agent, and what the checks so far found out about it.
struct Examined {
  AgentInterview interview;
  std::string input;  // in hex
  json description = {};
  Sample whole = {};  // the answer to the whole command
  std::vector<TrapId> path = {};
  bool is_path_whole = false;
  bool is_steady = false;  // two runs took the same path

  bool can(const char* verb) const {
    const auto list = description.find("can");
    return list != description.end() && std::ranges::find(*list, json(verb)) != list->end();
  }
};

Talk answered(Talk talk) {
  fail_if(!talk.fault.empty(), talk.fault);
  return talk;
}

Talk measure(Examined& of, json shots) {
  return answered(of.interview.measure(std::move(shots)));
}

Sample shoot(Examined& of, Event stop) {
  return measure(of, json::array({shot_at(stop, of.input)})).samples.front();
}

template <class Value>
Value value_in(AgentAnswer<Value> answer) {
  if (const auto* error = std::get_if<AgentError>(&answer)) throw Failed{"it says: " + error->message};
  if (const auto* breach = std::get_if<Breach>(&answer)) throw Failed{breach->why};
  return std::get<Value>(std::move(answer));
}

AgentWindow trace(Examined& of, std::uint64_t from, std::uint32_t count) {
  const Talk talk =
      answered(of.interview.ask({{"do", "trace"}, {"input", of.input}, {"from", from}, {"count", count}}));
  AgentWindow window = value_in(of.interview.last_answer<AgentWindow>(talk));
  fail_if(!talk.end["ok"].contains("more") || !talk.end["ok"].contains("signature"),
          "\"more\" or \"signature\" is missing");
  return window;
}

// ---- checks

void hello(Examined& of) {
  of.interview.spawn();
  const Talk talk = answered(of.interview.say_hello());
  const auto said = value_in(of.interview.last_answer<AgentDescription>(talk));
  of.description = talk.end["ok"];
  fail_if(said.protocol != agent_protocol_version,
          fmt::format("it speaks version {} of the protocol, not {}", of.description["protocol"].dump(),
                      agent_protocol_version));
  for (const char* key : {"agent", "device", "simulated", "clock", "max_batch", "can"})
    fail_if(!of.description.contains(key), fmt::format("\"{}\" is missing", key));
  for (const char* key : {"name", "unit", "resolution", "exact"})
    fail_if(!of.description["clock"].contains(key), fmt::format("\"clock\": \"{}\" is missing", key));
}

void unknown_verb(Examined& of) {
  fail_if(answered(of.interview.ask({{"do", "dance"}})).is_ok(), "it says \"ok\" to \"dance\"");
}

void whole_command(Examined& of) {
  of.whole = shoot(of, {});
  fail_if(of.whole.outcome != Outcome::ended, in_words(of.whole));
}

void unknown_fields(Examined& of) {
  json shot = shot_at({}, of.input);
  shot["colour"] = {{"red", 1}};
  const Talk talk = answered(of.interview.ask(
      {{"do", "measure"}, {"shots", json::array({shot})}, {"mood", "good"}, {"more", json::array()}}));
  fail_if(talk.samples.size() != 1 || talk.samples.front().outcome != Outcome::ended,
          "a shot with such fields is not answered as one without");
}

void path(Examined& of) {
  fail_if(!of.can("trace"), "\"trace\" is not in \"can\": nobody knows which events there are");
  const AgentWindow first = trace(of, 0, whole_path);
  of.path = first.events;
  of.is_path_whole = !first.more;
  const AgentWindow again = trace(of, 0, whole_path);
  of.is_steady = again.events == of.path && again.more == first.more;
  fail_if(again.signature != first.signature, "the signature of nothing is not always the same");
  fail_if(of.path.empty(), "no trap is passed");
}

void windows(Examined& of) {
  if (of.path.size() < 2) throw Skipped{"the path has fewer than two events"};
  if (!of.is_steady) throw Skipped{"the path varies: two runs took different paths"};
  const std::size_t middle = of.path.size() / 2;
  const AgentWindow head = trace(of, 0, static_cast<std::uint32_t>(middle));
  const AgentWindow tail = trace(of, middle, whole_path);
  const AgentWindow again = trace(of, middle, 1);
  const AgentWindow beyond = trace(of, of.path.size() + 1000, 10);
  fail_if(!std::ranges::equal(head.events, std::span(of.path).first(middle)),
          fmt::format("from 0, {} events: not the first {} of the path", middle, middle));
  fail_if(!head.more, fmt::format("from 0, {} events: \"more\" is false", middle));
  fail_if(of.is_path_whole && !std::ranges::equal(tail.events, std::span(of.path).subspan(middle)),
          fmt::format("from {} on: not the rest of the path", middle));
  fail_if(again.events != std::vector{of.path[middle]}, "\"count\": 1 does not give one event");
  fail_if(again.signature != tail.signature, "two windows from the same event have two signatures");
  fail_if(of.is_path_whole && (!beyond.events.empty() || beyond.more),
          "there are events behind the end of the path");
}

void stops(Examined& of) {
  if (of.path.empty()) throw Skipped{"there is no path"};
  const std::vector<Event> events = events_of(of.path);
  std::vector<Event> wanted{events.front(), events[events.size() / 2], events.back()};
  const auto later = std::ranges::find_if(events, [](const Event& event) { return event.hit > 1; });
  if (later != events.end()) wanted.push_back(*later);
  for (const Event& event : wanted) {
    const Sample sample = shoot(of, event);
    if (!of.is_steady && sample.outcome == Outcome::ended) continue;
    fail_if(sample.outcome == Outcome::stopped && !sample.reached,
            "\"stopped\" without \"trap\" and \"hit\"");
    fail_if(sample.outcome != Outcome::stopped || sample.reached != event,
            in_words(event) + " was asked for: " + in_words(sample));
  }
}

void unreachable_stops(Examined& of) {
  std::vector<Event> beyond{{.trap = TrapId{no_trap}, .hit = 1}};
  if (!of.path.empty()) beyond.push_back({.trap = of.path.front(), .hit = 1'000'000'000});
  for (const Event& event : beyond) {
    const Sample sample = shoot(of, event);
    fail_if(sample.outcome != Outcome::ended && sample.outcome != Outcome::refused,
            in_words(event) + " was asked for: " + in_words(sample));
  }
}

void after_a_stop(Examined& of) {
  if (of.path.empty()) throw Skipped{"there is no path"};
  const std::vector<Event> events = events_of(of.path);
  for (const Event& event : {events.front(), events.back()}) {
    shoot(of, event);
    const Sample now = shoot(of, {});
    fail_if(now.outcome != Outcome::ended || now.status != of.whole.status ||
                now.reply.size() != of.whole.reply.size(),
            fmt::format("after a stop at {} the whole command has another answer: {}", in_words(event),
                        in_words(now)));
  }
}

void full_batch(Examined& of) {
  const std::size_t count = std::min(of.description["max_batch"].get<std::size_t>(), most_shots);
  std::vector<Event> events = events_of(of.path);
  events.emplace_back();
  json shots = json::array();
  std::vector<Event> asked;
  for (std::size_t i = 0; i < count; ++i) {
    asked.push_back(events[i * 7 % events.size()]);
    shots.push_back(shot_at(asked.back(), of.input));
  }
  const Talk talk = measure(of, std::move(shots));
  for (std::size_t i = 0; i < count && of.is_steady; ++i) {
    const Sample& sample = talk.samples[i];
    const bool is_right = asked[i].trap == run_to_end
                              ? sample.outcome == Outcome::ended
                              : sample.outcome == Outcome::stopped && sample.reached == asked[i];
    fail_if(!is_right, fmt::format("shot {} of {}, {} was asked for: {}", i + 1, count, in_words(asked[i]),
                                   in_words(sample)));
  }
}

void delays(Examined& of) {
  if (of.description["simulated"] == true) throw Skipped{"a simulation need not wait in our time"};
  const std::size_t batch = of.description["max_batch"].get<std::size_t>();
  const int count = static_cast<int>(std::min<std::size_t>(batch, delayed_shots));
  const auto delay_ns = std::chrono::nanoseconds(delay).count();
  json shots = json::array();
  for (int i = 0; i < count; ++i) {
    shots.push_back(shot_at({}, of.input));
    shots.back()["delay_ns"] = delay_ns;
  }
  const Clock::time_point begin = Clock::now();
  const Talk talk = measure(of, std::move(shots));
  fail_if(talk.arrivals.back() - begin < count * delay,
          fmt::format("{} shots with a \"delay_ns\" of {} ms were done in less", count, delay.count()));
  fail_if(count > 1 && talk.arrivals.back() - talk.arrivals.front() < (count - 1) * delay / 2,
          "the answers came together, at the end of the batch: is standard output flushed?");
  fail_if(of.description["clock"]["unit"] == "ns" && talk.samples.back().ticks >= delay_ns &&
              of.whole.ticks < delay_ns / 2,
          "\"ticks\" holds the time of \"delay_ns\"");
}

void ticks(Examined& of) {
  const Clock::time_point begin = Clock::now();
  const Ticks ticks = shoot(of, {}).ticks;
  const auto took = std::chrono::nanoseconds(Clock::now() - begin).count();
  fail_if(ticks <= 0, fmt::format("the whole command takes {} ticks", ticks));
  const bool is_real = of.description["clock"]["unit"] == "ns" && of.description["simulated"] == false;
  fail_if(is_real && ticks > took, fmt::format("{} ns of a request that took {} ns as a whole", ticks, took));
}

void exact_clock(Examined& of) {
  if (of.description["clock"]["exact"] != true) throw Skipped{"the clock is not called exact"};
  std::vector<Ticks> first;
  for (int start = 0; start < 2; ++start) {
    of.interview.drop();
    std::vector<Ticks> all;
    for (const Event& event : {Event{}, of.path.empty() ? Event{} : events_of(of.path).back(), Event{}})
      all.push_back(shoot(of, event).ticks);
    fail_if(start > 0 && all != first, fmt::format("the same requests after a start gave {} ticks, then {}",
                                                   first.empty() ? 0 : first.back(), all.back()));
    first = all;
  }
}

void calibration(Examined& of) {
  for (const char* kind : {"unarmed", "counting", "unwind"})
    for (const std::uint64_t passes : {0, 10}) {
      const Talk talk = answered(of.interview.ask({{"do", "calibrate"}, {"kind", kind}, {"passes", passes}}));
      fail_if(!talk.is_ok() && of.can("calibrate") && std::string_view(kind) != "unwind",
              fmt::format("\"{}\" is answered with {}", kind, talk.end.dump()));
      fail_if(talk.is_ok() && !of.can("calibrate"), "it is not in \"can\", and answered with \"ok\"");
      const auto answer = of.interview.last_answer<AgentTicks>(talk);
      if (const auto* breach = std::get_if<Breach>(&answer)) throw Failed{breach->why};
    }
  if (!of.can("calibrate")) throw Skipped{not_in_can};
}

void reset(Examined& of) {
  for (const char* how : {"session", "target"}) {
    const Talk talk = answered(of.interview.ask({{"do", "reset"}, {"how", how}}));
    fail_if(talk.is_ok() != of.can("reset"), fmt::format("\"{}\" is answered with {}", how, talk.end.dump()));
  }
  if (!of.can("reset")) throw Skipped{not_in_can};
  const Sample sample = shoot(of, {});
  fail_if(sample.outcome != Outcome::ended, "the command after it: " + in_words(sample));
}

void ends(Examined& of) {
  const std::string fault = of.interview.fault_of_end();
  fail_if(!fault.empty(), fault);
}

void bye(Examined& of) {
  const Talk talk = answered(of.interview.ask({{"do", "bye"}}));
  fail_if(!talk.is_ok(), "it is answered with " + talk.end.dump());
  ends(of);
}

void end_of_input(Examined& of) {
  of.interview.agent().finish_input();
  ends(of);
}

void all_at_once(Examined& of) {
  AgentInterview& interview = of.interview;
  const AgentSettings& settings = interview.settings();
  const std::uint64_t hello = interview.next_id();
  const std::vector<std::uint64_t> measures{interview.next_id(), interview.next_id()};
  const std::uint64_t bye = interview.next_id();
  const MeasureRequest measure{.shots = {{.stop = {}, .input = parse_hex(of.input).value()}}};
  AgentProcess& agent = interview.spawn();
  agent.send(request_line(hello, settings.greeting));
  for (const std::uint64_t id : measures) agent.send(request_line(id, measure));
  agent.send(request_line(bye, ByeRequest{}));
  agent.finish_input();
  Talk talk = interview.listen(hello, settings.start_timeout);
  fail_if(!talk.is_ok(), "hello: " + talk.fault);
  for (const std::uint64_t id : measures) {
    talk = interview.listen(id, settings.timeout);
    fail_if(!talk.is_ok() || talk.samples.size() != 1, "measure: " + talk.fault);
  }
  talk = interview.listen(bye, settings.timeout);
  fail_if(!talk.is_ok(), "bye: " + talk.fault);
  ends(of);
}

struct Check {
  const char* what;
  void (*examine)(Examined&);
};

// In this order: later ones use what the earlier ones found.
constexpr std::array checks{
    Check{"hello is answered, with everything that it should say", hello},
    Check{"an unknown verb is answered with an error", unknown_verb},
    Check{"the whole command runs to its end", whole_command},
    Check{"unknown fields are ignored", unknown_fields},
    Check{"the path is traced", path},
    Check{"windows of the trace are parts of one path", windows},
    Check{"it stops where it is asked to, and says where that is", stops},
    Check{"a trap that is never passed does not stop it", unreachable_stops},
    Check{"a stop leaves the target as it was", after_a_stop},
    Check{"a batch of the most shots is answered in order", full_batch},
    Check{"delays are waited, and each shot is answered at once", delays},
    Check{"ticks are times of the bare command", ticks},
    Check{"an exact clock repeats its ticks", exact_clock},
    Check{"calibration is as it says in \"can\"", calibration},
    Check{"reset is as it says in \"can\"", reset},
    Check{"bye ends it", bye},
    Check{"the end of its input ends it", end_of_input},
    Check{"requests that are all there at once are answered in order", all_at_once},
};

AgentCheck made(const Check& check, Examined& of) {
  try {
    check.examine(of);
  } catch (const Failed& failed) {
    // An answer that is still on its way must not become the fault of the next check.
    of.interview.drop();
    return {.what = check.what, .verdict = CheckVerdict::failed, .why = failed.why};
  } catch (const Skipped& skipped) {
    return {.what = check.what, .verdict = CheckVerdict::skipped, .why = skipped.why};
  }
  return {.what = check.what};
}

}  // namespace

std::vector<AgentCheck> examine_agent(const AgentSettings& settings, const Bytes& input) {
  Examined examined{.interview = AgentInterview(settings), .input = to_hex(input)};
  std::vector<AgentCheck> made_checks;
  for (const Check& check : checks) {
    made_checks.push_back(made(check, examined));
    // An agent that does not get through its hello is asked nothing else.
    if (made_checks.size() == 1 && made_checks.front().verdict == CheckVerdict::failed) break;
  }
  return made_checks;
}

}  // namespace jcprof::harness
