// SPDX-License-Identifier: Apache-2.0
#include "agents/card/setup.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "agents/request.hpp"
#include "harness/card/apdu.hpp"
#include "harness/card/reader.hpp"
#include "harness/card/session.hpp"
#include "harness/card/status_words.hpp"
#include "harness/card/transport.hpp"
#include "harness/device.hpp"
#include "src/core/hex.hpp"
#include "src/core/json_text.hpp"
#include "src/core/project_parts.hpp"

namespace jcprof::card_agent {
namespace {

using agents::mistake;
using nlohmann::json;
using std::chrono::milliseconds;

// To stop, start and look at a reader takes so long besides what is waited for.
constexpr milliseconds besides{5'000};

/// A section of the project file, with the same faults.
template <class Value>
Value section(const std::string& name, const std::string& text,
              void (*read)(const JsonNode&, Value&, JsonFaults&)) {
  Value value;
  JsonFaults faults(name, text);
  read(parse_json(text, faults), value, faults);
  faults.throw_if_any();
  return value;
}

CardArming arming_of(const json& arming) {
  if (!arming.contains("cla"))
    throw mistake(
        "the hello does not say which command arms the applet",
        "use a jcprof of the same version as the agent, \"target\": \"applet\" in jcprof.json, and a "
        "build of it");
  const auto number = [&](const char* key, std::uint64_t most) {
    return agents::natural(arming, key, 0, most);
  };
  const CardArming card{.cla = static_cast<std::uint8_t>(number("cla", UINT8_MAX)),
                        .ins = static_cast<std::uint8_t>(number("ins", UINT8_MAX)),
                        .stop_status = static_cast<std::uint16_t>(number("status", UINT16_MAX))};
  if (card.stop_status == 0)
    throw mistake("the hello does not say how the applet is armed",
                  "\"target\": \"applet\" in jcprof.json, and a build of it");
  return card;
}

std::optional<StartStep> start_of(const std::string& options) {
  const json object = parse_line(options);
  agents::refuse_others(object, "\"agent\": \"options\" of jcprof-agent-card", {"start"});
  if (!object.contains("start")) return std::nullopt;
  return section<std::optional<StartStep>>("agent.options.start", object.at("start").dump(), read_start);
}

void check_steps(const Session& session) {
  for (const Script* script :
       {&session.once, &session.before_each, &session.after_each, &session.after_reset})
    for (const ScriptStep& step : *script)
      if (std::holds_alternative<RunStep>(step))
        throw mistake("a step of a card's session is an APDU, a reset or a wait",
                      "programs are run in \"build\" and \"install\"");
}

/// Where the agent stands is the project's folder.
Placeholders values_of(const AgentGreeting& greeting, const std::string& reader, const std::string& port) {
  const std::filesystem::path here = std::filesystem::current_path();
  constexpr std::string_view scheme = "pcsc:";
  const bool is_named = reader.starts_with(scheme);
  return {{"project", here.string()},
          {"out", (here / "jcprof-out").string()},
          {"tree", (here / "jcprof-out/tree").string()},
          {"reader", is_named ? harness::reader_of(std::string_view(reader).substr(scheme.size())) : ""},
          {"port", port},
          {"seed", greeting.seed}};
}

std::optional<harness::HookSettings> hook_of(const Session& session, const Placeholders& values) {
  if (session.exchange.empty()) return std::nullopt;
  harness::HookSettings hook{.command = {.argv = {}, .cwd = values.at("project")}, .log = {}};
  for (const std::string& word : session.exchange) hook.command.argv.push_back(fill_in(word, values));
  hook.timeout = std::max(hook.timeout, session.timeout);
  return hook;
}

/// Its header comes with the input, so that any command may be sent.
bool is_any_command(std::string_view apdu) {
  constexpr std::size_t header_digits = 8;
  const std::string_view before = apdu.substr(0, apdu.find('{'));
  return before.size() < apdu.size() &&
         before.size() - static_cast<std::size_t>(std::ranges::count(before, ' ')) < header_digits;
}

/// True if a command of the project may use up a try.
bool counts_tries(const harness::CardSetup& setup) {
  Placeholders values = setup.placeholders;
  values["input"] = to_hex(setup.sample_input);
  if (setup.hook) return true;  // nobody knows what opens its channel
  for (const std::string& apdu : setup.trigger.apdus)
    if (setup.trigger.counts_tries.value_or(
            is_any_command(apdu) ||
            harness::counts_tries(harness::make_apdu({.text = apdu, .where = "\"trigger\""}, values))))
      return true;
  const Session& session = setup.session;
  for (const Script* script :
       {&session.once, &session.before_each, &session.after_each, &session.after_reset}) {
    for (const ScriptStep& step : *script)
      if (const auto* apdu = std::get_if<ApduStep>(&step); apdu != nullptr && is_any_command(apdu->apdu))
        return true;
    for (const harness::ReadyStep& step : harness::make_script("session", *script, values).steps)
      if (const auto* apdu = std::get_if<harness::ReadyApdu>(&step))
        if (harness::counts_tries(apdu->bytes)) return true;
  }
  return false;
}

/// Beyond one time-out: the card is waited for, then all scripts run.
milliseconds patience_of(const harness::CardSetup& setup, milliseconds of_device) {
  const milliseconds wanted = of_device + besides + harness::longest_run(setup.session, setup.trigger);
  return std::min(wanted, milliseconds{longest_patience_ms});
}

}  // namespace

CardTarget make_target(const std::string& reader, const AgentGreeting& greeting) {
  harness::CardSetup setup{.session = section<Session>("session", greeting.session, read_session),
                           .trigger = section<Trigger>("trigger", greeting.trigger, read_card_trigger)};
  check_steps(setup.session);
  if (setup.trigger.expect.empty()) setup.trigger.expect = greeting.expect;
  const json arming = parse_line(greeting.arming.empty() ? "{}" : greeting.arming);
  setup.arming = arming_of(arming);
  setup.build = static_cast<std::uint32_t>(agents::natural(arming, "build", 0, UINT32_MAX));
  setup.sample_input = greeting.input;
  auto channel = harness::make_card_channel(reader, setup.session.timeout);
  if (!channel)
    throw mistake(fmt::format("\"{}\" is no reader", reader), "there are \"pcsc:NAME\" and \"vpcd:PORT\"");
  setup.placeholders = values_of(greeting, reader, channel->port());
  setup.hook = hook_of(setup.session, setup.placeholders);
  const std::optional<StartStep> start = start_of(greeting.options);
  setup.simulated = start.has_value();
  auto device = start ? harness::make_started_device(*start, setup.placeholders, {})
                      : harness::make_foreign_device(harness::patience_for(*channel));
  const milliseconds patience = patience_of(setup, device->patience());
  CardTarget target{.transport = {},
                    .card = {.counts_tries = counts_tries(setup),
                             .patience_ms = static_cast<std::uint64_t>(patience.count())},
                    .has_path = setup.trigger.apdus.size() > 1};
  target.transport = harness::make_card_transport(setup, std::move(channel), std::move(device));
  return target;
}

}  // namespace jcprof::card_agent
