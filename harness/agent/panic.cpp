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

/// As OP-TEE's core and its loader report it, line by line.
struct Panic {
  std::uint64_t code = 0;
  std::string binary{};      // its UUID
  std::uint64_t loaded = 0;  // where its code begins
  std::vector<std::uint64_t> stack{};
};

void take_line(const std::string& line, std::optional<Panic>& panic, bool& in_stack) {
  static const std::regex head("TA panicked with code 0x([0-9a-fA-F]{1,16})");
  static const std::regex binary(R"(\[0\] ([0-9a-fA-F-]{36}) @ 0x([0-9a-fA-F]{1,16}))");
  static const std::regex frame(R"(^[A-Z]/\S{1,20}\s{1,20}0x([0-9a-fA-F]{1,16})\s*$)");
  std::smatch match;
  if (line.size() > longest_line) return;
  if (std::regex_search(line, match, head)) {
    panic = Panic{.code = number_of(match[1])};
    in_stack = false;
  } else if (panic && std::regex_search(line, match, binary)) {
    panic->binary = match[1];
    panic->loaded = number_of(match[2]);
  } else if (panic && line.find("Call stack:") != std::string::npos) {
    in_stack = true;
  } else if (in_stack && std::regex_search(line, match, frame) && panic->stack.size() < most_frames) {
    panic->stack.push_back(number_of(match[1]));
  } else {
    in_stack = false;
  }
}

std::string in_words(const Panic& panic) {
  const std::string name = panic.code == 0 ? "" : tee_result(static_cast<std::uint32_t>(panic.code));
  std::string text =
      fmt::format("it panicked with code 0x{:x}{}", panic.code, name.empty() ? "" : " (" + name + ")");
  if (panic.stack.empty()) return text;
  std::vector<std::string> places;
  for (const std::uint64_t address : panic.stack)
    places.push_back(fmt::format("0x{:x}", address - (address < panic.loaded ? 0 : panic.loaded)));
  text += ", at " + places.front();
  if (!panic.binary.empty()) text += fmt::format(" of {}.elf", panic.binary);
  places.erase(places.begin());
  return places.empty() ? text : fmt::format("{}, called from {}", text, fmt::join(places, ", "));
}

}  // namespace

std::string panic_in(std::string_view log) {
  std::optional<Panic> panic;
  bool in_stack = false;
  std::istringstream lines{std::string(log)};
  for (std::string line; std::getline(lines, line);) take_line(line, panic, in_stack);
  return panic ? in_words(*panic) : "";
}

}  // namespace jcprof::harness
