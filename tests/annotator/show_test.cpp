// SPDX-License-Identifier: Apache-2.0
#include "annotator/show/show.hpp"

#include <sstream>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "annotator/terminal_text.hpp"
#include "src/core/error.hpp"

namespace jcprof::annotator {
namespace {

Estimate cost(double value, double half, double share) {
  return {.ticks = {value, value - half, value + half},
          .share = {share, share * 0.9, share * 1.1},
          .raw = value,
          .rounds = 10,
          .resolved = value > half};
}

/// main calls sort from line 4, sort itself from line 12, and from line 11 many that take nothing.
Profile sorting() {
  Profile profile;
  profile.run.project = "sorting";
  profile.run.device = "host";
  profile.run.state = RunState::complete;
  profile.rounds = 10;
  profile.shots = 200;
  profile.total = cost(1e6, 1e4, 1);
  profile.entry = cost(1e4, 1e3, 0.01);
  profile.unattributed = {0, -1, 1};
  profile.lines = {
      {"src/sort.c", 11, "sort", 26, cost(8e5, 1e4, 0.8), {}, {7.9e5, 8e5, 8.1e5, engine::missing, 8e5, 5e6}},
      {"src/sort.c", 12, "sort", 3, cost(1e5, 1e4, 0.1)},
      {"src/main.c", 4, "main", 1, cost(1e3, 2e3, 0.001)}};
  profile.functions = {{"sort", "src/sort.c", 9, 3, cost(9e5, 1e4, 0.9), cost(9e5, 1e4, 0.9)},
                       {"main", "src/main.c", 2, 1, cost(1e3, 2e3, 0.001), cost(9.5e5, 1e4, 0.95)}};
  profile.loops = {{"sort", "src/sort.c", 11, 3, 26, cost(8e5, 1e4, 0.8)}};
  profile.unreached = {{"src/sort.c", 14, "sort"}};
  profile.sources = {{"src/sort.c", ""}, {"src/main.c", ""}, {"lib/sort.c", ""}};
  profile.tree.functions = {
      {"main", "src/main.c", 2}, {"sort", "src/sort.c", 9}, {"swap(int*, int*)", "src/sort.c", 1}};
  profile.tree.nodes = {
      {.function = 0, .calls = 1, .exclusive = 1e3, .inclusive = 9.5e5},
      {.function = 1, .parent = 0, .from_line = 4, .calls = 1, .exclusive = 5e5, .inclusive = 9.49e5},
      {.function = 1, .parent = 1, .from_line = 12, .calls = 2, .exclusive = 4.4e5, .inclusive = 4.48e5},
      {.function = 2, .parent = 2, .from_line = 11, .calls = 20, .exclusive = 8e3, .inclusive = 8e3},
      {.function = 2, .parent = 1, .from_line = 11, .calls = 6, .exclusive = 1e3, .inclusive = 1e3}};
  return profile;
}

/// 20 lines, the hot ones in the middle.
std::string sort_c() {
  std::string text;
  for (int line = 1; line <= 20; ++line)
    text += line == 11 ? "\tfor (i = 0; i < n; ++i) insert(items, i); /* 並べ替え */\n"
                       : "line " + std::to_string(line) + ";\n";
  return text;
}

std::size_t widest(const std::string& text) {
  std::istringstream lines(text);
  std::size_t most = 0;
  for (std::string line; std::getline(lines, line);) most = std::max(most, columns_of(line));
  return most;
}

std::string message_of(const std::function<void()>& act) {
  try {
    act();
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("the call tree folds what takes less than a hundredth, and tells a guess from what is resolved") {
  CHECK(call_tree(sorting(), {.width = 80}) ==
        "   share       own     calls  call tree\n"
        " 100.0 %   ~0.11 %        ×1  main\n"
        "  99.9 %    52.6 %        ×1    sort, from line 4\n"
        "  47.2 %    46.3 %        ×2      sort, from line 12\n"
        "  0.84 %                            … 1 more\n"
        "  0.11 %                          … 1 more\n"
        "~ is a guess: the noise hides the time; the tables have upper bounds\n");
}

TEST_CASE("a destructor is no guess, nor is what was not measured or is unreliable") {
  Profile profile = sorting();
  profile.tree.functions.front().name = profile.functions.back().function = "Table::~Table";
  profile.functions.back().exclusive.resolved = true;
  CHECK(call_tree(profile, {.width = 80}).find("guess") == std::string::npos);
  profile.functions.back().exclusive = cost(1e3, 2e3, 0.001);
  CHECK(call_tree(profile, {.width = 80}).find("guess") != std::string::npos);
  profile.functions.back().exclusive.unreliable = true;
  CHECK(call_tree(profile, {.width = 80}).find("guess") == std::string::npos);
  profile.functions.back().exclusive = Estimate{};
  CHECK(call_tree(profile, {.width = 80}).find("guess") == std::string::npos);
}

TEST_CASE("a deep call tree stays within the width, and within what somebody reads") {
  Profile profile = sorting();
  profile.tree.nodes.clear();
  for (std::uint32_t n = 0; n < 200; ++n)
    profile.tree.nodes.push_back({.function = 1,
                                  .parent = n == 0 ? CostNode::none : n - 1,
                                  .calls = 1,
                                  .exclusive = 1,
                                  .inclusive = 200.0 - n});
  for (const std::size_t width : {40, 80, 200}) {
    const std::string tree = call_tree(profile, {.width = width});
    CHECK(widest(tree) <= width);
    CHECK(std::ranges::count(tree, '\n') == 42);
  }
  CHECK(call_tree(profile, {.width = 80}).ends_with("  (40) … 1 more\n"));
}

TEST_CASE("a source is shown around what is hot") {
  CHECK(show_source(sorting(), "src/sort.c", sort_c(), ShownParts::hot_parts, {.width = 80}) ==
        "src/sort.c\n"
        "…\n"
        "                            8 | line 8;\n"
        "                            9 | line 9;\n"
        "                           10 | line 10;\n"
        "80.0 % ███▎ 800 µs ±10 ×26 11 |     for (i = 0; i < n; ++i) insert(items, i); /…\n"
        "10.0 % ▍    100 µs ±10  ×3 12 | line 12;\n"
        "                           13 | line 13;\n"
        "                           14 - line 14;\n"
        "                           15 | line 15;\n"
        "…\n");
}

TEST_CASE("a narrow terminal has a source with shares only, a wide one whole lines") {
  const std::string narrow =
      show_source(sorting(), "src/sort.c", sort_c(), ShownParts::hot_parts, {.width = 40});
  CHECK(widest(narrow) <= 40);
  CHECK(narrow.find("80.0 % 11 |     for (i = 0; i < n; ++i)…\n") != std::string::npos);
  const std::string wide =
      show_source(sorting(), "src/sort.c", sort_c(), ShownParts::hot_parts, {.width = 200});
  CHECK(wide.find("| 	for") == std::string::npos);
  CHECK(wide.find("|     for (i = 0; i < n; ++i) insert(items, i); /* 並べ替え */\n") != std::string::npos);
}

TEST_CASE("a whole source has all its lines, and says which were never passed") {
  const std::string whole = show_source(sorting(), "src/sort.c", sort_c(), ShownParts::whole, {.width = 80});
  CHECK(std::ranges::count(whole, '\n') == 21);
  CHECK(whole.find("14 - line 14;\n") != std::string::npos);
  CHECK(whole.find("15 | line 15;\n") != std::string::npos);
  CHECK(whole.find("/* 並べ替え */\n") != std::string::npos);
}

TEST_CASE("a line is shown with its mean, its median and where most rounds lie") {
  Profile profile = sorting();
  profile.lines[0].cost.averages = {
      .mean = {1e6, 9.8e5, 1.02e6}, .median = {8e5, 7.9e5, 8.1e5}, .q05 = 7e5, .q95 = 3e6, .differs = true};
  CHECK(show_line(profile, {"src/sort.c", 11}, "", {.width = 40})
            .find("typical 800 µs ±10, 80.0 % (72.0 % to 88.0 %)\n"
                  "mean    1.00 ms ±0.02, not the typical time: single runs differ\n"
                  "median  800 µs ±10, 90 of 100 rounds from 700 µs to 3.0 ms\n") != std::string::npos);
  profile.lines[0].cost.averages->median = {};
  CHECK(show_line(profile, {"src/sort.c", 11}, "", {.width = 40})
            .find("median  not measured, 90 of 100 rounds from") != std::string::npos);
}

TEST_CASE("a line is shown with its rounds, its loop, callers and callees") {
  CHECK(show_line(sorting(), {"src/sort.c", 11}, "\tinsert();", {.width = 40}) ==
        "src/sort.c:11 in sort\n"
        "      insert();\n"
        "\n"
        "typical 800 µs ±10, 80.0 % (72.0 % to 88.0 %)\n"
        "hits    ×26, 31 µs each\n"
        "loop    begun ×3, ×26 passes, 800 µs ±10, 80.0 % (72.0 % to 88.0 %)\n"
        "rounds  5\n"
        "  790.0 µs │██████████ 1\n"
        "  792.5 µs │ 0\n"
        "  795.0 µs │ 0\n"
        "  797.5 µs │ 0\n"
        "  800.0 µs │████████████████████ 2\n"
        "  802.5 µs │ 0\n"
        "  805.0 µs │ 0\n"
        "  807.5 µs │██████████ 1\n"
        "      more │██████████ 1\n"
        "\n"
        "with calls  calls  line  caller\n"
        "    949 µs     ×1     4  main\n"
        "    448 µs     ×2    12  sort\n"
        "\n"
        "with calls  calls  line  callee\n"
        "    9.0 µs    ×26    11  swap\n");
}

TEST_CASE("static functions of one name in two sources share no callers") {
  Profile profile = sorting();
  profile.tree.functions.push_back({"sort", "lib/sort.c", 3});
  profile.tree.functions.push_back({"other", "lib/sort.c", 30});
  profile.tree.nodes.push_back({.function = 4, .parent = 0, .calls = 1, .inclusive = 50});
  profile.tree.nodes.push_back({.function = 3, .parent = 5, .from_line = 31, .calls = 1, .inclusive = 50});
  const auto callers_at = [&](const std::string& path) {
    profile.lines[0].path = path;
    return nlohmann::json::parse(line_json(profile, {path, 11}))["callers"];
  };
  CHECK(callers_at("src/sort.c").size() == 2);
  REQUIRE(callers_at("lib/sort.c").size() == 1);
  CHECK(callers_at("lib/sort.c")[0]["function"] == "other");
  CHECK(callers_at("src/sort.inc").size() == 3);  // of an included file the name is all that is known
}

TEST_CASE("callers of a deep recursion are counted in one pass") {
  Profile profile = sorting();
  profile.tree.nodes.resize(1);
  constexpr std::uint32_t depth = 200'000;
  for (std::uint32_t n = 1; n <= depth; ++n)
    profile.tree.nodes.push_back(
        {.function = 1, .parent = n - 1, .from_line = 4 + n % 2, .calls = 1, .inclusive = 1.0 + depth - n});
  const nlohmann::json callers = nlohmann::json::parse(line_json(profile, {"src/sort.c", 11}))["callers"];
  REQUIRE(callers.size() == 3);
  CHECK(callers[0]["function"] == "main");
  CHECK(callers[0]["inclusive"] == depth);
  CHECK(callers[1]["inclusive"] == depth - 1);  // of the outermost one only
  CHECK(callers[1]["calls"] == depth / 2);
}

TEST_CASE("of several functions in a line the hottest is shown") {
  Profile profile = sorting();
  profile.lines.push_back({"src/sort.c", 11, "sort<int>", 1, cost(2e4, 1e3, 0.02)});
  CHECK(show_source(profile, "src/sort.c", sort_c(), ShownParts::hot_parts, {.width = 80}).find("80.0 %") !=
        std::string::npos);
}

TEST_CASE("rounds that all agree are one row") {
  Profile profile = sorting();
  profile.lines[0].rounds = {8e5, 8e5, 8e5};
  const std::string text = show_line(profile, {"src/sort.c", 11}, "", {.width = 40});
  INFO(text);
  CHECK(text.find("rounds  3\n  800 µs │████████████████████") != std::string::npos);
}

TEST_CASE("a line as JSON has rounds that are not known as null") {
  const nlohmann::json line = nlohmann::json::parse(line_json(sorting(), {"src/sort.c", 11}));
  CHECK(line["format"] == "jcprof-line");
  CHECK(line["ticks"]["value"] == 8e5);
  CHECK(line["rounds"] == nlohmann::json::parse("[790000.0, 800000.0, 810000.0, null, 800000.0, 5000000.0]"));
  CHECK(line["callees"][0]["function"] == "swap(int*, int*)");
  CHECK(line["callees"][0]["calls"] == 26);
  CHECK(line["loop"]["passes"] == 26);
}

TEST_CASE("a place is a file and a line, and colons belong to the file where no number follows") {
  CHECK(shown_place("src/a.c:30").file == "src/a.c");
  CHECK(shown_place("src/a.c:30").line == 30);
  for (const std::string name :
       {"src/a.c", "a:b", "a.c:", "a.c:0", "a.c:1x", "a.c:99999999999999999999999"}) {
    CHECK(shown_place(name).file == name);
    CHECK(shown_place(name).line == 0);
  }
}

TEST_CASE("a source is found by the end of its path, and by a longer one") {
  CHECK(path_meant(sorting(), "main.c") == "src/main.c");
  CHECK(path_meant(sorting(), "examples/sorting/src/sort.c") == "src/sort.c");
}

TEST_CASE("a source that is unknown or ambiguous is told with what may be meant") {
  CHECK(message_of([] { path_meant(sorting(), "sort.c"); }) ==
        "\"sort.c\" may be any of 2 sources\nhint: did you mean \"lib/sort.c\" or \"src/sort.c\"?");
  CHECK(message_of([] { path_meant(sorting(), "mian.c"); }) ==
        "the profile knows no source \"mian.c\"\nhint: did you mean \"src/main.c\"?");
  CHECK(message_of([] {
          path_meant(sorting(), "ort.c");
        }).starts_with("the profile knows no source \"ort.c\""));
}

TEST_CASE("a line without a cost is told with the nearest that has one") {
  const auto at = [](std::size_t line) {
    return message_of([&] { show_line(sorting(), {"src/sort.c", line}, "", {}); });
  };
  CHECK(at(13) == "src/sort.c:13: nothing was measured on this line\nhint: did you mean src/sort.c:12?");
  CHECK(at(14) == "src/sort.c:14: the command never reached this line\nhint: did you mean src/sort.c:12?");
}

TEST_CASE("names and sources that would drive a terminal are shown without") {
  Profile profile = sorting();
  const std::string evil =
      "\x1b]0;owned\a\xc2\x9b"
      "31m\xe2\x80\xae\x9b\r";
  profile.run.project = profile.run.device = evil;
  profile.tree.functions[1].name = profile.lines[0].function = evil;
  profile.lines[0].path = profile.functions[0].path = evil;
  profile.warnings = {evil};
  const TableStyle style{.width = 80};
  const std::string all = show_profile(profile, style) +
                          show_source(profile, evil, evil + "\n" + evil, ShownParts::whole, style) +
                          show_line(profile, {evil, 11}, evil, style);
  for (const std::string bad : {"\x1b", "\a", "\r", "\xc2\x9b", "\xe2\x80\xae"})
    CHECK(all.find(bad) == std::string::npos);
  CHECK(all.find("?]0;owned??31m???") != std::string::npos);
}

TEST_CASE("colour is asked for, never taken") {
  CHECK(show_profile(sorting(), {.width = 80}).find('\x1b') == std::string::npos);
  CHECK(show_profile(sorting(), {.width = 80, .colour = Colour::always}).find('\x1b') != std::string::npos);
}

TEST_CASE("text is cut between characters, by the columns that they take") {
  CHECK(columns_of("日本 é") == 6);
  CHECK(cut_to("日本語", 5) == "日本…");
  CHECK(cut_to("日本語", 4) == "日…");
  CHECK(end_of("日本語", 4) == "…語");
  CHECK(terminal_line("a\tb\xff") == "a   b?");
}

}  // namespace jcprof::annotator
