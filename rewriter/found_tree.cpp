// SPDX-License-Identifier: Apache-2.0
#include "rewriter/found_tree.hpp"

#include <algorithm>
#include <array>

namespace jcprof::rewriter {
namespace {

template <std::size_t Count>
bool has_suffix(std::string_view path, const std::array<std::string_view, Count>& suffixes) {
  return std::ranges::any_of(suffixes, [&](std::string_view suffix) { return path.ends_with(suffix); });
}

template <std::size_t Count>
bool lies_in(std::string_view path, const std::array<std::string_view, Count>& folders) {
  for (std::size_t at = 0, slash = 0; (slash = path.find('/', at)) != std::string_view::npos; at = slash + 1)
    if (std::ranges::find(folders, path.substr(at, slash - at)) != folders.end()) return true;
  return false;
}

}  // namespace

bool is_c_source(std::string_view path) {
  return path.ends_with(".c") || is_cpp_source(path);
}

bool is_cpp_source(std::string_view path) {
  return has_suffix(path, std::to_array<std::string_view>({".cc", ".cpp", ".cxx", ".c++", ".C"}));
}

bool is_c_header(std::string_view path) {
  return has_suffix(path, std::to_array<std::string_view>({".h", ".hh", ".hpp", ".hxx"}));
}

bool is_telling(std::string_view path) {
  constexpr auto names = std::to_array<std::string_view>(
      {"build.xml", "CMakeLists.txt", "GNUmakefile", "makefile", "Makefile", "meson.build"});
  constexpr auto suffixes =
      std::to_array<std::string_view>({".java", ".gradle", ".gradle.kts", ".opt", ".edl"});
  return has_suffix(path, suffixes) || is_c_source(path) || is_c_header(path) ||
         std::ranges::find(names, name_of_file(path)) != names.end();
}

bool is_made_or_foreign(std::string_view path) {
  constexpr auto folders = std::to_array<std::string_view>(
      {"build", "builddir", "out", "target", "dist", "CMakeFiles", "cmake-build-debug", "cmake-build-release",
       "third_party", "thirdparty", "vendor", "external", "node_modules"});
  return lies_in(path, folders);
}

bool is_aside(std::string_view path) {
  return lies_in(path, std::to_array<std::string_view>({"test", "tests", "testing", "example", "examples",
                                                        "demo", "demos", "bench", "benchmarks", "fuzz",
                                                        "fuzzing", "contrib", "doc", "docs"}));
}

std::string folder_of(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? "" : std::string(path.substr(0, slash));
}

std::string_view name_of_file(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

std::string_view stem_of(std::string_view path) {
  const std::string_view name = name_of_file(path);
  return name.substr(0, name.rfind('.'));
}

}  // namespace jcprof::rewriter
