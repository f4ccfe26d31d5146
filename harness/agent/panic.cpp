// SPDX-License-Identifier: Apache-2.0
#include "harness/agent/panic.hpp"

#include <charconv>
#include <cstdint>
#include <optional>
#include <regex>
#include <sstream>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "src/core/tee_result.hpp"

namespace jcprof::harness {
namespace {

// Innermost first; what called those is OP-TEE's own.
constexpr std::size_t most_frames = 8;
constexpr std::size_t longest_line = 400;

std::uint64_t number_of(const std::string& digits) {
  std::uint64_t value = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
  return value;
}

/// OP-TEE's core and its loader report it so, line by line.
struct Death {
  std::string how{};         // in words
  std::string binary{};      // its UUID
  std::uint64_t loaded = 0;  // where its code begins
  std::vector<std::uint64_t> stack{};
};

/// A line that begins a report; nothing: it begins none.
std::optional<Death> begun_by(const std::string& line) {
  static const std::regex panic("TA panicked with code 0x([0-9a-fA-F]{1,16})");
  static const std::regex abort(
      R"(User mode ([a-z]{1,20}-abort|[a-z]{1,20}) at address 0x([0-9a-fA-F]{1,16}))");
  std::smatch match;
  if (std::regex_search(line, match, abort))
    return Death{.how =
                     fmt::format("it ended in a {} at address 0x{:x}", match[1].str(), number_of(match[2]))};
  if (!std::regex_search(line, match, panic)) return std::nullopt;
  const std::uint64_t code = number_of(match[1]);
  const std::string name = code == 0 ? "" : tee_result(static_cast<std::uint32_t>(code));
  return Death{
      .how = fmt::format("it panicked with code 0x{:x}{}", code, name.empty() ? "" : " (" + name + ")")};
}

void take_line(const std::string& line, std::optional<Death>& death, bool& in_stack) {
  static const std::regex binary(R"(\[0\] ([0-9a-fA-F-]{36}) @ 0x([0-9a-fA-F]{1,16}))");
  static const std::regex frame(R"(^[A-Z]/\S{1,20}\s{1,20}0x([0-9a-fA-F]{1,16})\s*$)");
  std::smatch match;
  if (line.size() > longest_line) return;
  if (std::optional<Death> begun = begun_by(line)) {
    death = std::move(begun);
    in_stack = false;
  } else if (death && std::regex_search(line, match, binary)) {
    death->binary = match[1];
    death->loaded = number_of(match[2]);
  } else if (death && line.find("Call stack:") != std::string::npos) {
    death->stack.clear();
    in_stack = true;
  } else if (in_stack && std::regex_search(line, match, frame) && death->stack.size() < most_frames) {
    death->stack.push_back(number_of(match[1]));
  } else {
    in_stack = false;
  }
}

std::string in_words(const Death& death) {
  std::string text = death.how;
  if (death.stack.empty()) return text;
  std::vector<std::string> places;
  for (const std::uint64_t address : death.stack)
    places.push_back(fmt::format("0x{:x}", address - (address < death.loaded ? 0 : death.loaded)));
  text += ", at " + places.front();
  if (!death.binary.empty()) text += fmt::format(" of {}.elf", death.binary);
  places.erase(places.begin());
  return places.empty() ? text : fmt::format("{}, called from {}", text, fmt::join(places, ", "));
}

}  // namespace

std::string panic_in(std::string_view log) {
  std::optional<Death> death;
  bool in_stack = false;
  std::istringstream lines{std::string(log)};
  for (std::string line; std::getline(lines, line);) take_line(line, death, in_stack);
  return death ? in_words(*death) : "";
}

std::string_view gained(std::string_view before, std::string_view now) {
  while (!now.starts_with(before)) before.remove_prefix(1);
  return now.substr(before.size());
}

}  // namespace jcprof::harness
