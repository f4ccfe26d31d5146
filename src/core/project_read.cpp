// SPDX-License-Identifier: Apache-2.0
// The project file as a whole, and what its sections demand of each other.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "src/core/file.hpp"
#include "src/core/name_table.hpp"
#include "src/core/project_parts.hpp"
#include "src/core/project_text.hpp"
#include "src/core/shell_words.hpp"

namespace jcprof {
namespace {

constexpr std::string_view project_format = "jcprof-project";
constexpr std::uint64_t project_version = 1;

const JsonNode* value_of(const JsonNode& object, std::string_view key) {
  const auto member = std::ranges::find(object.members, key, &JsonMember::key);
  return member == object.members.end() ? nullptr : &member->value;
}

/// Ends here for another kind of file, or a newer one: its keys would all be reported as unknown.
void refuse_other_formats(const JsonNode& root, JsonFaults& faults) {
  const JsonNode* format = value_of(root, "format");
  const JsonNode* version = value_of(root, "version");
  const std::string hint = R"(a project file begins with {"format": "jcprof-project", "version": 1, …)";
  if (!is_kind(root, JsonKind::object, faults)) {
  } else if (format == nullptr) {
    faults.add(root, "not a project file of jcprof: the key \"format\" is missing", hint);
  } else if (format->text != project_format) {
    faults.add(*format, fmt::format("\"format\" is not \"{}\"", project_format), hint);
  } else if (version == nullptr) {
    faults.add(root, "the key \"version\" is missing", hint);
  } else if (version->natural.value_or(0) > project_version) {
    faults.add(
        *version,
        fmt::format("version {} of the project file is newer than version {}, which this jcprof {} reads",
                    version->text, project_version, JCPROF_VERSION),
        "a newer jcprof reads it");
  } else if (version->natural != project_version) {
    faults.add(*version,
               fmt::format("there is no such version; this jcprof reads version {}", project_version));
  }
  faults.throw_if_any();
}

constexpr NameTable<TargetKind, 4> targets{{{TargetKind::applet, "applet"},
                                            {TargetKind::optee_ta, "optee-ta"},
                                            {TargetKind::sgx_enclave, "sgx-enclave"},
                                            {TargetKind::program, "program"}}};

/// The scheme of the transport; where none is named, the one that the target is reached by. In a lab stands
/// an agent.
std::string_view scheme_of(const Project& project) {
  const std::string_view scheme = std::string_view(project.transport).substr(0, project.transport.find(':'));
  if (!scheme.empty()) return scheme == "labgrid" ? "agent" : scheme;
  switch (project.target) {
    case TargetKind::applet:
      return "vpcd";
    case TargetKind::program:
      return "exec";
    case TargetKind::optee_ta:
    case TargetKind::sgx_enclave:
      return "agent";
  }
  return "agent";
}

void check_transport_reaches_target(const JsonNode& root, const Project& project, JsonFaults& faults) {
  const std::string_view scheme = scheme_of(project);
  const bool is_card = scheme == "pcsc" || scheme == "vpcd";
  const bool reaches = scheme == "agent" || (is_card && project.target == TargetKind::applet) ||
                       (scheme == "exec" && project.target == TargetKind::program);
  const JsonNode* transport = value_of(root, "transport");
  if (reaches || transport == nullptr) return;
  faults.add(*transport,
             fmt::format("the transport \"{}:\" does not reach the target \"{}\"", scheme,
                         value_of(root, "target")->text),
             "an applet is reached by pcsc: or vpcd:, a program by exec:, anything by agent:");
}

void read_trigger(const JsonNode& node, Project& project, JsonFaults& faults) {
  JsonNode for_agent = node;
  std::erase_if(for_agent.members, [](const JsonMember& member) { return member.key == "expect"; });
  project.trigger.object = compact(for_agent);
  // Some of several devices may be reached in another way than the project says. An agent of one's own may
  // want something else than APDUs.
  const bool is_cards = scheme_of(project) != "agent" || value_of(node, "apdu") != nullptr;
  if (project.target == TargetKind::applet && is_cards)
    return read_card_trigger(node, project.trigger, faults);
  if (scheme_of(project) == "agent")
    return read_agent_trigger(node, status_form(project.target), project.trigger, faults);
  if (project.target == TargetKind::program) return read_program_trigger(node, project.trigger, faults);
}

bool sends_apdus(const Project& project) {
  return project.target == TargetKind::applet &&
         (scheme_of(project) != "agent" || !project.trigger.apdus.empty());
}

bool uses_input(std::string_view text) {
  return text.find("{input}") != std::string_view::npos;
}

bool uses_input(const std::vector<std::string>& texts) {
  return std::ranges::any_of(texts, [](const std::string& text) { return uses_input(text); });
}

bool uses_input(const Script& script) {
  return std::ranges::any_of(script, [](const ScriptStep& step) {
    const auto* apdu = std::get_if<ApduStep>(&step);
    const auto* run = std::get_if<RunStep>(&step);
    return (apdu != nullptr && uses_input(apdu->apdu)) || (run != nullptr && uses_input(run->run));
  });
}

bool uses_input(const Project& project) {
  const Trigger& trigger = project.trigger;
  return uses_input(trigger.apdus) || uses_input(trigger.run) || uses_input(trigger.input) ||
         uses_input(project.session.before_each) || uses_input(project.session.after_each);
}

void check_inputs_are_used(const JsonNode& root, const Project& project, JsonFaults& faults) {
  const JsonNode* inputs = value_of(root, "inputs");
  const JsonNode* trigger = value_of(root, "trigger");
  const bool is_used = uses_input(project);
  if (trigger == nullptr || (scheme_of(project) == "agent" && !sends_apdus(project))) return;
  if (is_used && inputs == nullptr)
    faults.add(*trigger, "{input} is used, but there are no \"inputs\"",
               R"(such as "inputs": {"fixed": "31323334"})");
  if (!is_used && inputs != nullptr)
    faults.add(*inputs, "there are \"inputs\", but nothing sends them",
               project.target == TargetKind::program ? R"(put {input} into "run" or "stdin" of the trigger)"
                                                     : "put {input} into an APDU of the trigger");
}

void check_script_can_have_input(const Script& script, const JsonNode* node, JsonFaults& faults) {
  if (node != nullptr && uses_input(script))
    faults.add(*node, "{input} has no value here: no shot is under way");
}

/// Cards are sent APDUs and reset, programs have other programs run. What an agent does is its own matter.
void check_steps_fit(const JsonNode& script, const Script& steps, const Project& project,
                     JsonFaults& faults) {
  for (std::size_t i = 0; i < std::min(steps.size(), script.elements.size()); ++i) {
    const auto* apdu = std::get_if<ApduStep>(&steps[i]);
    if (apdu != nullptr && apdu->apdu.empty()) continue;  // its fault is known
    const bool is_run = std::holds_alternative<RunStep>(steps[i]);
    const bool is_wait = std::holds_alternative<WaitStep>(steps[i]);
    if (scheme_of(project) == "exec" && !is_run && !is_wait)
      faults.add(script.elements[i], "a program is not sent APDUs, nor reset",
                 R"(steps for programs are {"run": ["…"]} and {"wait": "…"})");
    if (sends_apdus(project) && is_run)
      faults.add(script.elements[i], "a step of a card's session is an APDU, a reset or a wait",
                 R"(programs are run in "build", "install" and "start")");
  }
}

/// The bridge makes one ecall and knows of no scripts. What another agent does is its own matter.
void check_session_fits_ecalls(const JsonNode& session, const Project& project, JsonFaults& faults) {
  const std::vector<std::string> words = split_command(project.transport).words;
  if (std::ranges::none_of(words, [](const std::string& word) {
        return std::filesystem::path(word.starts_with("agent:") ? word.substr(6) : word).filename() ==
               "jcprof-agent-ecall";
      }))
    return;
  for (const JsonMember& member : session.members)
    if (member.key != "timeout")
      faults.add(member.value,
                 fmt::format("\"{}\" is not served by jcprof-agent-ecall, \"timeout\" alone is", member.key),
                 "put steps before the ecall into a bridge of your own: docs/sgx.md");
}

void check_session_fits(const JsonNode& node, const Project& project, JsonFaults& faults) {
  const Session& session = project.session;
  const std::string_view scheme = scheme_of(project);
  const std::array<std::pair<std::string_view, const Script*>, 4> scripts{
      {{"once", &session.once},
       {"before_each", &session.before_each},
       {"after_each", &session.after_each},
       {"after_reset", &session.after_reset}}};
  for (const auto& [key, steps] : scripts)
    if (const JsonNode* script = value_of(node, key)) check_steps_fit(*script, *steps, project, faults);
  const bool has_card =
      scheme == "pcsc" || scheme == "vpcd" || (scheme == "agent" && project.target == TargetKind::applet);
  if (const JsonNode* hook = value_of(node, "exchange"); hook != nullptr && !has_card)
    faults.add(*hook, "\"exchange\" is for cards only");
  for (const std::string_view key : {"reset", "after_reset", "abort_on"})
    if (const JsonNode* value = value_of(node, key); value != nullptr && scheme == "exec")
      faults.add(*value, fmt::format("\"{}\" is for cards: each run of a program is a fresh start", key));
}

void check_edl_is_an_enclaves(const JsonNode& root, const Project& project, JsonFaults& faults) {
  const JsonNode* compile = value_of(root, "compile");
  if (compile == nullptr || project.target == TargetKind::sgx_enclave) return;
  for (const std::string_view key : {"edl", "edl_search"})
    if (const JsonNode* value = value_of(*compile, key))
      faults.add(*value, fmt::format("\"{}\" is for the target \"sgx-enclave\" only", key));
}

void check_together(const JsonNode& root, const Project& project, JsonFaults& faults) {
  check_transport_reaches_target(root, project, faults);
  check_inputs_are_used(root, project, faults);
  if (const JsonNode* session = value_of(root, "session")) {
    check_session_fits(*session, project, faults);
    check_session_fits_ecalls(*session, project, faults);
    check_script_can_have_input(project.session.once, value_of(*session, "once"), faults);
    check_script_can_have_input(project.session.after_reset, value_of(*session, "after_reset"), faults);
  }
  check_edl_is_an_enclaves(root, project, faults);
  if (project.target == TargetKind::optee_ta &&
      project.entry != std::vector<std::string>{std::string(ta_entry)})
    faults.add(*value_of(root, "entry"),
               fmt::format("a trusted application is entered by {} alone", ta_entry), "leave \"entry\" out");
  const JsonNode* agent = value_of(root, "agent");
  if (agent != nullptr && scheme_of(project) != "agent")
    faults.add(*agent, "\"agent\" is for the transports \"agent:\" and \"labgrid:\" only");
  const JsonNode* arming = value_of(root, "arming");
  if (arming != nullptr && project.target != TargetKind::applet)
    faults.add(*arming, "\"arming\" is for applets only");
}

/// An enclave's is reached through the bridge that jcprof-gen writes, unless told otherwise.
std::string usual_transport(TargetKind target) {
  if (target == TargetKind::program) return "exec:";
  return target == TargetKind::sgx_enclave ? "agent:jcprof-agent-ecall {tree}/bridge.so" : "";
}

Project read_sections(const JsonNode& root, JsonFaults& faults) {
  Project project;
  ObjectReader object(root, faults);
  object.find("format");
  object.find("version");
  object.optional("name", project.name, read_string);
  std::optional<TargetKind> target;
  object.required("target", target, one_of<std::optional<TargetKind>>("target", targets));
  object.required("sources", project.sources, read_sources);
  object.optional("exclude_from_tree", project.exclude_from_tree, read_inner_paths);
  const bool has_entry = object.optional("entry", project.entry, read_string_or_list);
  if (!has_entry && target == TargetKind::optee_ta)
    project.entry = {std::string(ta_entry)};
  else if (!has_entry)
    object.missing("entry");
  object.optional("profile", project.profile, read_profile_scope);
  object.optional("compile", project.compile, read_compile);
  object.optional("build", project.build, read_steps);
  object.optional("install", project.install, read_steps);
  object.optional("start", project.start, read_start);
  object.optional("transport", project.transport, read_transport);
  object.optional("device", project.device, read_string);
  object.optional("arming", project.arming, read_arming);
  object.optional("session", project.session,
                  target == TargetKind::optee_ta ? read_ta_session : read_session);
  object.optional("agent", project.agent, read_agent);
  object.optional("inputs", project.inputs, read_inputs);
  object.optional("measure", project.measure, read_measure);
  const JsonNode* trigger = object.find("trigger");
  const bool is_ecall = target == TargetKind::sgx_enclave && project.entry.size() == 1;
  if (trigger == nullptr && is_ecall)
    project.trigger.object = fmt::format("{{\"ecall\":{}}}", json_string(project.entry.front()));
  else if (trigger == nullptr)
    object.missing("trigger");
  object.refuse_the_rest();
  if (!target) return project;  // what belongs together depends on it
  project.target = *target;
  if (project.transport.empty()) project.transport = usual_transport(project.target);
  if (trigger != nullptr) read_trigger(*trigger, project, faults);
  // An ecall's result may be what it has worked out.
  if (project.target == TargetKind::sgx_enclave && project.trigger.expect.empty())
    project.trigger.expect = "????????";
  check_together(root, project, faults);
  return project;
}

/// Precision, budget and order are no part of the command that is measured. The seed is where the command or
/// the target is given it.
std::string digest_of(JsonNode root, std::uint64_t seed) {
  std::erase_if(root.members, [](const JsonMember& member) { return member.key == "measure"; });
  const std::string text = compact(root);
  return sha256(text.find("{seed}") == std::string::npos ? text : text + std::to_string(seed));
}

}  // namespace

std::string_view name_of(TargetKind kind) {
  return name_in(targets, kind);
}

Project parse_project(const std::filesystem::path& file, std::string_view text) {
  JsonFaults faults(file.string(), text);
  const JsonNode root = parse_json(text, faults);
  refuse_other_formats(root, faults);
  Project project = read_sections(root, faults);
  faults.throw_if_any();
  project.file = std::filesystem::absolute(file).lexically_normal();
  project.root = project.file.parent_path();
  project.digest = digest_of(root, project.measure.seed);
  if (project.name.empty()) project.name = project.root.filename().string();
  return project;
}

Project read_project(const std::filesystem::path& file_or_folder) {
  std::error_code error;
  const bool is_folder = std::filesystem::is_directory(file_or_folder, error);
  const std::filesystem::path file = is_folder ? file_or_folder / "jcprof.json" : file_or_folder;
  if (is_folder && !std::filesystem::exists(file, error))
    throw UserError(Fault{
        .message = "there is no jcprof.json in this folder",
        .place = {.file = file_or_folder.string()},
        .hint = "name the project file, or a folder that holds a jcprof.json; `jcprof init` writes one"});
  return parse_project(file, read_file(file));
}

}  // namespace jcprof
