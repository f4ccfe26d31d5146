// SPDX-License-Identifier: Apache-2.0
// The types that C++ holds returned values in. A wrong one would change the program's values: where one is
// not certain for all units and instances, or has no name that nothing hides, no value is held.
#include <algorithm>

#include <clang-c/Index.h>
#include <fmt/format.h>

#include "rewriter/c/cursors.hpp"
#include "src/core/text.hpp"

namespace jcprof::rewriter {
namespace {

bool is_template(CXCursor declared) {
  return taken(clang_getCursorUSR(declared)).find('>') != std::string::npos;
}

/// Members of a class may name what it hides from others.
bool may_name(CXCursor function, CXCursor declared) {
  const CX_CXXAccessSpecifier access = clang_getCXXAccessSpecifier(declared);
  if (access == CX_CXXInvalidAccessSpecifier || access == CX_CXXPublic) return true;
  const CXCursor owner = clang_getCanonicalCursor(clang_getCursorSemanticParent(declared));
  for (CXCursor c = function; clang_Cursor_isNull(c) == 0; c = clang_getCursorSemanticParent(c))
    if (clang_equalCursors(clang_getCanonicalCursor(c), owner) != 0) return true;
  return false;
}

/// The name finds what is in the unnamed namespace only where nothing in the one around it has that name.
/// That is known of the global one.
bool is_found_through(CXCursor unnamed, const std::string& name) {
  const CXCursor outer = clang_getCursorSemanticParent(unnamed);
  if (clang_isTranslationUnit(clang_getCursorKind(outer)) == 0) return false;
  struct Search {
    const std::string& name;
    bool found = false;
  } search{name};
  clang_visitChildren(
      outer,
      [](CXCursor child, CXCursor /*parent*/, CXClientData data) {
        const CXCursorKind kind = clang_getCursorKind(child);
        if (kind == CXCursor_LinkageSpec || clang_Cursor_isInlineNamespace(child) != 0)
          return CXChildVisit_Recurse;
        auto& [name, found] = *static_cast<Search*>(data);
        found = taken(clang_getCursorSpelling(child)) == name;
        return found ? CXChildVisit_Break : CXChildVisit_Continue;
      },
      &search);
  return !search.found;
}

/// "::q::Point"; empty for what is local, of a template, or of no name.
std::string qualified(CXCursor declared, CXCursor function) {
  std::string name;
  std::string inner;
  for (CXCursor c = declared;
       clang_Cursor_isNull(c) == 0 && clang_isTranslationUnit(clang_getCursorKind(c)) == 0;
       c = clang_getCursorSemanticParent(c)) {
    const CXCursorKind kind = clang_getCursorKind(c);
    if (kind == CXCursor_LinkageSpec) continue;
    const bool is_level =
        kind == CXCursor_Namespace || is_class(kind) || clang_equalCursors(c, declared) != 0;
    const std::string own = taken(clang_getCursorSpelling(c));
    if (kind == CXCursor_Namespace && clang_Cursor_isAnonymous(c) != 0) {
      if (!is_found_through(c, inner)) return {};
      continue;
    }
    if (!is_level || own.empty() || !std::ranges::all_of(own, is_word)) return {};
    if (is_template(c) || !may_name(function, c)) return {};
    name.insert(0, "::" + own);
    inner = own;
  }
  return name;
}

/// In front of a name that a variable or a function may hide. A class with the name of its typedef has none.
std::string_view key_of(CXCursor declared) {
  const std::string usr = taken(clang_getCursorUSR(declared));
  for (const char* const nameless : {"@SA@", "@UA@", "@EA@"})
    if (usr.find(nameless) != std::string::npos) return " ";
  switch (clang_getCursorKind(declared)) {
    case CXCursor_StructDecl:
      return "struct ";
    case CXCursor_ClassDecl:
      return "class ";
    case CXCursor_UnionDecl:
      return "union ";
    case CXCursor_EnumDecl:
      return "enum ";
    default:
      return " ";  // "<:" is a digraph
  }
}

/// A name of the type that is right wherever it stands; empty: there is none.
std::string name_of(CXType type, CXCursor function) {
  std::string before;
  for (;; type = clang_Type_getNamedType(type)) {
    if (clang_isVolatileQualifiedType(type) != 0 || clang_isRestrictQualifiedType(type) != 0) return {};
    if (clang_isConstQualifiedType(type) != 0) before = "const ";
    if (type.kind != CXType_Elaborated) break;
  }
  if (type.kind == CXType_Pointer) {
    const std::string pointee = name_of(clang_getPointeeType(type), function);
    return pointee.empty() ? "" : fmt::format("{}*{}", pointee, before.empty() ? "" : " const");
  }
  if (type.kind >= CXType_Void && type.kind <= CXType_LongDouble)
    return before + taken(clang_getTypeSpelling(clang_getUnqualifiedType(type)));
  if (type.kind != CXType_Typedef && type.kind != CXType_Record && type.kind != CXType_Enum) return {};
  const CXCursor declared = clang_getTypeDeclaration(type);
  const std::string name = qualified(declared, function);
  return name.empty() ? name : fmt::format("{}{}{}", before, key_of(declared), name);
}

/// Which returns count is another question in each instance, and `decltype(auto)` may be a reference in
/// another unit.
bool has_doubtful_result(const CText& text, CRange range) {
  std::string_view before;
  for (std::size_t i = text.at(range.begin); i < text.tokens().size() && text.tokens()[i].begin < range.end;
       ++i) {
    const std::string_view word = text.of(text.tokens()[i]);
    if (word == "decltype" || (word == "constexpr" && before == "if")) return true;
    before = word;
  }
  return false;
}

}  // namespace

void hold(const void* cursor, CRange range, const CSourceFile& source, CFunction& function) {
  const CXCursor& of = *static_cast<const CXCursor*>(cursor);
  const CXType type = clang_getCursorResultType(of);
  const CXType known = clang_getCanonicalType(type);
  if (clang_isConstQualifiedType(known) != 0 || clang_isVolatileQualifiedType(known) != 0) return;
  function.is_held_whole = !is_scalar(&known);
  const bool is_plain = known.kind == CXType_Record && clang_isPODType(known) != 0;
  if (function.is_held_whole && !(is_plain && (function.is_constexpr || is_small(&known)))) return;
  if (type.kind != CXType_Auto)
    function.held_as = name_of(type, of);
  else if (!function.is_held_whole && !has_doubtful_result(*source.text, range))
    function.held_as = deduced;
}

void hold_of_lambda(const void* lambda, CRange range, const CSourceFile& source, CFunction& function) {
  struct Search {
    CRange range;
    const CSourceFile& source;
    CFunction& function;
  } search{range, source, function};
  const CXType closure = clang_getCursorType(*static_cast<const CXCursor*>(lambda));
  clang_visitChildren(
      clang_getTypeDeclaration(closure),
      [](CXCursor member, CXCursor /*closure*/, CXClientData data) {
        // That of a generic one is a template.
        if (clang_getCursorKind(member) != CXCursor_CXXMethod ||
            taken(clang_getCursorSpelling(member)) != "operator()")
          return CXChildVisit_Continue;
        auto& [range, source, function] = *static_cast<Search*>(data);
        hold(&member, range, source, function);
        return CXChildVisit_Break;
      },
      &search);
}

}  // namespace jcprof::rewriter
