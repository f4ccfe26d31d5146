// SPDX-License-Identifier: Apache-2.0
#include "rewriter/draft/enclave_draft.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "rewriter/draft/text.hpp"
#include "src/core/json_text.hpp"
#include "src/core/text.hpp"

namespace jcprof::rewriter::draft {
namespace {

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

/// The SDK's tool, for the untrusted side of an EDL.
Strings edger(const FoundTree& tree, const EnclaveBeside& enclave) {
  Strings argv{tree.sdk + "/bin/x64/sgx_edger8r", "--untrusted", enclave.edl, "--search-path", "."};
  Strings folders = enclave.searched;
  folders.push_back(folder_of(enclave.edl));
  for (const std::string& searched : folders) argv.insert(argv.end(), {"--search-path", searched});
  argv.insert(argv.end(), {"--search-path", tree.sdk + "/include", "--untrusted-dir", "{out}/edge"});
  return argv;
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
  Strings all{step(make, patient), step(edger(tree, {facts.edl, facts.name, facts.searched}), patient)};
  const std::string enclave = path_in(folder, facts.built_enclave);
  Strings files{"{out}/edge/bridge.c", "{out}/edge/" + facts.name + "_u.c"};
  for (const EnclaveBeside& other : facts.beside) {
    all.push_back(step(edger(tree, other), patient));
    files.push_back("{out}/edge/" + other.name + "_u.c");
  }
  files.insert(files.end(), facts.outside.begin(), facts.outside.end());
  if (!facts.id.empty()) files.insert(files.begin(), "-DENCLAVE_ID=" + facts.id);
  if (name_of_file(enclave) != "enclave.signed.so")
    files.insert(files.begin(), fmt::format("-DENCLAVE_FILE=\"{}\"", name_of_file(enclave)));
  const Strings libraries = untrusted_libraries(tree);
  files.insert(files.end(), libraries.begin(), libraries.end());
  Strings includes = facts.includes;
  includes.insert(includes.end(), {"{out}/edge", sdk_include});
  all.push_back(shared_object(path_in(folder_of(enclave), "bridge.so"), includes, files));
  return fmt::format(
             R"(  // With the SDK in {}, SGX_MODE={}: the enclave by its makefile, with the flag that thread-local storage needs in
  // simulation; then the bridge, beside it. The bridge is linked with your own ocalls: add what these need.
)",
             plain_line(tree.sdk), tree.is_sgx_hardware ? "HW" : "SIM") +
         steps("build", all);
}

/// A host build is of one enclave.
std::string not_there(const std::vector<EnclaveBeside>& beside) {
  std::string text;
  for (const EnclaveBeside& other : beside)
    text += fmt::format("  // There is no enclave of {}: its ecalls give SGX_ERROR_INVALID_ENCLAVE_ID.\n",
                        json_string(other.edl));
  return text;
}

/// The makefile uses the SDK.
bool wants_sdk(const EnclaveFacts& facts) {
  return facts.make && !facts.is_open && !facts.makes_bridge;
}

/// With the SDK, where the makefile uses that: the enclave as it is.
bool is_real(const FoundTree& tree, const EnclaveFacts& facts) {
  return !tree.sdk.empty() && wants_sdk(facts);
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
  return not_there(facts.beside) +
         R"(  // This is a host build: no enclave, for a first look. With the SDK: make enclave.signed.so of the EDL and the
  // sources in {tree}, and bridge.so of {out}/edge/bridge.c and what the SDK's tool makes of that EDL.
  // SGX_MODE=SIM on x86-64 needs -mno-tls-direct-seg-refs for the sources (docs/sgx.md).
)" +
         steps("build", {shared_object("enclave.so", includes, trusted),
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

}  // namespace

std::string enclave_without_sdk(const FoundTree& tree, const EnclaveFacts& facts) {
  if (!tree.sdk.empty()) return "";
  if (facts.makes_bridge) return "the draft has flags of its own instead of the makefile's";
  return wants_sdk(facts) ? "the draft is for a host build" : "";
}

std::string enclave_project(const FoundTree& tree, const EnclaveFacts& facts) {
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

}  // namespace jcprof::rewriter::draft
