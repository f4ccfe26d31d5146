// SPDX-License-Identifier: Apache-2.0
#include "agents/service.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "agents/request.hpp"
#include "src/core/error.hpp"
#include "src/core/hex.hpp"
#include "src/core/json_text.hpp"
#include "src/core/name_table.hpp"

namespace jcprof::agents {
namespace {

using nlohmann::json;

constexpr std::uint64_t protocol = 1;
constexpr std::int64_t longest_delay_ns = 3'600'000'000'000;

constexpr NameTable<Passes, 2> calibrations{{{Passes::unarmed, "unarmed"}, {Passes::counting, "counting"}}};

// ---- hello

void check_version(const json& hello) {
  if (natural(hello, "protocol", protocol, UINT32_MAX) == protocol) return;
  throw mistake(
      fmt::format("this is version {} of the protocol, not {}", protocol, hello.at("protocol").dump()),
      "use a jcprof and an agent of the same time");
}

json description(const Facts& facts) {
  const ClockFacts& clock = facts.clock;
  json answer{{"protocol", protocol},
              {"agent", facts.agent},
              {"device", facts.device},
              {"simulated", facts.is_simulated},
              {"clock",
               {{"name", clock.name},
                {"unit", clock.unit},
                {"resolution", clock.resolution},
                {"exact", clock.is_exact}}},
              {"max_batch", most_orders},
              {"can", {"trace", "calibrate", "reset"}}};
  if (clock.unit == "cycles") answer["clock"]["hz"] = clock.hz;
  return answer;
}

// ---- measure

/// The shots of a request, all read before the first is made; equal inputs are one.
struct Batch {
  std::vector<Shot> shots;
  std::vector<Bytes> inputs;
};

Batch batch_of(const json& request) {
  if (!request.contains("shots") || !request.at("shots").is_array()) throw mistake("\"shots\" is not a list");
  Batch batch;
  std::map<Bytes, std::uint32_t> indices;
  for (const json& each : request.at("shots")) {
    const auto trap = static_cast<std::uint32_t>(natural(each, "trap", 0, UINT32_MAX));
    const auto hit = static_cast<std::uint32_t>(natural(each, "hit", 1, UINT32_MAX));
    if (hit == 0) throw mistake("\"hit\" counts from 1");
    const auto delay = static_cast<std::int64_t>(natural(each, "delay_ns", 0, longest_delay_ns));
    const auto [at, is_new] =
        indices.emplace(input_of(each), static_cast<std::uint32_t>(batch.inputs.size()));
    if (is_new) batch.inputs.push_back(at->first);
    batch.shots.push_back(
        {.stop = {.trap = TrapId{trap}, .hit = hit}, .input = at->second, .delay_ns = delay});
  }
  return batch;
}

json sample_json(const Sample& sample) {
  json result{{"outcome", name_of(sample.outcome)}};
  switch (sample.outcome) {
    case Outcome::stopped:
      result["ticks"] = sample.ticks;
      result["trap"] = number(sample.reached->trap);
      result["hit"] = sample.reached->hit;
      break;
    case Outcome::ended:
      result["ticks"] = sample.ticks;
      result["status"] = sample.status.value_or(0);
      result["reply"] = to_hex(sample.reply);
      break;
    case Outcome::refused:
    case Outcome::timed_out:
    case Outcome::lost:
      result["why"] = sample.why;
      break;
  }
  return result;
}

// ---- the rest

json trace(Target& target, const json& request) {
  constexpr std::uint64_t most = UINT64_MAX;
  const PathWindow window = target.trace(input_of(request), natural(request, "from", 0, most),
                                         natural(request, "count", window_room, most));
  return {{"events", window.events},
          {"more", window.more},
          {"signature", window.before},
          {"total", window.total}};
}

json calibrate(Target& target, const json& request) {
  const std::string kind = text_of(request, "kind");
  const std::optional<Passes> passed = value_in(calibrations, kind);
  if (!passed) throw mistake(fmt::format("nothing to calibrate of \"{}\": a stop unwinds nothing", kind));
  return {{"ticks", target.calibrate(*passed, natural(request, "passes", 0, UINT64_MAX))}};
}

json reset(Target& target, const json& request) {
  target.reset(text_of(request, "how") == "target" ? Reset::target : Reset::session);
  return json::object();
}

json record(Target& target, const json& request) {
  if (!request.contains("inputs") || !request.at("inputs").is_array())
    throw mistake("\"inputs\" is not a list");
  std::vector<Bytes> inputs;
  for (const json& input : request.at("inputs")) inputs.push_back(input_of({{"input", input}}));
  return {{"log", to_hex(target.record(inputs, text_of(request, "log")))}};
}

std::string line_of(const json& value) {
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

json error_json(const Fault& fault) {
  json error{{"message", harmless(fault.message)}};
  if (!fault.hint.empty()) error["hint"] = harmless(fault.hint);
  return error;
}

}  // namespace

bool Service::serve(std::string_view line) {
  const json request = parse_line(line);
  json answer{{"id", request.is_object() && request.contains("id") ? request.at("id") : json()}};
  std::string verb;
  try {
    if (!request.is_object()) throw mistake("this is no JSON object");
    verb = text_of(request, "do");
    answer["ok"] = verb == "hello" ? hello(request)
                   : verb == "bye" ? json::object()
                                   : carry_out(verb, request);
  } catch (const UserError& error) {
    answer["error"] = error_json(error.faults().front());
  }
  say_(line_of(answer));
  return verb != "bye";
}

json Service::hello(const json& request) {
  greeting_.target.reset();
  check_version(request);
  greeting_ = hello_(request);
  return description(greeting_.facts);
}

json Service::carry_out(const std::string& verb, const json& request) {
  if (!greeting_.target) throw mistake("\"hello\" comes first");
  Target& target = *greeting_.target;
  if (verb == "measure") return measure(request);
  if (verb == "trace") return trace(target, request);
  if (verb == "calibrate") return calibrate(target, request);
  if (verb == "reset") return reset(target, request);
  if (verb == "record") return record(target, request);
  const auto more = greeting_.verbs.find(verb);
  if (more == greeting_.verbs.end()) throw mistake(fmt::format("cannot do \"{}\"", verb));
  return more->second(target, request);
}

json Service::measure(const json& request) {
  const Batch batch = batch_of(request);
  json line{{"id", request.value("id", json())}};
  std::size_t n = 0;
  greeting_.target->measure(batch.shots, batch.inputs, [&](const Sample& sample) {
    line["n"] = n++;
    line["sample"] = sample_json(sample);
    say_(line_of(line));
  });
  return json::object();
}

std::string Service::account() const {
  if (!greeting_.target) return "";
  const Account& all = greeting_.target->account();
  return fmt::format("{} loads, {} stops, {} suspects ({} by the stops before), {} deviations, {} losses",
                     all.loads, all.stops, all.suspects, all.blamed, all.deviations, all.losses);
}

}  // namespace jcprof::agents
