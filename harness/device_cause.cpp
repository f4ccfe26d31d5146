// SPDX-License-Identifier: Apache-2.0
#include "harness/device_cause.hpp"

#include <array>
#include <filesystem>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace jcprof::harness {
namespace {

// Of Java and of jCardSim. The first that is there counts.
constexpr auto known_words = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"Connection refused",
     "nothing listens at the port that it connects to; {port} is the one where jcprof waits"},
    {"NumberFormatException: For input string: \"\"", "{port} is empty; only with \"vpcd:\" there is one"},
    {"UnsupportedClassVersionError", "this java is older than the classes that it loads"},
    {"Simulator.loadApplet",
     "it cannot load the applet; the class that it is told must be on its class path"},
    {"Could not find or load main class", "java does not find the main class on the class path"},
    {"NoClassDefFoundError", "java does not find a class on the class path"},
    {"ClassNotFoundException", "java does not find a class on the class path"},
});

/// A file in the words of a command that is not there, alone, in a class path, or behind `=`; empty: none.
std::string missing_file(std::string_view command) {
  std::error_code error;
  while (!command.empty()) {
    const std::size_t end = std::min(command.find_first_of(" :="), command.size());
    const std::string word(command.substr(0, end));
    if (word.starts_with('/') && !std::filesystem::exists(word, error)) return word;
    command.remove_prefix(std::min(end + 1, command.size()));
  }
  return "";
}

}  // namespace

std::string cause_of_end(const std::string& account) {
  const std::string missing = missing_file(std::string_view(account).substr(0, account.find('\n')));
  if (!missing.empty()) return fmt::format("there is no \"{}\"", missing);
  for (const auto& [words, cause] : known_words)
    if (account.find(words) != std::string::npos) return std::string(cause);
  return "";
}

}  // namespace jcprof::harness
