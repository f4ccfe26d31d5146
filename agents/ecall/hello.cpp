// SPDX-License-Identifier: Apache-2.0
#include "agents/ecall/hello.hpp"

#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "agents/ecall/enclave.hpp"
#include "agents/request.hpp"
#include "src/core/json_text.hpp"
#include "src/core/name_table.hpp"

namespace jcprof::ecall {
namespace {

using agents::mistake;
using nlohmann::json;

constexpr NameTable<ClockKind, 2> clocks{{{ClockKind::tsc, "tsc"}, {ClockKind::monotonic, "monotonic"}}};

ClockKind clock_of(const json& options) {
  agents::refuse_others(options, "\"agent\": \"options\" of jcprof-agent-ecall", {"clock"});
  const std::string name = agents::text_of(options, "clock");
  if (name.empty()) return has_invariant_tsc() ? ClockKind::tsc : ClockKind::monotonic;
  const std::optional<ClockKind> kind = value_in(clocks, name);
  if (!kind)
    throw mistake(fmt::format("there is no clock \"{}\"", name), "there are \"tsc\" and \"monotonic\"");
  if (*kind == ClockKind::tsc && !has_invariant_tsc())
    throw mistake("this processor has no time-stamp counter of one speed", R"("clock": "monotonic")");
  return *kind;
}

/// 0: the request does not say.
std::uint32_t build_of(const json& arming) {
  return static_cast<std::uint32_t>(agents::natural(arming, "build", 0, UINT32_MAX));
}

}  // namespace

agents::Greeting greet(const std::filesystem::path& bridge, const AgentGreeting& greeting) {
  const json trigger = parse_line(greeting.trigger);
  agents::refuse_others(trigger, "the trigger of an ecall", {"ecall"});
  const json session = parse_line(greeting.session);
  agents::refuse_others(session, "the session of an ecall", {"timeout"});
  const ClockKind kind = clock_of(parse_line(greeting.options));
  AgentDescription description = description_of(kind);
  auto enclave = std::make_unique<Enclave>(
      ChildSettings{.bridge = {.file = bridge, .ecall = agents::text_of(trigger, "ecall")},
                    .clock = kind,
                    .build = build_of(parse_line(greeting.arming))});
  const Enclave& shown = *enclave;
  auto target = std::make_unique<agents::Target>(
      std::move(enclave), agents::TargetSettings{.what = "enclave",
                                                 .timeout = agents::timeout_of(session),
                                                 .ticks_per_ns = ticks_per_ns(description)});
  description.agent = "jcprof-agent-ecall/" JCPROF_VERSION;
  description.device = shown.device();
  description.simulated = shown.is_simulated();
  description.note = shown.note();
  return {.target = std::move(target), .description = std::move(description)};
}

}  // namespace jcprof::ecall
