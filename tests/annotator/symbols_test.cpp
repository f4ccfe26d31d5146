// SPDX-License-Identifier: Apache-2.0
// Names of addresses, in programs that are compiled here.
#include <array>
#include <fstream>

#include <catch2/catch.hpp>

#include "annotator/record/symbols.hpp"
#include "src/core/process.hpp"
#include "tests/annotator/log_builder.hpp"
#include "tests/annotator/trap_maps.hpp"
#include "tests/core/temporary_folder.hpp"

namespace jcprof::annotator {
namespace {

/// Prints where its functions are and what is mapped, as the runtime of record mode would note it.
constexpr const char* source = R"(#include <stdio.h>
int jcprof_log_anchor;
namespace words {
int count(const char* text) { return text[0]; }
}
static int hidden(int n) { return n + 1; }
int main() {
  printf("%p %p %p\n", (void*)&words::count, (void*)&hidden, (void*)&jcprof_log_anchor);
  FILE* maps = fopen("/proc/self/maps", "r");
  for (int c = fgetc(maps); c != EOF; c = fgetc(maps)) putchar(c);
  return words::count("") + hidden(-1);
}
)";

struct Compiled {
  test::TemporaryFolder folder;
  std::string program = (folder / "words").string();
  std::uint64_t count = 0, hidden = 0, anchor = 0;
  LogFacts facts;

  explicit Compiled(const std::string& flags, const std::string& afterwards = "true",
                    const std::string& compiler = "g++") {
    std::ofstream(folder / "words.cpp") << source;
    const std::string out = (folder / "out").string();
    const std::string command = fmt::format("cd {} && {} {} words.cpp -o words && ./words >out && {}",
                                            folder.path().string(), compiler, flags, afterwards);
    REQUIRE(std::system(command.c_str()) == 0);
    std::ifstream text(out);
    text >> std::hex >> count >> hidden >> anchor;
    std::string line;
    for (std::getline(text, line); std::getline(text, line);) {
      std::array<char, 5> rights{};
      LogModule module;
      int at = 0;
      if (std::sscanf(line.c_str(), "%lx-%lx %4s %lx %*s %*s %n", &module.begin, &module.end, rights.data(),
                      &module.offset, &at) >= 4 &&
          rights[2] == 'x') {
        module.file = line.substr(static_cast<std::size_t>(at));
        facts.modules.push_back(module);
      }
    }
    REQUIRE(facts.modules.size() >= 2);
  }
};

}  // namespace

TEST_CASE("functions have their names, sources and lines, wherever a program was loaded") {
  const char* flags = GENERATE("-g -pie -fPIE", "-g -no-pie", "-g -static", "-g -O2 -pie -fPIE -gdwarf-4");
  const Compiled words(flags);
  Symbols symbols(words.facts, {});
  const StoredSymbol count = symbols.at(words.count);
  CHECK(count.name == "words::count(char const*)");
  CHECK(count.path == (words.folder / "words.cpp").string());
  CHECK(count.line == 4);
  CHECK(count.module == words.program);
  CHECK(count.build_id.size() == 40);
  const StoredSymbol hidden = symbols.at(words.hidden);
  CHECK(hidden.name == "hidden(int)");
  CHECK(hidden.line == 6);
  CHECK(symbols.warnings().empty());
}

TEST_CASE("functions of clang have their places too, though it writes no table of addresses") {
  if (std::system("clang++-19 --version >/dev/null 2>&1") != 0) {
    WARN("SKIPPED: clang++-19 is missing");
    return;
  }
  const char* flags = GENERATE("-g -gdwarf-5", "-g -gdwarf-4", "-g -O1 -static");
  const Compiled words(flags, "true", "clang++-19");
  Symbols symbols(words.facts, {});
  const StoredSymbol count = symbols.at(words.count);
  CHECK(count.name == "words::count(char const*)");
  CHECK(count.path == (words.folder / "words.cpp").string());
  CHECK(count.line == 4);
  CHECK(symbols.at(words.hidden).line == 6);
}

TEST_CASE("functions that say no place themselves have that of their first instruction") {
  const Compiled split("-g -gsplit-dwarf");
  Symbols symbols(split.facts, {});
  CHECK(symbols.at(split.count).path == (split.folder / "words.cpp").string());
  CHECK(symbols.at(split.count).line == 4);
  CHECK(symbols.at(split.hidden).line == 6);
}

TEST_CASE("without debug information there are names, and without those addresses in the file") {
  const Compiled plain("-pie -fPIE");
  Symbols named(plain.facts, {});
  CHECK(named.at(plain.hidden).name == "hidden(int)");
  CHECK(named.at(plain.hidden).path.empty());
  const Compiled stripped("-pie -fPIE", "strip words");
  Symbols bare(stripped.facts, {});
  const StoredSymbol hidden = bare.at(stripped.hidden);
  CHECK(hidden.name == fmt::format("{:#x}", hidden.address));
  CHECK((stripped.hidden - hidden.address) % 4096 == 0);
  const Compiled dynamic("-pie -fPIE -rdynamic", "strip words");
  Symbols exported(dynamic.facts, {});
  CHECK(exported.at(dynamic.count).name == "words::count(char const*)");
}

TEST_CASE("debug information in a file of its own is found") {
  const Compiled apart("-g -pie -fPIE",
                       "objcopy --only-keep-debug words words.debug && strip words && "
                       "objcopy --add-gnu-debuglink=words.debug words");
  Symbols symbols(apart.facts, {});
  CHECK(symbols.at(apart.hidden).name == "hidden(int)");
  CHECK(symbols.at(apart.hidden).line == 6);
}

TEST_CASE("where only an anchor is known a given file tells where it was loaded") {
  const Compiled words("-g -pie -fPIE");
  LogFacts facts;
  facts.head.anchor = words.anchor;
  Symbols symbols(facts, {"/bin/sh", words.program});
  CHECK(symbols.at(words.count).name == "words::count(char const*)");
  CHECK(symbols.at(words.count).module == words.program);
  CHECK(symbols.at(0x10).name == "0x10");
}

TEST_CASE("a module that is gone is told, and a file of its name that was given stands for it") {
  const Compiled words("-g -pie -fPIE", "mkdir kept && cp words kept");
  std::filesystem::remove(words.program);
  Symbols gone(words.facts, {});
  CHECK(gone.at(words.count).name.starts_with("0x"));
  REQUIRE(gone.warnings().size() == 1);
  CHECK(gone.warnings()[0].text ==
        words.program + ": not a readable ELF file, so its functions have no names");
  Symbols kept(words.facts, {words.folder / "kept/words"});
  CHECK(kept.at(words.count).name == "words::count(char const*)");
  CHECK(kept.warnings().empty());
}

TEST_CASE("a module that was written again after the recording is told") {
  Compiled words("-g");
  words.facts.written = std::filesystem::last_write_time(words.program);
  Symbols same(words.facts, {});
  CHECK(same.at(words.count).name == "words::count(char const*)");
  CHECK(same.warnings().empty());
  words.facts.written -= std::chrono::seconds(1);
  Symbols newer(words.facts, {});
  newer.at(words.count);
  REQUIRE(newer.warnings().size() == 1);
  CHECK(newer.warnings()[0].text ==
        words.program + ": changed after the recording, so names and lines may be wrong");
}

TEST_CASE("a module that lies there in another build gives no names, and a copy of the recorded one does") {
  Compiled words("-g -pie -fPIE -Wl,--build-id=0x1122334455667788", "mkdir kept && cp words kept");
  Symbols same(words.facts, {});
  const std::string name = same.at(words.count).name;
  CHECK(name == "words::count(char const*)");
  CHECK(same.at(words.count).build_id == "1122334455667788");
  for (LogModule& module : words.facts.modules)
    if (module.file == words.program) module.build_id = "3344";
  Symbols other(words.facts, {words.folder / "kept/words"});
  CHECK(other.at(words.count).name.starts_with("0x"));
  REQUIRE(other.warnings().size() == 1);
  CHECK(other.warnings()[0].text ==
        words.program + ": not the build that was recorded, so its functions have no names");
  for (LogModule& module : words.facts.modules)
    if (module.file == words.program) module.build_id = "1122334455667788";
  words.facts.written -= std::chrono::hours(1);  // only touched since then
  Symbols touched(words.facts, {});
  CHECK(touched.at(words.count).name == name);
  CHECK(touched.warnings().empty());
}

TEST_CASE("calls that a hook and a trap showed are one, at the place that the trap map gives") {
  // An entry is wrapped, and its body has another name.
  const std::string wrapped = GENERATE("", " -Dhidden=jcprof_body_hidden");
  const Compiled words("-g -pie -fPIE" + wrapped);
  TrapMap map = MapMaker()
                    .trap(TrapKind::entry, "words::count", 4)
                    .trap(TrapKind::before, "words::count", 4)
                    .trap(TrapKind::returns, "words::count", 4)
                    .trap(TrapKind::entry, "words.cpp:hidden", 6)
                    .trap(TrapKind::exit, "words.cpp:hidden", 6)
                    .map();
  for (Trap& trap : map.traps) trap.path = "words.cpp";
  LogBuilder log;
  for (const LogModule& module : words.facts.modules)
    log.module(module.file, module.begin, module.end, module.offset);
  log.function(1, words.count).function(2, words.hidden);
  log.enter(1, 0, 1).line(1, 10, 1).line(1, 20, 2).enter(1, 30, 2).line(1, 35, 4).line(1, 45, 5).leave(1, 50,
                                                                                                       2);
  log.line(1, 60, 3).leave(1, 70, 1);
  const RecordedRun run = analyzed(log, map);
  CHECK(tree(run) == "1: words::count×1 70(50)\n1:  words.cpp:hidden×1 20(20)\n");
  CHECK(estimates(run, EstimateScope::function) == "words::count×1 70(50) words.cpp:hidden×1 20(20) ");
  // Of the first 10 and 5 ticks, from the hook to the first trap, too.
  CHECK(run.recording.call_lines ==
        std::vector<StoredCallLine>{{.call = 1, .path = "words.cpp", .line = 4, .ticks = 50},
                                    {.call = 2, .path = "words.cpp", .line = 6, .ticks = 20}});
  CHECK(run.recording.symbols.at(1).path == "words.cpp");
  CHECK(run.recording.symbols.at(1).address != 0);
  CHECK(run.recording.slow.size() == 2);
}

}  // namespace jcprof::annotator
