// SPDX-License-Identifier: Apache-2.0
#include "rewriter/java/bytecode_size.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace jcprof::rewriter {
namespace {

// Java Card VM Specification 3.0.5, 2.2.4.3 (a method) and 6.9 (the Method component: all of a package).
constexpr std::size_t largest_method = 32767;
constexpr std::size_t largest_package = 65535;
// sipush or sspush, then invokestatic.
constexpr std::size_t bytes_of_trap = 6;

constexpr std::string_view way_out =
    R"(narrow "profile.include", or set "profile.level" to "block" or "function")";

/// A converter's bytecode is not javac's: what comes near the limit may be over it.
bool is_near(std::size_t bytes, std::size_t limit) {
  return bytes > limit / 10 * 9;
}

bool is_in(const MethodSize& method, std::string package) {
  std::ranges::replace(package, '.', '/');
  const std::size_t slash = method.class_name.rfind('/');
  return (slash == std::string::npos ? "" : method.class_name.substr(0, slash)) == package;
}

}  // namespace

std::vector<std::string> size_notes(const std::vector<MethodSize>& methods, const std::string& package,
                                    std::size_t traps) {
  std::vector<std::string> notes;
  std::size_t total = 0;
  for (const MethodSize& method : methods) {
    if (!is_in(method, package)) continue;
    total += method.bytes;
    if (is_near(method.bytes, largest_method))
      notes.push_back(
          fmt::format("{}.{} has about {} bytes of bytecode with its traps; a Java Card method holds {}: {}",
                      method.class_name.substr(method.class_name.rfind('/') + 1), method.name, method.bytes,
                      largest_method, way_out));
  }
  const std::size_t added = traps * bytes_of_trap;
  if (is_near(total, largest_package))
    notes.push_back(
        fmt::format("the package has about {} bytes of bytecode, {} of them for {} traps; a Java Card "
                    "package holds {}: {}",
                    total, added, traps, largest_package, way_out));
  if (methods.empty() && added > largest_package / 2)
    notes.push_back(
        fmt::format("{} traps take about {} bytes of the {} of bytecode that a Java Card package holds: {}",
                    traps, added, largest_package, way_out));
  return notes;
}

}  // namespace jcprof::rewriter
