// SPDX-License-Identifier: Apache-2.0
#include "rewriter/draft/project_draft.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "rewriter/draft/applet_draft.hpp"
#include "rewriter/draft/enclave_draft.hpp"
#include "rewriter/draft/facts.hpp"
#include "rewriter/draft/text.hpp"
#include "src/core/error.hpp"
#include "src/core/json_text.hpp"
#include "src/core/project.hpp"
#include "src/core/text.hpp"

namespace jcprof::rewriter {
namespace {

using draft::further, draft::head, draft::list, draft::not_copied, draft::patient, draft::scope, draft::step,
    draft::steps, draft::Strings, draft::tail;

// --- Programs ---

Strings cmake_step(const ProgramFacts& facts, const std::string& source, const std::string& build) {
  Strings argv{"cmake", "-S", source, "-B", build, "-DCMAKE_BUILD_TYPE=RelWithDebInfo"};
  argv.insert(argv.end(), facts.options.begin(), facts.options.end());
  return argv;
}

Strings cmake_build(const ProgramFacts& facts, const std::string& folder) {
  Strings build{"cmake", "--build", folder};
  if (!facts.target.empty()) build.insert(build.end(), {"--target", facts.target});
  build.insert(build.end(), {"--parallel", "2"});
  return build;
}

/// The steps that make a compile database, and what the sources include that the build makes.
Strings preparation(const ProgramFacts& facts) {
  Strings all;
  if (facts.builder == Builder::meson) {
    all = {step({"meson", "setup", "--buildtype=debugoptimized", "{out}/prepared", "{project}"}, patient)};
    if (facts.makes_sources) all.push_back(step({"meson", "compile", "-C", "{out}/prepared"}, patient));
    return all;
  }
  Strings configure = cmake_step(facts, "{project}", "{out}/prepared");
  configure.emplace_back("-DCMAKE_EXPORT_COMPILE_COMMANDS=ON");
  all = {step(configure, patient)};
  // The program would land in the user's own folder.
  if (facts.makes_sources && !facts.is_in_tree)
    all.push_back(step(cmake_build(facts, "{out}/prepared"), patient));
  return all;
}

/// By two columns.
std::string indented(const std::string& text) {
  std::string result = "  ";
  for (const char c : text) result += c == '\n' ? std::string("\n  ") : std::string(1, c);
  return result;
}

/// The makefile's flags, written out. "prepare" has make make its headers in a copy, and a flag searches
/// that.
std::string flags_of_make(const ProgramFacts& facts) {
  Strings flags(facts.compile.begin() + 1, facts.compile.end());
  Strings prepare;
  if (!facts.made.empty()) {
    // -f replaces files of an earlier copy that nobody may write.
    Strings copy{"cp", "-Rfpt", "."};
    for (const std::string& name : facts.copied) copy.push_back("{project}/" + name);
    std::set<std::string> goals;
    std::set<std::string> folders;
    for (const MadeHeader& header : facts.made) {
      goals.insert(header.path);
      folders.insert("-I{out}/prepared" + (header.folder.empty() ? "" : "/" + header.folder));
    }
    Strings make{"make"};
    if (!facts.has_configure) make.insert(make.end(), facts.options.begin(), facts.options.end());
    make.emplace_back("--");
    make.insert(make.end(), goals.begin(), goals.end());
    const std::string there = R"(, "cwd": "{out}/prepared")" + std::string(patient);
    prepare = {step(copy, there), step(make, there)};
    flags.insert(flags.end(), folders.begin(), folders.end());
  }
  const std::string& compiler = facts.compile.front();
  return fmt::format("  // Flags of the makefile, for every file.{}\n  \"compile\": {{\n{}{}{}\n  }},\n",
                     facts.made.empty() ? "" : " Headers that only make makes, it makes in a copy.",
                     prepare.empty() ? "" : indented(steps("prepare", prepare)) + ",\n",
                     facts.builder == Builder::compiler || is_one_of(compiler, {"cc", "c++"})
                         ? ""
                         : fmt::format("    \"compiler\": {},\n", json_string(compiler)),
                     indented(list("flags", flags)));
}

std::string compile_section(const ProgramFacts& facts) {
  if (!facts.compile.empty()) return flags_of_make(facts);
  if (!facts.database.empty())
    return fmt::format("  // How each file is compiled.\n  \"compile\": {{\"database\": {}}},\n",
                       json_string(facts.database));
  if (facts.builder == Builder::cmake || facts.builder == Builder::meson)
    return fmt::format(
        "  // How each file is compiled, which {} says.{}\n  \"compile\": {{\n{},\n"
        "    \"database\": \"{{out}}/prepared/compile_commands.json\"\n  }},\n",
        facts.builder == Builder::cmake ? "CMake" : "meson",
        facts.makes_sources && facts.is_in_tree
            ? " The build makes some sources, and would put its program among yours: build\n  // here first."
            : "",
        indented(steps("prepare", preparation(facts))));
  if (facts.builder == Builder::make && (!facts.has_configure || facts.is_told))
    return "  // How each file is compiled, which the makefile says.\n  \"compile\": {\"make\": \".\"},\n";
  Strings flags;
  for (const std::string& folder : facts.includes) flags.push_back("-I{project}/" + folder);
  return fmt::format(
      R"({}  // Flags for every file. Better is a compile_commands.json, which tells them file by file (a build under bear):
  // "compile": {{"database": "compile_commands.json"}},
  "compile": {{"flags": {}}},
)",
      facts.has_configure
          ? "  // Run ./configure here first: jcprof reads the sources with what it makes (config.h).\n"
          : "",
      list(flags, 23));
}

Strings build_steps(const ProgramFacts& facts) {
  switch (facts.builder) {
    case Builder::cmake:
      return {step(cmake_step(facts, "{tree}", "{out}/build"), patient),
              step(cmake_build(facts, "{out}/build"), patient)};
    case Builder::meson:
      return {step({"meson", "setup", "--buildtype=debugoptimized", "{out}/build", "{tree}"}),
              step({"meson", "compile", "-C", "{out}/build"}, patient)};
    case Builder::make: {
      Strings make{"make", "-j2"};
      if (!facts.has_configure) make.insert(make.end(), facts.options.begin(), facts.options.end());
      if (!facts.target.empty() && facts.asked_in.empty()) make.push_back(facts.target);
      Strings all{step(make, patient)};
      Strings configure{"./configure"};
      configure.insert(configure.end(), facts.options.begin(), facts.options.end());
      if (facts.has_configure) all.insert(all.begin(), step(configure, patient));
      if (!facts.asked_in.empty())
        all.push_back(step({"make", "-j2", "-C", facts.asked_in, facts.target}, patient));
      return all;
    }
    case Builder::compiler:
      break;
  }
  const bool is_all_cpp = std::ranges::all_of(facts.units, is_cpp_source);
  // The driver of C++ would take C for C++; that of C takes each file by its ending.
  Strings argv{is_all_cpp ? "c++" : "cc", "-O2", "-g", "-o", "{out}/" + facts.program};
  if (facts.compile.empty())
    for (const std::string& folder : facts.includes) argv.push_back("-I" + folder);
  else
    argv.insert(argv.end(), facts.compile.begin() + 1, facts.compile.end());
  argv.insert(argv.end(), facts.units.begin(), facts.units.end());
  if (!is_all_cpp && std::ranges::any_of(facts.units, is_cpp_source)) argv.emplace_back("-lstdc++");
  for (const std::string& library : facts.libraries) argv.push_back("-l" + library);
  if (facts.compile.empty()) argv.emplace_back("-lm");
  return {step(argv, patient)};
}

/// make check runs a test in the folder in which it is made.
std::string runs_in(const ProgramFacts& facts) {
  if (facts.asked_in.empty() || facts.asked_in == ".") return "";
  return ", \"cwd\": " + json_string("{tree}/" + facts.asked_in);
}

std::string built_program(const ProgramFacts& facts) {
  if (facts.is_in_tree) return "{tree}/" + facts.program;
  return (facts.builder == Builder::compiler ? "{out}/" : "{out}/build/") + facts.program;
}

// --- Trusted applications ---

/// Makes in the application's folder, into `out`.
Strings ta_make(const TaFacts& facts, const std::string& dev_kit, const std::string& out) {
  const bool is_arm32 = name_of_file(dev_kit) == "export-ta_arm32";
  Strings argv{"make", is_arm32 ? "CROSS_COMPILE=arm-linux-gnueabihf-" : "CROSS_COMPILE=aarch64-linux-gnu-",
               "O=" + out};
  if (!facts.folder.empty()) argv.insert(argv.begin() + 1, {"-C", facts.folder});
  if (!dev_kit.empty()) argv.push_back("TA_DEV_KIT_DIR=" + dev_kit);
  return argv;
}

std::string ta_compile(const TaFacts& facts, const std::string& dev_kit) {
  const std::string make = json_string(facts.folder.empty() ? "." : facts.folder);
  if (!facts.makes_sources)
    return fmt::format(
        "  // The makefile in this folder says how each file is compiled.\n  \"compile\": {{\"make\": "
        "{}}},\n",
        make);
  return fmt::format(
      "  // The makefile in this folder says how each file is compiled. The build makes some: "
      "\"prepare\"\n  // makes these first.\n  \"compile\": {{\n{},\n    \"make\": {}\n  }},\n",
      indented(steps("prepare", {step(ta_make(facts, dev_kit, "{out}/dry-run/ta"), ", \"timeout_s\": 600")})),
      make);
}

std::string ta_build(const TaFacts& facts, const std::string& dev_kit) {
  return fmt::format("  // The development kit is {}.\n",
                     dev_kit.empty()
                         ? "the environment's: TA_DEV_KIT_DIR; or add \"TA_DEV_KIT_DIR=/its/folder\""
                         : "that of the OP-TEE that it is to run on: TA_DEV_KIT_DIR") +
         steps("build", {step(ta_make(facts, dev_kit, "{out}/ta"), ", \"timeout_s\": 600")}) + ",\n";
}

// A machine that is emulated boots in it, and makes keys by the second.
constexpr std::string_view ta_time = R"("max_time": "5m")";

std::string ta_trigger(const TaFacts& facts) {
  std::string text =
      fmt::format("  // The command under study{}\n",
                  facts.commands.empty() ? ": none was found in the entry, fill in yours." : ", one of");
  for (const TaCommand& command : facts.commands)
    text += fmt::format("  //   {} {}\n", command.id, command.name);
  return text +
         fmt::format(
             R"(  // Up to four parameters: {{"value": "in", "a": 1}}, {{"memref": "in", "bytes": "{{input}}"}}, {{"memref": "out", "size": 32}}, null.
  // Memory that is "shared" is allocated once: without it some calls take longer.
  "trigger": {{"ta": {}, "command": {}, "params": [{}]}},
  // Commands that each session begins with, and what {{input}} stands for.
  // "session": {{"once": [{{"command": 0, "params": []}}]}},
  // "inputs": {{"fixed": "31323334"}},
)",
             json_string(facts.uuid), facts.commands.empty() ? 0 : facts.commands.front().id,
             fmt::join(facts.parameters, ", "));
}

std::string draft_project(const std::string& name, const TaFacts& facts, const std::string& dev_kit) {
  return head(name, "optee-ta") + "  // Traps go into a copy of these files.\n" +
         list("sources", facts.globs) +
         fmt::format(",\n  // The entry, {}, is in {}.\n", ta_entry, json_string(facts.source)) +
         further(facts.others, "Other applications here, for jcprof init --ta NAME") + std::string(scope) +
         ta_compile(facts, dev_kit) + ta_build(facts, dev_kit) +
         R"(  // optee-vm comes with jcprof; in its sources it is scripts/optee-vm: write that path. Without --icount the machine's
  // time is real; on a board: "agent:ssh BOARD jcprof-agent-teec", with an "install" that copies the .ta there.
)" + (facts.uuid.empty() ? "  // Neither the makefile nor TA_UUID says the UUID: fill in yours.\n" : "") +
         fmt::format("  \"transport\": \"agent:optee-vm agent --icount {{out}}/ta/{}.ta\",\n", facts.uuid) +
         ta_trigger(facts) + tail("", ta_time);
}

/// With no placeholders in what others wrote, wherever the project file would have them.
ProgramFacts without_placeholders(ProgramFacts facts) {
  for (Strings* words : {&facts.units, &facts.includes, &facts.libraries, &facts.copied, &facts.options})
    for (std::string& word : *words) word = draft::verbatim(word);
  for (std::string* word : {&facts.database, &facts.target, &facts.program, &facts.asked_in})
    *word = draft::verbatim(*word);
  // "compiler" has none.
  for (std::size_t i = 1; i < facts.compile.size(); ++i) facts.compile[i] = draft::verbatim(facts.compile[i]);
  for (MadeHeader& header : facts.made)
    header = {.path = draft::verbatim(header.path), .folder = draft::verbatim(header.folder)};
  return facts;
}

std::string draft_project(const std::string& name, const ProgramFacts& found) {
  const ProgramFacts facts = without_placeholders(found);
  return head(name, "program") + "  // Traps go into a copy of these files.\n" +
         list("sources", facts.globs) + ",\n" + not_copied(facts.built) +
         fmt::format("  // The function that is measured; this one is in {}.\n", json_string(facts.source)) +
         further(facts.others, "Further programs, whose files are left out of \"sources\"") +
         "  \"entry\": \"main\",\n" + std::string(scope) + compile_section(facts) +
         "  // How the copy with traps, {tree}, is built.\n" + steps("build", build_steps(facts)) + ",\n" +
         R"(  // The program is started anew for each shot.
  "transport": "exec:",
  // The command under study: give it arguments that make it work for a moment, the same each time. The clock is the time
  // that it computes; "wall" counts what it waits for, too.
)" +
         fmt::format("  \"trigger\": {{\"run\": {}{}, \"clock\": \"cpu\"}},\n",
                     list({built_program(facts)}, 21), runs_in(facts)) +
         tail("");
}

Draft ta_draft(const FoundTree& tree, const TaFacts& facts) {
  return {.text = draft_project(tree.name, facts, tree.dev_kit),
          .others = facts.others,
          .about_kit =
              tree.dev_kit.empty() ? "the draft names no kit" : "the draft takes the kit in " + tree.dev_kit};
}

[[noreturn]] void refuse(const FoundTree& tree, std::string message) {
  const auto count = [&](auto is_one) { return std::ranges::count_if(tree.paths, is_one); };
  std::string hint = fmt::format(
      "looked for a class that extends Applet and has process(APDU) in {} Java files, for a public ecall in "
      "{} "
      "EDL files that a source defines, and for {} and main in {} C and C++ files",
      count([](const std::string& path) { return path.ends_with(".java"); }),
      count([](const std::string& path) { return path.ends_with(".edl"); }), ta_entry, count(is_c_source));
  if (!tree.programs.empty())
    hint += fmt::format(". The build makes {}, and none of its sources here defines main",
                        tree.programs.front().name);
  throw UserError(Fault{.message = std::move(message), .hint = std::move(hint)});
}

}  // namespace

bool is_for_program(const FoundTree& tree) {
  return tree.wanted_ta.empty() && !find_applet(tree) && !find_enclave(tree) && !find_ta(tree);
}

Draft draft_project(const FoundTree& tree) {
  if (!tree.wanted_ta.empty()) return ta_draft(tree, *find_ta(tree));
  if (const std::optional<AppletFacts> applet = find_applet(tree))
    return {.text = draft::applet_project(tree.name, *applet),
            .others = applet->others,
            .about_kit = tree.card_kit ? "" : "the draft has no steps that convert and load the applet"};
  const std::optional<EnclaveFacts> enclave = find_enclave(tree);
  const std::optional<TaFacts> ta = enclave ? std::nullopt : find_ta(tree);
  if (!enclave && !ta)
    if (const std::optional<ProgramFacts> program = find_program(tree))
      return {draft_project(tree.name, *program), program->others, program->is_test, program->taken};
  if (!tree.wanted_entry.empty() && !(enclave && enclave->entry.name == tree.wanted_entry))
    refuse(tree, fmt::format("\"{}\": there is no applet, no public ecall and no program in \"{}\"",
                             tree.wanted_entry, tree.name));
  if (enclave)
    return {.text = draft::enclave_project(tree, *enclave),
            .others = enclave->others,
            .about_kit = draft::enclave_without_sdk(tree, *enclave)};
  if (ta) return ta_draft(tree, *ta);
  refuse(tree, fmt::format("there is no applet, no enclave, no trusted application and no program in \"{}\"",
                           tree.name));
}

}  // namespace jcprof::rewriter
