// SPDX-License-Identifier: Apache-2.0
// Holds the table "may include" of docs/architecture.md, and the tests that docs/testing.md names.
#include <algorithm>
#include <filesystem>
#include <map>
#include <ranges>
#include <regex>
#include <sstream>
#include <vector>

#include <catch2/catch.hpp>

#include "src/core/file.hpp"

namespace jcprof {
namespace {

namespace fs = std::filesystem;

struct Include {
  std::string from;  // path from the root
  std::string what;
};

std::vector<Include> includes_in(const std::string& path, const std::string& text) {
  static const std::regex include(R"(^\s*#\s*include\s*[<"]([^>"]+)[>"].*)");
  std::vector<Include> found;
  std::istringstream lines(text);
  std::smatch match;
  for (std::string line; std::getline(lines, line);)
    if (std::regex_match(line, match, include)) found.push_back({path, match[1]});
  return found;
}

std::vector<Include> all_includes() {
  const fs::path root = JCPROF_SOURCE_DIR;
  std::vector<Include> found;
  for (const char* folder : {"src/core", "src/engine", "agents", "rewriter", "harness", "annotator"})
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root / folder)) {
      if (entry.path().extension() != ".hpp" && entry.path().extension() != ".cpp") continue;
      const std::string path = fs::relative(entry.path(), root).generic_string();
      std::ranges::move(includes_in(path, read_file(entry.path())), std::back_inserter(found));
    }
  return found;
}

/// Which of our folders a folder may include, besides itself.
const std::map<std::string, std::vector<std::string>>& allowed_folders() {
  static const std::map<std::string, std::vector<std::string>> allowed{
      {"src/core/", {}},
      {"src/engine/", {"src/core/"}},
      {"rewriter/", {"src/core/"}},
      {"harness/", {"src/core/", "src/engine/"}},
      {"annotator/", {"src/core/", "src/engine/"}},
      {"annotator/estimate/", {"src/core/", "src/engine/"}},
      {"agents/", {"src/core/", "programs/main_guard.hpp"}},
      {"agents/card/", {"agents/", "src/core/", "harness/", "programs/main_guard.hpp"}}};
  return allowed;
}

/// Headers of C libraries, and where alone they may be included; nowhere in headers.
const std::map<std::string, std::string>& homes_of_c_headers() {
  static const std::map<std::string, std::string> homes{{"clang-c/", "rewriter/c/"},
                                                        {"tree_sitter/", "rewriter/java/"},
                                                        {"sqlite3.h", "src/core/"},
                                                        {"winscard.h", "harness/card/"},
                                                        {"PCSC/", "harness/card/"},
                                                        {"sys/socket.h", "harness/card/"},
                                                        {"netinet/", "harness/card/"},
                                                        {"sha256.h", "src/core/"},
                                                        {"CLI/", "programs/"},
                                                        {"yaml.h", "annotator/hops/"},
                                                        {"dwarf.h", "annotator/record/"},
                                                        {"elfutils/libdwelf.h", ""},
                                                        {"elfutils/libdwfl.h", "annotator/record/"}};
  return homes;
}

bool is_forbidden(const Include& include) {
  for (const auto& [header, home] : homes_of_c_headers())
    if (include.what.starts_with(header))
      return !include.from.starts_with(home) || include.from.ends_with(".hpp");
  const bool is_ours = include.what.starts_with("src/") || include.what.starts_with("tests/") ||
                       include.what.starts_with("programs/") ||
                       allowed_folders().contains(include.what.substr(0, include.what.find('/') + 1));
  if (!is_ours) return false;
  // A folder in another comes before the one that holds it.
  for (const auto& [folder, others] : allowed_folders() | std::views::reverse) {
    if (!include.from.starts_with(folder)) continue;
    const bool is_other_allowed = std::ranges::any_of(
        others, [&](const std::string& other) { return include.what.starts_with(other); });
    return !include.what.starts_with(folder) && !is_other_allowed;
  }
  return true;
}

TEST_CASE("no folder includes what the architecture keeps from it") {
  const std::vector<Include> includes = all_includes();
  CHECK(includes.size() > 50);  // the scan found the sources at all
  for (const Include& include : includes)
    if (is_forbidden(include)) FAIL_CHECK(include.from << " includes " << include.what);
}

TEST_CASE("the layering rules would notice a forbidden include") {
  const auto forbidden = [](const std::string& from, const std::string& line) {
    const std::vector<Include> includes = includes_in(from, line + "\n");
    return includes.size() == 1 && is_forbidden(includes.front());
  };
  CHECK(forbidden("src/core/a.cpp", "#include \"rewriter/plan.hpp\""));
  CHECK(forbidden("src/core/a.cpp", "#include \"programs/main_guard.hpp\""));
  CHECK(forbidden("src/engine/a.cpp", "#include \"harness/transport.hpp\""));
  CHECK(forbidden("rewriter/a.cpp", "#include \"src/engine/look.hpp\""));
  CHECK(forbidden("harness/a.hpp", " #  include \"annotator/statistics.hpp\""));
  CHECK(forbidden("annotator/a.cpp", "#include \"harness/transport.hpp\"  // why not"));
  CHECK(forbidden("rewriter/a.hpp", "#include <tree_sitter/api.h>"));
  CHECK(forbidden("rewriter/a.hpp", "#include <clang-c/Index.h>"));
  CHECK(forbidden("annotator/a.cpp", "#include <sqlite3.h>"));
  CHECK(forbidden("src/core/a.cpp", "#include <sys/socket.h>"));
  CHECK(forbidden("harness/a.hpp", "#include <PCSC/winscard.h>"));
  CHECK(forbidden("agents/ecall/a.cpp", "#include \"harness/agent/link.hpp\""));
  CHECK(forbidden("agents/card/a.cpp", "#include \"annotator/tables.hpp\""));
  CHECK_FALSE(forbidden("agents/card/a.cpp", "#include \"harness/card/session.hpp\""));
  CHECK_FALSE(forbidden("agents/ecall/a.cpp", "#include \"templates/jcprof_plugin.h\""));
  CHECK_FALSE(forbidden("rewriter/java/a.cpp", "#include <tree_sitter/api.h>"));
  CHECK(forbidden("rewriter/c/a.cpp", "#include <tree_sitter/api.h>"));
  CHECK(forbidden("annotator/estimate/a.cpp", "#include \"annotator/tables.hpp\""));
  CHECK(forbidden("harness/a.cpp", "#include \"programs/steps.hpp\""));
  CHECK_FALSE(forbidden("annotator/tables.cpp", "#include \"annotator/estimate/estimates.hpp\""));
  CHECK_FALSE(forbidden("harness/a.cpp", "#include \"src/core/types.hpp\""));
  CHECK_FALSE(forbidden("src/core/a.cpp", "#include <vector>"));
}

TEST_CASE("every source of tests is compiled") {
  const fs::path root = JCPROF_SOURCE_DIR;
  std::size_t sources = 0;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root / "tests")) {
    if (!entry.path().filename().string().ends_with("_test.cpp")) continue;
    ++sources;
    INFO(entry.path());
    const std::string listed = read_file(entry.path().parent_path() / "CMakeLists.txt");
    CHECK(std::regex_search(listed, std::regex(R"(\b)" + entry.path().stem().string() + R"(\.cpp\b)")));
  }
  CHECK(sources > 50);
}

/// The texts in quotation marks behind this heading.
std::vector<std::string> quoted_in(const std::string& page, const std::string& heading) {
  const std::size_t begin = page.find("\n## " + heading + "\n");
  REQUIRE(begin != std::string::npos);
  const std::string section = page.substr(begin, page.find("\n## ", begin + 1) - begin);
  static const std::regex quoted("\"([^\"]+)\"");
  std::vector<std::string> texts;
  for (std::sregex_iterator i(section.begin(), section.end(), quoted); i != std::sregex_iterator(); ++i)
    texts.push_back((*i)[1]);
  return texts;
}

TEST_CASE("each typical mistake of docs/testing.md has its tests") {
  const fs::path root = JCPROF_SOURCE_DIR;
  std::string tests;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root / "tests"))
    if (entry.path().filename().string().ends_with("_test.cpp")) tests += read_file(entry.path());
  const std::vector<std::string> names = quoted_in(read_file(root / "docs/testing.md"), "Typical mistakes");
  CHECK(names.size() >= 18);
  for (const std::string& name : names)
    if (tests.find("TEST_CASE(\"" + name + "\"") == std::string::npos) FAIL_CHECK("no test: " << name);
}

}  // namespace
}  // namespace jcprof
