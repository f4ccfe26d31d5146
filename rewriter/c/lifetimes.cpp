// SPDX-License-Identifier: Apache-2.0
#include <clang-c/Index.h>

#include "rewriter/c/cursors.hpp"

namespace jcprof::rewriter {
namespace {

/// Types that are looked at for one variable; one that consists of more is taken for one with a destructor.
constexpr int most_types = 500;

bool needs_destructor(CXType type, int& left);

struct Search {
  int& left;                 // of most_types
  bool is_template = false;  // its members are of types that are not known
  bool any = false;          // a member of the class that is written
  bool found = false;
};

/// A destructor that does something, or a base or a member with one.
CXChildVisitResult search_member(CXCursor member, CXCursor /*parent*/, CXClientData data) {
  auto& search = *static_cast<Search*>(data);
  switch (clang_getCursorKind(member)) {
    case CXCursor_Destructor:
      search.found = clang_CXXMethod_isDefaulted(member) == 0;
      break;
    case CXCursor_CXXBaseSpecifier:
      search.found = needs_destructor(clang_getCursorType(member), search.left);
      break;
    case CXCursor_FieldDecl:
      search.found = !search.is_template && needs_destructor(clang_getCursorType(member), search.left);
      break;
    case CXCursor_CXXMethod:
    case CXCursor_Constructor:
      break;
    default:
      return CXChildVisit_Continue;  // such as an argument of a template
  }
  search.any = true;
  return search.found ? CXChildVisit_Break : CXChildVisit_Continue;
}

CXVisitorResult search_field(CXCursor field, CXClientData data) {
  auto& search = *static_cast<Search*>(data);
  search.found = needs_destructor(clang_getCursorType(field), search.left);
  return search.found ? CXVisit_Break : CXVisit_Continue;
}

bool class_needs_destructor(CXType type, int& left) {
  const CXCursor declared = clang_getTypeDeclaration(type);
  Search search{.left = left};
  clang_visitChildren(declared, search_member, &search);
  const CXCursor made_of = clang_getSpecializedCursorTemplate(declared);
  if (!search.any && clang_Cursor_isNull(made_of) == 0) {
    search.is_template = true;
    clang_visitChildren(clang_getCursorDefinition(made_of), search_member, &search);
  }
  // libclang shows the fields of a template's instance, and of a lambda, only this way.
  if (!search.found) clang_Type_visitFields(type, search_field, &search);
  return search.found;
}

/// It runs something when a value of the type is destroyed, or that cannot be told.
bool needs_destructor(CXType type, int& left) {
  type = clang_getCanonicalType(type);
  while (clang_getArrayElementType(type).kind != CXType_Invalid)
    type = clang_getCanonicalType(clang_getArrayElementType(type));
  if (type.kind == CXType_Record)
    return clang_isPODType(type) == 0 && (--left < 0 || class_needs_destructor(type, left));
  return is_unknown(&type);
}

bool needs_destructor(CXType type) {
  int left = most_types;
  return needs_destructor(type, left);
}

/// A reference that it initialises may keep a temporary alive.
bool may_be_temporary(CXCursor expression) {
  if (clang_Cursor_isNull(expression) != 0) return false;
  if (is_trivial(&expression)) return false;
  const CXCursor called = clang_getCursorReferenced(expression);
  if (!is_function(clang_getCursorKind(called))) return true;
  const CXTypeKind result = clang_getCanonicalType(clang_getCursorResultType(called)).kind;
  return result != CXType_LValueReference && result != CXType_RValueReference;
}

/// By `__attribute__((cleanup))`, which libclang does not name.
bool is_cleaned_up(CXCursor variable) {
  bool has_attribute = false;
  clang_visitChildren(
      variable,
      [](CXCursor part, CXCursor /*variable*/, CXClientData data) {
        *static_cast<bool*>(data) |= clang_getCursorKind(part) == CXCursor_UnexposedAttr;
        return CXChildVisit_Continue;
      },
      &has_attribute);
  return has_attribute && terse(&variable).find("cleanup(") != std::string::npos;
}

bool variable_is_destroyed(CXCursor variable) {
  const CX_StorageClass storage = clang_Cursor_getStorageClass(variable);
  if (storage == CX_SC_Static || storage == CX_SC_Extern) return false;
  if (clang_getCursorTLSKind(variable) != CXTLS_None) return false;
  const CXType type = clang_getCanonicalType(clang_getCursorType(variable));
  if (type.kind != CXType_LValueReference && type.kind != CXType_RValueReference)
    return needs_destructor(type);
  return may_be_temporary(clang_Cursor_getVarDeclInitializer(variable)) &&
         needs_destructor(clang_getPointeeType(type));
}

/// A temporary that a loop goes through lives as long as the loop.
CXChildVisitResult search_range(CXCursor part, CXCursor /*parent*/, CXClientData data) {
  if (clang_isExpression(clang_getCursorKind(part)) != 0)
    *static_cast<bool*>(data) |= may_be_temporary(part) && needs_destructor(clang_getCursorType(part));
  return CXChildVisit_Continue;
}

/// Statements are gone through; what an expression makes is destroyed with it.
CXChildVisitResult search_local(CXCursor cursor, CXCursor /*parent*/, CXClientData data) {
  bool& found = *static_cast<bool*>(data);
  const CXCursorKind kind = clang_getCursorKind(cursor);
  if (kind == CXCursor_VarDecl) {
    found = is_cleaned_up(cursor) || variable_is_destroyed(cursor);
  } else if (kind == CXCursor_UnexposedDecl) {
    // The names of a structured binding: the value that they are parts of.
    const CXType type = clang_getCursorType(cursor);
    found = type.kind != CXType_Invalid && needs_destructor(clang_getNonReferenceType(type));
  } else if (kind == CXCursor_CXXCatchStmt) {
    found = true;  // the exception, at the end of the handler
  } else if (kind == CXCursor_CXXForRangeStmt) {
    clang_visitChildren(cursor, search_range, data);
  }
  if (found) return CXChildVisit_Break;
  return clang_isStatement(kind) != 0 ? CXChildVisit_Recurse : CXChildVisit_Continue;
}

/// The same in C.
CXChildVisitResult search_cleanup(CXCursor cursor, CXCursor /*parent*/, CXClientData data) {
  bool& found = *static_cast<bool*>(data);
  const CXCursorKind kind = clang_getCursorKind(cursor);
  found = kind == CXCursor_VarDecl && is_cleaned_up(cursor);
  if (found) return CXChildVisit_Break;
  return clang_isStatement(kind) != 0 ? CXChildVisit_Recurse : CXChildVisit_Continue;
}

/// Something may be destroyed where the body's locals are: at its end, or behind a return.
bool destroys_locals(CXCursor body, bool is_cpp) {
  bool found = false;
  clang_visitChildren(body, is_cpp ? search_local : search_cleanup, &found);
  return found;
}

/// Members and bases are destroyed behind the body.
bool destroys_members(CXCursor destructor) {
  int left = most_types;
  Search search{.left = left};
  clang_visitChildren(
      clang_getCursorSemanticParent(destructor),
      [](CXCursor member, CXCursor parent, CXClientData data) {
        const bool is_itself = clang_getCursorKind(member) == CXCursor_Destructor;
        return is_itself ? CXChildVisit_Continue : search_member(member, parent, data);
      },
      &search);
  return search.found;
}

}  // namespace

bool is_destroyed(const void* type) {
  return needs_destructor(*static_cast<const CXType*>(type));
}

bool is_unknown(const void* type) {
  const CXTypeKind kind = clang_getCanonicalType(*static_cast<const CXType*>(type)).kind;
  return kind == CXType_Unexposed || kind == CXType_Auto || kind == CXType_Invalid ||
         kind == CXType_Dependent || kind == CXType_Overload;
}

void read_lifetimes(const void* cursor, const void* body, const CSourceFile& source,
                    const CUnitContext& context, CFunction& function) {
  if (!function.why_not.empty()) return;
  const CXCursor& of = *static_cast<const CXCursor*>(cursor);
  const CXCursor& statements = *static_cast<const CXCursor*>(body);
  function.guards_in_constexpr = context.destructors_in_constexpr;
  function.is_left_late = destroys_locals(statements, context.is_cpp);
  if (!context.is_cpp) return;
  const CXCursorKind kind = clang_getCursorKind(of);
  const bool constructs =
      kind == CXCursor_Constructor || clang_getTemplateCursorKind(of) == CXCursor_Constructor;
  function.keeps_try = constructs || kind == CXCursor_Destructor;
  if (constructs)
    read_initialisers(cursor, source, point_of(clang_getRangeEnd(clang_getCursorExtent(statements))).offset,
                      function);
  if (kind == CXCursor_Destructor && destroys_members(of))
    function.unseen =
        "members and bases are destroyed behind the last trap, and their time counts for the caller";
}

}  // namespace jcprof::rewriter
