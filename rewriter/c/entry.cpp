// SPDX-License-Identifier: Apache-2.0
#include "rewriter/c/entry.hpp"

#include <fmt/format.h>

#include "src/core/error.hpp"

namespace jcprof::rewriter {
namespace {

/// A type whose text may have the name's place in its middle.
std::string type_of(const std::string& text) {
  return text == "void" ? text : fmt::format("__typeof__({})", text);
}

std::string parameter_name(std::size_t index) {
  return fmt::format("jcprof_{}", index + 1);
}

template <class Text>
std::string joined(const EntrySignature& signature, std::string_view separator, const Text& text) {
  std::string result;
  for (std::size_t i = 0; i < signature.parameters.size(); ++i)
    result += (i == 0 ? "" : std::string(separator)) + text(i);
  return result;
}

std::string noexcept_of(const EntrySignature& signature) {
  return signature.is_noexcept ? " JCPROF_NOTHROW_" : "";
}

/// "(__typeof__(int) jcprof_1)", or "(jcprof_1) __typeof__(int) jcprof_1;".
std::string parameters_of(const EntrySignature& signature) {
  const auto declared = [&](std::size_t i) {
    return type_of(signature.parameters[i]) + " " + parameter_name(i);
  };
  if (signature.old_style)
    return fmt::format("({}) {}", joined(signature, ", ", parameter_name),
                       joined(signature, " ", [&](std::size_t i) { return declared(i) + ";"; }));
  return signature.parameters.empty() ? "(void)" : fmt::format("({})", joined(signature, ", ", declared));
}

/// Keeps the body out of the wrapper, where setjmp would slow it, and from being seen elsewhere.
std::string declaration_of_body(const EntrySignature& signature) {
  if (signature.is_inline) return "";  // contradicts the attribute
  std::string types =
      joined(signature, ", ", [&](std::size_t i) { return type_of(signature.parameters[i]); });
  if (types.empty()) types = "void";
  // With a prototype narrow parameters would be passed another way than the definition takes them.
  if (signature.old_style) types.clear();
  return fmt::format("{} JCPROF_BODY {} {}({}){};\n",
                     signature.c_linkage && !signature.is_static ? "extern \"C\"" : "static",
                     type_of(signature.result), signature.name, types, noexcept_of(signature));
}

/// The first macro of the wrapper.
std::string root_of(const EntrySignature& signature) {
  if (signature.root == RootKind::ta)
    return fmt::format("JCPROF_TA({}, {})", signature.result, joined(signature, ", ", parameter_name));
  const std::string root = signature.root == RootKind::nested ? "JCPROF_ROOT_NESTED" : "JCPROF_ROOT";
  return signature.result == "void" ? root + "_VOID" : fmt::format("{}({})", root, signature.result);
}

/// The wrapper, behind its storage class.
std::string definition_of(const EntrySignature& signature) {
  const std::string arguments = joined(signature, ", ", [&](std::size_t i) {
    // In C++ what was passed by value moves on, and references stay what they are.
    return signature.is_cpp ? fmt::format("JCPROF_PASS_({})", parameter_name(i)) : parameter_name(i);
  });
  return fmt::format("JCPROF_WRAPPER {} {}{}{} {{ {}; {}jcprof_body_{}({}); }}\n", type_of(signature.result),
                     signature.name, parameters_of(signature), noexcept_of(signature), root_of(signature),
                     signature.result == "void" ? "" : "return ", signature.name, arguments);
}

/// A unit that is compiled with JCPROF_OFF has the function as it was.
std::string where_live(const std::string& lines) {
  return "#if JCPROF_LIVE\n" + lines + "#endif\n";
}

std::string storage_of(const EntrySignature& signature) {
  std::string storage = signature.is_static ? "static " : signature.c_linkage ? "extern \"C\" " : "";
  if (signature.is_inline) storage += "inline ";
  if (!signature.visibility.empty())
    storage += fmt::format("__attribute__((__visibility__(\"{}\"))) ", signature.visibility);
  return storage;
}

/// For the body, which calls the wrapper where it calls itself.
std::string declaration_of_wrapper(const EntrySignature& signature, const std::string& storage) {
  if (signature.is_declared) return "";
  return fmt::format("{}{} {}{}{};\n", storage, type_of(signature.result), signature.name,
                     signature.old_style ? "()" : parameters_of(signature), noexcept_of(signature));
}

}  // namespace

std::string why_no_wrapper(const EntrySignature& signature) {
  if (signature.variadic) return "it takes any number of arguments, which a wrapper could not pass on";
  if (signature.name == "main")
    return "main is not called in process: name the function that the agent calls";
  if (signature.is_inline && !signature.is_static && !signature.is_cpp)
    return "it is inline without being static: its code may be another file's";
  if (signature.result.ends_with('&')) return "it returns a reference: a stop would have nothing to return";
  return {};
}

EntryWrapper entry_wrapper(const EntrySignature& signature) {
  check(why_no_wrapper(signature).empty(), "an entry that is wrapped can be");
  const std::string storage = storage_of(signature);
  return {.before = where_live(fmt::format("{0}#define {1} jcprof_body_{1}\n{2}",
                                           declaration_of_wrapper(signature, storage), signature.name,
                                           declaration_of_body(signature))),
          .at_body = where_live(fmt::format("#undef {}\n", signature.name)),
          .behind = where_live(storage + definition_of(signature))};
}

}  // namespace jcprof::rewriter
