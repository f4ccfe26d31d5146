// SPDX-License-Identifier: Apache-2.0
// One feature of C or C++ a file, found by glob in tests/rewriter/c. The instrumented text is compared with
// the one that was approved (scripts/approve accepts a new one); then the undo property and, with the
// machine's compilers, whether it compiles without a diagnostic and does what the original does.
#include <algorithm>
#include <set>

#include <catch2/catch.hpp>

#include "src/core/error.hpp"
#include "src/core/process.hpp"
#include "tests/rewriter/approval.hpp"
#include "tests/rewriter/c_rewriting.hpp"

namespace fs = std::filesystem;
using namespace jcprof;
using namespace jcprof::rewriter;

namespace {

std::vector<fs::path> features() {
  return features_in("c");
}

/// What follows "flags:" in the first line.
std::vector<std::string> flags_of(const fs::path& file) {
  const std::string text = read_file(file);
  std::string line = text.substr(0, text.find('\n'));
  const std::size_t begin = line.find("flags:");
  std::vector<std::string> flags;
  if (begin == std::string::npos) return flags;
  std::istringstream words(line.substr(begin + 6));
  for (std::string word; words >> word && word != "*/";) flags.push_back(word);
  return flags;
}

std::vector<SourceModel> read_feature(const fs::path& file) {
  const std::string name = file.filename().string();
  const fs::path folder = file.parent_path();
  return read_c(folder, {name}, {unit_of(folder, name, flags_of(file))}, {Reach::program}).models;
}

CRewritten rewrite_feature(const fs::path& file, TrapLevel level = TrapLevel::statement) {
  return rewrite_c(read_feature(file),
                   {.entry = {"main"}, .scope = {.include = {"*"}, .exclude = {}, .level = level}});
}

std::string report(const CRewritten& rewritten) {
  const SourceModel& model = rewritten.models.front();
  std::string text = rewritten.texts.front();
  const std::string root = JCPROF_SOURCE_DIR;
  text.replace(text.find(root), root.size(), "…");
  text += list_of(rewritten.traps);
  const auto with_trap = std::ranges::count_if(model.sites, &Site::counts);
  std::size_t statements = 0;
  for (const Function& function : model.functions) statements += function.statements;
  return text + fmt::format("---- {} of {} statements\n", with_trap, statements) + reasons_of(model);
}

/// Compiles and runs; what it printed, and the compiler in front of it where that said anything.
std::string outcome(const std::string& compiler, const fs::path& source,
                    const std::vector<std::string>& flags) {
  const fs::path program = source.string() + "." + fs::path(compiler).filename().string();
  Command compile{
      .argv = {compiler, "-O1", "-Wall", "-Wextra", "-DJCPROF", "-o", program.string(), source.string()},
      .cwd = source.parent_path()};
  compile.argv.insert(compile.argv.end() - 3, flags.begin(), flags.end());
  const fs::path log = program.string() + ".log";
  const ProcessResult compiled = run_and_wait(compile, {.file = log}, std::chrono::minutes{2});
  std::string said = read_file(log);
  if (compiled.exit_status != 0) return said + "does not compile";
  run_and_wait({.argv = {program.string()}, .cwd = source.parent_path()}, {.file = log},
               std::chrono::seconds{60});
  return said + read_file(log);
}

}  // namespace

TEST_CASE("each feature of C and C++ is rewritten as approved") {
  REQUIRE(features().size() >= 20);
  for (const fs::path& file : features())
    check_approved(file.filename().string(), report(rewrite_feature(file)));
}

TEST_CASE("each id stands once in C, and no two traps share a key") {
  for (const fs::path& file : features()) {
    const CRewritten rewritten = rewrite_feature(file);
    std::set<std::string> keys;
    for (const Trap& trap : rewritten.traps) {
      keys.insert(trap.key);
      const std::string id = std::to_string(number(trap.id));
      int times = 0;
      for (const std::string head : {"JCPROF_TRAP(", "JCPROF_TRAP_D(", "JCPROF_TRAP_DV(", "JCPROF_TRAP_E(",
                                     "JCPROF_TRAP_V(", "JCPROF_AFTER(", "JCPROF_LAST(", "JCPROF_LAST_E(",
                                     "JCPROF_RESULT(", "JCPROF_BEGIN(", "JCPROF_BEGIN_D("})
        for (const char* end : {")", ","})
          for (std::size_t at = 0; (at = rewritten.texts[0].find(head + id + end, at)) != std::string::npos;
               ++at)
            ++times;
      INFO(file.filename().string() + ": trap " + id);
      CHECK(times == 1);
    }
    CHECK(keys.size() == rewritten.traps.size());
  }
}

TEST_CASE("taking out what was inserted into C gives the original bytes, at every level") {
  for (const fs::path& file : features())
    for (const TrapLevel level :
         {TrapLevel::none, TrapLevel::function, TrapLevel::block, TrapLevel::statement}) {
      const std::string source = read_file(file);
      const CRewritten rewritten = rewrite_feature(file, level);
      INFO(file.filename().string());
      CHECK(rewritten.texts[0] != source);
      CHECK(strip(file.filename().string(), rewritten.texts[0]) == source);
    }
}

TEST_CASE("instrumented C and C++ compiles as before, with gcc and clang, and does the same unarmed") {
  for (const fs::path& file : features()) {
    const bool is_cpp = file.extension() == ".cpp";
    const std::string name = file.filename().string();
    std::vector<std::string> compilers{is_cpp ? "g++" : "gcc"};
    const std::string clang = is_cpp ? "/usr/lib/llvm-19/bin/clang++" : "/usr/lib/llvm-19/bin/clang";
    if (fs::exists(clang)) compilers.push_back(clang);
    const fs::path root =
        written("behaviour", {{"original/" + name, read_file(file)},
                              {"function/" + name, rewrite_feature(file, TrapLevel::function).texts[0]},
                              {"statement/" + name, rewrite_feature(file, TrapLevel::statement).texts[0]}});
    for (const std::string& compiler : compilers) {
      const std::string expected = outcome(compiler, root / "original" / name, flags_of(file));
      for (const std::string level : {"function", "statement"}) {
        INFO(name << " with " << compiler << ", traps: " << level);
        CHECK(outcome(compiler, root / level / name, flags_of(file)) == expected);
      }
    }
  }
}
