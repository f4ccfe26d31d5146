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
constexpr std::size_t longest_error_line = 400;

std::uint64_t number_of(const std::string& digits) {
  std::uint64_t value = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
  return value;
}

/// OP-TEE's core and its loader report it so, line by line.
struct Death {
  std::string how{};         // in words; empty where the log does not reach back to it
  std::string binary{};      // its UUID
  std::uint64_t loaded = 0;  // where its code begins
  std::vector<std::uint64_t> stack{};
};

std::string panic_in_words(const std::string& digits) {
  // The core's own, for an abort.
  constexpr std::uint64_t after_abort = 0xdeadbeef;
  const std::uint64_t code = number_of(digits);
  if (code == after_abort) return "it ended in an abort";
  const std::string name = code == 0 ? "" : tee_result(static_cast<std::uint32_t>(code));
  return fmt::format("it panicked with code 0x{:x}{}", code, name.empty() ? "" : " (" + name + ")");
}

/// A line that says how; behind the name of a function the core says it once more, after the report.
bool take_cause(const std::string& line, std::optional<Death>& death) {
  static const std::regex panic(R"(([a-z]\w{0,60}: )?TA panicked with code 0x([0-9a-fA-F]{1,16}))");
  static const std::regex abort(
      R"(User mode ([a-z]{1,20}-abort|[a-z]{1,20}) at address 0x([0-9a-fA-F]{1,16}))");
  std::smatch match;
  if (std::regex_search(line, match, abort)) {
    death =
        Death{.how = fmt::format("it ended in a {} at address 0x{:x}", match[1].str(), number_of(match[2]))};
    return true;
  }
  if (!std::regex_search(line, match, panic)) return false;
  if (!match[1].matched)
    death = Death{.how = panic_in_words(match[2])};
  else if (death && death->how.empty())
    death->how = panic_in_words(match[2]);
  return true;
}

void take_line(const std::string& line, std::optional<Death>& death, bool& in_stack) {
  static const std::regex binary(R"(\[0\] ([0-9a-fA-F-]{36}) @ 0x([0-9a-fA-F]{1,16}))");
  static const std::regex frame(R"(^[A-Z]/\S{1,20}\s{1,20}0x([0-9a-fA-F]{1,16})\s*$)");
  std::smatch match;
  if (line.size() > longest_error_line) return;
  in_stack = in_stack && death->stack.size() < most_frames && std::regex_search(line, match, frame);
  if (in_stack) {
    death->stack.push_back(number_of(match[1]));
    return;
  }
  if (take_cause(line, death)) return;
  if (std::regex_search(line, match, binary)) {
    if (!death) death.emplace();
    death->binary = match[1];
    death->loaded = number_of(match[2]);
  } else if (death && line.find("Call stack:") != std::string::npos) {
    death->stack.clear();
    in_stack = true;
  }
}

std::string in_words(const Death& death) {
  std::string text = death.how.empty() ? "it died" : death.how;
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
