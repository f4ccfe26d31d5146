// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <clang-c/Index.h>
#include <fmt/format.h>

#include "rewriter/c/cursors.hpp"
#include "src/core/text.hpp"

namespace jcprof::rewriter {
namespace {

CResult result_of(CXType type) {
  const CXTypeKind kind = clang_getCanonicalType(type).kind;
  if (kind == CXType_Void) return CResult::nothing;
  const std::string spelling = taken(clang_getTypeSpelling(type));
  if (spelling.find("(unnamed") != std::string::npos || spelling.find("(anonymous") != std::string::npos)
    return CResult::unnamed;
  return is_scalar(&type) ? CResult::scalar : is_small(&type) ? CResult::small : CResult::record;
}

/// Without the template's arguments, which constructors have in their names.
std::string name_of(CXCursor cursor) {
  std::string name = taken(clang_getCursorSpelling(cursor));
  const CXCursorKind kind = clang_getCursorKind(cursor);
  if (kind == CXCursor_Constructor || clang_getTemplateCursorKind(cursor) == CXCursor_Constructor)
    name.resize(std::min(name.find('<'), name.size()));
  return name;
}

/// In C++ nothing may run into the end of a function that has a value to return; compilers warn of a trap
/// there.
bool needs_return(CXCursor cursor, const CFunction& function) {
  const CXCursorKind kind = clang_getCursorKind(cursor);
  if (kind != CXCursor_FunctionDecl && kind != CXCursor_CXXMethod) return false;
  const CXType result = clang_getCanonicalType(clang_getCursorResultType(cursor));
  return function.name != "main" && result.kind != CXType_Void && !is_unknown(&result);
}

/// By the attribute that it has, itself or from a declaration in front of it.
std::string visibility_of(CXCursor function) {
  std::string name;
  clang_visitChildren(
      function,
      [](CXCursor child, CXCursor /*parent*/, CXClientData data) {
        if (clang_getCursorKind(child) == CXCursor_VisibilityAttr)
          *static_cast<std::string*>(data) = taken(clang_getCursorSpelling(child));
        return CXChildVisit_Continue;
      },
      &name);
  return name;
}

/// A word of the definition that stands in the way of a wrapper of another name; empty: it does not.
std::string_view obstacle(std::string_view word, bool is_cpp) {
  if (is_one_of(word, {"_Noreturn", "noreturn", "__noreturn__"}))
    return "it never returns, and a stop would have to";
  if (is_one_of(word, {"weak", "__weak__", "constructor", "__constructor__", "destructor", "__destructor__",
                       "ifunc", "__ifunc__"}))
    return "an attribute of it is about its own name";
  if (is_cpp && word == "=")
    return "its definition gives parameters default values: give them in a declaration ahead of it";
  return {};
}

/// Finds out whether it is constexpr, and why no trap can stand in it.
void judge(CXCursor cursor, const CPlaces& places, const CSourceFile& source, const CUnitContext& context,
           CFunction& function) {
  const CText& text = *source.text;
  bool is_hidden = false;  // a constexpr or consteval may be in a macro
  bool is_consteval = false;
  for (std::size_t i = text.at(places.definition);
       i < text.tokens().size() && text.tokens()[i].begin < places.body; ++i) {
    const CToken& token = text.tokens()[i];
    const std::string_view word = text.of(token);
    if (is_one_of(word, {"naked", "__naked__", "__naked"})) function.why_not = "a naked function";
    function.is_constexpr |= word == "constexpr";
    function.signature.is_inline |= is_one_of(word, {"always_inline", "__always_inline__"});
    if (function.why_no_wrapper.empty()) function.why_no_wrapper = obstacle(word, context.is_cpp);
    is_consteval |= word == "consteval";
    is_hidden |= token.begin < places.name && range_over(source.view->macros, token.begin) != nullptr;
  }
  if (context.is_cpp && is_hidden) {
    const std::string head = terse(&cursor);
    function.is_constexpr |= head.find("constexpr ") != std::string::npos;
    is_consteval |= head.find("consteval ") != std::string::npos;
  }
  if (function.is_constexpr && !context.statements_in_constexpr)
    function.why_not = "a constexpr function before C++14";
  if (is_consteval) function.why_not = "a consteval function";
}

EntrySignature signature_of(CXCursor cursor, bool is_cpp) {
  EntrySignature signature{.name = name_of(cursor),
                           .result = taken(clang_getTypeSpelling(clang_getCursorResultType(cursor))),
                           .is_static = clang_Cursor_getStorageClass(cursor) == CX_SC_Static,
                           .is_cpp = is_cpp,
                           .is_declared = clang_equalCursors(clang_getCanonicalCursor(cursor), cursor) == 0,
                           .is_inline = clang_Cursor_isFunctionInlined(cursor) != 0,
                           .visibility = visibility_of(cursor)};
  const CXType type = clang_getCursorType(cursor);
  const int parameters = clang_getNumArgTypes(type);
  for (int i = 0; i < parameters; ++i)
    signature.parameters.push_back(
        taken(clang_getTypeSpelling(clang_getArgType(type, static_cast<unsigned>(i)))));
  signature.variadic = clang_isFunctionTypeVariadic(type) != 0;
  signature.old_style = type.kind == CXType_FunctionNoProto;
  const int exceptions = clang_getExceptionSpecificationType(type);
  signature.is_noexcept = exceptions == CXCursor_ExceptionSpecificationKind_BasicNoexcept ||
                          exceptions == CXCursor_ExceptionSpecificationKind_DynamicNone ||
                          (exceptions == CXCursor_ExceptionSpecificationKind_ComputedNoexcept &&
                           terse(&cursor).find("noexcept(false)") == std::string::npos);
  return signature;
}

}  // namespace

std::string scope_of(const void* cursor) {
  std::string scope;
  for (CXCursor parent = clang_getCursorSemanticParent(*static_cast<const CXCursor*>(cursor));
       clang_Cursor_isNull(parent) == 0 && clang_isTranslationUnit(clang_getCursorKind(parent)) == 0;
       parent = clang_getCursorSemanticParent(parent)) {
    if (clang_getCursorKind(parent) == CXCursor_LinkageSpec) continue;
    const std::string name = taken(clang_getCursorSpelling(parent));
    if (name.empty() || name.find('(') != std::string::npos) continue;
    scope = scope.empty() ? name : fmt::format("{}::{}", name, scope);
  }
  return scope;
}

std::string terse(const void* cursor) {
  const CXCursor& of = *static_cast<const CXCursor*>(cursor);
  CXPrintingPolicy policy = clang_getCursorPrintingPolicy(of);
  clang_PrintingPolicy_setProperty(policy, CXPrintingPolicy_TerseOutput, 1);
  std::string text = taken(clang_getCursorPrettyPrinted(of, policy));
  clang_PrintingPolicy_dispose(policy);
  return text;
}

void hide(std::string_view name, CFunction& function) {
  const std::string& result = function.signature.result;
  for (std::size_t at = result.find(name); !name.empty() && at != std::string::npos;
       at = result.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    const bool is_whole =
        (at == 0 || !is_word(result[at - 1])) && (end == result.size() || !is_word(result[end]));
    // Behind struct, union and enum, names are tags, which variables do not hide.
    const std::string_view before = std::string_view(result).substr(0, at);
    const bool is_tag =
        before.ends_with("struct ") || before.ends_with("union ") || before.ends_with("enum ");
    if (is_whole && !is_tag && function.returns != CResult::nothing) function.returns = CResult::unnamed;
  }
}

void compiled_again(const void* cursor, CRange body, CView& view) {
  const CXType type = clang_getCursorResultType(*static_cast<const CXCursor*>(cursor));
  const std::string result = taken(clang_getTypeSpelling(type));
  const auto of_body = [&](const CNode& n) { return n.kind == CKind::function && n.end == body.end; };
  for (const CNode& n : view.nodes)
    if (of_body(n) && view.functions[n.function].returns != CResult::nothing &&
        view.functions[n.function].signature.result != result)
      view.functions[n.function].returns = CResult::unnamed;
  const auto is_within = [&](const CRange& range) {
    return body.begin <= range.begin && range.end <= body.end;
  };
  if (std::ranges::none_of(view.skipped, is_within)) return;
  for (const CNode& n : view.nodes)
    if (of_body(n)) view.functions[n.function].why_not = "a function that one unit compiles in several ways";
  std::erase_if(view.skipped, is_within);
}

/// An attribute in the hands of libclang has no name: its text tells.
bool names_processor(CXCursor function) {
  bool found = false;
  clang_visitChildren(
      function,
      [](CXCursor child, CXCursor /*function*/, CXClientData data) {
        if (clang_getCursorKind(child) != CXCursor_UnexposedAttr) return CXChildVisit_Continue;
        CXFile file = nullptr;
        unsigned at = 0;
        clang_getSpellingLocation(clang_getCursorLocation(child), &file, nullptr, nullptr, &at);
        std::size_t size = 0;
        // A macro of the command line stands in no file.
        const char* text = file == nullptr
                               ? nullptr
                               : clang_getFileContents(clang_Cursor_getTranslationUnit(child), file, &size);
        constexpr std::size_t longest_name = 40;  // with its scope, as in gnu::target
        std::string_view name =
            text == nullptr || at > size ? "target" : std::string_view(text, size).substr(at, longest_name);
        name = name.substr(0, name.find('('));
        *static_cast<bool*>(data) |= name.find("target") != name.npos;
        return CXChildVisit_Continue;
      },
      &found);
  return found;
}

CFunction describe_function(const void* cursor, const CPlaces& places, const CSourceFile& source,
                            const CUnitContext& context) {
  const CXCursor& of = *static_cast<const CXCursor*>(cursor);
  CFunction function;
  function.signature = signature_of(of, context.is_cpp);
  const std::string& name = function.signature.name;
  function.owner = scope_of(cursor);
  function.name = function.owner.empty() ? name : function.owner + "::" + name;
  function.declarator = {places.name, places.name + static_cast<std::uint32_t>(name.size())};
  if (const CRange* macro = range_over(source.view->macros, places.name)) {
    function.declarator = *macro;
    const std::string_view use = source.text->text().substr(macro->begin, macro->end - macro->begin);
    // One that makes the type too, or takes arguments, may do anything.
    if (places.definition < macro->begin && use != name && std::ranges::all_of(use, is_word))
      function.written = use;
  }
  function.definition = places.definition;
  function.returns = context.is_cpp ? CResult::record : result_of(clang_getCursorResultType(of));
  for (int i = 0; !context.is_cpp && i < clang_Cursor_getNumArguments(of); ++i)
    hide(taken(clang_getCursorSpelling(clang_Cursor_getArgument(of, static_cast<unsigned>(i)))), function);
  const CXCursor parent = clang_getCursorSemanticParent(of);
  const bool is_member = clang_getCursorKind(parent) != CXCursor_Namespace &&
                         clang_getCursorKind(parent) != CXCursor_LinkageSpec &&
                         clang_isTranslationUnit(clang_getCursorKind(parent)) == 0;
  function.names_processor = context.drops_processors || names_processor(of);
  function.is_free = clang_getCursorKind(of) == CXCursor_FunctionDecl && !is_member &&
                     clang_equalCursors(parent, clang_getCursorLexicalParent(of)) != 0;
  function.signature.c_linkage =
      context.is_cpp && function.is_free && taken(clang_Cursor_getMangling(of)) == name;
  judge(of, places, source, context, function);
  function.needs_return = context.is_cpp && needs_return(of, function);
  if (context.is_cpp) hold(cursor, {places.definition, places.end}, source, function);
  return function;
}

}  // namespace jcprof::rewriter
