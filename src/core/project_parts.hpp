// SPDX-License-Identifier: Apache-2.0
// The sections of the project file, one function each, put together by parse_project. Nothing else uses them.
#pragma once

#include "src/core/object_reader.hpp"
#include "src/core/project.hpp"
#include "src/core/status_form.hpp"

namespace jcprof {

void read_profile_scope(const JsonNode& node, ProfileScope& to, JsonFaults& faults);
void read_compile(const JsonNode& node, CompileSettings& to, JsonFaults& faults);
void read_steps(const JsonNode& node, std::vector<Step>& to, JsonFaults& faults);
void read_start(const JsonNode& node, std::optional<StartStep>& to, JsonFaults& faults);
void read_arming(const JsonNode& node, std::optional<CardArming>& to, JsonFaults& faults);
void read_session(const JsonNode& node, Session& to, JsonFaults& faults);
/// Of a trusted application: its scripts are passed on as they stand.
void read_ta_session(const JsonNode& node, Session& to, JsonFaults& faults);
void read_agent(const JsonNode& node, AgentOptions& to, JsonFaults& faults);
void read_inputs(const JsonNode& node, InputSpec& to, JsonFaults& faults);
void read_measure(const JsonNode& node, MeasureSettings& to, JsonFaults& faults);

/// Globs or paths that stay in the project's folder.
void read_inner_paths(const JsonNode& node, std::vector<std::string>& to, JsonFaults& faults);

/// The same, at least one.
void read_sources(const JsonNode& node, std::vector<std::string>& to, JsonFaults& faults);

/// A program with its arguments, in which only `placeholders` are filled in.
struct Argv {
  std::vector<std::string> placeholders;
  void operator()(const JsonNode& node, std::vector<std::string>& to, JsonFaults& faults) const;
};

/// A string in which only `placeholders` are filled in.
struct FilledString {
  std::vector<std::string> placeholders;
  void operator()(const JsonNode& node, std::string& to, JsonFaults& faults) const;
};

/// The three forms of a trigger: {"apdu", "le", …}, {"run", …}, and any object, for agents.
void read_card_trigger(const JsonNode& node, Trigger& to, JsonFaults& faults);
void read_program_trigger(const JsonNode& node, Trigger& to, JsonFaults& faults);
/// `form` is that of the target's status. The agent is not handed "expect".
void read_agent_trigger(const JsonNode& node, StatusForm form, Trigger& to, JsonFaults& faults);

}  // namespace jcprof
