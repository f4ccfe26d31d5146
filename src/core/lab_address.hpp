// SPDX-License-Identifier: Apache-2.0
// The text behind `labgrid:`, taken apart: a place of a lab, and the agent that is started there
// (docs/fleet.md). Asks no lab.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace jcprof {

struct LabAddress {
  std::string place;              // empty: any one with the tags
  std::vector<std::string> tags;  // "board=imx8"
  std::string power;     // "on" or "cycle", before the agent is started; empty: jcprof does not touch it
  std::string command;   // of the agent
  bool is_here = false;  // the command runs on our computer, else on that of the place
};

/// The transport starts an agent: "agent:" and "labgrid:".
bool is_by_agent(std::string_view transport);
/// Empty where the text is an address.
std::string fault_of_lab_address(std::string_view text);
/// Nothing where the scheme is not "labgrid:". UserError.
std::optional<LabAddress> lab_address_of(std::string_view transport);

}  // namespace jcprof
