// SPDX-License-Identifier: Apache-2.0
#include "rewriter/found_tree.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <initializer_list>

#include "src/core/text.hpp"

namespace jcprof::rewriter {
namespace {

bool lies_in(std::string_view path, std::initializer_list<std::string_view> folders) {
  for (std::size_t at = 0, slash = 0; (slash = path.find('/', at)) != std::string_view::npos; at = slash + 1)
    if (is_one_of(path.substr(at, slash - at), folders)) return true;
  return false;
}

/// With a version or the like behind its name: "googletest-src", "Catch2-3.4.0". "benchmarks" is none.
bool is_called_as_test_framework(std::string_view folder) {
  constexpr auto names = std::to_array<std::string_view>({"googletest", "gtest", "googlemock", "gmock",
                                                          "benchmark", "google-benchmark", "googlebenchmark",
                                                          "Catch", "catch", "doctest", "cmocka"});
  return std::ranges::any_of(names, [&](std::string_view name) {
    return folder.starts_with(name) && (folder.size() == name.size() ||
                                        std::isalpha(static_cast<unsigned char>(folder[name.size()])) == 0);
  });
}

}  // namespace

bool is_c_source(std::string_view path) {
  return path.ends_with(".c") || is_cpp_source(path);
}

bool is_cpp_source(std::string_view path) {
  return ends_with_one_of(path, {".cc", ".cpp", ".cxx", ".c++", ".C"});
}

bool is_c_header(std::string_view path) {
  return ends_with_one_of(path, {".h", ".hh", ".hpp", ".hxx"});
}

bool is_telling(std::string_view path) {
  return ends_with_one_of(path, {".java", ".gradle", ".gradle.kts", ".opt", ".edl", ".xml", ".jcproj",
                                 ".properties", ".cfg", ".sh", ".bat", ".cmd", ".mk"}) ||
         is_c_source(path) || is_c_header(path) ||
         is_one_of(name_of_file(path),
                   {"CMakeLists.txt", "GNUmakefile", "makefile", "Makefile", "meson.build", "config.log"});
}

bool is_made_or_foreign(std::string_view path) {
  return lies_in(path, {"build", "builddir", "out", "target", "dist", "CMakeFiles", "cmake-build-debug",
                        "cmake-build-release", "third_party", "thirdparty", "vendor", "external", "_deps",
                        "node_modules"});
}

bool is_of_test_framework(std::string_view path) {
  bool is_below_foreign = false;
  for (std::size_t at = 0, slash = 0; (slash = path.find('/', at)) != std::string_view::npos;
       at = slash + 1) {
    if (is_below_foreign && is_called_as_test_framework(path.substr(at, slash - at))) return true;
    is_below_foreign = is_made_or_foreign(path.substr(at, slash + 1 - at));
  }
  return false;
}

bool is_aside(std::string_view path) {
  return lies_in(path, {"test", "tests", "testing", "example", "examples", "demo", "demos", "bench",
                        "benchmarks", "fuzz", "fuzzing", "contrib", "doc", "docs"});
}

std::string folder_of(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? "" : std::string(path.substr(0, slash));
}

std::string path_in(const std::string& folder, std::string_view name) {
  return (folder.empty() ? "" : folder + "/").append(name);
}

std::string tree_path(const std::string& folder, const std::string& path) {
  const std::string normal = (std::filesystem::path(folder) / path).lexically_normal().generic_string();
  return normal == "." ? "" : normal.ends_with('/') ? normal.substr(0, normal.size() - 1) : normal;
}

bool leads_out_of_tree(const std::string& path) {
  return path == ".." || path.starts_with("../");
}

std::string_view name_of_file(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

std::string_view stem_of(std::string_view path) {
  const std::string_view name = name_of_file(path);
  return name.substr(0, name.rfind('.'));
}

}  // namespace jcprof::rewriter
