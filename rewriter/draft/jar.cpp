// SPDX-License-Identifier: Apache-2.0
#include "rewriter/draft/jar.hpp"

#include <algorithm>
#include <cctype>
#include <optional>

#include "src/core/text.hpp"

namespace jcprof::rewriter {
namespace {

using Jar = std::pair<const std::string, std::set<std::string>>;

// --- The format (APPNOTE.TXT of PKWARE) ---

constexpr std::size_t end_size = 22;  // end of central directory, without its comment
constexpr std::size_t longest_comment = 65535;
constexpr std::size_t entry_size = 46;  // of the central directory, without its names
constexpr std::string_view entry_mark = "PK\x01\x02";
constexpr std::string_view end_mark = "PK\x05\x06";

/// Little-endian.
std::size_t number_at(std::string_view bytes, std::size_t at, int size) {
  std::size_t value = 0;
  for (int i = size - 1; i >= 0; --i)
    value = value << 8 | static_cast<unsigned char>(bytes[at + static_cast<std::size_t>(i)]);
  return value;
}

/// Where the central directory begins.
std::optional<std::size_t> directory_of(std::string_view bytes) {
  if (bytes.size() < end_size) return std::nullopt;
  const std::size_t end = bytes.rfind(end_mark, bytes.size() - end_size);
  if (end == std::string_view::npos || bytes.size() - end > end_size + longest_comment) return std::nullopt;
  return number_at(bytes, end + 16, 4);
}

// --- Choosing ---

/// Of versions: numbers by value, "3.0.5.11" behind "3.0.5.9".
bool is_older(std::string_view a, std::string_view b) {
  const auto is_digit = [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; };
  while (!a.empty() && !b.empty()) {
    if (is_digit(a[0]) && is_digit(b[0])) {
      const auto digits = [&](std::string_view& text) {
        const auto end = static_cast<std::size_t>(std::ranges::find_if_not(text, is_digit) - text.begin());
        std::string_view number = text.substr(0, end);
        text.remove_prefix(end);
        number.remove_prefix(std::min(number.find_first_not_of('0'), number.size()));
        return std::pair(number.size(), number);
      };
      const auto of_a = digits(a);
      const auto of_b = digits(b);
      if (of_a != of_b) return of_a < of_b;
    } else {
      if (a[0] != b[0]) return a[0] < b[0];
      a.remove_prefix(1);
      b.remove_prefix(1);
    }
  }
  return a.size() < b.size();
}

/// Of the simulator that is a virtual card; older ones are none.
bool is_simulator(const Jar& jar) {
  return jar.second.contains("com/licel/jcardsim/remote/VSmartCard") &&
         jar.second.contains("javacard/framework/APDU");
}

/// "jcardsim-3.0.5.11.jar" → "3.0.5.11.jar", so that names compare by their version.
std::string_view version_in(std::string_view path) {
  const std::string_view name = name_of_file(path);
  return name.substr(std::min(name.find_first_of("0123456789"), name.size()));
}

bool has_package(const std::set<std::string>& classes, std::string package) {
  std::ranges::replace(package, '.', '/');
  const auto first = classes.lower_bound(package + "/");
  return first != classes.end() && first->starts_with(package + "/") &&
         first->find('/', package.size() + 1) == std::string::npos;
}

std::string place_of(const std::string& path) {
  return path.starts_with('/') ? path : "{project}/" + path;
}

/// Of the newest kit, where several have it.
const Jar* library_with(const FoundTree& tree, const std::string& package) {
  const Jar* found = nullptr;
  for (const Jar& jar : tree.jars) {
    if (!has_package(jar.second, package) || has_package(jar.second, "com.licel.jcardsim.base")) continue;
    if (found == nullptr || is_older(found->first, jar.first)) found = &jar;
  }
  return found;
}

/// Newer ones serve a port of their own, on all of the machine's addresses, and cannot be told not to.
bool listens(const Jar& jar) {
  return jar.second.contains("com/licel/jcardsim/remote/VSmartCard$ReloadThread");
}

/// The one that the build names, else the project's own, else one that serves no port; of several the newest.
const Jar* simulator_of(const FoundTree& tree, const std::vector<std::string>& versions) {
  const auto rank = [&](const Jar& jar) {
    const bool is_named = std::ranges::any_of(
        versions, [&](const std::string& version) { return version_in(jar.first) == version + ".jar"; });
    return std::tuple(is_named, !jar.first.starts_with('/'), !listens(jar));
  };
  const Jar* found = nullptr;
  for (const Jar& jar : tree.jars) {
    if (!is_simulator(jar)) continue;
    const bool is_better =
        found == nullptr || rank(jar) > rank(*found) ||
        (rank(jar) == rank(*found) && is_older(version_in(found->first), version_in(jar.first)));
    if (is_better) found = &jar;
  }
  return found;
}

}  // namespace

std::set<std::string> classes_in_jar(std::string_view bytes) {
  std::set<std::string> classes;
  std::size_t at = directory_of(bytes).value_or(bytes.size());
  while (at < bytes.size() && bytes.size() - at >= entry_size && bytes.substr(at).starts_with(entry_mark)) {
    const std::size_t name_size = number_at(bytes, at + 28, 2);
    const std::string_view name = bytes.substr(at + entry_size, name_size);
    if (name.ends_with(".class")) classes.emplace(name.substr(0, name.size() - 6));
    at += entry_size + name_size + number_at(bytes, at + 30, 2) + number_at(bytes, at + 32, 2);
  }
  return classes;
}

AppletJars choose_jars(const FoundTree& tree, const std::vector<std::string>& imports,
                       const std::vector<std::string>& versions) {
  AppletJars jars;
  const Jar* const simulator = simulator_of(tree, versions);
  if (simulator != nullptr) jars.simulator = place_of(simulator->first);
  jars.listens = simulator != nullptr && listens(*simulator);
  for (const std::string& version : versions)
    if (simulator == nullptr || is_older(version_in(simulator->first), version + ".jar"))
      jars.missing = version;
  for (const std::string& package : imports) {
    if (package == "java.lang" || (simulator != nullptr && has_package(simulator->second, package))) continue;
    const Jar* const library = library_with(tree, package);
    if (library != nullptr && !is_one_of(place_of(library->first), jars.libraries))
      jars.libraries.push_back(place_of(library->first));
  }
  return jars;
}

}  // namespace jcprof::rewriter
