// SPDX-License-Identifier: Apache-2.0
// What commands do to folders that are not theirs, to links in those that are, and to each other.
#include <csignal>
#include <map>

#include <fmt/format.h>
#include <catch2/catch.hpp>

#include "src/core/file.hpp"
#include "src/core/sqlite.hpp"
#include "tests/end_to_end/workplace.hpp"

namespace jcprof {
namespace {

namespace fs = std::filesystem;
using test::Running;
using test::Said;
using test::Workplace;

/// Names and contents of all that lies below a folder, links as what they lead to by name.
std::map<std::string, std::string> snapshot(const fs::path& folder) {
  std::map<std::string, std::string> all;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
    std::string& content = all[entry.path().lexically_relative(folder).string()];
    if (entry.is_symlink())
      content = "-> " + fs::read_symlink(entry.path()).string();
    else if (entry.is_regular_file())
      content = read_file(entry.path());
  }
  return all;
}

constexpr const char* project_text = R"({"format": "jcprof-project", "version": 1, "target": "program",
  "sources": ["src/*.c"], "entry": "main", "compile": {"flags": ["-w"]},
  "build": [{"run": ["sh", "-c", "test ! -e ../../wait || touch ../../waits; while test -e ../../wait; do sleep 0.02; done; cc -o \"$0\" src/*.c", "{out}/x"],
             "cwd": "{tree}"}],
  "trigger": {"run": ["{out}/x"]}, "session": {"timeout": "5s"}})";

struct Small {
  Workplace place{"folders"};
  fs::path project = place / "project";
  fs::path out = project / "jcprof-out";

  Small() { write_project(project); }
  void write_project(const fs::path& folder) const {
    write_file(folder / "src/x.c",
               "static int f(int n) {\n  n++;\n  return n;\n}\nint main(void) {\n  f(1);\n  return 0;\n}\n");
    write_file(folder / "jcprof.json", project_text);
  }
  Said run(const std::string& verb, std::vector<std::string> options = {}) const {
    options.insert(options.begin(), {"jcprof", verb, project.string()});
    return place.run(options);
  }
  Said profile() const { return run("profile", {"--no-refine", "--rounds", "2", "-q"}); }
};

TEST_CASE("sources in a folder that is named as the output survive, with their version control") {
  const Small small;
  const fs::path tree = small.place / "b/tree";
  small.write_project(tree);
  write_file(tree / ".git/HEAD", "ref");
  const auto before = snapshot(small.place / "b");
  const Said inside = small.place.run({"jcprof", "gen", ".", "-o", ".."}, tree.string());
  CHECK(inside.status == 2);
  CHECK(inside.err ==
        "the output folder \"@/b\" holds the project\n"
        "hint: -o names a folder outside of the project; without -o it is jcprof-out beside the project "
        "file\n");
  for (const char* verb : {"gen", "profile"}) {
    const Said foreign = small.run(verb, {"-o", (small.place / "b").string()});
    CHECK(foreign.status == 2);
    CHECK_THAT(foreign.err, Catch::StartsWith("\"@/b\" is not empty, and jcprof did not make it"));
  }
  CHECK(small.place.run({"jcprof", "record", "-o", "b", "--", "true"}).status == 2);
  CHECK(small.run("gen", {"-o", (small.project / "src").string()}).status == 2);
  CHECK(snapshot(small.place / "b") == before);
}

TEST_CASE("no link in the output folder is followed") {
  const Small small;
  const Said first = small.profile();
  INFO(first.err);
  REQUIRE(first.status == 0);
  const fs::path theirs = small.place / "theirs";
  for (const char* file : {"tree/x", "annotated/src/x.c", "logs/build.log", "report.html", "traps.json"})
    write_file(theirs / file, "theirs");
  fs::copy_file(small.out / "profile.jcprof", theirs / "profile.jcprof");
  const auto before = snapshot(theirs);
  for (const char* name :
       {"tree", "edge", "annotated", "annotated/src", "annotated/src/x.c", "logs", "logs/build.log",
        "report.html", "traps.json", "profile.jcprof", "profile.jcprof-wal", "profile.jcprof-journal"}) {
    INFO(name);
    const fs::path link = small.out / name;
    fs::remove_all(link);
    fs::create_directories(link.parent_path());
    fs::create_symlink(theirs / (std::string_view(name) == "edge" ? "tree" : name), link);
    const std::string file = name;
    const bool is_generated = file == "tree" || file == "edge" || file == "traps.json";
    const Said said =
        file.starts_with("logs") ? small.profile() : small.run(is_generated ? "gen" : "annotate");
    CHECK((said.status == 0 || said.status == 2));
    if (said.status != 0) CHECK_THAT(said.err, Catch::Contains(": a link, which jcprof does not follow"));
    CHECK(snapshot(theirs) == before);
    if (fs::is_symlink(link)) fs::remove(link);
    if (file == "profile.jcprof") fs::copy_file(theirs / file, link);
  }
}

TEST_CASE("one command at a time works in an output folder, and the others say which") {
  const Small small;
  REQUIRE(small.profile().status == 0);
  const fs::path wait = small.project / "wait";
  write_file(wait, "");
  Running first =
      small.place.start({"jcprof", "profile", small.project.string(), "--no-refine", "--rounds", "2"});
  REQUIRE(test::becomes_true([&] { return fs::exists(small.project / "waits"); }));
  const std::string held = fmt::format(
      "\"@/project/jcprof-out\" is in use: jcprof profile (process {}) works in it\n"
      "hint: wait until it has ended, or end it; name another folder with -o\n",
      first.pid());
  for (const char* verb : {"gen", "run", "profile", "annotate"}) {
    const Said second = small.run(verb);
    INFO(verb);
    CHECK(second.status == 3);
    CHECK(second.err == held);
  }
  CHECK(small.place.run({"jcprof", "annotate", (small.out / "profile.jcprof").string()}).err == held);
  // Looking needs no lock.
  CHECK(small.run("annotate", {"--show"}).status == 0);
  fs::remove(wait);
  CHECK(first.wait() == 0);
  CHECK(small.run("annotate").status == 0);
}

TEST_CASE("several gens into one folder leave the tree of one, and the others say so") {
  const Small small;
  const Said said = small.place.run({"sh", "-c",
                                     "for i in 1 2 3 4; do { " JCPROF_BIN_DIR
                                     "/jcprof gen project -q; echo $?; } & done; wait"});
  int done = 0;
  for (const char status : said.out)
    if (status != '\n') {
      CHECK((status == '0' || status == '3'));
      done += status == '0' ? 1 : 0;
    }
  CHECK(done >= 1);
  CHECK(fs::exists(small.out / "tree/src/x.c"));
  CHECK(fs::exists(small.out / "tree/jcprof.json"));
}

TEST_CASE("a fresh run of a target that does not answer leaves the profile as it was") {
  const Small small;
  REQUIRE(small.profile().status == 0);
  const std::string before = read_file(small.out / "profile.jcprof");
  write_file(small.out / "x", "#!/bin/sh\nexit 1\n");
  CHECK(small.run("run", {"--fresh"}).status != 0);
  CHECK(read_file(small.out / "profile.jcprof") == before);
}

TEST_CASE("a profile whose samples were changed is refused by all that make numbers of it, and stays") {
  const Small small;
  REQUIRE(small.profile().status == 0);
  const std::string profile = (small.out / "profile.jcprof").string();
  {
    const sqlite::Database database(profile, sqlite::Access::read_write);
    database.execute("UPDATE sample SET ticks = ticks + 1 WHERE sequence = 0");
  }
  const std::string changed = read_file(profile);
  for (const std::vector<std::string>& verb :
       {std::vector<std::string>{"export", profile, "--format", "json"},
        {"annotate", small.project.string()}}) {
    std::vector<std::string> argv{"jcprof"};
    argv.insert(argv.end(), verb.begin(), verb.end());
    const Said said = small.place.run(argv);
    CHECK(said.status == 2);
    CHECK_THAT(said.err,
               Catch::Contains("the profile is damaged: the warm-up of run 1 is not as it was measured"));
    CHECK_THAT(said.err, Catch::Contains("move it away and measure again"));
  }
  CHECK(small.place.run({"jcprof", "query", profile, "SELECT count(*) FROM sample"}).status == 0);
  CHECK(test::is_sound(profile));
}

}  // namespace
}  // namespace jcprof
