// SPDX-License-Identifier: Apache-2.0
// Plans for models, some of them written by hand.
#include "rewriter/plan.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "tests/rewriter/rewriting.hpp"

namespace jcprof::rewriter {
namespace {

/// "void NAME() { a; }": its entry, and a statement.
SourceModel file_with(const std::string& path, const Function& function) {
  SourceModel model;
  model.path = path;
  model.text = "void f() { a; }\n";
  model.functions = {function};
  model.sites = {{.kind = TrapKind::entry0, .begin = 0, .end = 15},
                 {.kind = TrapKind::before, .begin = 11, .end = 13}};
  return model;
}

std::vector<std::string> paths_of_traps(const TrapPlan& plan) {
  std::vector<std::string> paths;
  for (const FilePlan& file : plan.files)
    for (const PlannedTrap& planned : file.traps) paths.push_back(planned.trap.path);
  return paths;
}

std::vector<Trap> traps_of(const TrapPlan& plan) {
  std::vector<Trap> traps;
  for (const FilePlan& file : plan.files)
    for (const PlannedTrap& planned : file.traps) traps.push_back(planned.trap);
  return traps;
}

}  // namespace

TEST_CASE("in C a file is named by its name, in Java a class and its method by one point") {
  const std::vector<SourceModel> models{file_with("a.c", {.name = "f", .simple_name = "f"}),
                                        file_with("b.c", {.name = "g", .simple_name = "g"})};
  TrapPolicy policy{.entry = {"f"}, .scope = {.exclude = {"b.c"}}, .language = SourceLanguage::c};
  CHECK(paths_of_traps(plan_traps(models, policy)) == std::vector<std::string>{"a.c", "a.c"});
  // "A.*" is what class A has, not the file A.java with class B in it too.
  const std::string two = applet("void f() { memory[0]++; }") + "class B { void g(byte[] b) { b[0]++; } }\n";
  const auto functions = [&](const std::string& exclude) {
    std::set<std::string> names;
    for (const Trap& trap :
         rewrite("A.java", two, {.entry = {"process"}, .scope = {.exclude = {exclude}}}).traps)
      names.insert(trap.function);
    return names;
  };
  CHECK(functions("A.*") == std::set<std::string>{"A.process", "B.g"});
  CHECK(functions("A.java") == std::set<std::string>{"A.process"});
}

TEST_CASE("a trap has the guards round its place, and the line on which its statement ends") {
  SourceModel model = file_with("a.c", {.name = "f", .simple_name = "f"});
  model.text += "// the line below\n";
  model.sites[0].end = 16;  // behind the end of the first line
  model.sites[1].guards = 2;
  const std::vector<Trap> traps =
      traps_of(plan_traps({model}, {.entry = {"f"}, .language = SourceLanguage::c}));
  REQUIRE(traps.size() == 2);
  CHECK(traps[0].end_line == 1);
  CHECK(traps[0].guards == 0);
  CHECK(traps[1].guards == 2);
}

TEST_CASE("a key stays when another file gets a function of the same name") {
  const auto keys = [](const Function& function) {
    std::vector<std::string> result;
    for (const Trap& trap :
         traps_of(plan_traps({file_with("a.c", function)}, {.entry = {"f"}, .language = SourceLanguage::c})))
      result.push_back(trap.key);
    return result;
  };
  CHECK(keys({.name = "f", .simple_name = "f"}) ==
        keys({.name = "a.c:f", .simple_name = "f", .file = "a.c"}));
}

TEST_CASE("a key tells long statements apart by what stands at their ends") {
  const auto key = [](const std::string& statement) {
    SourceModel model = file_with("a.c", {.name = "f", .simple_name = "f"});
    model.text = "void f() { " + statement + "; }\n";
    model.sites[0].end = model.text.size() - 1;
    model.sites[1].end = model.text.size() - 3;
    return traps_of(plan_traps({model}, {.entry = {"f"}, .language = SourceLanguage::c})).back().key;
  };
  CHECK(key("first_of_two(second, 1)") != key("first_of_two(second, 2)"));
  CHECK(key("first_of_two(second, 1)") == key("first_of_two(second, 1)"));
}

TEST_CASE("a function with parameters is matched by its package and its name alone") {
  SourceModel model;
  model.scope = "com.example";
  CHECK(matches_function("com.example.A.f", model, {.name = "A.f(byte)", .simple_name = "f"}));
  CHECK_FALSE(matches_function("com.other.A.f", model, {.name = "A.f(byte)", .simple_name = "f"}));
}

TEST_CASE("a function whose name has a slash is found with its file") {
  const std::vector<SourceModel> models{
      file_with("lib/a.cpp", {.name = "operator/", .simple_name = "operator/"})};
  for (const char* name : {"a.cpp:operator/", "lib/a.cpp:operator/"})
    CHECK(traps_of(plan_traps(models, {.entry = {name}, .language = SourceLanguage::c})).size() == 2);
}

TEST_CASE("names of traps keep clear of the names of markers") {
  std::vector<std::string> names;
  for (const Trap& trap : rewrite("A.java", applet("void f() { memory[0]++;\n// PM_CHECK f_2\n }"),
                                  {.entry = {"process"}, .scope = {.include = {"f"}}})
                              .traps)
    names.push_back(trap.name);
  CHECK(std::ranges::count(names, "TRAP_f_2") == 1);
  CHECK(std::ranges::count(names, "TRAP_f_3") == 1);
  CHECK(std::set<std::string>(names.begin(), names.end()).size() == names.size());
}

TEST_CASE("statements count for what the scope asks for, or for what it leaves out") {
  const std::vector<SourceModel> models{
      file_with("a.c", {.name = "f", .simple_name = "f", .statements = 7}),
      file_with("b.c", {.name = "g", .simple_name = "g", .statements = 30})};
  const TrapPlan plan =
      plan_traps(models, {.entry = {"f"}, .scope = {.include = {"f"}}, .language = SourceLanguage::c});
  CHECK(plan.statements == 7);
  CHECK(plan.excluded_statements == 30);
}

TEST_CASE("sites that do not compile are left out") {
  const std::vector<SourceModel> models{file_with("a.c", {.name = "f", .simple_name = "f"})};
  const TrapPlan plan =
      plan_traps(models, {.entry = {"f"}, .left_out = {{0, 1}}, .language = SourceLanguage::c});
  REQUIRE(plan.files[0].traps.size() == 1);
  CHECK(plan.files[0].traps[0].trap.kind == TrapKind::entry0);
}

TEST_CASE("an entry that is no entry of another class's calls is not said to begin its trace anew") {
  const std::vector<SourceModel> models{
      file_with("a.c", {.name = "f", .simple_name = "f"}),
      file_with("b.c", {.name = "g", .simple_name = "g", .calls_itself = true})};
  CHECK(plan_traps(models, {.entry = {"f"}, .language = SourceLanguage::c}).notes.empty());
  CHECK(plan_traps(models, {.entry = {"f", "g"}, .language = SourceLanguage::c}).notes ==
        std::vector<std::string>{"g is an entry: the trace restarts when g calls it"});
}

}  // namespace jcprof::rewriter
