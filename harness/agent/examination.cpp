// SPDX-License-Identifier: Apache-2.0
#include "harness/agent/examination.hpp"

#include <algorithm>
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
// So long that no machine is too busy to show it.
constexpr milliseconds delay{100};
constexpr int delayed_shots = 3;

struct Result {
  CheckVerdict verdict = CheckVerdict::passed;
  std::string why = {};
};

Result failed(std::string why) {
  return {CheckVerdict::failed, std::move(why)};
}
Result skipped(std::string why) {
  return {CheckVerdict::skipped, std::move(why)};
}
Result passed_unless(std::string why) {
  return why.empty() ? Result{} : failed(std::move(why));
}

class Examiner {
 public:
  Examiner(const AgentSettings& settings, const Bytes& input) : interview_(settings), input_(to_hex(input)) {}

  std::vector<AgentCheck> run() {
    check("hello is answered, with everything that it should say", &Examiner::hello);
    if (checks_.back().verdict != CheckVerdict::failed) {
      check("an unknown verb is answered with an error", &Examiner::unknown_verb);
      check("the whole command runs to its end", &Examiner::whole_command);
      check("unknown fields are ignored", &Examiner::unknown_fields);
      check("the path is traced", &Examiner::path);
      check("windows of the trace are parts of one path", &Examiner::windows);
      check("it stops where it is asked to, and says where that is", &Examiner::stops);
      check("what is never passed does not stop it", &Examiner::unreachable_stops);
      check("a stop leaves the target as it was", &Examiner::after_a_stop);
      check("a batch of the most shots is answered in order", &Examiner::full_batch);
      check("delays are waited, and each shot is answered at once", &Examiner::delays);
      check("ticks are times of the bare command", &Examiner::ticks);
      check("an exact clock repeats its ticks", &Examiner::exact_clock);
      check("calibration is as it says in \"can\"", &Examiner::calibration);
      check("reset is as it says in \"can\"", &Examiner::reset);
      check("bye ends it", &Examiner::bye);
      check("the end of its input ends it", &Examiner::end_of_input);
      check("requests that are all there at once are answered in order", &Examiner::all_at_once);
    }
    return std::move(checks_);
  }

 private:
  void check(std::string what, Result (Examiner::*examine)()) {
    Result result = (this->*examine)();
    checks_.push_back({.what = std::move(what), .verdict = result.verdict, .why = std::move(result.why)});
    // Whatever is still on its way must not become the fault of the next.
    if (result.verdict == CheckVerdict::failed) interview_.drop();
  }

  bool can(const char* verb) const {
    const auto list = description_.find("can");
    return list != description_.end() && std::ranges::find(*list, json(verb)) != list->end();
  }

  std::optional<AgentWindow> window(std::uint64_t from, std::uint32_t count, std::string& fault) {
    const Talk talk = interview_.ask({{"do", "trace"}, {"input", input_}, {"from", from}, {"count", count}});
    fault = talk.fault;
    if (!fault.empty()) return std::nullopt;
    auto answer = interview_.last_answer<AgentWindow>(talk);
    if (auto* window = std::get_if<AgentWindow>(&answer)) {
      if (!talk.end["ok"].contains("more") || !talk.end["ok"].contains("signature"))
        fault = "\"more\" or \"signature\" is missing";
      return std::move(*window);
    }
    const auto* error = std::get_if<AgentError>(&answer);
    fault = error != nullptr ? "it says: " + error->message : std::get<Breach>(answer).why;
    return std::nullopt;
  }

  // ---- checks

  Result hello() {
    interview_.spawn();
    const Talk talk = interview_.say_hello();
    if (!talk.fault.empty()) return failed(talk.fault);
    const auto answer = interview_.last_answer<AgentDescription>(talk);
    if (const auto* error = std::get_if<AgentError>(&answer)) return failed("it says: " + error->message);
    if (const auto* breach = std::get_if<Breach>(&answer)) return failed(breach->why);
    description_ = talk.end["ok"];
    if (std::get<AgentDescription>(answer).protocol != agent_protocol_version)
      return failed(fmt::format("it speaks version {} of the protocol, not {}",
                                description_["protocol"].dump(), agent_protocol_version));
    for (const char* key : {"agent", "device", "simulated", "clock", "max_batch", "can"})
      if (!description_.contains(key)) return failed(fmt::format("\"{}\" is missing", key));
    for (const char* key : {"name", "unit", "resolution", "exact"})
      if (!description_["clock"].contains(key))
        return failed(fmt::format("\"clock\": \"{}\" is missing", key));
    return {};
  }

  Result unknown_verb() {
    const Talk talk = interview_.ask({{"do", "dance"}});
    if (!talk.fault.empty()) return failed(talk.fault);
    return passed_unless(talk.is_ok() ? "it says \"ok\" to \"dance\"" : "");
  }

  Result whole_command() {
    const Talk talk = interview_.measure(json::array({shot_at({}, input_)}));
    if (!talk.fault.empty()) return failed(talk.fault);
    whole_ = talk.samples.front();
    return passed_unless(whole_.outcome == Outcome::ended ? "" : in_words(whole_));
  }

  Result unknown_fields() {
    json shot = shot_at({}, input_);
    shot["colour"] = {{"red", 1}};
    const Talk talk = interview_.ask(
        {{"do", "measure"}, {"shots", json::array({shot})}, {"mood", "good"}, {"more", json::array()}});
    if (!talk.fault.empty()) return failed(talk.fault);
    return passed_unless(talk.samples.size() == 1 && talk.samples.front().outcome == Outcome::ended
                             ? ""
                             : "a shot with such fields is not answered as one without");
  }

  Result path() {
    if (!can("trace")) return failed("\"trace\" is not in \"can\": nobody knows which events there are");
    std::string fault;
    const std::optional<AgentWindow> first = window(0, whole_path, fault);
    if (!first || !fault.empty()) return failed(fault);
    path_ = first->events;
    is_whole_ = !first->more;
    const std::optional<AgentWindow> again = window(0, whole_path, fault);
    if (!again || !fault.empty()) return failed(fault);
    is_steady_ = again->events == path_ && again->more == first->more;
    if (again->signature != first->signature)
      return failed("the signature of nothing is not always the same");
    return passed_unless(path_.empty() ? "no trap is passed" : "");
  }

  Result windows() {
    if (path_.size() < 2) return skipped("the path has fewer than two events");
    if (!is_steady_) return skipped("the path varies: two runs took different paths");
    const std::size_t middle = path_.size() / 2;
    std::string fault;
    const auto head = window(0, static_cast<std::uint32_t>(middle), fault);
    if (!head) return failed(fault);
    const auto tail = window(middle, whole_path, fault);
    if (!tail) return failed(fault);
    const auto again = window(middle, 1, fault);
    if (!again) return failed(fault);
    const auto beyond = window(path_.size() + 1000, 10, fault);
    if (!beyond) return failed(fault);
    if (!std::ranges::equal(head->events, std::span(path_).first(middle)))
      return failed(fmt::format("from 0, {} events: not the first {} of the path", middle, middle));
    if (!head->more) return failed(fmt::format("from 0, {} events: \"more\" is false", middle));
    if (is_whole_ && !std::ranges::equal(tail->events, std::span(path_).subspan(middle)))
      return failed(fmt::format("from {} on: not the rest of the path", middle));
    if (again->events != std::vector{path_[middle]}) return failed("\"count\": 1 does not give one event");
    if (again->signature != tail->signature)
      return failed("two windows from the same event have two signatures");
    if (is_whole_ && (!beyond->events.empty() || beyond->more))
      return failed("there are events behind the end of the path");
    return {};
  }

  Result stops() {
    if (path_.empty()) return skipped("there is no path");
    const std::vector<Event> events = events_of(path_);
    std::vector<Event> wanted{events.front(), events[events.size() / 2], events.back()};
    const auto later = std::ranges::find_if(events, [](const Event& event) { return event.hit > 1; });
    if (later != events.end()) wanted.push_back(*later);
    for (const Event& event : wanted) {
      const Talk talk = interview_.measure(json::array({shot_at(event, input_)}));
      if (!talk.fault.empty()) return failed(talk.fault);
      const Sample& sample = talk.samples.front();
      if (!is_steady_ && sample.outcome == Outcome::ended) continue;
      if (sample.outcome == Outcome::stopped && !sample.reached)
        return failed("\"stopped\" without \"trap\" and \"hit\"");
      if (sample.outcome != Outcome::stopped || sample.reached != event)
        return failed(in_words(event) + " was asked for: " + in_words(sample));
    }
    return {};
  }

  Result unreachable_stops() {
    const std::vector<Event> events = events_of(path_);
    std::vector<Event> beyond{{.trap = TrapId{no_trap}, .hit = 1}};
    if (!events.empty()) beyond.push_back({.trap = events.front().trap, .hit = 1'000'000'000});
    for (const Event& event : beyond) {
      const Talk talk = interview_.measure(json::array({shot_at(event, input_)}));
      if (!talk.fault.empty()) return failed(talk.fault);
      const Outcome outcome = talk.samples.front().outcome;
      if (outcome != Outcome::ended && outcome != Outcome::refused)
        return failed(in_words(event) + " was asked for: " + in_words(talk.samples.front()));
    }
    return {};
  }

  Result after_a_stop() {
    if (path_.empty()) return skipped("there is no path");
    for (const Event& event : {events_of(path_).front(), events_of(path_).back()}) {
      const Talk stop = interview_.measure(json::array({shot_at(event, input_)}));
      if (!stop.fault.empty()) return failed(stop.fault);
      const Talk talk = interview_.measure(json::array({shot_at({}, input_)}));
      if (!talk.fault.empty()) return failed(talk.fault);
      const Sample& now = talk.samples.front();
      if (now.outcome != Outcome::ended || now.status != whole_.status ||
          now.reply.size() != whole_.reply.size())
        return failed(fmt::format("after a stop at {} the whole command is answered otherwise: {}",
                                  in_words(event), in_words(now)));
    }
    return {};
  }

  Result full_batch() {
    const std::size_t count = std::min(description_["max_batch"].get<std::size_t>(), most_shots);
    std::vector<Event> events = events_of(path_);
    events.emplace_back();
    json shots = json::array();
    std::vector<Event> asked;
    for (std::size_t i = 0; i < count; ++i) {
      asked.push_back(events[i * 7 % events.size()]);
      shots.push_back(shot_at(asked.back(), input_));
    }
    const Talk talk = interview_.measure(std::move(shots));
    if (!talk.fault.empty()) return failed(talk.fault);
    for (std::size_t i = 0; i < count && is_steady_; ++i) {
      const Sample& sample = talk.samples[i];
      const bool is_right = asked[i].trap == run_to_end ? sample.outcome == Outcome::ended
                                                        : sample.reached == std::optional(asked[i]);
      if (!is_right)
        return failed(fmt::format("shot {} of {}, {} was asked for: {}", i + 1, count, in_words(asked[i]),
                                  in_words(sample)));
    }
    return {};
  }

  Result delays() {
    if (description_["simulated"] == true) return skipped("a simulation need not wait in our time");
    const std::size_t batch = description_["max_batch"].get<std::size_t>();
    const int count = static_cast<int>(std::min<std::size_t>(batch, delayed_shots));
    json shots = json::array();
    for (int i = 0; i < count; ++i) {
      shots.push_back(shot_at({}, input_));
      shots.back()["delay_ns"] = std::chrono::nanoseconds(delay).count();
    }
    const Clock::time_point begin = Clock::now();
    const Talk talk = interview_.measure(std::move(shots));
    if (!talk.fault.empty()) return failed(talk.fault);
    if (talk.arrivals.back() - begin < count * delay)
      return failed(
          fmt::format("{} shots with a \"delay_ns\" of {} ms were done in less", count, delay.count()));
    if (count > 1 && talk.arrivals.back() - talk.arrivals.front() < (count - 1) * delay / 2)
      return failed("the answers came together, at the end of the batch: is standard output flushed?");
    const Sample& last = talk.samples.back();
    const bool has_ns = description_["clock"]["unit"] == "ns";
    const auto delay_ns = std::chrono::nanoseconds(delay).count();
    return passed_unless(has_ns && last.ticks >= delay_ns && whole_.ticks < delay_ns / 2
                             ? "\"ticks\" holds the time of \"delay_ns\""
                             : "");
  }

  Result ticks() {
    const Clock::time_point begin = Clock::now();
    const Talk talk = interview_.measure(json::array({shot_at({}, input_)}));
    const auto took = std::chrono::nanoseconds(Clock::now() - begin).count();
    if (!talk.fault.empty()) return failed(talk.fault);
    const Ticks ticks = talk.samples.front().ticks;
    if (ticks <= 0) return failed(fmt::format("the whole command takes {} ticks", ticks));
    const bool is_real = description_["clock"]["unit"] == "ns" && description_["simulated"] == false;
    return passed_unless(is_real && ticks > took
                             ? fmt::format("{} ns of a request that took {} ns as a whole", ticks, took)
                             : "");
  }

  Result exact_clock() {
    if (description_["clock"]["exact"] != true) return skipped("the clock is not called exact");
    std::vector<Ticks> first;
    for (int start = 0; start < 2; ++start) {
      interview_.drop();
      std::vector<Ticks> all;
      for (const Event& event : {Event{}, path_.empty() ? Event{} : events_of(path_).back(), Event{}}) {
        const Talk talk = interview_.measure(json::array({shot_at(event, input_)}));
        if (!talk.fault.empty()) return failed(talk.fault);
        all.push_back(talk.samples.front().ticks);
      }
      if (start > 0 && all != first)
        return failed(
            fmt::format("the same requests after a start gave {} ticks, then {}", first.back(), all.back()));
      first = all;
    }
    return {};
  }

  Result calibration() {
    for (const char* kind : {"unarmed", "counting", "unwind"})
      for (const std::uint64_t passes : {0, 10}) {
        const Talk talk = interview_.ask({{"do", "calibrate"}, {"kind", kind}, {"passes", passes}});
        if (!talk.fault.empty()) return failed(talk.fault);
        if (!talk.is_ok() && can("calibrate") && std::string_view(kind) != "unwind")
          return failed(fmt::format("\"{}\" is answered with {}", kind, talk.end.dump()));
        if (talk.is_ok() && !can("calibrate"))
          return failed("it is not in \"can\", and answered with \"ok\"");
        const auto answer = interview_.last_answer<AgentTicks>(talk);
        if (const auto* breach = std::get_if<Breach>(&answer)) return failed(breach->why);
      }
    return can("calibrate") ? Result{} : skipped("it is not in \"can\", and answered with an error");
  }

  Result reset() {
    for (const char* how : {"session", "target"}) {
      const Talk talk = interview_.ask({{"do", "reset"}, {"how", how}});
      if (!talk.fault.empty()) return failed(talk.fault);
      if (talk.is_ok() != can("reset"))
        return failed(fmt::format("\"{}\" is answered with {}", how, talk.end.dump()));
    }
    if (!can("reset")) return skipped("it is not in \"can\", and answered with an error");
    const Talk talk = interview_.measure(json::array({shot_at({}, input_)}));
    if (!talk.fault.empty()) return failed(talk.fault);
    return passed_unless(talk.samples.front().outcome == Outcome::ended
                             ? ""
                             : "the command after it: " + in_words(talk.samples.front()));
  }

  Result bye() {
    const Talk talk = interview_.ask({{"do", "bye"}});
    if (!talk.fault.empty()) return failed(talk.fault);
    if (!talk.is_ok()) return failed("it is answered with " + talk.end.dump());
    return passed_unless(interview_.fault_of_end());
  }

  Result end_of_input() {
    interview_.agent().finish_input();
    return passed_unless(interview_.fault_of_end());
  }

  Result all_at_once() {
    const AgentSettings& settings = interview_.settings();
    const std::uint64_t hello = interview_.next_id();
    const std::vector<std::uint64_t> measures{interview_.next_id(), interview_.next_id()};
    const std::uint64_t bye = interview_.next_id();
    const MeasureRequest measure{.shots = {{.stop = {}, .input = parse_hex(input_).value()}}};
    AgentProcess& agent = interview_.spawn();
    agent.send(request_line(hello, settings.greeting));
    for (const std::uint64_t id : measures) agent.send(request_line(id, measure));
    agent.send(request_line(bye, ByeRequest{}));
    agent.finish_input();
    Talk talk = interview_.listen(hello, settings.start_timeout);
    if (!talk.is_ok()) return failed("hello: " + talk.fault);
    for (const std::uint64_t id : measures) {
      talk = interview_.listen(id, settings.timeout);
      if (!talk.is_ok() || talk.samples.size() != 1) return failed("measure: " + talk.fault);
    }
    talk = interview_.listen(bye, settings.timeout);
    return talk.is_ok() ? passed_unless(interview_.fault_of_end()) : failed("bye: " + talk.fault);
  }

  AgentInterview interview_;
  std::string input_;  // in hex
  json description_;
  Sample whole_;
  std::vector<TrapId> path_;
  bool is_whole_ = false;
  bool is_steady_ = false;
  std::vector<AgentCheck> checks_;
};

}  // namespace

std::vector<AgentCheck> examine_agent(const AgentSettings& settings, const Bytes& input) {
  return Examiner(settings, input).run();
}

}  // namespace jcprof::harness
