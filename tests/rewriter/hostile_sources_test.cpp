// SPDX-License-Identifier: Apache-2.0
// Sources that crash, hang or starve a parser: the file is named, and the others get their traps.
#include <filesystem>
#include <string>

#include <sys/stat.h>
#include <catch2/catch.hpp>

#include "rewriter/isolation.hpp"
#include "src/core/error.hpp"
#include "src/core/file.hpp"
#include "tests/core/temporary_folder.hpp"

namespace jcprof::rewriter {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using test::TemporaryFolder;

const std::string good =
    "int helper(int n) {\n  n++;\n  return n;\n}\nint main(void) {\n  return helper(0);\n}\n";

const std::string applet =
    "import javacard.framework.*;\npublic class A extends Applet {\n"
    "  public static void install(byte[] b, short o, byte l) { new A().register(); }\n"
    "  public void process(APDU apdu) { short n = 0; n++; }\n}\n";

std::string many(int times, const std::string& text) {
  std::string result;
  for (int i = 0; i < times; ++i) result += text;
  return result;
}

/// A project of good.c and whatever a test puts beside it.
struct HostileTree {
  TemporaryFolder folder;
  std::string target = "program";
  std::string entry = "main";
  std::string level = "statement";
  ReadingLimits limits{.patience = 60s, .memory = 0, .most_left_out = 10};

  explicit HostileTree(const std::string& ending = "c") : ending_(ending) {}

  fs::path root() const { return folder / "project"; }
  void write(const std::string& name, const std::string& text) const { write_file(root() / name, text); }

  Generated generate() const {
    const std::string more =
        target == "program" ? R"("trigger": {"run": ["x"]})" : R"("trigger": {"apdu": "80100000"})";
    write("jcprof.json", R"({"format": "jcprof-project", "version": 1, "target": ")" + target +
                             R"(", "sources": ["*.)" + ending_ + R"("], "entry": ")" + entry +
                             R"(", "build": [], "profile": {"level": ")" + level + R"("}, )" + more + "}");
    Generated generated = generate_apart(read_project(root() / "jcprof.json"), folder / "out", limits);
    generated.map = read_trap_map(folder / "out" / "traps.json");
    return generated;
  }

  std::string fault() const {
    try {
      generate();
    } catch (const UserError& error) {
      return error.what();
    }
    return "(no error)";
  }

 private:
  std::string ending_;
};

/// Notes that name a file which is left out.
std::string left_out(const Generated& generated) {
  std::string text;
  for (const std::string& note : generated.notes)
    if (note.find("no traps: ") != std::string::npos) text += note + "\n";
  return text;
}

bool has_traps_in(const Generated& generated, const std::string& path) {
  return std::ranges::any_of(generated.map.traps, [&](const Trap& trap) { return trap.path == path; });
}

TEST_CASE("a link to a pipe as a source is named, and the others get their traps") {
  const HostileTree tree;
  tree.write("good.c", good);
  REQUIRE(::mkfifo((tree.folder / "pipe").c_str(), 0600) == 0);
  fs::create_symlink(tree.folder / "pipe", tree.root() / "pipe.c");
  fs::create_symlink("loop.c", tree.root() / "loop.c");
  fs::create_directory_symlink(".", tree.root() / "again");
  const Generated generated = tree.generate();
  CHECK(left_out(generated) ==
        "loop.c: no traps: cannot read: Too many levels of symbolic links\n"
        "pipe.c: no traps: cannot read: it is a pipe, not a regular file\n");
  CHECK(has_traps_in(generated, "good.c"));
}

TEST_CASE("an entry that stands in a file which cannot be read is missed with the file's name") {
  HostileTree tree;
  tree.write("good.c", good);
  fs::create_symlink("entry.c", tree.root() / "entry.c");
  tree.entry = "begin";
  CHECK_THAT(tree.fault(), Catch::Contains("begin") &&
                               Catch::Contains("entry.c: cannot read: Too many levels of symbolic links"));
}

TEST_CASE("a header that is a pipe is not waited for, and its includer named") {
  const HostileTree tree;
  tree.write("good.c", good);
  tree.write("bad.c", "#include \"pipe.h\"\nint f(void) { return 1; }\n");
  REQUIRE(::mkfifo((tree.root() / "pipe.h").c_str(), 0600) == 0);
  const Generated generated = tree.generate();
  CHECK_THAT(left_out(generated),
             Catch::StartsWith("bad.c: no traps: pipe.h:1: ") && Catch::Contains("regular files only"));
  CHECK(has_traps_in(generated, "good.c"));
}

TEST_CASE("a source in C that clang refuses is left out with its reason, unless the entry stands there") {
  HostileTree tree;
  tree.write("good.c", good);
  tree.write("bad.c", "int f(void) { return 1; }\nint g(void) { return none; }\nint h(void) {\n");
  const Generated generated = tree.generate();
  CHECK(left_out(generated) == "bad.c: no traps: bad.c:2: use of undeclared identifier 'none'\n");
  CHECK(generated.coverage.unread == 1);
  CHECK(
      generated.map.unread ==
      std::vector<UnreadSource>{{.path = "bad.c", .reason = "bad.c:2: use of undeclared identifier 'none'"}});
  CHECK(has_traps_in(generated, "good.c"));
  CHECK_FALSE(has_traps_in(generated, "bad.c"));
  CHECK(read_file(tree.folder / "out/tree/bad.c").starts_with("int f(void) { return 1; }\n"));
  tree.entry = "f";
  CHECK_THAT(tree.fault(), Catch::Contains("bad.c:2") && Catch::Contains("undeclared identifier 'none'"));
}

TEST_CASE("a source in Java that is none is left out with its reason, unless the entry stands there") {
  HostileTree tree("java");
  tree.target = "applet";
  tree.entry = "A.process";
  tree.write("A.java", applet);
  tree.write("Bad.java", "class Bad {\n  void run() {\n    int n = ;\n  }\n}\n");
  const Generated generated = tree.generate();
  CHECK_THAT(left_out(generated), Catch::StartsWith("Bad.java: no traps: Bad.java:3: "));
  CHECK(has_traps_in(generated, "A.java"));
  CHECK_FALSE(has_traps_in(generated, "Bad.java"));
  tree.entry = "Bad.run";
  CHECK_THAT(tree.fault(), Catch::Contains("Bad.java:3"));
  // Traps of an earlier run are no fault of the text.
  tree.entry = "A.process";
  tree.write("Bad.java", "class Bad { /*[j*/ /*j]*/ }\n");
  CHECK_THAT(tree.fault(), Catch::Contains("Bad.java"));
}

TEST_CASE("a source of 300 MB is named, and the others get their traps") {
  const HostileTree tree;
  tree.write("good.c", good);
  tree.write("large.c", "int large;\n");
  fs::resize_file(tree.root() / "large.c", 300 << 20);
  const Generated generated = tree.generate();
  CHECK(left_out(generated) == "large.c: no traps: larger than 268435456 bytes\n");
  CHECK(has_traps_in(generated, "good.c"));
}

TEST_CASE("a parser that is still busy after its time is ended, and the file named") {
  HostileTree tree;
  tree.limits.patience = 1500ms;
  std::string bomb = "#define M0 n++;\n";
  for (int i = 1; i <= 40; ++i) {
    const std::string inner = "M" + std::to_string(i - 1) + " ";
    bomb += "#define M" + std::to_string(i) + " " + inner + inner + "\n";
  }
  tree.write("bomb.c", bomb + "int f(int n) {\n  M40\n  return n;\n}\n");
  tree.write("good.c", good);
  const Generated generated = tree.generate();
  CHECK(left_out(generated) == "bomb.c: no traps: reading it took longer than 1.5 s\n");
  CHECK(has_traps_in(generated, "good.c"));
}

TEST_CASE("a parser that wants all memory is ended, and the right file named") {
  HostileTree tree;
  tree.limits.memory = (std::uint64_t{9} << 28);  // 2.25 GiB, of which two stacks take 1
  tree.write("endless.c", "#include \"/dev/zero\"\n");
  tree.write("good.c", good);
  const Generated generated = tree.generate();
  CHECK(left_out(generated) == "endless.c: no traps: reading it needed more than 2.2 GiB of memory\n");
  CHECK(has_traps_in(generated, "good.c"));
}

TEST_CASE("a chain of 8,000 else ifs is read") {
  HostileTree tree;
  tree.level = "function";
  std::string chain = "int f(int n) {\n  if (n == 0) n = 1;\n";
  for (int i = 1; i <= 8000; ++i) chain += "  else if (n == " + std::to_string(i) + ") n += 2;\n";
  tree.write("chain.c", chain + "  return n;\n}\n");
  tree.write("good.c", good);
  const Generated generated = tree.generate();
  CHECK(left_out(generated).empty());
  CHECK(has_traps_in(generated, "chain.c"));
}

TEST_CASE("nesting that overflows the parser's stack costs its file the traps, and nothing else") {
  const HostileTree tree;
  tree.write("deep.c", "int f(int n) {\n  return " + many(3'000'000, "!") + "n;\n}\n");
  tree.write("good.c", good);
  const Generated generated = tree.generate();
  CHECK(left_out(generated) == "deep.c: no traps: the parser crashed: signal 11 (Segmentation fault)\n");
  CHECK(has_traps_in(generated, "good.c"));
}

TEST_CASE("100,000 nested parentheses, blocks and NUL bytes in C end in a message or in traps") {
  for (const std::string& body :
       {many(100'000, "(") + "n" + many(100'000, ")") + ";", many(100'000, "{") + "n++;" + many(100'000, "}"),
        std::string("n++;\0 n++;", 10)}) {
    const HostileTree tree;
    tree.write("good.c", good);
    tree.write("odd.c", "int f(int n) {\n" + body + "\n  return n;\n}\n");
    const std::string fault = tree.fault();
    CHECK((fault == "(no error)" || fault.find("odd.c") != std::string::npos));
  }
}

TEST_CASE("a chain of 8,000 else ifs in Java is read, and what is nested deeper than it can be is named") {
  HostileTree tree("java");
  tree.target = "applet";
  tree.entry = "A.process";
  tree.write("A.java", applet);
  std::string chain = "class B {\n  static short f(short n) {\n    if (n == 0) n = 1;\n";
  for (int i = 1; i <= 8000; ++i) chain += "    else if (n == " + std::to_string(i % 100) + ") n += 2;\n";
  tree.write("B.java", chain + "    return n;\n  }\n}\n");
  tree.write("C.java", "class C {\n  static int f(int n) {\n    return " + many(100'000, "(") + "n" +
                           many(100'000, ")") + ";\n  }\n}\n");
  tree.write("D.java",
             "class D {\n  static void f() {\n" + many(100'000, "{") + many(100'000, "}") + "\n  }\n}\n");
  const Generated generated = tree.generate();
  CHECK_THAT(left_out(generated), Catch::Contains("C.java:3: nested more than 2000 deep") &&
                                      Catch::Contains("D.java:3: nested more than 2000 deep") &&
                                      !Catch::Contains("B.java"));
  CHECK(has_traps_in(generated, "B.java"));
}

TEST_CASE("more files than it is worth starting again for are reported together") {
  HostileTree tree;
  tree.limits = {.patience = 300ms, .memory = 0, .most_left_out = 1};
  for (const char* const name : {"a.c", "b.c", "c.c"}) tree.write(name, "#include \"/dev/zero\"\n");
  tree.write("good.c", good);
  CHECK_THAT(tree.fault(), Catch::Contains("reading it took longer than 0.3 s\n"));
}

}  // namespace
}  // namespace jcprof::rewriter
