// SPDX-License-Identifier: Apache-2.0
// edge: what the SDK's tool would make of an EDL, for a build without enclave. Both sides call each other
// through tables of pointers, as they are two shared objects that must not take each other's names: proxies
// are called like what they stand for.
#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "rewriter/edge_templates.hpp"
#include "rewriter/edits.hpp"
#include "rewriter/edl/c_text.hpp"
#include "rewriter/edl/edge.hpp"
#include "rewriter/edl/files.hpp"
#include "rewriter/found_tree.hpp"
#include "src/core/file.hpp"

namespace jcprof::rewriter {
namespace {

using Functions = std::vector<EdlFunction>;

/// What the SDK declares and implements itself; there is none of it in a host build. Its files lie outside of
/// the project, and so have absolute paths.
bool is_of_sdk(const EdlFunction& function) {
  const bool is_outside = function.file.starts_with("/");
  return (is_outside && name_of_file(function.file).starts_with("sgx_")) ||
         function.file.find("openenclave/") != std::string::npos;
}

Functions without_sdk(Functions functions) {
  std::erase_if(functions, is_of_sdk);
  return functions;
}

/// How a proxy answers.
struct Results {
  std::string_view type;
  std::string_view success;
  std::string_view not_allowed;
};
constexpr Results of_intel{"sgx_status_t", "SGX_SUCCESS", "SGX_ERROR_OCALL_NOT_ALLOWED"};
constexpr Results of_open_enclave{"oe_result_t", "OE_OK", "OE_FAILURE"};

/// The two sides of an enclave.
struct Sides {
  std::string name;  // "kv"
  std::string what;  // the head of each file
  const Edl& edl;
  bool is_open = is_open_enclave(edl);  // of Open Enclave, of which there is the trusted side alone
  const Results& outward = is_open ? of_open_enclave : of_intel;  // of ocalls
  Functions ecalls = without_sdk(edl.ecalls);
  Functions ocalls = without_sdk(edl.ocalls);
};

std::string upper(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::toupper(c); });
  return text;
}

/// Open Enclave's tool includes all of its header.
constexpr std::string_view open_enclave = R"(
#ifdef __has_include
#if __has_include(<openenclave/enclave.h>)
#define JCPROF_HAS_OPEN_ENCLAVE
#endif
#endif
#ifdef JCPROF_HAS_OPEN_ENCLAVE
#include <openenclave/enclave.h>
#else
typedef enum { OE_OK = 0, OE_FAILURE = 1 } oe_result_t;
#endif
)";

constexpr std::string_view c_begin = "\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n";
constexpr std::string_view c_end = "\n#ifdef __cplusplus\n}\n#endif\n";

std::string declaration(const EdlDeclaration& declared) {
  const std::size_t space = declared.name.find(' ');
  if (space == std::string::npos) return declared.text + ";\n";
  return fmt::format("typedef {} {};\n", declared.text, declared.name.substr(space + 1));
}

std::string header(const Sides& sides, char side, const std::string& functions) {
  const std::string guard =
      fmt::format("{}_{}_H__", upper(c_identifier(sides.name)), side == 't' ? 'T' : 'U');
  std::string text = fmt::format(
      "{}#ifndef {}\n#define {}\n\n#include <stddef.h>\n#include <stdint.h>\n#include "
      "<wchar.h>\n\n{}#include <sgx_error.h>\n",
      sides.what, guard, guard, side == 'u' ? "#include <sgx_eid.h>\n" : "");
  if (sides.is_open && side == 't') text += open_enclave;
  for (const std::string& include : sides.edl.includes) text += fmt::format("#include \"{}\"\n", include);
  text += c_begin;
  text += '\n';
  for (const EdlDeclaration& declared : sides.edl.declarations) text += declaration(declared);
  return text + functions + std::string(c_end) + "\n#endif\n";
}

std::string prototype(const EdlFunction& function) {
  return fmt::format("{} {}({})", function.result, function.name, c_parameters(function));
}

/// The proxy of a function of the other side.
std::string proxy(const EdlFunction& function, std::string_view result, std::string first) {
  if (function.result != "void") {
    if (!first.empty()) first += ", ";
    first += function.result + "* retval";
  }
  return fmt::format("{} {}({})", result, function.name, c_parameters(function, first));
}

std::string proxy_body(const EdlFunction& function, std::string_view guard, std::string_view table,
                       std::string_view success) {
  const std::string call = fmt::format("{}->{}({})", table, function.name, c_arguments(function));
  if (function.result == "void")
    return fmt::format(" {{\n  if ({};\n  {};\n  return {};\n}}\n", guard, call, success);
  return fmt::format(
      " {{\n  {} jcprof_result;\n  if ({};\n  jcprof_result = {};\n  if (retval != NULL) *retval = "
      "jcprof_result;\n  return {};\n}}\n",
      function.result, guard, call, success);
}

std::string table(std::string_view tag, const Functions& functions) {
  std::string text = fmt::format("struct jcprof_host_{} {{\n", tag);
  for (const EdlFunction& function : functions)
    text += fmt::format("  {} (*{})({});\n", function.result, function.name, c_parameters(function));
  return text + (functions.empty() ? "  char none;\n" : "") + "};\n";
}

std::string tables(const Sides& sides) {
  return table("ecalls", sides.ecalls) + table("ocalls", sides.ocalls);
}

std::string names_of(const Functions& functions) {
  if (functions.empty()) return "0";
  std::string names;
  for (const EdlFunction& function : functions) names += (names.empty() ? "" : ", ") + function.name;
  return names;
}

/// Says of what the two sides are built, so that those of different EDLs do not meet.
std::string symbol(const Sides& sides) {
  return fmt::format("jcprof_host_enter_{}", sha256(tables(sides)).substr(0, 8));
}

std::string trusted_header(const Sides& sides) {
  // Hidden, so that they are ours even where the process has others of these names: the proxies of the other
  // side do.
  std::string text = "\n#pragma GCC visibility push(hidden)\n\n/* Into the enclave: yours to define. */\n";
  for (const EdlFunction& function : sides.ecalls) text += prototype(function) + ";\n";
  text += "\n/* Out of it. */\n";
  for (const EdlFunction& function : sides.ocalls) text += proxy(function, sides.outward.type, "") + ";\n";
  return header(sides, 't', text + "\n#pragma GCC visibility pop\n");
}

std::string trusted_source(const Sides& sides) {
  std::string text =
      fmt::format("{}#include \"{}_t.h\"\n{}\n{}\n", sides.what, sides.name, c_begin, tables(sides));
  text += "static const struct jcprof_host_ocalls *jcprof_host_outside;\n\n";
  const std::string guard = fmt::format("jcprof_host_outside == NULL) return {}", sides.outward.not_allowed);
  for (const EdlFunction& function : sides.ocalls)
    text += proxy(function, sides.outward.type, "") +
            proxy_body(function, guard, "jcprof_host_outside", sides.outward.success) + "\n";
  const std::string enter = fmt::format(
      "const struct jcprof_host_ecalls *{}(const struct jcprof_host_ocalls *outside)", symbol(sides));
  return text + "/* The one symbol that the other side looks for. */\n" +
         fmt::format("__attribute__((__visibility__(\"default\"))) {};\n", enter) +
         fmt::format(
             "{} {{\n  static const struct jcprof_host_ecalls ecalls = {{{}}};\n"
             "  jcprof_host_outside = outside;\n  return &ecalls;\n}}\n",
             enter, names_of(sides.ecalls)) +
         std::string(c_end);
}

constexpr std::string_view enclave_parameter = "sgx_enclave_id_t eid";

std::string untrusted_header(const Sides& sides) {
  std::string text = "\n/* Out of the enclave: yours to define. */\n";
  for (const EdlFunction& function : sides.ocalls) text += prototype(function) + ";\n";
  text += "\n/* Into it. */\n";
  for (const EdlFunction& function : sides.ecalls)
    text += proxy(function, of_intel.type, std::string(enclave_parameter)) + ";\n";
  return header(sides, 'u', text);
}

std::string untrusted_source(const Sides& sides) {
  std::string text = fmt::format(
      "{}#include <dlfcn.h>\n#include <stdio.h>\n#include <string.h>\n\n#include <sgx_urts.h>\n\n#include "
      "\"{}_u.h\"\n{}\n{}\n",
      sides.what, sides.name, c_begin, tables(sides));
  text += c_filled(host_untrusted_template, {{"OCALLS", names_of(sides.ocalls)}, {"SYMBOL", symbol(sides)}});
  for (const EdlFunction& function : sides.ecalls)
    text += "\n" + proxy(function, of_intel.type, std::string(enclave_parameter)) +
            proxy_body(function, "eid == 0 || eid != jcprof_host.id) return SGX_ERROR_INVALID_ENCLAVE_ID",
                       "jcprof_host.ecalls", of_intel.success);
  return text + std::string(c_end);
}

}  // namespace

std::string edge_name(const EdlFile& main) {
  return std::string(stem_of(main.path));
}

std::vector<EdgeFile> host_files(const EdlEdit& edit) {
  const Sides sides{
      .name = edge_name(edit.edl.main),
      .what = fmt::format(
          "/* {}. Do not edit. */\n/* What the SDK's tool makes of {}, for a build without enclave: "
          "calls are direct, nothing is copied. */\n",
          generated_mark, edit.edl.main.path),
      .edl = edit.edl};
  const std::string stem = "host/" + sides.name;
  return {{stem + "_t.h", trusted_header(sides)},
          {stem + "_t.c", trusted_source(sides)},
          {stem + "_u.h", untrusted_header(sides)},
          {stem + "_u.c", untrusted_source(sides)},
          {"host/sgx_error.h", std::string(sgx_error_template)},
          {"host/sgx_eid.h", std::string(sgx_eid_template)},
          {"host/sgx_urts.h", std::string(sgx_urts_template)}};
}

}  // namespace jcprof::rewriter
