// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include <clang-c/Index.h>
#include <fmt/format.h>

#include "rewriter/c_cursors.hpp"

namespace jcprof::rewriter {
namespace {

std::string taken(CXString string) {
  const char* text = clang_getCString(string);
  std::string result = text == nullptr ? "" : text;
  clang_disposeString(string);
  return result;
}

CResult result_of(CXType type) {
  const CXTypeKind kind = clang_getCanonicalType(type).kind;
  if (kind == CXType_Void) return CResult::nothing;
  const std::string spelling = taken(clang_getTypeSpelling(type));
  if (spelling.find("(unnamed") != std::string::npos || spelling.find("(anonymous") != std::string::npos)
    return CResult::unnamed;
  return is_scalar(&type) ? CResult::scalar : CResult::record;
}

/// Its namespaces and classes; what has no name is left out.
std::string scope_of(CXCursor cursor) {
  std::string scope;
  for (CXCursor parent = clang_getCursorSemanticParent(cursor);
       clang_Cursor_isNull(parent) == 0 && clang_isTranslationUnit(clang_getCursorKind(parent)) == 0;
       parent = clang_getCursorSemanticParent(parent)) {
    if (clang_getCursorKind(parent) == CXCursor_LinkageSpec) continue;
    const std::string name = taken(clang_getCursorSpelling(parent));
    if (name.empty() || name.find('(') != std::string::npos) continue;
    scope = scope.empty() ? name : fmt::format("{}::{}", name, scope);
  }
  return scope;
}

/// Without the template's arguments, which constructors have in their names.
std::string name_of(CXCursor cursor) {
  std::string name = taken(clang_getCursorSpelling(cursor));
  const CXCursorKind kind = clang_getCursorKind(cursor);
  if (kind == CXCursor_Constructor || clang_getTemplateCursorKind(cursor) == CXCursor_Constructor)
    name.resize(std::min(name.find('<'), name.size()));
  return name;
}

/// The declaration as one line; costly.
std::string terse(CXCursor cursor) {
  CXPrintingPolicy policy = clang_getCursorPrintingPolicy(cursor);
  clang_PrintingPolicy_setProperty(policy, CXPrintingPolicy_TerseOutput, 1);
  std::string text = taken(clang_getCursorPrettyPrinted(cursor, policy));
  clang_PrintingPolicy_dispose(policy);
  return text;
}

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::ranges::find(words, word) != words.end();
}

/// Whether it is constexpr, and why no trap can stand in it.
void judge(CXCursor cursor, const CPlaces& places, const CTarget& target, const CUnitContext& context,
           CFunction& function) {
  const CText& text = *target.text;
  bool is_hidden = false;  // a constexpr or consteval may be in a macro
  bool is_consteval = false;
  for (std::size_t i = text.at(places.definition);
       i < text.tokens().size() && text.tokens()[i].begin < places.body; ++i) {
    const CToken& token = text.tokens()[i];
    const std::string_view word = text.of(token);
    if (is_one_of(word, {"naked", "__naked__", "__naked"})) function.why_not = "a naked function";
    function.is_constexpr |= word == "constexpr";
    is_consteval |= word == "consteval";
    is_hidden |= token.begin < places.name && range_over(target.view->macros, token.begin) != nullptr;
  }
  if (context.is_cpp && is_hidden) {
    const std::string head = terse(cursor);
    function.is_constexpr |= head.find("constexpr ") != std::string::npos;
    is_consteval |= head.find("consteval ") != std::string::npos;
  }
  if (function.is_constexpr && !context.statements_in_constexpr)
    function.why_not = "a constexpr function before C++14";
  if (is_consteval) function.why_not = "a consteval function";
}

void describe_type(CXCursor cursor, bool is_cpp, CFunction& function) {
  const CXType result = clang_getCursorResultType(cursor);
  function.result = taken(clang_getTypeSpelling(result));
  function.returns = is_cpp ? CResult::record : result_of(result);
  const CXType type = clang_getCursorType(cursor);
  const int parameters = clang_getNumArgTypes(type);
  for (int i = 0; i < parameters; ++i)
    function.parameters.push_back(
        taken(clang_getTypeSpelling(clang_getArgType(type, static_cast<unsigned>(i)))));
  function.is_variadic = clang_isFunctionTypeVariadic(type) != 0;
  function.is_old_style = type.kind == CXType_FunctionNoProto;
  const int exceptions = clang_getExceptionSpecificationType(type);
  function.is_noexcept = exceptions == CXCursor_ExceptionSpecificationKind_BasicNoexcept ||
                         exceptions == CXCursor_ExceptionSpecificationKind_DynamicNone ||
                         exceptions == CXCursor_ExceptionSpecificationKind_ComputedNoexcept;
}

}  // namespace

CFunction describe_function(const void* cursor, const CPlaces& places, const CTarget& target,
                            const CUnitContext& context) {
  const CXCursor& of = *static_cast<const CXCursor*>(cursor);
  CFunction function;
  function.simple_name = name_of(of);
  function.owner = scope_of(of);
  function.name =
      function.owner.empty() ? function.simple_name : function.owner + "::" + function.simple_name;
  function.declarator = {places.name, places.name + static_cast<std::uint32_t>(function.simple_name.size())};
  if (const CRange* macro = range_over(target.view->macros, places.name)) function.declarator = *macro;
  function.definition = places.definition;
  describe_type(of, context.is_cpp, function);
  function.is_static = clang_Cursor_getStorageClass(of) == CX_SC_Static;
  const CXCursor parent = clang_getCursorSemanticParent(of);
  const bool is_member = clang_getCursorKind(parent) != CXCursor_Namespace &&
                         clang_getCursorKind(parent) != CXCursor_LinkageSpec &&
                         clang_isTranslationUnit(clang_getCursorKind(parent)) == 0;
  function.is_free = clang_getCursorKind(of) == CXCursor_FunctionDecl && !is_member &&
                     clang_equalCursors(parent, clang_getCursorLexicalParent(of)) != 0;
  function.has_c_linkage =
      context.is_cpp && function.is_free && taken(clang_Cursor_getMangling(of)) == function.simple_name;
  judge(of, places, target, context, function);
  return function;
}

}  // namespace jcprof::rewriter
