// SPDX-License-Identifier: Apache-2.0
// Imports profiles of other tools for tests.
#pragma once

#include <algorithm>
#include <regex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include "annotator/import/import.hpp"
#include "annotator/record/profile.hpp"
#include "src/core/error.hpp"
#include "tests/annotator/foreign_reader.hpp"

namespace jcprof::annotator::test_import {

inline constexpr std::string_view words =
    "static int twice(int n) { return 2 * n; }\n"
    "static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }\n"
    "static int odd(int n);\n"
    "static int even(int n) { return n == 0 ? 1 : odd(n - 1); }\n"
    "static int odd(int n) { return n == 0 ? 0 : even(n - 1); }\n"
    "static int sum(int n) {\n"
    "  int s = 0;\n"
    "  for (int i = 0; i < n; ++i)\n"
    "    s += twice(i);\n"
    "  return s;\n"
    "}\n"
    "int main(int argc, char** argv) { return sum(1000 * argc) + fib(10) + even(20) == (argv == 0); }\n";

class Bench {
 public:
  Profile imported(const std::string& name, std::string_view text = {}, const std::string& elf = {}) {
    if (!text.empty()) reader.write(name, text);
    const Imported profile =
        import_profile({.path = reader.folder() / name, .elf = elf.empty() ? elf : path(elf)});
    Store store(reader.folder() / "profile.jcprof", OpenMode::fresh);
    store_imported(store, profile);
    run = newest_run(store);
    return run.profile;
  }
  std::string error(const std::string& name, std::string_view text) {
    try {
      imported(name, text);
    } catch (const UserError& error) {
      return std::regex_replace(std::string(error.what()), std::regex(reader.folder().string() + "/"), "");
    }
    return "";
  }
  /// The program `words`; false, and said, where `tool` is not there.
  bool build(const std::string& tool, std::vector<std::string> flags) {
    try {
      reader.says({tool, "--version"});
    } catch (const UserError&) {
      WARN("SKIPPED: " << tool << " is missing (scripts/setup --test)");
      return false;
    }
    reader.write("words.c", words);
    flags.insert(flags.begin(), {"gcc", "-g", "-O0", "words.c", "-o", "words"});
    reader.says(flags);
    return true;
  }
  std::string path(const std::string& name) const { return (reader.folder() / name).string(); }

  test::ForeignReader reader;
  NewestRun run;
};

inline const FunctionEstimate* function_of(const Profile& profile, const std::string& name) {
  const auto found = std::ranges::find(profile.functions, name, &FunctionEstimate::function);
  return found == profile.functions.end() ? nullptr : &*found;
}

inline constexpr std::string_view callgrind =
    "# callgrind format\nversion: 1\ncreator: callgrind-3.19.0\ncmd: ./words a.txt\n"
    "positions: instr line\nevents: Dr Ir\nsummary: 9 60\n\n"
    "ob=(1) /bin/words\nfl=(1) a.c\nfn=(1) main\n0x10 5 1 10\n+4 +1 1 10\n"
    "cfi=(2) b.c\ncfn=(2) f\ncalls=3 0x40 8\n* * 5 25\n"
    "fi=(3) c.h\n+4 2 1 5\njump=2 0x10 5\n* *\nfe=(1)\n+4 7 0 5\n\n"
    "fl=(2)\nfn=(2)\n0x40 8 4 20\n+4 * 1 5\n\n"
    "part: 2\nevents: Dr Ir\nfl=(1)\nfn=(1)\n0x10 5 1 5\ntotals: 9 60\n";

}  // namespace jcprof::annotator::test_import
