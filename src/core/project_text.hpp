// SPDX-License-Identifier: Apache-2.0
// The small languages inside strings of the project file: placeholders, APDUs in hex, status and input
// patterns, durations, transports. Checks them and says where they are wrong; does not evaluate them.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/core/object_reader.hpp"
#include "src/core/status_form.hpp"

namespace jcprof {

/// `{name}`, or `{{`, which stands for one brace and has no name.
struct PlaceholderUse {
  std::size_t offset = 0;
  std::size_t length = 0;
  std::string_view name;
};
/// The next one at or after `from`. Braces round anything but a name, as in {"a": 1}, are just text.
std::optional<PlaceholderUse> next_placeholder(std::string_view text, std::size_t from);

/// Adds a fault for each placeholder that is not in `known`.
void check_placeholders(const JsonNode& string, const std::vector<std::string>& known, JsonFaults& faults);

/// An APDU in hex with {input}, {lc} and {seed}; its length is checked where no placeholder hides it.
void read_apdu(const JsonNode& node, std::string& to, JsonFaults& faults);
/// True for an APDU of known length that says itself how many bytes it wants back.
bool has_own_le(std::string_view apdu);

/// Hex without placeholders; may be empty.
void read_hex(const JsonNode& node, std::string& to, JsonFaults& faults);
/// A status word of four hexadecimal digits or `?`, or several with `|` between them.
void read_status_pattern(const JsonNode& node, std::string& to, JsonFaults& faults);
/// The same of another target.
struct StatusAlternatives {
  StatusForm form = StatusForm::word;
  void operator()(const JsonNode& node, std::string& to, JsonFaults& faults) const;
};
/// Hexadecimal digits and sets of them like [0-9A-F], each with {n} behind it or not, whole bytes together.
void read_input_pattern(const JsonNode& node, std::string& to, JsonFaults& faults);
/// "500ms", "10s", "30m" or "2h"; 0 is allowed, more than 1000 hours are not.
void read_duration(const JsonNode& node, std::chrono::milliseconds& to, JsonFaults& faults);
/// pcsc:READER-GLOB, vpcd:[PORT], exec: or agent:COMMAND
void read_transport(const JsonNode& node, std::string& to, JsonFaults& faults);

}  // namespace jcprof
