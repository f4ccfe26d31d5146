// SPDX-License-Identifier: Apache-2.0
#include "rewriter/draft/project_draft.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "rewriter/draft/facts.hpp"
#include "rewriter/draft/text.hpp"
#include "src/core/error.hpp"
#include "src/core/json_text.hpp"
#include "src/core/project.hpp"

namespace jcprof::rewriter {
namespace {

using draft::head, draft::list, draft::scope, draft::step, draft::steps, draft::Strings, draft::tail;

// Proprietary (F0), then "jcprof".
constexpr std::string_view made_up_aid = "F06A6370726F66";

// --- Applets ---

Strings class_path(const AppletFacts& facts) {
  Strings path = facts.api_jars;
  if (!facts.simulator.empty()) path.push_back(facts.simulator);
  return path;
}

/// The files that javac is to compile in the copy; the runtime's classes stand beside the applet.
Strings compiled_files(const AppletFacts& facts) {
  if (facts.source_root) return {facts.source};  // javac finds the others
  Strings files = facts.package_sources;
  const std::string folder = folder_of(facts.source);
  for (const char* runtime : {"PM.java", "PMC.java"}) {
    const std::string path = path_in(folder, runtime);
    if (std::ranges::find(files, path) == files.end()) files.push_back(path);
  }
  return files;
}

std::string compile_step(const AppletFacts& facts) {
  Strings argv{"javac", "--release", "8", "-encoding", facts.encoding, "-nowarn", "-Xlint:-options"};
  if (const Strings path = class_path(facts); !path.empty()) {
    argv.emplace_back("-cp");
    argv.push_back(fmt::format("{}", fmt::join(path, ":")));
  }
  if (facts.source_root) argv.insert(argv.end(), {"-sourcepath", *facts.source_root});
  argv.insert(argv.end(), {"-d", "{out}/classes"});
  const Strings files = compiled_files(facts);
  argv.insert(argv.end(), files.begin(), files.end());
  return step(argv);
}

/// The project's own way to a CAP file, which a simulator does not need.
std::string cap_step(const AppletFacts& facts) {
  if (facts.builder == "build.xml") return step({"ant", "-f", "{tree}/build.xml"}, ", \"timeout_s\": 600");
  if (facts.builder == "pom.xml")
    return step({"mvn", "-q", "-f", "{tree}/pom.xml", "package"}, ", \"timeout_s\": 600");
  if (!facts.builder.empty()) return step({"gradle", "-p", "{tree}", "build"}, ", \"timeout_s\": 600");
  return compile_step(facts);
}

std::string simulator_sections(const AppletFacts& facts, std::string_view aid) {
  const std::string class_name = facts.entry.substr(0, facts.entry.rfind('.'));
  const std::string qualified = facts.package.empty() ? class_name : facts.package + "." + class_name;
  const std::string property = "-Dcom.licel.jcardsim.";
  const Strings argv{"java",
                     "-XX:TieredStopAtLevel=1",
                     property + "vsmartcard.host=127.0.0.1",
                     property + "vsmartcard.port={port}",
                     fmt::format("{}card.applet.0.AID={}", property, aid),
                     fmt::format("{}card.applet.0.Class={}", property, qualified),
                     "-cp",
                     facts.simulator + ":{out}/classes" +
                         (facts.api_jars.empty() ? "" : fmt::format(":{}", fmt::join(facts.api_jars, ":"))),
                     "com.licel.jcardsim.remote.VSmartCard",
                     "/dev/null"};
  return fmt::format(
      R"(  // jCardSim as a virtual card, which connects to {{port}}. For a real card: no "start", "transport": "pcsc:", a
  // "build" that makes the CAP file, and an "install" that loads it; then "once" is not needed.
  "start": {{"run": {}}},
  "transport": "vpcd:",
  "device": "jcardsim",
)",
      list(argv, 19));
}

constexpr std::string_view card_sections =
    R"(  // No jCardSim was found, so a card in a reader it is. What loads the CAP file onto it goes here.
  // "install": [{"run": ["gp", "--force", "--install", "{tree}/applet.cap"]}],
  "transport": "pcsc:",
)";

std::string session(const AppletFacts& facts, std::string_view aid) {
  std::string text =
      fmt::format("  \"session\": {{\n    // {}\n",
                  facts.aid.empty()
                      ? "No AID was found in the tree: this one is made up, which a simulator does not mind."
                      : "The AID is that of " + json_string(facts.aid_from) + ".");
  if (!facts.simulator.empty())
    text += fmt::format("    \"once\": [\"80B80000{:02X} {:02X} {} 000000\"],  // install\n",
                        aid.size() / 2 + 3, aid.size() / 2, aid);
  return text +
         fmt::format("    \"after_reset\": [\"00A40400{:02X} {}\"]  // SELECT\n  }},\n", aid.size() / 2, aid);
}

/// A command that is likely to check a secret: tries that fail are counted, and end in a locked card.
bool may_spend_tries(const Instruction& instruction) {
  return std::ranges::any_of(
      std::to_array<std::string_view>({"VERIFY", "PIN", "PUK", "AUTH", "UNBLOCK", "LOGIN", "PASSWORD"}),
      [&](std::string_view word) { return instruction.name.find(word) != std::string::npos; });
}

std::string trigger(const AppletFacts& facts) {
  std::string text = "  // The command under study: CLA INS P1 P2, then data.";
  if (facts.instructions.empty()) text += " No constant called INS_… was found: fill in yours.";
  text += "\n";
  for (const Instruction& found : facts.instructions)
    text += fmt::format("  //   {} {}{}\n", found.value, found.name,
                        may_spend_tries(found) ? "  (may count tries: add \"counts_tries\": true)" : "");
  const auto safe = std::ranges::find_if_not(facts.instructions, may_spend_tries);
  const auto chosen = safe == facts.instructions.end() ? facts.instructions.begin() : safe;
  const std::string ins = facts.instructions.empty() ? "00" : chosen->value;
  const std::string apdu = fmt::format("{}{}0000", facts.cla.empty() ? "80" : facts.cla, ins);
  const bool counts = !facts.instructions.empty() && may_spend_tries(*chosen);
  return text + fmt::format(R"(  "trigger": {{"apdu": "{0}"{1}}},
  // With data, here four bytes: "trigger": {{"apdu": "{0} {{input}}"{1}}}, "inputs": {{"fixed": "31323334"}},
)",
                            apdu, counts ? R"(, "counts_tries": true)" : "");
}

// --- Programs ---

std::string further(const Strings& others, std::string_view what) {
  return others.empty() ? "" : fmt::format("  // {}: {}\n", what, fmt::join(others, ", "));
}

std::string not_copied(const Strings& built) {
  if (built.empty()) return "";
  return "  // What earlier builds have left is not copied.\n" + list("exclude_from_tree", built) + ",\n";
}

std::string compile_section(const ProgramFacts& facts) {
  if (!facts.database.empty())
    return fmt::format("  // How each file is compiled.\n  \"compile\": {{\"database\": {}}},\n",
                       json_string(facts.database));
  Strings flags;
  for (const std::string& folder : facts.includes) flags.push_back("-I{project}/" + folder);
  const std::string folder =
      facts.builder == Builder::cmake && !facts.built.empty() ? facts.built.front() : "build";
  const std::string how = facts.builder == Builder::cmake
                              ? fmt::format("cmake -S . -B {} -DCMAKE_EXPORT_COMPILE_COMMANDS=ON", folder)
                          : facts.builder == Builder::meson ? std::string("meson setup build")
                          : facts.builder == Builder::make  ? "bear -- make"
                                                            : "a build under bear";
  return fmt::format(
      R"({}  // Flags for every file. Better is a compile_commands.json, which tells them file by file ({}):
  // "compile": {{"database": "{}/compile_commands.json"}},
  "compile": {{"flags": {}}},
)",
      facts.has_configure
          ? "  // Run ./configure here first: jcprof reads the sources with what it makes (config.h).\n"
          : "",
      how, facts.builder == Builder::make ? "." : folder, list(flags, 23));
}

Strings build_steps(const ProgramFacts& facts) {
  constexpr std::string_view patient = ", \"timeout_s\": 1800";
  switch (facts.builder) {
    case Builder::cmake: {
      Strings build{"cmake", "--build", "{out}/build"};
      if (!facts.target.empty()) build.insert(build.end(), {"--target", facts.target});
      build.insert(build.end(), {"--parallel", "2"});
      return {step({"cmake", "-S", "{tree}", "-B", "{out}/build", "-DCMAKE_BUILD_TYPE=RelWithDebInfo"}),
              step(build, patient)};
    }
    case Builder::meson:
      return {step({"meson", "setup", "--buildtype=debugoptimized", "{out}/build", "{tree}"}),
              step({"meson", "compile", "-C", "{out}/build"}, patient)};
    case Builder::make: {
      Strings make{"make", "-j2"};
      if (!facts.target.empty()) make.push_back(facts.target);
      if (facts.has_configure) return {step({"./configure"}, patient), step(make, patient)};
      return {step(make, patient)};
    }
    case Builder::compiler:
      break;
  }
  const bool is_all_cpp = std::ranges::all_of(facts.units, is_cpp_source);
  // The driver of C++ would take C for C++; that of C takes each file by its ending.
  Strings argv{is_all_cpp ? "c++" : "cc", "-O2", "-g", "-o", "{out}/" + facts.program};
  for (const std::string& folder : facts.includes) argv.push_back("-I" + folder);
  argv.insert(argv.end(), facts.units.begin(), facts.units.end());
  if (!is_all_cpp && std::ranges::any_of(facts.units, is_cpp_source)) argv.emplace_back("-lstdc++");
  argv.emplace_back("-lm");
  return {step(argv, patient)};
}

std::string built_program(const ProgramFacts& facts) {
  switch (facts.builder) {
    case Builder::cmake:
    case Builder::meson:
      return "{out}/build/" + facts.program;
    case Builder::make:
      return "{tree}/" + facts.program;
    case Builder::compiler:
      break;
  }
  return "{out}/" + facts.program;
}

// --- Enclaves ---

/// A shared object of C and C++ files; the driver of C takes both.
std::string shared_object(const std::string& name, const Strings& includes, const Strings& files) {
  Strings argv{"cc", "-O2", "-g", "-shared", "-fPIC", "-o", name};
  for (const std::string& folder : includes) argv.push_back("-I" + folder);
  argv.insert(argv.end(), files.begin(), files.end());
  if (std::ranges::any_of(files, is_cpp_source)) argv.emplace_back("-lstdc++");
  return step(argv, ", \"timeout_s\": 1800");
}

std::string enclave_build(const EnclaveFacts& facts) {
  if (facts.makes_bridge)
    return steps("build", {step({"make", "EDGE={out}/edge", "bridge.so"}, ", \"timeout_s\": 1800")});
  const std::string host = "{out}/edge/host";
  Strings includes = facts.includes;
  includes.push_back(host);
  Strings trusted = facts.units;
  trusted.push_back(host + "/" + facts.name + "_t.c");
  if (facts.is_open)
    return R"(  // This is a host build: no enclave, for a first look. A bridge for Open Enclave is yours to write, against
  // {out}/edge/jcprof_plugin.h, and to be built here as bridge.so (docs/sgx.md).
)" + steps("build", {shared_object("enclave.so", includes, trusted)});
  Strings outside{"{out}/edge/bridge.c", host + "/" + facts.name + "_u.c"};
  outside.insert(outside.end(), facts.outside.begin(), facts.outside.end());
  Strings outside_includes = includes;
  outside_includes.emplace_back("{out}/edge");
  if (!facts.id.empty()) outside.insert(outside.begin(), "-DENCLAVE_ID=" + facts.id);
  outside.emplace_back("-ldl");
  return R"(  // This is a host build: no enclave, for a first look. With the SDK: make enclave.signed.so of the EDL and the
  // sources in {tree}, and bridge.so of {out}/edge/bridge.c and what the SDK's tool makes of that EDL.
  // SGX_MODE=SIM on x86-64 needs -mno-tls-direct-seg-refs for the sources (docs/sgx.md).
)" + steps("build", {shared_object("enclave.so", includes, trusted),
                     shared_object("bridge.so", outside_includes, outside)});
}

std::string enclave_compile(const EnclaveFacts& facts) {
  Strings flags;
  for (const std::string& folder : facts.includes) flags.push_back("-I{project}/" + folder);
  std::string text =
      fmt::format("  // Flags for every source.\n  \"compile\": {{\"flags\": {}", list(flags, 23));
  if (!facts.is_alone) text += fmt::format(", \"edl\": {}", json_string(facts.edl));
  if (!facts.searched.empty()) text += fmt::format(", \"edl_search\": {}", list(facts.searched, 30));
  return text + "},\n";
}

// --- Trusted applications ---

std::string ta_build(const TaFacts& facts, const std::string& dev_kit) {
  const bool is_arm32 = name_of_file(dev_kit) == "export-ta_arm32";
  Strings argv{"make", is_arm32 ? "CROSS_COMPILE=arm-linux-gnueabihf-" : "CROSS_COMPILE=aarch64-linux-gnu-",
               "O={out}/ta"};
  if (!facts.folder.empty()) argv.insert(argv.begin() + 1, {"-C", facts.folder});
  if (!dev_kit.empty()) argv.push_back("TA_DEV_KIT_DIR=" + dev_kit);
  return fmt::format("  // The development kit is {}.\n",
                     dev_kit.empty()
                         ? "the environment's: TA_DEV_KIT_DIR; or add \"TA_DEV_KIT_DIR=/its/folder\""
                         : "that of the OP-TEE that it is to run on: TA_DEV_KIT_DIR") +
         steps("build", {step(argv, ", \"timeout_s\": 600")}) + ",\n";
}

std::string ta_trigger(const TaFacts& facts) {
  std::string text =
      fmt::format("  // The command under study{}\n",
                  facts.commands.empty() ? ": none was found in the entry, fill in yours." : ", one of");
  for (const TaCommand& command : facts.commands)
    text += fmt::format("  //   {} {}\n", command.id, command.name);
  return text +
         fmt::format(
             R"(  // Up to four parameters: {{"value": "in", "a": 1}}, {{"memref": "in", "bytes": "{{input}}"}}, {{"memref": "out", "size": 32}}, null.
  "trigger": {{"ta": {}, "command": {}, "params": []}},
  // Commands that each session begins with, and what {{input}} stands for.
  // "session": {{"once": [{{"command": 0, "params": []}}]}},
  // "inputs": {{"fixed": "31323334"}},
)",
             json_string(facts.uuid), facts.commands.empty() ? 0 : facts.commands.front().id);
}

std::string signature(const EdlFunction& function) {
  std::string text;
  for (const EdlParameter& parameter : function.parameters)
    text += (text.empty() ? "" : ", ") + parameter.type + " " + parameter.name;
  return fmt::format("{} {}({})", function.result, function.name, text);
}

/// The result of any other type may be what the ecall has worked out.
std::string ecall_trigger(const EdlFunction& entry) {
  const bool is_code = entry.result == "sgx_status_t" || entry.result == "oe_result_t";
  return fmt::format("  \"trigger\": {{\"ecall\": {}{}}},\n", json_string(entry.name),
                     is_code ? R"(, "expect": "00000000")" : "");
}

std::string draft_project(const std::string& name, const EnclaveFacts& facts) {
  return head(name, "sgx-enclave") + "  // The trusted sources. Traps go into a copy of these files.\n" +
         list("sources", facts.globs) + ",\n" + not_copied(facts.built) +
         fmt::format("  // The ecall that is measured, of {}; this one is in {}.\n", json_string(facts.edl),
                     json_string(facts.source)) +
         further(facts.others, "Other ecalls here") +
         fmt::format("  \"entry\": {}", json_string(facts.entry.name)) + ",\n" + std::string(scope) +
         enclave_compile(facts) +
         "  // How the copy with traps, {tree}, is built. jcprof gen writes what it needs beside it, "
         "{out}/edge.\n" +
         enclave_build(facts) + ",\n  \"transport\": \"agent:jcprof-agent-ecall {tree}/bridge.so\",\n" +
         ecall_trigger(facts.entry) +
         "  // The bytes of the parameters in their order; {out}/edge/bridge.c says which. What is missing "
         "is zeros.\n" +
         fmt::format("  //   {}\n", signature(facts.entry)) +
         "  \"inputs\": {\"list\": [\"0000000000000000\"]},\n" + tail("");
}

std::string draft_project(const std::string& name, const TaFacts& facts, const std::string& dev_kit) {
  return head(name, "optee-ta") + "  // Traps go into a copy of these files.\n" +
         list("sources", facts.globs) +
         fmt::format(",\n  // The entry, {}, is in {}.\n", ta_entry, json_string(facts.source)) +
         further(facts.others, "It is in these too, of other applications") + std::string(scope) +
         "  // The makefile in this folder says how each file is compiled.\n" +
         fmt::format("  \"compile\": {{\"make\": {}}},\n",
                     json_string(facts.folder.empty() ? "." : facts.folder)) +
         ta_build(facts, dev_kit) +
         R"(  // optee-vm comes with jcprof; in its sources it is scripts/optee-vm: write that path. Without --icount the machine's
  // time is real; on a board: "agent:ssh BOARD jcprof-agent-teec", with an "install" that copies the .ta there.
)" + (facts.uuid.empty() ? "  // Neither the makefile nor TA_UUID says the UUID: fill in yours.\n" : "") +
         fmt::format("  \"transport\": \"agent:optee-vm agent --icount {{out}}/ta/{}.ta\",\n", facts.uuid) +
         ta_trigger(facts) + tail("");
}

std::string draft_project(const std::string& name, const AppletFacts& facts) {
  const std::string aid = facts.aid.empty() ? std::string(made_up_aid) : facts.aid;
  const bool is_simulated = !facts.simulator.empty();
  const std::string folder = folder_of(facts.source);
  return head(name, "applet") + "  // The applet's package. Traps go into a copy of these files.\n" +
         list("sources", {path_in(folder, "*.java")}) + ",\n" +
         "  // What the card calls for each command.\n" + further(facts.others, "Other applets here") +
         fmt::format("  \"entry\": {}", json_string(facts.entry)) + ",\n" + std::string(scope) +
         "  // The class path that traps are tried against by compiling.\n" +
         fmt::format("  \"compile\": {{\"classpath\": {}}},\n", list(class_path(facts), 27)) +
         "  // How the copy with traps, {tree}, is built.\n" +
         steps("build", {is_simulated ? compile_step(facts) : cap_step(facts)}) + ",\n" +
         (is_simulated ? simulator_sections(facts, aid) : std::string(card_sections)) + session(facts, aid) +
         trigger(facts) + tail(is_simulated ? "; a simulator is a noisy target" : "");
}

std::string draft_project(const std::string& name, const ProgramFacts& facts) {
  return head(name, "program") + "  // Traps go into a copy of these files.\n" +
         list("sources", facts.globs) + ",\n" + not_copied(facts.built) +
         fmt::format("  // The function that is measured; this one is in {}.\n", json_string(facts.source)) +
         further(facts.others, "Further programs, whose files are left out of \"sources\"") +
         "  \"entry\": \"main\"" + ",\n" + std::string(scope) + compile_section(facts) +
         "  // How the copy with traps, {tree}, is built.\n" + steps("build", build_steps(facts)) + ",\n" +
         R"(  // The program is started anew for each shot.
  "transport": "exec:",
  // The command under study: give it arguments that make it work for a moment, the same each time.
)" + fmt::format("  \"trigger\": {{\"run\": {}}},\n", list({built_program(facts)}, 21)) +
         tail("");
}

}  // namespace

std::string draft_project(const FoundTree& tree) {
  if (const std::optional<AppletFacts> applet = find_applet(tree)) return draft_project(tree.name, *applet);
  if (const std::optional<EnclaveFacts> enclave = find_enclave(tree))
    return draft_project(tree.name, *enclave);
  if (const std::optional<TaFacts> ta = find_ta(tree)) return draft_project(tree.name, *ta, tree.dev_kit);
  if (const std::optional<ProgramFacts> program = find_program(tree))
    return draft_project(tree.name, *program);
  const auto count = [&](auto is_one) { return std::ranges::count_if(tree.paths, is_one); };
  throw UserError(Fault{
      .message = fmt::format(
          "there is no applet, no enclave, no trusted application and no program in \"{}\"", tree.name),
      .hint = fmt::format("looked for a class that extends Applet and has process(APDU) in {} Java files, "
                          "for a public ecall in {} "
                          "EDL files that a source defines, and for {} and main in {} C and C++ files",
                          count([](const std::string& path) { return path.ends_with(".java"); }),
                          count([](const std::string& path) { return path.ends_with(".edl"); }), ta_entry,
                          count(is_c_source))});
}

}  // namespace jcprof::rewriter
