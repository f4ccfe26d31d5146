// SPDX-License-Identifier: Apache-2.0
// edge: what the SDK's tool would make of an EDL, for a build without enclave. Both sides call each other
// through tables of pointers, as they are two shared objects that must not take each other's names: proxies
// are called like what they stand for.
#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <map>
#include <regex>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "rewriter/edits.hpp"
#include "rewriter/edl/c_text.hpp"
#include "rewriter/edl/edge.hpp"
#include "rewriter/edl/files.hpp"
#include "rewriter/found_tree.hpp"
#include "rewriter/templates.hpp"
#include "src/core/file.hpp"
#include "src/core/text.hpp"

namespace jcprof::rewriter {
namespace {

namespace fs = std::filesystem;

using Functions = std::vector<EdlFunction>;

/// What the SDK declares and implements itself; there is none of it in a host build. Its files lie outside of
/// the project, and so have absolute paths.
bool is_of_sdk(const EdlFunction& function) {
  const std::string& file = function.place.file;
  return (file.starts_with("/") && name_of_file(file).starts_with("sgx_")) ||
         file.find("openenclave/") != std::string::npos;
}

Functions without_sdk(Functions functions) {
  std::erase_if(functions, is_of_sdk);
  return functions;
}

/// How calls to the other side go: by its table, unless the guard refuses.
struct Passage {
  std::string_view result;
  std::string_view success;
  std::string_view table;
  std::string_view guard;
  std::string_view refusal;
  std::string_view first;  // parameter
};
constexpr Passage inward{"sgx_status_t",
                         "SGX_SUCCESS",
                         "jcprof_host.ecalls",
                         "eid == 0 || eid != jcprof_host.id",
                         "SGX_ERROR_INVALID_ENCLAVE_ID",
                         "sgx_enclave_id_t eid"};
constexpr Passage outward{"sgx_status_t", "SGX_SUCCESS", "jcprof_host_outside", "jcprof_host_outside == NULL",
                          "SGX_ERROR_OCALL_NOT_ALLOWED"};
constexpr Passage outward_of_open_enclave{"oe_result_t", "OE_OK", "jcprof_host_outside",
                                          "jcprof_host_outside == NULL", "OE_FAILURE"};

/// The SDK's libraries have this, or bring it along, and the host's do not.
constexpr std::string_view of_sdk_libc = R"(
#ifdef __GLIBC__
#include <stdarg.h>
#include <string.h>
#ifdef __cplusplus
#include <stdexcept>
/* NULL is a number there, by which an overload is chosen. */
#define __null 0
#if defined __GLIBCXX__ && __cplusplus >= 201703L
/* With searchers of std::experimental std::search ends there. */
namespace std {
namespace experimental {
inline namespace fundamentals_v1 {
template <class, class> class default_searcher;
template <class, class, class> class boyer_moore_searcher;
template <class, class, class> class boyer_moore_horspool_searcher;
}
}
template <class I, class A, class B> I search(I first, I last, const experimental::default_searcher<A, B> &searcher) {
  return searcher(first, last);
}
template <class I, class A, class B, class C>
I search(I first, I last, const experimental::boyer_moore_searcher<A, B, C> &searcher) {
  return searcher(first, last);
}
template <class I, class A, class B, class C>
I search(I first, I last, const experimental::boyer_moore_horspool_searcher<A, B, C> &searcher) {
  return searcher(first, last);
}
}
#endif
#endif
#define memcpy_verw memcpy
#define memmove_verw memmove
#define memset_verw memset
#endif
)";

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

/// By the header of ours that has parts of them.
struct SdkHeader {
  std::string_view name;
  std::string_view ours;
};
constexpr auto sdk_headers_of_host = std::to_array<SdkHeader>({{"attributes", "jcprof_sdk_types.h"},
                                                               {"cpuid", "jcprof_sdk.h"},
                                                               {"defs", "jcprof_sdk.h"},
                                                               {"dh", "jcprof_sdk_attest.h"},
                                                               {"ecp_types", "jcprof_sdk_crypto.h"},
                                                               {"key", "jcprof_sdk_types.h"},
                                                               {"lfence", "jcprof_sdk.h"},
                                                               {"report", "jcprof_sdk_types.h"},
                                                               {"spinlock", "jcprof_sdk.h"},
                                                               {"tcrypto", "jcprof_sdk_crypto.h"},
                                                               {"thread", "jcprof_sdk.h"},
                                                               {"trts", "jcprof_sdk.h"},
                                                               {"trts_aex", "jcprof_sdk.h"},
                                                               {"trts_exception", "jcprof_sdk.h"},
                                                               {"tseal", "jcprof_sdk.h"},
                                                               {"uswitchless", "jcprof_sdk.h"},
                                                               {"utils", "jcprof_sdk_attest.h"}});

std::string declaration(const EdlDeclaration& declared) {
  const std::size_t space = declared.name.find(' ');
  if (space == std::string::npos) return declared.text + ";\n";
  return fmt::format("typedef {} {};\n", declared.text, declared.name.substr(space + 1));
}

template <class Item>
std::string names_of(const std::vector<Item>& items) {
  std::vector<std::string> names;
  for (const Item& item : items) names.push_back(item.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

/// What a table is made of: "0" for the one member of an empty one.
std::string values_of(const Functions& functions) {
  return functions.empty() ? "0" : names_of(functions);
}

std::string prototypes(const Functions& functions) {
  std::string text;
  for (const EdlFunction& function : functions)
    text += fmt::format("{} {}({});\n", function.result, function.name, c_parameters(function));
  return text;
}

/// The head of the function that stands for one of the other side.
std::string proxy(const EdlFunction& function, const Passage& passage) {
  std::string first(passage.first);
  if (function.result != "void") first += (first.empty() ? "" : ", ") + function.result + "* retval";
  return fmt::format("{} {}({})", passage.result, function.name, c_parameters(function, first));
}

std::string proxy_prototypes(const Functions& functions, const Passage& passage) {
  std::string text;
  for (const EdlFunction& function : functions) text += proxy(function, passage) + ";\n";
  return text;
}

std::string proxies(const Functions& functions, const Passage& passage) {
  std::string text;
  for (const EdlFunction& function : functions) {
    const bool has_result = function.result != "void";
    text += fmt::format(
        "\n{} {{\n{}  if ({}) return {};\n  {}{}->{}({});\n{}  return {};\n}}\n", proxy(function, passage),
        has_result ? fmt::format("  {} jcprof_result;\n", function.result) : "", passage.guard,
        passage.refusal, has_result ? "jcprof_result = " : "", passage.table, function.name,
        names_of(function.parameters), has_result ? "  if (retval != NULL) *retval = jcprof_result;\n" : "",
        passage.success);
  }
  return text;
}

/// What a call into an enclave that is not there gives.
std::string refusals(const Functions& ecalls) {
  std::string text;
  for (const EdlFunction& ecall : ecalls) {
    std::string unused = "(void)eid;";
    if (ecall.result != "void") unused += " (void)retval;";
    for (const EdlParameter& parameter : ecall.parameters)
      unused += fmt::format(" (void){};", parameter.name);
    text += fmt::format("static __inline__ __attribute__((__unused__)) {} {{\n  {}\n  return {};\n}}\n",
                        proxy(ecall, inward), unused, inward.refusal);
  }
  return text;
}

std::string table(std::string_view tag, const Functions& functions) {
  std::string text = fmt::format("struct jcprof_host_{} {{\n", tag);
  for (const EdlFunction& function : functions)
    text += fmt::format("  {} (*{})({});\n", function.result, function.name, c_parameters(function));
  return text + (functions.empty() ? "  char none;\n" : "") + "};\n";
}

std::string head_of(const Edl& edl, std::string_view remark) {
  return fmt::format(
      "/* {}. Do not edit. */\n/* What the SDK's tool makes of {}, for a build without enclave: {}. */\n",
      generated_mark, edl.main.path, remark);
}

constexpr std::string_view untrusted_includes =
    "#include <string.h>\n\n#include <sgx_eid.h>\n#include <sgx_error.h>\n";

std::string untrusted_side(const Functions& ocalls, const std::string& inward_functions) {
  return "\n/* Out of the enclave: yours to define. */\n" + prototypes(ocalls) + "\n/* Into it. */\n" +
         inward_functions;
}

/// NAME_t.h or NAME_u.h.
std::string header(const Edl& edl, const std::map<std::string, std::string>& common, char side,
                   const std::string& sdk, const std::string& functions) {
  std::map<std::string, std::string> values = common;
  std::string& guard = values["GUARD"];
  for (const char c : fmt::format("{}_{}_H__", common.at("NAME"), side))
    guard += is_word(c) ? static_cast<char>(std::toupper(c)) : '_';
  std::string& includes = values["INCLUDES"];
  for (const std::string& include : edl.includes) includes += fmt::format("#include \"{}\"\n", include);
  std::string& declarations = values["DECLARATIONS"];
  for (const EdlDeclaration& declared : edl.declarations) declarations += declaration(declared);
  values["SDK"] = sdk;
  values["FUNCTIONS"] = functions;
  return c_filled(host_header_template, values);
}

}  // namespace

std::string edge_name(const EdlFile& main) {
  return std::string(stem_of(main.path));
}

EdgeFile host_file_beside(const Edl& edl) {
  const std::map<std::string, std::string> values{
      {"HEAD", head_of(edl, "there is no such enclave, and its ecalls say so")},
      {"NAME", edge_name(edl.main)}};
  return {fmt::format("host/{}_u.h", edge_name(edl.main)),
          header(edl, values, 'u', std::string(untrusted_includes),
                 untrusted_side(without_sdk(edl.ocalls), refusals(without_sdk(edl.ecalls))))};
}

std::set<std::string> edge_headers_in(std::string_view source) {
  static const std::regex form(
      R"re([ \t]{0,40}#[ \t]{0,40}include[ \t]{0,40}["<]([\w./+-]{1,200}_[tu]\.h)[">])re");
  std::set<std::string> headers;
  for (std::size_t at = 0; at < source.size();) {
    const std::string line(source.substr(at, source.find('\n', at) - at));
    at += line.size() + 1;
    std::smatch match;
    if (std::regex_search(line, match, form, std::regex_constants::match_continuous))
      headers.insert(match[1].str());
  }
  return headers;
}

std::vector<EdgeFile> leading_headers(const std::set<std::string>& included,
                                      const std::vector<EdgeFile>& files) {
  const fs::path host = "host";
  std::vector<EdgeFile> leading;
  for (const std::string& header : included) {
    const fs::path made = host / name_of_file(header);
    const fs::path wanted = (host / header).lexically_normal();
    const bool is_made = std::ranges::find(files, made.generic_string(), &EdgeFile::path) != files.end();
    if (is_made && wanted != made && !leads_out_of_tree(wanted.generic_string()) && !header.starts_with('/'))
      leading.push_back(
          {wanted.generic_string(),
           fmt::format("#include \"{}\"\n", made.lexically_relative(wanted.parent_path()).generic_string())});
  }
  return leading;
}

std::vector<EdgeFile> host_files(const EdlEdit& edit) {
  const Edl& edl = edit.edl;
  const bool is_open = is_open_enclave(edl);  // of which there is the trusted side alone
  const Passage& out = is_open ? outward_of_open_enclave : outward;
  const Functions ecalls = without_sdk(edl.ecalls);
  const Functions ocalls = without_sdk(edl.ocalls);
  const std::string tables = table("ecalls", ecalls) + table("ocalls", ocalls);
  std::map<std::string, std::string> values{
      {"HEAD", head_of(edl, "calls are direct, nothing is copied")},
      {"NAME", edge_name(edl.main)},
      {"TABLES", tables},
      {"ECALLS", values_of(ecalls)},
      {"OCALLS", values_of(ocalls)},
      // Says of what the two sides are built, so that those of different EDLs do not meet.
      {"SYMBOL", fmt::format("jcprof_host_enter_{}", sha256(tables).substr(0, 8))}};
  const auto source = [&](std::string_view form, const std::string& proxies) {
    values["PROXIES"] = proxies;
    return c_filled(form, values);
  };
  // Hidden, so that the trusted functions are ours even where the process has others of these names: the
  // proxies of the other side do.
  const std::string trusted =
      "\n#pragma GCC visibility push(hidden)\n\n/* Into the enclave: yours to define. */\n" +
      prototypes(ecalls) + "\n/* Out of it. */\n" + proxy_prototypes(ocalls, out) +
      "\n#pragma GCC visibility pop\n";
  const std::string untrusted = untrusted_side(ocalls, proxy_prototypes(ecalls, inward));
  const std::string error = "#include <sgx_error.h>\n";
  const std::string stem = "host/" + values.at("NAME");
  std::vector<EdgeFile> files{
      {stem + "_t.h",
       header(edl, values, 't', error + std::string(is_open ? open_enclave : of_sdk_libc), trusted)},
      {stem + "_t.c", source(host_trusted_template, proxies(ocalls, out))},
      {stem + "_u.h", header(edl, values, 'u', std::string(untrusted_includes), untrusted)},
      {stem + "_u.c", source(host_untrusted_template, proxies(ecalls, inward))},
      {"host/sgx_error.h", std::string(sgx_error_template)},
      {"host/sgx_eid.h", std::string(sgx_eid_template)},
      {"host/sgx_urts.h", std::string(sgx_urts_template)},
      {"host/jcprof_sdk.h", std::string(host_sdk_template)},
      {"host/jcprof_sdk_attest.h", std::string(host_sdk_attest_template)},
      {"host/jcprof_sdk_crypto.h", std::string(host_sdk_crypto_template)},
      {"host/jcprof_sdk_types.h", std::string(host_sdk_types_template)}};
  for (const SdkHeader& header : sdk_headers_of_host)
    files.push_back(
        {fmt::format("host/sgx_{}.h", header.name), fmt::format("#include \"{}\"\n", header.ours)});
  return files;
}

}  // namespace jcprof::rewriter
