// SPDX-License-Identifier: Apache-2.0
#include "rewriter/c_entry.hpp"

#include <fmt/format.h>

#include "src/core/error.hpp"

namespace jcprof::rewriter {
namespace {

constexpr std::string_view body_prefix = "jcprof_body_";

/// A type whose text may have the name's place in its middle.
std::string type_of(const std::string& text) {
  return text == "void" ? text : fmt::format("__typeof__({})", text);
}

std::string parameter_name(std::size_t index) {
  return fmt::format("jcprof_p{}", index + 1);
}

/// What stands in front of the result's type.
std::string linkage_of(const EntrySignature& signature) {
  if (signature.is_static) return "static ";
  return signature.c_linkage ? "extern \"C\" " : "";
}

template <class Text>
std::string joined(const EntrySignature& signature, std::string_view separator, const Text& text) {
  std::string result;
  for (std::size_t i = 0; i < signature.parameters.size(); ++i)
    result += (i == 0 ? "" : std::string(separator)) + text(i);
  return result;
}

/// "(__typeof__(int) jcprof_p1)", or "(jcprof_p1) __typeof__(int) jcprof_p1;".
std::string parameters_of(const EntrySignature& signature) {
  const auto declared = [&](std::size_t i) {
    return type_of(signature.parameters[i]) + " " + parameter_name(i);
  };
  if (signature.old_style)
    return fmt::format("({}) {}", joined(signature, ", ", parameter_name),
                       joined(signature, " ", [&](std::size_t i) { return declared(i) + ";"; }));
  return signature.parameters.empty() ? "(void)" : fmt::format("({})", joined(signature, ", ", declared));
}

/// Old-style functions have none: with one, narrow parameters would be passed another way.
std::string declaration_of_body(const EntrySignature& signature) {
  if (signature.old_style) return "";
  const std::string types =
      joined(signature, ", ", [&](std::size_t i) { return type_of(signature.parameters[i]); });
  return fmt::format("{}JCPROF_BODY {} {}{}({}){};\n", linkage_of(signature), type_of(signature.result),
                     body_prefix, signature.name, types.empty() ? "void" : types,
                     signature.is_noexcept ? " noexcept" : "");
}

/// In C++ what is passed by value moves on, and references stay what they are.
std::string argument(const EntrySignature& signature, std::size_t index) {
  const std::string name = parameter_name(index);
  return signature.is_cpp ? fmt::format("static_cast<decltype({0})&&>({0})", name) : name;
}

}  // namespace

std::string why_no_wrapper(const EntrySignature& signature) {
  if (signature.variadic) return "it takes any number of arguments, which a wrapper could not pass on";
  if (signature.name == "main")
    return "main is not called in process: name the function that the agent calls";
  if (signature.result.ends_with('&')) return "it returns a reference: a stop would have nothing to return";
  return {};
}

EntryWrapper entry_wrapper(const EntrySignature& signature) {
  check(why_no_wrapper(signature).empty(), "an entry that is wrapped can be");
  const bool is_void = signature.result == "void";
  const std::string call =
      fmt::format("{}{}({});", body_prefix, signature.name,
                  joined(signature, ", ", [&](std::size_t i) { return argument(signature, i); }));
  return {.before = fmt::format("#define {0} {1}{0}\n{2}", signature.name, body_prefix,
                                declaration_of_body(signature)),
          .behind = fmt::format(
              "#undef {0}\n{1}{2} {0}{3}{4} {{ {5}; {6}{7} }}\n", signature.name, linkage_of(signature),
              type_of(signature.result), parameters_of(signature), signature.is_noexcept ? " noexcept" : "",
              is_void ? "JCPROF_ROOT_VOID" : fmt::format("JCPROF_ROOT({})", signature.result),
              is_void ? "" : "return ", call)};
}

}  // namespace jcprof::rewriter
