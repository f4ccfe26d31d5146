// SPDX-License-Identifier: Apache-2.0
#include "agents/service.hpp"

#include <map>

#include <fmt/format.h>

#include "agents/request.hpp"
#include "src/core/error.hpp"
#include "src/core/name_table.hpp"

namespace jcprof::agents {
namespace {

constexpr NameTable<Passes, 4> calibrations{{{Passes::unarmed, "unarmed"},
                                             {Passes::counting, "counting"},
                                             {Passes::returned, "returned"},
                                             {Passes::stop, "stop"}}};

}  // namespace

bool serve_line(
    std::string_view line,
    const std::function<AgentReply(const AgentRequest& request, std::optional<std::uint64_t> id)>& answer,
    const std::function<void(const std::string&)>& say) {
  const auto [id, read] = read_request(line);
  const auto* request = std::get_if<AgentRequest>(&read);
  AgentReply reply;
  try {
    if (request == nullptr) throw mistake(std::get<Breach>(read).why);
    reply = answer(*request, id);
  } catch (const UserError& error) {
    const Fault& fault = error.faults().front();
    reply = AgentError{.message = fault.message, .hint = fault.hint};
  }
  say(answer_line(id, reply));
  return request == nullptr || !std::holds_alternative<ByeRequest>(*request);
}

void check_version(const AgentGreeting& greeting) {
  if (greeting.protocol == agent_protocol_version) return;
  throw mistake(
      fmt::format("this is version {} of the protocol, not {}", agent_protocol_version, greeting.protocol),
      "use a jcprof and an agent of the same version");
}

bool Service::serve(std::string_view line) {
  return serve_line(
      line,
      [this](const AgentRequest& request, Id id) {
        return std::visit([&](const auto& message) { return answer(message, id); }, request);
      },
      say_);
}

Target& Service::target() const {
  if (!greeting_.target) throw mistake("\"hello\" comes first");
  return *greeting_.target;
}

AgentReply Service::answer(const AgentGreeting& greeting, Id id) {
  greeting_.target.reset();
  check_version(greeting);
  greeting_ = hello_(greeting, [&](const AgentError& error) { say_(answer_line(id, error)); });
  greeting_.description.max_batch = most_orders;
  greeting_.description.can = {"trace", "calibrate", "reset"};
  return greeting_.description;
}

/// Equal inputs are one.
AgentReply Service::answer(const MeasureRequest& request, Id id) {
  std::vector<Shot> shots;
  std::vector<Bytes> inputs;
  std::map<Bytes, std::uint32_t> indices;
  for (const RequestedShot& shot : request.shots) {
    const auto [at, is_new] = indices.emplace(shot.input, static_cast<std::uint32_t>(inputs.size()));
    if (is_new) inputs.push_back(shot.input);
    shots.push_back({.stop = shot.stop, .input = at->second, .delay_ns = shot.delay_ns});
  }
  std::uint64_t n = 0;
  target().measure(shots, inputs, [&](const Sample& sample) {
    say_(answer_line(id, AgentShot{.n = n++, .sample = sample}));
  });
  return AgentDone{};
}

AgentReply Service::answer(const TraceRequest& request, Id /*id*/) {
  return target().trace(request.input, request.from, request.count);
}

AgentReply Service::answer(const CalibrateRequest& request, Id /*id*/) {
  const std::optional<Passes> passed = value_in(calibrations, request.kind);
  if (!passed)
    throw mistake(fmt::format("nothing to calibrate of \"{}\": a stop unwinds nothing", request.kind));
  return AgentTicks{target().calibrate(*passed, request.passes)};
}

AgentReply Service::answer(const ResetRequest& request, Id /*id*/) {
  target().reset(request.how == "target" ? Reset::target : Reset::session);
  return AgentDone{};
}

AgentReply Service::answer(const LayersRequest& request, Id /*id*/) {
  Target& climbed = target();
  if (!greeting_.climb) throw mistake("cannot do \"layers\"");
  return greeting_.climb(climbed, request);
}

AgentReply Service::answer(const RecordRequest& request, Id /*id*/) {
  return AgentLog{target().record(request.inputs, request.log)};
}

AgentReply Service::answer(const MemoryRequest& /*request*/, Id /*id*/) {
  throw mistake("cannot do \"memory\"", "only cards tell their free memory");
}

AgentReply Service::answer(const PathRequest& /*request*/, Id /*id*/) {
  return AgentDone{};
}

AgentReply Service::answer(const ByeRequest& /*request*/, Id /*id*/) {
  return AgentDone{};
}

std::string Service::account() const {
  if (!greeting_.target) return "";
  const Account& all = greeting_.target->account();
  return fmt::format("{} loads, {} stops, {} suspects ({} by the stops before), {} deviations, {} losses",
                     all.loads, all.stops, all.suspects, all.blamed, all.deviations, all.losses);
}

}  // namespace jcprof::agents
