// SPDX-License-Identifier: Apache-2.0
#include "src/core/lab_address.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "src/core/error.hpp"
#include "src/core/text.hpp"

namespace jcprof {
namespace {

constexpr std::string_view scheme = "labgrid:";
constexpr std::string_view here = "agent:";
constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyz";
constexpr std::string_view of_key = "abcdefghijklmnopqrstuvwxyz0123456789_";

/// Removes it with the separator behind it.
std::string_view take_until(std::string_view& text, char separator) {
  const std::size_t end = std::min(text.find(separator), text.size());
  const std::string_view taken = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return taken;
}

std::string read_condition(std::string_view text, LabAddress& to) {
  std::string_view value = text;
  const std::string_view key = take_until(value, '=');
  const bool is_key =
      key.find_first_of(letters) == 0 && key.find_first_not_of(of_key) == std::string_view::npos;
  if (!is_key || value.empty() || value.find('=') != std::string_view::npos)
    return fmt::format("\"{}\" is no tag of a place, such as \"board=imx8\"", text);
  if (key != "power") {
    to.tags.emplace_back(text);
    return "";
  }
  if (value != "on" && value != "cycle")
    return fmt::format("\"{}\" is not what becomes of the power: \"on\" and \"cycle\" are", value);
  if (!to.power.empty()) return "the power is named twice";
  to.power = value;
  return "";
}

/// The fault, or nothing.
std::string read(std::string_view text, LabAddress& to) {
  std::string_view which = take_until(text, ' ');
  const bool has_conditions = which.find('?') != std::string_view::npos;
  to.place = take_until(which, '?');
  if (to.place.find('=') != std::string::npos)
    return fmt::format("\"{}\" is no place; tags stand behind a \"?\"", to.place);
  if (has_conditions && !to.place.empty() && which.empty()) return "nothing stands behind the \"?\"";
  for (const std::string_view condition : split(which, ","))
    if (std::string fault = read_condition(condition, to); !fault.empty()) return fault;
  if (to.place.empty() == to.tags.empty())
    return to.place.empty() ? "\"labgrid:\" needs a place behind it, or the tags of one"
                            : "a place is known by its name alone; leave its tags out";
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  to.is_here = text.starts_with(here);
  to.command = to.is_here ? text.substr(here.size()) : text;
  if (to.command.empty()) return "the command of the agent is missing behind the place";
  return "";
}

}  // namespace

bool is_by_agent(std::string_view transport) {
  return transport.starts_with(here) || transport.starts_with(scheme);
}

std::string fault_of_lab_address(std::string_view text) {
  LabAddress address;
  return read(text, address);
}

std::optional<LabAddress> lab_address_of(std::string_view transport) {
  if (!transport.starts_with(scheme)) return std::nullopt;
  LabAddress address;
  if (const std::string fault = read(transport.substr(scheme.size()), address); !fault.empty())
    throw UserError(Fault{.message = fmt::format("{} in \"{}\"", fault, transport),
                          .hint = "such as \"labgrid:PLACE jcprof-agent-teec\" or "
                                  "\"labgrid:?board=imx8 jcprof-agent-teec\""});
  return address;
}

}  // namespace jcprof
