// SPDX-License-Identifier: Apache-2.0
#include "harness/transports.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <vector>

#include <fmt/format.h>

#include "harness/agent/command.hpp"
#include "harness/agent/transport.hpp"
#include "harness/card/pcsc.hpp"
#include "harness/card/reader.hpp"
#include "harness/card/transport.hpp"
#include "harness/exec/transport.hpp"
#include "harness/inputs.hpp"
#include "harness/labgrid/held_place.hpp"
#include "harness/labgrid/places.hpp"
#include "src/core/error.hpp"
#include "src/core/lab_address.hpp"
#include "src/core/process.hpp"
#include "src/core/shell_words.hpp"
#include "src/core/text.hpp"

namespace jcprof::harness {
namespace {

const std::vector<std::string>& schemes() {
  static const std::vector<std::string> names{"pcsc", "vpcd", "exec", "agent", "labgrid"};
  return names;
}

UserError bad_transport(const Project& project, std::string message, std::string hint) {
  return UserError(Fault{
      .message = std::move(message), .place = {.file = project.file.string()}, .hint = std::move(hint)});
}

Placeholders placeholders(const Project& project, const std::filesystem::path& out_dir,
                          const std::string& port, const std::string& reader) {
  const std::filesystem::path out = std::filesystem::absolute(out_dir);
  return {{"tree", (out / "tree").string()},
          {"out", out.string()},
          {"project", project.root.string()},
          {"port", port},
          {"reader", reader},
          {"seed", std::to_string(project.measure.seed)}};
}

/// The hook of a secure channel; nothing where the project has none.
std::optional<HookSettings> exchange_hook(const Project& project, const Placeholders& values,
                                          const std::filesystem::path& logs) {
  const Session& session = project.session;
  if (session.exchange.empty()) return std::nullopt;
  HookSettings hook{.command = {.argv = {}, .cwd = project.root},
                    .log = {.file = std::filesystem::absolute(logs) / "exchange.log"}};
  for (const std::string& argument : session.exchange) hook.command.argv.push_back(fill_in(argument, values));
  hook.timeout = std::max(hook.timeout, session.timeout);
  return hook;
}

std::unique_ptr<Transport> make_card(const Project& project, const TrapMap& map,
                                     std::unique_ptr<ApduChannel> channel, const Placeholders& values,
                                     const std::filesystem::path& logs) {
  const std::filesystem::path log = std::filesystem::absolute(logs) / "start.log";
  std::unique_ptr<Device> device = project.start ? make_started_device(*project.start, values, log)
                                                 : make_foreign_device(patience_for(*channel));
  const std::vector<StoredInput> inputs =
      make_inputs(project.inputs, {.root = project.root, .seed = project.measure.seed});
  return make_card_transport({.session = project.session,
                              .trigger = project.trigger,
                              .arming = map.card,
                              .build = map.build,
                              .placeholders = values,
                              .device = project.device,
                              .simulated = project.start.has_value(),
                              .sample_input = inputs.front().bytes,
                              .hook = exchange_hook(project, values, logs)},
                             std::move(channel), std::move(device));
}

std::string or_empty(const std::string& json) {
  return json.empty() ? "{}" : json;
}

/// The command that arms, if jcprof chose it, and the build that must answer.
std::string arming_of(const TrapMap& map) {
  if (map.build == 0) return "";
  if (map.card != CardArming{})
    return fmt::format(R"({{"cla":{},"ins":{},"status":{},"build":{}}})", map.card.cla, map.card.ins,
                       map.card.stop_status, map.build);
  const std::string command = map.command == 0 ? "" : fmt::format(R"("command":{},)", map.command);
  return fmt::format(R"({{{}"build":{}}})", command, map.build);
}

/// The agents that come with jcprof lie beside it, wherever that is; one of the same build is the right one.
std::string beside_us(const std::string& program) {
  if (!program.starts_with("jcprof-agent-")) return program;
  const std::filesystem::path path = sibling(program);
  return std::filesystem::exists(path) ? path.string() : program;
}

/// The program that the project has running beside the target, or null.
std::unique_ptr<Device> started_device(const Project& project, const OutputPlaces& places) {
  if (!project.start) return nullptr;
  const Placeholders values = placeholders(project, places.out, "", "");
  const std::filesystem::path log = std::filesystem::absolute(places.logs) / "start.log";
  return make_started_device(*project.start, values, log);
}

/// Reaches an agent at a place of a lab, which is held from then on.
AgentSettings lab_settings(const Project& project, const TrapMap& map, const LabAddress& address,
                           const OutputPlaces& places) {
  const std::string& place = place_of_process(address);
  Placeholders values = placeholders(project, places.out, "", "");
  values.emplace("place", place);
  AgentSettings settings = agent_settings(project, map, "labgrid-client", places);
  if (address.is_here) {
    settings.command.argv = agent_argv(address.command, values);
    settings.command.argv.front() = beside_us(settings.command.argv.front());
  } else {
    // The shell of the place takes the words apart.
    for (auto& [name, value] : values) value = shell_word(value);
    settings.command.argv = {"labgrid-client", "-p", place, "ssh", fill_in(address.command, values)};
    settings.command.environment = client_environment();
  }
  settings.place = place;
  return settings;
}

std::unique_ptr<Transport> make_agent(const Project& project, const TrapMap& map, AgentSettings settings,
                                      const OutputPlaces& places) {
  return make_agent_transport(
      {.settings = std::move(settings),
       .device = project.device,
       .traps = map.traps.size(),
       .right = {.form = status_form(project.target), .expect = project.trigger.expect}},
      started_device(project, places));
}

std::unique_ptr<Transport> make_exec(const Project& project, const TrapMap& map, const OutputPlaces& places,
                                     const std::filesystem::path& log = {}) {
  if (project.trigger.run.empty())
    throw bad_transport(project, "\"exec:\" runs a program, and \"trigger\" names none",
                        R"("trigger": {"run": ["{out}/app"]})");
  const Placeholders values = placeholders(project, places.out, "", "");
  return make_exec_transport({.session = project.session,
                              .trigger = project.trigger,
                              .placeholders = values,
                              .device = project.device,
                              .traps = map.traps.size(),
                              .build = map.build,
                              .logs = std::filesystem::absolute(places.logs),
                              .log = log},
                             started_device(project, places));
}

}  // namespace

std::string hold_place(const Project& project, const std::string& uri, const std::string& earlier_reader) {
  const std::optional<LabAddress> lab = lab_address_of(uri.empty() ? project.transport : uri);
  return lab ? place_of_process(*lab, earlier_reader) : "";
}

std::string reader_for(const Project& project, const std::string& uri) {
  const std::string& text = uri.empty() ? project.transport : uri;
  constexpr std::string_view scheme = "pcsc:";
  if (!text.starts_with(scheme)) return "";
  const std::string wanted = reader_of(std::string_view(text).substr(scheme.size()));
  std::vector<std::string> all;
  std::vector<std::string> with_card;
  for (const Slot& slot : pcsc_slots().value_or(std::vector<Slot>{})) {
    all.push_back(slot.reader);
    if (slot.state != SlotState::empty) with_card.push_back(slot.reader);
  }
  std::vector<std::string> named = readers_named(wanted, all);
  if (named.size() > 1) named = readers_named(wanted, with_card);
  return named.size() == 1 ? named.front() : wanted;
}

AgentSettings agent_settings(const Project& project, const TrapMap& map, const std::string& command,
                             const OutputPlaces& places) {
  const Placeholders values = placeholders(project, places.out, "", "");
  std::vector<std::string> argv = agent_argv(command, values);
  argv.front() = beside_us(argv.front());
  AgentGreeting greeting{.project = project.name,
                         .target = std::string(name_of(project.target)),
                         .trigger = or_empty(project.trigger.object),
                         .session = or_empty(project.session.object),
                         .options = or_empty(project.agent.options),
                         .arming = arming_of(map)};
  auto start_timeout = std::max(AgentSettings{}.start_timeout, project.session.timeout);
  if (project.target == TargetKind::applet) {
    const InputSettings settings{.root = project.root, .seed = project.measure.seed};
    greeting.input = make_inputs(project.inputs, settings).front().bytes;
    greeting.expect = project.trigger.expect;
    greeting.seed = values.at("seed");
    // The agent waits for its card, which may be started by hand, and runs the scripts before it answers.
    const auto wanted = start_timeout * 2 + longest_run(project.session, project.trigger);
    start_timeout = std::min(wanted, std::chrono::milliseconds{longest_patience_ms});
  }
  return {.command = {.argv = std::move(argv), .cwd = project.root},
          .log = {.file = std::filesystem::absolute(places.logs) / "agent.log"},
          .greeting = std::move(greeting),
          .life = project.agent.per_batch ? AgentLife::batch : AgentLife::run,
          .timeout = project.session.timeout,
          .start_timeout = start_timeout};
}

std::unique_ptr<AgentLink> make_agent_link(const Project& project, const TrapMap& map,
                                           const std::filesystem::path& out_dir) {
  constexpr std::string_view scheme = "agent:";
  const std::optional<LabAddress> lab = lab_address_of(project.transport);
  if (!lab && !project.transport.starts_with(scheme))
    throw bad_transport(project,
                        fmt::format("an agent is wanted, and transport is \"{}\"", project.transport),
                        R"("transport": "agent:COMMAND")");
  return std::make_unique<AgentLink>(
      lab ? lab_settings(project, map, *lab, out_dir)
          : agent_settings(project, map, project.transport.substr(scheme.size()), out_dir),
      started_device(project, out_dir));
}

std::unique_ptr<Transport> make_recorded_program(const Project& project, const TrapMap& map,
                                                 const std::filesystem::path& out_dir,
                                                 const std::filesystem::path& log) {
  return make_exec(project, map, out_dir, log);
}

std::unique_ptr<Transport> make_transport(const Project& project, const TrapMap& map, const std::string& uri,
                                          const OutputPlaces& places) {
  const std::string& text = uri.empty() ? project.transport : uri;
  if (text.empty())
    throw bad_transport(project, "no transport is named", "\"transport\": \"vpcd:\", or --transport vpcd:");
  const std::string scheme = text.substr(0, text.find(':'));
  const std::string address = text.size() > scheme.size() ? text.substr(scheme.size() + 1) : "";
  if (project.target != TargetKind::applet && (scheme == "vpcd" || scheme == "pcsc"))
    throw bad_transport(
        project, fmt::format("transport \"{}:\" reaches applets, and the target is something else", scheme),
        "\"target\": \"applet\"");
  if (project.target != TargetKind::program && scheme == "exec")
    throw bad_transport(project, "transport \"exec:\" runs programs, and the target is something else",
                        "\"target\": \"program\"");
  if (auto channel = make_card_channel(text, project.session.timeout, project.file.string())) {
    const Placeholders values = placeholders(project, places.out, channel->port(), reader_for(project, uri));
    return make_card(project, map, std::move(channel), values, places.logs);
  }
  if (scheme == "agent")
    return make_agent(project, map, agent_settings(project, map, address, places), places);
  if (const std::optional<LabAddress> lab = lab_address_of(text))
    return make_agent(project, map, lab_settings(project, map, *lab, places), places);
  if (scheme == "exec") return make_exec(project, map, places);
  const std::string guess = did_you_mean(scheme, schemes());
  throw bad_transport(
      project, fmt::format("unknown transport \"{}\"", scheme),
      guess.empty() ? "there are \"pcsc:\", \"vpcd:\", \"exec:\", \"agent:\" and \"labgrid:\"" : guess);
}

}  // namespace jcprof::harness
