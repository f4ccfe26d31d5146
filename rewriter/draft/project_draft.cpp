// SPDX-License-Identifier: Apache-2.0
#include "rewriter/draft/project_draft.hpp"

#include <algorithm>
#include <array>
#include <span>

#include <fmt/format.h>

#include "rewriter/draft/applet_draft.hpp"
#include "rewriter/draft/facts.hpp"
#include "rewriter/draft/text.hpp"
#include "src/core/error.hpp"
#include "src/core/json_text.hpp"
#include "src/core/project.hpp"
#include "src/core/text.hpp"

namespace jcprof::rewriter {
namespace {

using draft::head, draft::list, draft::scope, draft::step, draft::steps, draft::Strings, draft::tail;

// --- Programs ---

std::string further(const Strings& others, std::string_view what) {
  constexpr std::size_t most = 8;
  if (others.empty()) return "";
  const std::size_t shown = std::min(others.size(), most);
  const std::string names = fmt::format("{}", fmt::join(std::span(others).first(shown), ", "));
  return fmt::format("  // {}: {}{}\n", what, plain_line(names),
                     shown < others.size() ? fmt::format(" and {} more", others.size() - shown) : "");
}

std::string not_copied(const Strings& built) {
  if (built.empty()) return "";
  return "  // What earlier builds have left is not copied.\n" + list("exclude_from_tree", built) + ",\n";
}

constexpr std::string_view patient = ", \"timeout_s\": 1800";

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
  if (facts.makes_sources) all.push_back(step(cmake_build(facts, "{out}/prepared"), patient));
  return all;
}

/// By two columns.
std::string indented(const std::string& text) {
  std::string result = "  ";
  for (const char c : text) result += c == '\n' ? std::string("\n  ") : std::string(1, c);
  return result;
}

std::string compile_section(const ProgramFacts& facts) {
  if (!facts.database.empty())
    return fmt::format("  // How each file is compiled.\n  \"compile\": {{\"database\": {}}},\n",
                       json_string(facts.database));
  if (facts.builder == Builder::cmake || facts.builder == Builder::meson)
    return fmt::format(
        "  // How each file is compiled, which {} says.\n  \"compile\": {{\n{},\n"
        "    \"database\": \"{{out}}/prepared/compile_commands.json\"\n  }},\n",
        facts.builder == Builder::cmake ? "CMake" : "meson", indented(steps("prepare", preparation(facts))));
  if (facts.builder == Builder::make && !facts.has_configure)
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

/// Flags for the SDK's untrusted library, and those that find it when the bridge is loaded. The SDK has but a
/// stub for hardware mode: that of the system is found by itself.
Strings untrusted_libraries(const FoundTree& tree) {
  const std::string lib = tree.sdk + "/lib64";
  if (tree.is_sgx_hardware) return {"-L" + lib, "-lsgx_urts", "-lpthread", "-ldl"};
  return {"-L" + lib, "-lsgx_urts_sim", "-Wl,-rpath," + lib, "-Wl,--disable-new-dtags", "-lpthread", "-ldl"};
}

/// The enclave by its own makefile; the untrusted side of the EDL by the SDK's tool; the bridge of that, and
/// of the application's own ocalls.
std::string sdk_build(const FoundTree& tree, const EnclaveFacts& facts) {
  const std::string& folder = *facts.make;
  Strings make{"make", tree.is_sgx_hardware ? "SGX_MODE=HW" : "SGX_MODE=SIM", "SGX_SDK=" + tree.sdk};
  if (!folder.empty()) make.insert(make.begin() + 1, {"-C", folder});
  if (!tree.is_sgx_hardware)
    make.insert(make.end(), {"CC=gcc -mno-tls-direct-seg-refs", "CXX=g++ -mno-tls-direct-seg-refs"});
  make.push_back(facts.built_enclave);
  const std::string sdk_include = tree.sdk + "/include";
  Strings edger{tree.sdk + "/bin/x64/sgx_edger8r", "--untrusted", facts.edl, "--search-path", "."};
  Strings folders = facts.searched;
  folders.push_back(folder_of(facts.edl));
  for (const std::string& searched : folders) edger.insert(edger.end(), {"--search-path", searched});
  edger.insert(edger.end(), {"--search-path", sdk_include, "--untrusted-dir", "{out}/edge"});
  const std::string enclave = path_in(folder, facts.built_enclave);
  Strings files{"{out}/edge/bridge.c", "{out}/edge/" + facts.name + "_u.c"};
  files.insert(files.end(), facts.outside.begin(), facts.outside.end());
  if (!facts.id.empty()) files.insert(files.begin(), "-DENCLAVE_ID=" + facts.id);
  if (name_of_file(enclave) != "enclave.signed.so")
    files.insert(files.begin(), fmt::format("-DENCLAVE_FILE=\"{}\"", name_of_file(enclave)));
  const Strings libraries = untrusted_libraries(tree);
  files.insert(files.end(), libraries.begin(), libraries.end());
  Strings includes = facts.includes;
  includes.insert(includes.end(), {"{out}/edge", sdk_include});
  return fmt::format(
             R"(  // With the SDK in {}, SGX_MODE={}: the enclave by its makefile, with the flag that thread-local storage needs in
  // simulation; then the bridge, beside it. The bridge is linked with your own ocalls: add what these need.
)",
             plain_line(tree.sdk), tree.is_sgx_hardware ? "HW" : "SIM") +
         steps("build", {step(make, patient), step(edger, patient),
                         shared_object(path_in(folder_of(enclave), "bridge.so"), includes, files)});
}

/// With the SDK, where the makefile uses that: the enclave as it is.
bool is_real(const FoundTree& tree, const EnclaveFacts& facts) {
  return !tree.sdk.empty() && facts.make && !facts.is_open && !facts.makes_bridge;
}

std::string enclave_build(const FoundTree& tree, const EnclaveFacts& facts) {
  if (is_real(tree, facts)) return sdk_build(tree, facts);
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

std::string enclave_compile(const FoundTree& tree, const EnclaveFacts& facts) {
  Strings flags;
  const bool asks_make = is_real(tree, facts) || (facts.makes_bridge && !tree.sdk.empty());
  for (const std::string& folder : facts.includes) flags.push_back("-I{project}/" + folder);
  std::string text =
      asks_make
          ? fmt::format(
                "  // How each file is compiled, which the makefile says.\n  \"compile\": {{\"make\": {}",
                json_string(!facts.make || facts.make->empty() ? "." : *facts.make))
          : fmt::format("  // Flags for every source.\n  \"compile\": {{\"flags\": {}", list(flags, 23));
  if (!facts.is_alone) text += fmt::format(", \"edl\": {}", json_string(facts.edl));
  if (!facts.searched.empty()) text += fmt::format(", \"edl_search\": {}", list(facts.searched, 30));
  return text + "},\n";
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

std::string enclave_bridge(const FoundTree& tree, const EnclaveFacts& facts) {
  const std::string beside = is_real(tree, facts) ? path_in(*facts.make, facts.built_enclave) : "";
  return "{tree}/" + path_in(folder_of(beside), "bridge.so");
}

std::string draft_project(const FoundTree& tree, const EnclaveFacts& facts) {
  return head(tree.name, "sgx-enclave") + "  // The trusted sources. Traps go into a copy of these files.\n" +
         list("sources", facts.globs) + ",\n" + not_copied(facts.built) +
         fmt::format("  // The ecall that is measured, of {}; this one is in {}.\n", json_string(facts.edl),
                     json_string(facts.source)) +
         further(facts.others, "Other ecalls here") +
         fmt::format("  \"entry\": {}", json_string(facts.entry.name)) + ",\n" + std::string(scope) +
         enclave_compile(tree, facts) +
         "  // How the copy with traps, {tree}, is built. jcprof gen writes what it needs beside it, "
         "{out}/edge.\n" +
         enclave_build(tree, facts) +
         fmt::format(",\n  \"transport\": {},\n",
                     json_string("agent:jcprof-agent-ecall " + enclave_bridge(tree, facts))) +
         ecall_trigger(facts.entry) +
         "  // The bytes of the parameters in their order; {out}/edge/bridge.c says which. What is missing "
         "is zeros.\n" +
         fmt::format("  //   {}\n", plain_line(signature(facts.entry))) +
         "  \"inputs\": {\"list\": [\"0000000000000000\"]},\n" + tail("");
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

std::string draft_project(const std::string& name, const ProgramFacts& facts) {
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
)" + fmt::format("  \"trigger\": {{\"run\": {}, \"clock\": \"cpu\"}},\n", list({built_program(facts)}, 21)) +
         tail("");
}

Draft ta_draft(const FoundTree& tree, const TaFacts& facts) {
  return {draft_project(tree.name, facts, tree.dev_kit), facts.others};
}

}  // namespace

bool is_for_program(const FoundTree& tree) {
  return tree.wanted_ta.empty() && !find_applet(tree) && !find_enclave(tree) && !find_ta(tree);
}

Draft draft_project(const FoundTree& tree) {
  if (!tree.wanted_ta.empty()) return ta_draft(tree, *find_ta(tree));
  if (const std::optional<AppletFacts> applet = find_applet(tree))
    return {draft::applet_project(tree.name, *applet), applet->others};
  const std::optional<EnclaveFacts> enclave = find_enclave(tree);
  const std::optional<TaFacts> ta = enclave ? std::nullopt : find_ta(tree);
  if (!enclave && !ta)
    if (const std::optional<ProgramFacts> program = find_program(tree))
      return {draft_project(tree.name, *program), program->others, program->is_test};
  if (!tree.wanted_entry.empty() && !(enclave && enclave->entry.name == tree.wanted_entry))
    throw UserError(
        Fault{.message = fmt::format("\"{}\": there is no applet, no public ecall and no program in \"{}\"",
                                     tree.wanted_entry, tree.name),
              .hint = "--entry chooses one of several"});
  if (enclave) return {draft_project(tree, *enclave), enclave->others};
  if (ta) return ta_draft(tree, *ta);
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
