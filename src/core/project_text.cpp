// SPDX-License-Identifier: Apache-2.0
#include "src/core/project_text.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

#include <fmt/format.h>

#include "src/core/hex.hpp"
#include "src/core/lab_address.hpp"
#include "src/core/project.hpp"
#include "src/core/text.hpp"

namespace jcprof {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_hex_digit(char c) {
  return std::isxdigit(static_cast<unsigned char>(c)) != 0;
}

std::string hint_for_placeholder(std::string_view name, const std::vector<std::string>& known) {
  if (known.empty()) return "nothing is filled in here";
  const std::string meant = nearest(name, known);
  if (!meant.empty()) return fmt::format("did you mean \"{{{}}}\"?", meant);
  return fmt::format("known here: {{{}}}; a brace itself is written {{{{", fmt::join(known, "}, {"));
}

/// Bytes written in hex, with the place of each and the placeholders between them.
struct HexText {
  Bytes bytes;
  std::vector<std::size_t> places;  // of each byte in the string
  bool has_placeholder = false;
};

struct HexFault {
  std::size_t index;
  std::string message;
};

const std::vector<std::string>& apdu_placeholders() {
  static const std::vector<std::string> names{"input", "lc", "seed"};
  return names;
}

/// Reads one byte at `at`, or adds to `fault`.
bool take_byte(std::string_view text, std::size_t& at, HexText& hex, std::optional<HexFault>& fault) {
  for (std::size_t i = at; i < std::min(at + 2, text.size()); ++i) {
    if (is_hex_digit(text[i])) continue;
    if (i > at && (text[i] == ' ' || text[i] == '{')) break;
    fault = {i, fmt::format("\"{}\" is not a hexadecimal digit", text[i])};
    return false;
  }
  const std::optional<Bytes> byte = parse_hex(text.substr(at, 2));
  if (!byte || byte->size() != 1) {
    fault = {at, "half a byte: hexadecimal digits come in pairs"};
    return false;
  }
  hex.bytes.push_back(byte->front());
  hex.places.push_back(at);
  at += 2;
  return true;
}

HexText scan_hex(std::string_view text, std::optional<HexFault>& fault) {
  HexText hex;
  for (std::size_t at = 0; at < text.size() && !fault;) {
    const std::optional<PlaceholderUse> use = next_placeholder(text, at);
    if (text[at] == ' ') {
      ++at;
    } else if (use && use->offset == at && !use->name.empty()) {
      hex.has_placeholder = true;
      at += use->length;
    } else if (!take_byte(text, at, hex, fault)) {
      return hex;
    }
  }
  return hex;
}

/// ISO 7816-3: where the fifth byte stands there are Lc, data and Le, short or extended (a 00 before them).
std::optional<HexFault> fault_of_length(const HexText& hex) {
  const Bytes& bytes = hex.bytes;
  if (hex.has_placeholder) return std::nullopt;
  if (bytes.size() < 4)
    return HexFault{0, fmt::format("an APDU begins with CLA INS P1 P2, but here are {} bytes", bytes.size())};
  if (bytes.size() <= 5) return std::nullopt;
  const bool is_extended = bytes[4] == 0;
  if (is_extended && bytes.size() == 7) return std::nullopt;
  if (is_extended && bytes.size() < 7)
    return HexFault{hex.places[4], "an Lc of 00 has two more bytes behind it"};
  const std::size_t lc = is_extended ? bytes[5] * 256U + bytes[6] : bytes[4];
  const std::size_t data = bytes.size() - (is_extended ? 7 : 5);
  if (lc > 0 && (data == lc || data == lc + (is_extended ? 2 : 1))) return std::nullopt;
  return HexFault{hex.places[4], fmt::format("Lc says {} bytes of data, but {} follow", lc, data)};
}

void report(const JsonNode& node, const std::optional<HexFault>& fault, JsonFaults& faults) {
  if (fault) faults.add_inside(node, fault->index, fault->message);
}

/// One set or digit at the head of an input pattern; how many characters it takes, 0 when it is neither.
std::size_t length_of_element(std::string_view pattern) {
  if (is_hex_digit(pattern.front())) return 1;
  const std::size_t end = pattern.find(']');
  if (pattern.front() != '[' || end == std::string_view::npos || end == 1) return 0;
  for (std::size_t i = 1; i < end; ++i) {
    const bool is_range = pattern[i] == '-' && i > 1 && i + 1 < end;
    if (!is_hex_digit(pattern[i]) && !is_range) return 0;
    if (is_range && pattern[i - 1] > pattern[i + 1]) return 0;
  }
  return end + 1;
}

/// The n of `{n}` at the head, and how many characters it takes; {1, 0} where there is none.
std::pair<std::size_t, std::size_t> repetition(std::string_view pattern) {
  if (!pattern.starts_with('{')) return {1, 0};
  std::size_t count = 0;
  const auto [end, error] = std::from_chars(pattern.data() + 1, pattern.data() + pattern.size(), count);
  const bool is_closed = end != pattern.data() + pattern.size() && *end == '}';
  constexpr std::size_t most = 2 * std::size_t{65535};  // the digits of the longest extended APDU
  if (error != std::errc{} || !is_closed || count == 0 || count > most) return {0, 0};
  return {count, static_cast<std::size_t>(end - pattern.data()) + 1};
}

std::optional<HexFault> fault_of_pattern(std::string_view pattern) {
  std::size_t digits = 0;
  for (std::size_t at = 0; at < pattern.size();) {
    const std::size_t length = pattern[at] == ' ' ? 1 : length_of_element(pattern.substr(at));
    if (length == 0) return HexFault{at, "a hexadecimal digit or a set like [0-9A-F] is expected here"};
    const bool is_blank = pattern[at] == ' ';
    at += length;
    if (is_blank) continue;
    const auto [count, taken] = repetition(pattern.substr(at));
    if (count == 0) return HexFault{at, "a repetition is written {n}, with n from 1 to 131070"};
    digits += count;
    at += taken;
  }
  if (digits % 2 != 0) return HexFault{0, fmt::format("{} hexadecimal digits are no whole bytes", digits)};
  return std::nullopt;
}

std::string fault_of_transport(std::string_view scheme, std::string_view rest) {
  const bool is_port = whole_number<std::uint16_t>(rest).value_or(0) > 0;
  if (scheme == "vpcd" && !rest.empty() && !is_port)
    return fmt::format("\"{}\" is not a port from 1 to 65535", rest);
  if (scheme == "exec" && !rest.empty())
    return "nothing stands behind \"exec:\": the program is in \"trigger\"";
  if (scheme == "agent" && rest.empty()) return "\"agent:\" needs the command of the agent behind it";
  if (scheme == "labgrid") return fault_of_lab_address(rest);
  return {};
}

}  // namespace

std::optional<PlaceholderUse> next_placeholder(std::string_view text, std::size_t from) {
  for (std::size_t at = text.find('{', from); at != std::string_view::npos; at = text.find('{', at + 1)) {
    if (text.substr(at, 2) == "{{") return PlaceholderUse{at, 2, {}};
    const std::string_view rest = text.substr(at + 1);
    const auto length = static_cast<std::size_t>(std::ranges::find_if_not(rest, is_word) - rest.begin());
    if (length > 0 && !is_digit(rest.front()) && length < rest.size() && rest[length] == '}')
      return PlaceholderUse{at, length + 2, rest.substr(0, length)};
  }
  return std::nullopt;
}

void check_placeholders(const JsonNode& string, const std::vector<std::string>& known, JsonFaults& faults) {
  std::size_t at = 0;
  while (const std::optional<PlaceholderUse> use = next_placeholder(string.text, at)) {
    at = use->offset + use->length;
    if (use->name.empty() || std::ranges::find(known, use->name) != known.end()) continue;
    faults.add_inside(string, use->offset, fmt::format("unknown placeholder \"{{{}}}\"", use->name),
                      hint_for_placeholder(use->name, known));
  }
}

std::string fill_in(std::string_view text, const Placeholders& values) {
  std::string filled;
  std::size_t at = 0;
  while (const std::optional<PlaceholderUse> use = next_placeholder(text, at)) {
    filled += text.substr(at, use->offset - at);
    at = use->offset + use->length;
    const auto value = values.find(use->name);
    if (use->name.empty()) {
      filled += '{';
    } else if (value != values.end()) {
      filled += value->second;
    } else {
      std::vector<std::string> known;
      for (const auto& [name, unused] : values) known.push_back("{" + name + "}");
      throw UserError(Fault{.message = fmt::format("\"{{{}}}\" has no value in \"{}\"", use->name, text),
                            .hint = fmt::format("known here: {}", fmt::join(known, ", "))});
    }
  }
  return filled += text.substr(at);
}

void read_apdu(const JsonNode& node, std::string& to, JsonFaults& faults) {
  if (!is_kind(node, JsonKind::string, faults)) return;
  std::optional<HexFault> fault;
  const HexText hex = scan_hex(node.text, fault);
  if (!fault) check_placeholders(node, apdu_placeholders(), faults);
  if (!fault) fault = fault_of_length(hex);
  report(node, fault, faults);
  to = node.text;  // even a faulty one says whether it holds {input}
}

bool has_own_le(std::string_view apdu) {
  std::optional<HexFault> fault;
  const HexText hex = scan_hex(apdu, fault);
  const std::size_t size = hex.bytes.size();
  if (fault || hex.has_placeholder || size < 5) return false;
  if (hex.bytes[4] != 0) return size == 5 || size == hex.bytes[4] + 6U;
  return size <= 7 || size == hex.bytes[5] * 256U + hex.bytes[6] + 9U;
}

void read_hex(const JsonNode& node, std::string& to, JsonFaults& faults) {
  if (!is_kind(node, JsonKind::string, faults)) return;
  std::optional<HexFault> fault;
  const HexText hex = scan_hex(node.text, fault);
  if (hex.has_placeholder && !fault) check_placeholders(node, {}, faults);
  report(node, fault, faults);
  if (!fault) to = node.text;
}

void read_status_pattern(const JsonNode& node, std::string& to, JsonFaults& faults) {
  StatusAlternatives{StatusForm::word}(node, to, faults);
}

void StatusAlternatives::operator()(const JsonNode& node, std::string& to, JsonFaults& faults) const {
  if (!is_kind(node, JsonKind::string, faults)) return;
  const std::string_view text = node.text;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('|', begin), text.size());
    if (std::string fault = fault_of_status(text.substr(begin, end - begin), form); !fault.empty())
      return faults.add_inside(node, begin, std::move(fault), std::string(example_of(form)));
    begin = end + 1;
  }
  to = node.text;
}

void read_input_pattern(const JsonNode& node, std::string& to, JsonFaults& faults) {
  read_string(node, to, faults);
  if (node.kind == JsonKind::string) report(node, fault_of_pattern(node.text), faults);
}

void read_duration(const JsonNode& node, std::chrono::milliseconds& to, JsonFaults& faults) {
  constexpr std::array<std::pair<std::string_view, std::int64_t>, 4> units{
      {{"ms", 1}, {"s", 1000}, {"m", 60'000}, {"h", 3'600'000}}};
  constexpr std::int64_t longest = 1000 * std::int64_t{3'600'000};
  if (!is_kind(node, JsonKind::string, faults)) return;
  const std::string_view text = node.text;
  std::int64_t count = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  const auto unit = std::ranges::find(units, text.substr(static_cast<std::size_t>(end - text.data())),
                                      &std::pair<std::string_view, std::int64_t>::first);
  if (error != std::errc{} || unit == units.end() || count < 0)
    faults.add(node, fmt::format("\"{}\" is not a duration", text),
               "such as \"500ms\", \"10s\", \"30m\" or \"2h\"");
  else if (count > longest / unit->second)
    faults.add(node, fmt::format("\"{}\" is longer than 1000 hours", text));
  else
    to = std::chrono::milliseconds{count * unit->second};
}

void read_transport(const JsonNode& node, std::string& to, JsonFaults& faults) {
  static const std::vector<std::string> schemes{"pcsc", "vpcd", "exec", "agent", "labgrid"};
  if (!is_kind(node, JsonKind::string, faults)) return;
  const std::string_view text = node.text;
  const std::string_view scheme = text.substr(0, text.find(':'));
  if (std::ranges::find(schemes, scheme) == schemes.end()) {
    const std::string hint = did_you_mean(scheme, schemes);
    faults.add(
        node, fmt::format("unknown transport \"{}\"", scheme),
        hint.empty() ? "known: pcsc:READER, vpcd:[PORT], exec:, agent:COMMAND, labgrid:PLACE COMMAND" : hint);
    return;
  }
  if (scheme == text) {
    faults.add(node, fmt::format("the transport \"{}\" lacks its colon", text),
               fmt::format("did you mean \"{}:\"?", text));
    return;
  }
  const std::string fault = fault_of_transport(scheme, text.substr(scheme.size() + 1));
  if (!fault.empty()) faults.add_inside(node, scheme.size() + 1, fault);
  if (scheme == "agent") check_placeholders(node, {"tree", "out", "project", "seed"}, faults);
  if (scheme == "labgrid") check_placeholders(node, {"tree", "out", "project", "seed", "place"}, faults);
  to = node.text;
}

}  // namespace jcprof
