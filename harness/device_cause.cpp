// SPDX-License-Identifier: Apache-2.0
#include "harness/device_cause.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <functional>
#include <string_view>

#include <fmt/format.h>

namespace jcprof::harness {
namespace {

struct KnownCause {
  std::string_view words;
  std::string_view cause;
  bool is_of_classes = false;  // one that a jar holds, say
};

// Of Java and of jCardSim. The first that is there counts.
constexpr auto known_causes = std::to_array<KnownCause>({
    {"Connection refused",
     "nothing listens at the port that it connects to; {port} is the one where jcprof waits"},
    {"NumberFormatException: For input string: \"\"", "{port} is empty; only with \"vpcd:\" there is one"},
    {"UnsupportedClassVersionError",
     "this java is older than the classes that it loads: install a newer one (default-jdk-headless), or name "
     "it in \"start\""},
    {"Simulator.loadApplet", "it cannot load the applet; the class that it is told must be on its class path",
     true},
    {"Could not find or load main class", "java does not find the main class on the class path", true},
    {"NoClassDefFoundError", "java does not find a class on the class path", true},
    {"ClassNotFoundException", "java does not find a class on the class path", true},
});

/// A file in the words of a command that is not there, alone, in a class path, or behind `=`; it may be one
/// that the program is to make. Empty: there is none that `is_wanted`.
std::string missing_file(std::string_view command, const std::function<bool(const std::string&)>& is_wanted) {
  std::error_code error;
  while (!command.empty()) {
    const std::size_t end = std::min(command.find_first_of(" :="), command.size());
    const std::string word(command.substr(0, end));
    if (word.starts_with('/') && is_wanted(word) && !std::filesystem::exists(word, error)) return word;
    command.remove_prefix(std::min(end + 1, command.size()));
  }
  return "";
}

std::string_view class_path_in(std::string_view command) {
  for (const std::string_view option : {" -cp ", " -classpath ", " --class-path "})
    if (const std::size_t at = command.find(option); at != std::string_view::npos) {
      command.remove_prefix(at + option.size());
      return command.substr(0, command.find(' '));
    }
  return "";
}

}  // namespace

std::string cause_of_end(const std::string& account) {
  const std::size_t end = std::min(account.find('\n'), account.size());
  const std::string_view command = std::string_view(account).substr(0, end);
  const std::string_view output = std::string_view(account).substr(end);
  const auto known = std::ranges::find_if(
      known_causes, [&](const KnownCause& one) { return output.find(one.words) != std::string_view::npos; });
  const bool is_known = known != known_causes.end();
  const std::string missing = missing_file(command, [&](const std::string& file) {
    const bool may_hold_classes =
        file.ends_with(".jar") || class_path_in(command).find(file) != std::string_view::npos;
    return is_known ? known->is_of_classes && may_hold_classes : output.find(file) != std::string_view::npos;
  });
  if (!missing.empty()) return fmt::format("there is no \"{}\"", missing);
  return is_known ? std::string(known->cause) : "";
}

UserError ended_before(std::string_view what, const std::string& account) {
  const std::string cause = cause_of_end(account);
  return environment_error(fmt::format("the device program ended before {}{}{}\n{}", what,
                                       cause.empty() ? "" : ": ", cause, account),
                           "run the command above by hand; \"start\" in jcprof.json says what is run");
}

}  // namespace jcprof::harness
