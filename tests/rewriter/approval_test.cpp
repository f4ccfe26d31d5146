// SPDX-License-Identifier: Apache-2.0
// One Java feature a file, found by glob in tests/rewriter/java. The instrumented text is compared with the
// one that was approved (scripts/approve accepts a new one); then the undo property and, on jCardSim, the
// behaviour.
#include <algorithm>
#include <regex>
#include <set>

#include <fmt/format.h>
#include <catch2/catch.hpp>

#include "rewriter/generate.hpp"
#include "rewriter/strip_files.hpp"
#include "src/core/file.hpp"
#include "src/core/process.hpp"
#include "tests/rewriter/approval.hpp"
#include "tests/rewriter/rewriting.hpp"

namespace fs = std::filesystem;
using namespace jcprof;
using namespace jcprof::rewriter;

namespace {

std::vector<fs::path> features() {
  return features_in("java");
}

std::string entry_of(const fs::path& file) {
  return file.stem().string() + ".process";
}

/// The instrumented text, then what the tool said about it.
std::string report(const Rewritten& rewritten) {
  std::string text = rewritten.text + list_of(rewritten.traps) + "---- notes\n";
  for (const std::string& note : rewritten.notes) text += note + "\n";
  return text;
}

Project project_of(const fs::path& folder, const fs::path& file) {
  Project project;
  project.root = folder;
  project.file = folder / "jcprof.json";
  project.sources = {"**/*.java"};
  project.entry = {entry_of(file)};
  return project;
}

}  // namespace

TEST_CASE("each feature is rewritten as approved") {
  REQUIRE(features().size() >= 15);
  for (const fs::path& file : features()) {
    const std::string name = file.filename().string();
    check_approved(name, report(rewrite(name, read_file(file), {.entry = {entry_of(file)}, .scope = {}})));
  }
}

TEST_CASE("no two traps share a key") {
  for (const fs::path& file : features()) {
    const std::string name = file.filename().string();
    std::set<std::string> keys;
    const Rewritten rewritten = rewrite(name, read_file(file), {.entry = {entry_of(file)}, .scope = {}});
    for (const Trap& trap : rewritten.traps) keys.insert(trap.key);
    INFO(name);
    CHECK(keys.size() == rewritten.traps.size());
  }
}

TEST_CASE("taking out the inserted spans gives the original bytes, at every level") {
  for (const fs::path& file : features())
    for (const TrapLevel level :
         {TrapLevel::none, TrapLevel::function, TrapLevel::block, TrapLevel::statement}) {
      const std::string name = file.filename().string();
      const std::string source = read_file(file);
      const Rewritten rewritten =
          rewrite(name, source,
                  {.entry = {entry_of(file)}, .scope = {.include = {"*"}, .exclude = {}, .level = level}});
      INFO(name);
      CHECK(rewritten.text != source);
      CHECK(std::ranges::count(rewritten.text, '\n') == std::ranges::count(source, '\n'));
      CHECK(strip(name, rewritten.text) == source);
    }
}

TEST_CASE("the output compiles, behaves the same unarmed, and stops at each event") {
  const fs::path work = fs::path(JCPROF_BINARY_DIR) / "tests/behaviour";
  fs::remove_all(work);
  Command java{.argv = {"java", "-XX:TieredStopAtLevel=1", "-cp", JCPROF_JCARDSIM,
                        (rewriter_tests / "Behaviour.java").string()},
               .cwd = rewriter_tests};
  for (const fs::path& file : features())
    for (const auto& [name, level] : {std::pair{"statement", TrapLevel::statement},
                                      {"block", TrapLevel::block},
                                      {"function", TrapLevel::function}}) {
      const fs::path folder = work / (file.stem().string() + "." + name);
      fs::create_directories(folder / "original");
      fs::copy_file(file, folder / "original" / file.filename());
      Project project = project_of(folder / "original", file);
      project.profile.level = level;
      generate(project, folder);
      fs::rename(folder / "tree", folder / "instrumented");
      const bool in_package = file.stem() == "InPackage";
      write_file(folder / "entry", (in_package ? "com.example.demo." : "") + file.stem().string());
      java.argv.push_back(folder.string());
    }
  const ProcessResult result = run_and_wait(java, {.file = work / "java.log"}, std::chrono::minutes{4});
  INFO(read_file(work / "java.log"));
  CHECK(result.exit_status == 0);
}

namespace {

/// Generates with a function `large` of that many statements, each two deep in blocks.
Generated generate_large(int statements) {
  const fs::path folder = fs::path(JCPROF_BINARY_DIR) / fmt::format("tests/too_large_{}", statements);
  fs::remove_all(folder);
  std::string large = "  void large() {\n";
  for (int i = 0; i < statements; ++i)
    large += "    { memory[0] = (byte) (memory[1] + memory[2] * memory[3] - memory[4]); memory[1]++; }\n";
  write_file(folder / "A.java", applet("void run(byte a, byte b) { large(); }\n" + large + "  }"));
  Project project = project_of(folder, "A.java");
  project.compile.classpath = {JCPROF_JCARDSIM};
  return generate(project, folder / "out");
}

}  // namespace

TEST_CASE("a method that traps make too large has those of a coarser level") {
  const Generated generated = generate_large(1100);
  const auto count = [&](const std::string& function) {
    return std::ranges::count(generated.map.traps, function, &Trap::function);
  };
  CHECK(count("A.large") == 2201);
  CHECK(count("A.run") == 3);
  // The hundreds of bytes are those of PM.java and of the compiler.
  std::vector<std::string> notes = generated.notes;
  for (std::string& note : notes)
    note = std::regex_replace(note, std::regex("(6[0-9])[0-9]{3} bytes"), "$1 thousand bytes");
  CHECK(notes ==
        std::vector<std::string>{
            "A.java:6: 1101 traps of A.large are taken out (\"level\" is \"block\" there): code too large",
            "A.large has about 62 thousand bytes of bytecode with its traps; a Java Card method holds 32767: "
            "narrow "
            "\"profile.include\", or set \"profile.level\" to \"block\" or \"function\"",
            "the package has about 64 thousand bytes of bytecode, 13248 of them for 2208 traps; a Java Card "
            "package "
            "holds 65535: narrow \"profile.include\", or set \"profile.level\" to \"block\" or "
            "\"function\""});
}

TEST_CASE("a method that no block has room in keeps the traps at its ends") {
  const Generated generated = generate_large(1250);
  CHECK(std::ranges::count(generated.map.traps, "A.large", &Trap::function) == 2);
  REQUIRE_FALSE(generated.notes.empty());
  CHECK(generated.notes.front() ==
        "A.java:6: 3750 traps of A.large are taken out (\"level\" is \"function\" there): code too large");
}

namespace {

/// Generates from sources given as (name, text) and strips the tree again; the notes of the generation.
std::vector<std::string> generate_and_strip(const fs::path& folder,
                                            const std::vector<std::pair<std::string, std::string>>& sources) {
  fs::remove_all(folder);
  for (const auto& [name, text] : sources) write_file(folder / "project" / name, text);
  Project project = project_of(folder / "project", "A.java");
  project.compile.classpath = {JCPROF_JCARDSIM};
  const Generated generated = generate(project, folder / "out");
  strip_in_place(folder / "out/tree");
  for (const auto& [name, text] : sources) CHECK(read_file(folder / "out/tree" / name) == text);
  CHECK(std::ranges::count_if(fs::recursive_directory_iterator(folder / "out/tree"), [](const auto& entry) {
          return entry.is_regular_file();
        }) == std::ssize(sources));
  return generated.notes;
}

}  // namespace

TEST_CASE("names of the user's that are PM or PMC make the runtime choose others") {
  const fs::path work = fs::path(JCPROF_BINARY_DIR) / "tests/names";
  const std::vector<std::string> members{"short PM; void run(byte a, byte b) { short PMC = a; PM += PMC; }",
                                         "static class PM { } void run(byte a, byte b) { Object x = new "
                                         "PM(); try { x = null; } finally { a++; } }"};
  for (const std::string& member : members)
    CHECK(generate_and_strip(work, {{"A.java", applet(member)}}).empty());
  CHECK(generate_and_strip(work, {{"A.java", applet("void run(byte a, byte b) { new PM(); }")},
                                  {"PM.java", "class PM { short x() { return 1; } }\n"}})
            .empty());
}

TEST_CASE("the ancestor's PM and PMC are replaced, and its calls stay and compile wherever they stand") {
  const std::string members =
      "public static void install(byte[] a, short o, byte l) { PM.check(PMC.TRAP_outside); }\n"
      "void run(byte a, byte b) { PM.m_perfStop = a; PM.check(PMC.TRAP_inside); }";
  const std::vector<std::string> notes = generate_and_strip(
      fs::path(JCPROF_BINARY_DIR) / "tests/ancestor",
      {{"A.java", applet(members)},
       {"PM.java",
        "public class PM { public static short m_perfStop; public static void check(short s) { } }\n"},
       {"PMC.java", "public class PMC { public static final short TRAP_outside = 1, TRAP_inside = 2; }\n"}});
  CHECK(notes ==
        std::vector<std::string>{
            "A.java:5: no trap: A.install: it runs when the applet is installed, before a trap can be armed",
            "PM.java: jcprof's own takes its place", "PMC.java: jcprof's own takes its place"});
}

TEST_CASE(
    "an ancestor's PM that holds the trap numbers itself is replaced, with every number that is named") {
  const std::string members =
      "void run(byte a, byte b) { PM.m_perfStop = PM.PERF_START; PM.check(PM.TRAP_ADD_1); if (a > b) return; "
      "PM.check(PM.TRAP_ADD_2); }";
  CHECK(generate_and_strip(
            fs::path(JCPROF_BINARY_DIR) / "tests/ancestor_numbers",
            {{"A.java", applet(members)},
             {"PM.java",
              "public class PM { public static short m_perfStop; public static final short PERF_START = 1;\n"
              "  public static final short TRAP_ADD = 0x7000, TRAP_ADD_1 = TRAP_ADD + 1, TRAP_ADD_2 = 2;\n"
              "  public static void check(short s) { } }\n"}}) ==
        std::vector<std::string>{"PM.java: jcprof's own takes its place"});
}

TEST_CASE(
    "a successor's PM, which is told its trap by PM.set(apdu), is replaced; one that does more is kept") {
  const fs::path work = fs::path(JCPROF_BINARY_DIR) / "tests/successor";
  const std::string pmc = "public class PMC { public static final short TRAP_x = 1; }\n";
  const std::string check = "import javacard.framework.*; class PM { static void check(short s) { } ";
  const std::string members =
      "void run(byte a, byte b) { PM.check(PMC.TRAP_x); } void set(APDU a) { PM.set(a); }";
  CHECK(generate_and_strip(work, {{"A.java", applet(members)},
                                  {"PM.java", check + "static void set(APDU a) { } }\n"},
                                  {"PMC.java", pmc}}) ==
        std::vector<std::string>{"PM.java: jcprof's own takes its place",
                                 "PMC.java: jcprof's own takes its place"});
  CHECK(generate_and_strip(
            work, {{"A.java", applet("void run(byte a, byte b) { PM.check(PMC.TRAP_x); PM.log(); }")},
                   {"PM.java", check + "static void log() { } }\n"},
                   {"PMC.java", pmc}}) == std::vector<std::string>{});
}

TEST_CASE("sources in an 8-bit encoding are checked by compiling too, and a byte order mark is no obstacle") {
  const fs::path work = fs::path(JCPROF_BINARY_DIR) / "tests/encoding";
  const std::string members = "void run(byte a, byte b) { String s = \"gr\xFC\xDF\"; /* \xC4\xE3 */ }";
  CHECK(generate_and_strip(work, {{"A.java", applet(members)}}).empty());
  CHECK(generate_and_strip(work, {{"A.java", "\xEF\xBB\xBF" + applet("void run(byte a, byte b) { }")}}) ==
        std::vector<std::string>{"not checked by compiling: the sources do not compile by themselves: "
                                 "A.java:1: illegal character: '\\ufeff'"});
}

TEST_CASE("an ancestor's PM of another package is left to that package") {
  CHECK(generate_and_strip(
            fs::path(JCPROF_BINARY_DIR) / "tests/ancestor_package",
            {{"A.java", applet("void run(byte a, byte b) { new lib.Adder().add(); }")},
             {"lib/Adder.java",
              "package lib; public class Adder { public void add() { PM.check(PMC.TRAP_x); } }\n"},
             {"lib/PM.java", "package lib; public class PM { public static void check(short s) { } }\n"},
             {"lib/PMC.java", "package lib; class PMC { static final short TRAP_x = 1; }\n"}}) ==
        std::vector<std::string>{"3 files of package \"lib\": no trap: not the applet's package, they run in "
                                 "their caller's context"});
}
