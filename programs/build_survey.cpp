// SPDX-License-Identifier: Apache-2.0
#include "programs/build_survey.hpp"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <regex>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "programs/permission.hpp"
#include "programs/steps.hpp"
#include "rewriter/c/make_commands.hpp"
#include "rewriter/draft/includes.hpp"
#include "rewriter/draft/program_build.hpp"
#include "rewriter/draft/program_builder.hpp"
#include "rewriter/program_files.hpp"
#include "src/core/error.hpp"
#include "src/core/file.hpp"
#include "src/core/output_folder.hpp"
#include "src/core/text.hpp"

namespace jcprof::cli {
namespace {

namespace fs = std::filesystem;
using rewriter::FoundTree;

constexpr std::chrono::minutes patience{10};

/// Why a build system does not say what is made; empty where it does. Where there is a remedy, `init` refuses
/// to write a draft.
struct Answer {
  std::string reason = {};
  std::string remedy = {};
  std::string note = {};  // where it does say so, but not all is well
};

bool has(const FoundTree& tree, const std::string& path) {
  return std::ranges::binary_search(tree.paths, path);
}

bool has_makefile(const FoundTree& tree) {
  return has(tree, "GNUmakefile") || has(tree, "makefile") || has(tree, "Makefile");
}

/// The texts of the files below a folder that are wanted, by their paths.
std::map<std::string, std::string> texts_below(const fs::path& folder,
                                               const std::function<bool(const fs::path&)>& is_one) {
  std::map<std::string, std::string> texts;
  std::error_code none;
  for (fs::recursive_directory_iterator i(folder, none); i != fs::recursive_directory_iterator();
       i.increment(none))
    if (i->is_regular_file(none) && is_one(i->path()))
      texts.emplace(i->path().lexically_relative(folder).string(), read_file(i->path()));
  return texts;
}

/// Why a step fails, in one line; empty where it does not.
std::string why_not(const std::vector<std::string>& argv, const fs::path& out) {
  const Placeholders values{{"tree", ""}, {"out", out.string()}, {"project", out.parent_path().string()}};
  try {
    run_steps("prepare", {{.run = argv, .cwd = "{project}", .timeout = patience}}, values,
              {.is_shown = false});
    return "";
  } catch (const UserError& error) {
    const std::string message = error.faults().front().message;
    const std::size_t said = message.find("Error");
    return message.substr(said == std::string::npos ? 0 : said);
  }
}

/// All texts that the groups of this form match in CMake's build files.
std::set<std::string> names_in(const FoundTree& tree, const std::regex& form) {
  std::set<std::string> names;
  for (const auto& [path, text] : tree.texts)
    if (rewriter::name_of_file(path) == "CMakeLists.txt")
      for (std::sregex_iterator i(text.begin(), text.end(), form); i != std::sregex_iterator(); ++i)
        for (std::size_t group = 1; group < i->size(); ++group)
          if ((*i)[group].matched) names.insert((*i)[group].str());
  return names;
}

std::vector<std::string> set_to(std::string_view value, const std::set<std::string>& names) {
  std::vector<std::string> options;
  for (const std::string& name : names) options.push_back(fmt::format("-D{}={}", name, value));
  return options;
}

/// The options of the build files that have such a name, set to that value; what they ask for without
/// declaring it, too.
std::vector<std::string> options_set(const FoundTree& tree, bool (*is_wanted)(std::string_view),
                                     std::string_view value) {
  static const std::regex form(
      R"(option\s{0,9}\(\s{0,99}(\w{1,99})|\bif\s{0,9}\(\s{0,99}(\w{1,99})\s{0,99}\)|)"
      R"(set\s{0,9}\(\s{0,99}(\w{1,99})\s{1,99}\S{1,99}\s{1,99}CACHE\s{1,99}BOOL)",
      std::regex::icase);
  std::set<std::string> names = names_in(tree, form);
  std::erase_if(names,
                [&](const std::string& name) { return !is_wanted(name) || name.starts_with("CMAKE_"); });
  return set_to(value, names);
}

/// The options for tests and benchmarks: off.
std::vector<std::string> options_without_tests(const FoundTree& tree) {
  // Examples may be all that there is to profile.
  const auto is_wanted = [](std::string_view name) {
    return rewriter::is_name_of_test(name) && name.find("EXAMPLE") == std::string_view::npos;
  };
  std::vector<std::string> options = options_set(tree, is_wanted, "OFF");
  if (const std::string usual = "-DBUILD_TESTING=OFF"; std::ranges::find(options, usual) == options.end())
    options.insert(options.begin(), usual);
  return options;
}

/// Folders of git submodules that nobody has fetched; empty where there are none.
std::string remark_on_submodules(const fs::path& root) {
  const fs::path file = root / ".gitmodules";
  if (!fs::is_regular_file(file)) return "";
  static const std::regex form(R"((?:^|\n)[ \t]{0,9}path[ \t]{0,9}=[ \t]{0,9}([^\r\n]{1,300}))");
  const std::string text = read_file(file);
  std::vector<std::string> unfetched;
  std::error_code none;
  for (std::sregex_iterator i(text.begin(), text.end(), form); i != std::sregex_iterator(); ++i)
    if (const fs::path folder = root / (*i)[1].str(); !fs::exists(folder) || fs::is_empty(folder, none))
      unfetched.push_back((*i)[1].str());
  if (unfetched.empty()) return "";
  return fmt::format("\n`git submodule update --init` has not been run: nothing is in {}",
                     fmt::join(unfetched, ", "));
}

/// Why CMake fails with these options; empty where it does not.
std::string why_not_configured(const std::vector<std::string>& options, const fs::path& out) {
  std::vector<std::string> argv{"cmake",
                                "-S",
                                "{project}",
                                "-B",
                                "{out}/prepared",
                                "-DCMAKE_BUILD_TYPE=RelWithDebInfo",
                                "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON"};
  argv.insert(argv.end(), options.begin(), options.end());
  return why_not(argv, out);
}

std::vector<rewriter::FoundProgram> programs_configured(const FoundTree& tree, const fs::path& build) {
  const std::map<std::string, std::string> replies = texts_below(
      build / ".cmake/api/v1/reply", [](const fs::path& path) { return path.extension() == ".json"; });
  std::string tests;
  for (const auto& [path, text] :
       texts_below(build, [](const fs::path& path) { return path.filename() == "CTestTestfile.cmake"; }))
    tests += text;
  return rewriter::cmake_programs(replies, tests, {.root = tree.root, .build = build});
}

/// A library may have programs on request: examples and tools, else tests, else what there is. Returns the
/// options that were tried in vain.
std::vector<std::string> ask_cmake_for_more(FoundTree& tree, const fs::path& out) {
  const auto is_test = [](std::string_view name) {
    return rewriter::is_name_of_test(name) && name.find("FUZZ") == std::string_view::npos;
  };
  std::vector<std::string> tried;
  for (const std::vector<std::string>& more :
       {options_set(tree, rewriter::is_name_of_programs, "ON"), options_set(tree, is_test, "ON"),
        set_to("ON", rewriter::guards_of_programs(tree))}) {
    if (more.empty()) continue;
    std::vector<std::string> options = tree.build_options;
    options.insert(options.end(), more.begin(), more.end());
    if (why_not_configured(options, out).empty()) tree.programs = programs_configured(tree, out / "prepared");
    if (!tree.programs.empty()) {
      tree.build_options = std::move(options);
      return {};
    }
    for (const std::string& option : more)
      if (!is_one_of(option, tried)) tried.push_back(option);
    fs::remove(out / "prepared/CMakeCache.txt");  // it would keep them
  }
  return tried;
}

Answer ask_cmake(FoundTree& tree, const fs::path& out) {
  const fs::path build = out / "prepared";
  write_own_file(build / ".cmake/api/v1/query/codemodel-v2", "");
  std::string reason = why_not_configured({}, out);
  if (!reason.empty()) {
    // Most often it is tests that need what is missing.
    std::vector<std::string> options = options_without_tests(tree);
    if (!why_not_configured(options, out).empty()) return {reason};
    tree.build_options = std::move(options);
  }
  tree.programs = programs_configured(tree, build);
  if (!tree.programs.empty()) return {};
  const std::vector<std::string> tried = ask_cmake_for_more(tree, out);
  if (!tree.programs.empty()) return {};
  return {
      fmt::format("it makes libraries and no program, also with its options for examples, tools and tests{}",
                  tried.empty() ? "" : fmt::format(" ({})", fmt::join(tried, ", "))),
      "write a small program that does the work once, add it with add_executable, and run jcprof init again"};
}

Answer ask_meson(FoundTree& tree, const fs::path& out) {
  const fs::path build = out / "prepared";
  std::string reason =
      why_not({"meson", "setup", "--buildtype=debugoptimized", "{out}/prepared", "{project}"}, out);
  if (!reason.empty()) return {reason};
  tree.programs = rewriter::meson_programs(read_file(build / "meson-info/intro-targets.json"),
                                           {.root = tree.root, .build = build});
  return {};
}

/// The program's compiler in words, if it is not to be had here. One of the tree may be still to be built.
std::string foreign_compiler(const rewriter::FoundProgram& program) {
  const std::string& name = program.compiler;
  if (program.is_in_container) return name + " in a container";
  const bool is_relative = name.find('/') != std::string::npos && !name.starts_with('/');
  if (is_relative || !rewriter::file_of_program(name, "/").empty()) return "";
  return name + ", which is not here";
}

/// Has cc take the place of a compiler that is not here. Returns what there is to say of that.
std::string replace_compiler(FoundTree& tree) {
  const auto is_foreign = [](const rewriter::FoundProgram& program) {
    return !foreign_compiler(program).empty();
  };
  const auto first = std::ranges::find_if(tree.programs, is_foreign);
  if (first == tree.programs.end()) return "";
  const std::string what = "the makefile compiles with " + foreign_compiler(*first);
  const std::vector<std::string> ours{"CC=cc", "CXX=c++"};
  std::vector<rewriter::FoundProgram> programs;
  if (const std::optional<std::string> said = rewriter::dry_run_in(tree.root, ours))
    programs = rewriter::make_programs(*said, {.root = tree.root, .build = tree.root});
  if (!programs.empty() && std::ranges::none_of(programs, is_foreign)) {
    // The copy's makefile is made anew, and the project's own says how each file is compiled.
    if (has(tree, "configure")) return what + ": run ./configure CC=cc CXX=c++ here, then jcprof init again";
    tree.programs = std::move(programs);
    tree.build_options = ours;
    return what + ": the draft has it take cc";
  }
  bool is_replaced = true;
  for (rewriter::FoundProgram& program : tree.programs) {
    program.is_without_make = is_foreign(program) && !program.compile.empty();
    is_replaced = is_replaced && is_foreign(program) == program.is_without_make;
  }
  if (is_replaced) return what + ": the draft compiles with cc, without make";
  return what + ", and not all files with the same flags: have it take cc in the step of \"build\"";
}

/// The headers that sources include, that are not there and that make knows how to make.
void find_made_headers(FoundTree& tree) {
  // Each costs a dry run. Sources may name headers of other systems.
  constexpr std::size_t most = 60;
  std::map<std::string, bool> known;
  for (rewriter::FoundProgram& program : tree.programs) {
    if (program.compile.empty()) continue;
    for (rewriter::MadeHeader& header : rewriter::missing_headers(tree, program)) {
      const auto [one, is_new] = known.try_emplace(header.path, false);
      if (is_new && known.size() <= most)
        one->second = rewriter::dry_run_in(tree.root, {header.path}).has_value();
      if (one->second) program.made.push_back(std::move(header));
    }
  }
}

Answer ask_make(FoundTree& tree) {
  const std::optional<std::string> said = rewriter::dry_run_in(tree.root);
  if (!said) return {"a dry run of make fails here"};
  const rewriter::BuildFolders here{.root = tree.root, .build = tree.root};
  tree.programs = rewriter::make_programs(*said, here);
  if (!tree.programs.empty()) {
    std::string note = replace_compiler(tree);
    find_made_headers(tree);
    return {.note = std::move(note)};
  }
  // A library has its programs among its tests.
  const std::optional<std::string> checks = rewriter::dry_run_in(tree.root, {"check", "TESTS="});
  if (checks) tree.programs = rewriter::make_programs(*checks, here);
  for (rewriter::FoundProgram& program : tree.programs) program.is_test = program.is_asked_for = true;
  if (checks || !has(tree, "configure")) return {};
  return {"it links no program, and a dry run of make check fails, as it may before anything is made",
          "run make here, then jcprof init again"};
}

Answer ask_configured(FoundTree& tree, bool is_cmake) {
  const OutputFolder folder(
      {.folder = tree.root / usual_output_folder, .verb = "jcprof init", .project = tree.root});
  return is_cmake ? ask_cmake(tree, folder.path()) : ask_meson(tree, folder.path());
}

/// The answer, or what `ask` fails for. A draft can be made of the texts alone.
Answer answer_of(const std::function<Answer()>& ask) {
  try {
    return ask();
  } catch (const UserError& error) {
    return {error.faults().front().message};
  } catch (const fs::filesystem_error& error) {
    return {error.what()};
  }
}

std::string about_options(const FoundTree& tree) {
  std::vector<std::string> on;
  for (const std::string& option : tree.build_options)
    if (option.ends_with("=ON")) on.push_back(option);
  if (on.empty()) return "CMake fails unless tests and benchmarks are off, and so they are in the draft";
  return fmt::format("CMake makes a program only with {}, and so the draft has it", fmt::join(on, " "));
}

/// Where configuring fails: the makefile in its place, if that makes a program.
Answer take_makefile(FoundTree& tree) {
  const std::vector<std::string> options_of_configuring = std::exchange(tree.build_options, {});
  Answer answer = answer_of([&] { return ask_make(tree); });
  if (answer.reason.empty() && tree.programs.empty()) answer.reason = "it links no program";
  if (!answer.reason.empty()) {
    tree.build_options = options_of_configuring;
    return {"nor does make: " + answer.reason, answer.remedy};
  }
  tree.texts.erase("CMakeLists.txt");
  tree.texts.erase("meson.build");
  return {"the makefile is taken instead" + (answer.note.empty() ? "" : "\n" + answer.note)};
}

}  // namespace

std::string ask_build_system(FoundTree& tree, bool yes) {
  const bool is_cmake = has(tree, "CMakeLists.txt");
  const bool is_configured = is_cmake || has(tree, "meson.build");
  const bool is_make = has_makefile(tree);
  if (!is_configured && !is_make) return "";
  const std::string name = is_cmake ? "CMake" : is_configured ? "meson" : "make";
  std::vector<std::string> programs;
  if (is_configured)
    programs.push_back(fmt::format("prepare: {}, which configures (into {})", name,
                                   (tree.root / usual_output_folder / "prepared").string()));
  if (is_make)
    programs.push_back(fmt::format("make, which says how it compiles (in {})", tree.root.string()));
  try {
    ask_about({.file = tree.root / "jcprof.json", .root = tree.root}, programs, consent_of(yes));
  } catch (const UserError&) {
    return fmt::format(
        "nobody has allowed jcprof to ask {} what it makes (--yes allows it). The draft comes from the texts "
        "of the build files alone",
        name);
  }
  const Answer answer =
      answer_of([&] { return is_configured ? ask_configured(tree, is_cmake) : ask_make(tree); });
  if (answer.reason.empty() && (!is_configured || tree.build_options.empty())) return answer.note;
  const std::string remark = remark_on_submodules(tree.root);
  if (answer.reason.empty()) return about_options(tree) + remark;
  std::string reason = fmt::format("{} names no program to measure: {}{}", name, answer.reason, remark);
  std::string remedy = answer.remedy;
  if (is_configured && is_make) {
    const Answer makes = take_makefile(tree);
    reason += "\n" + makes.reason;
    if (!makes.remedy.empty()) remedy = makes.remedy;
  }
  if (!remedy.empty() && tree.programs.empty()) throw UserError(Fault{.message = reason, .hint = remedy});
  return reason;
}

}  // namespace jcprof::cli
