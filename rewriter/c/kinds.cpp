// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include <clang-c/Index.h>

#include "rewriter/c/cursors.hpp"

namespace jcprof::rewriter {
namespace {

struct KindOfStatement {
  CXCursorKind theirs;
  CKind ours;
};
constexpr auto statements = std::to_array<KindOfStatement>({
    {CXCursor_CompoundStmt, CKind::compound}, {CXCursor_NullStmt, CKind::null},
    {CXCursor_DeclStmt, CKind::declaration},  {CXCursor_IfStmt, CKind::if_},
    {CXCursor_WhileStmt, CKind::loop},        {CXCursor_ForStmt, CKind::loop},
    {CXCursor_CXXForRangeStmt, CKind::loop},  {CXCursor_DoStmt, CKind::do_},
    {CXCursor_SwitchStmt, CKind::switch_},    {CXCursor_CaseStmt, CKind::case_},
    {CXCursor_DefaultStmt, CKind::case_},     {CXCursor_LabelStmt, CKind::label},
    {CXCursor_ReturnStmt, CKind::return_},    {CXCursor_BreakStmt, CKind::break_},
    {CXCursor_ContinueStmt, CKind::jump},     {CXCursor_GotoStmt, CKind::jump},
    {CXCursor_IndirectGotoStmt, CKind::jump}, {CXCursor_CXXThrowExpr, CKind::jump},
    {CXCursor_CXXTryStmt, CKind::try_},       {CXCursor_CXXCatchStmt, CKind::catch_},
});

/// The child at which a visit ends that goes on like this.
template <CXChildVisitResult goes_on>
CXCursor visited_last(CXCursor cursor) {
  CXCursor last = clang_getNullCursor();
  clang_visitChildren(
      cursor,
      [](CXCursor child, CXCursor /*parent*/, CXClientData data) {
        *static_cast<CXCursor*>(data) = child;
        return goes_on;
      },
      &last);
  return last;
}

CXCursor first_child_of(CXCursor cursor) {
  return visited_last<CXChildVisit_Break>(cursor);
}

CXCursor last_child_of(CXCursor cursor) {
  return visited_last<CXChildVisit_Continue>(cursor);
}

/// Without parentheses and conversions that the compiler adds. clang has no kinds of its own for some
/// builtins either, but these have other text around what they hold.
CXCursor bare(CXCursor expression) {
  for (;;) {
    const CXCursorKind kind = clang_getCursorKind(expression);
    const CXCursor inner = first_child_of(expression);
    const bool is_added =
        kind == CXCursor_UnexposedExpr &&
        clang_equalRanges(clang_getCursorExtent(expression), clang_getCursorExtent(inner)) != 0;
    if (kind != CXCursor_ParenExpr && !is_added) return expression;
    expression = inner;
  }
}

bool is_volatile(CXCursor expression) {
  return clang_isVolatileQualifiedType(clang_getCanonicalType(clang_getCursorType(expression))) != 0;
}

bool is_name_of_variable(CXCursor expression) {
  const CXCursor variable = clang_getCursorReferenced(expression);
  return clang_getCursorKind(expression) == CXCursor_DeclRefExpr && is_plain_variable(&variable);
}

/// Nothing in the statement takes the variable's address or a reference to it, or changes it: clang converts
/// each mention to a value.
bool is_only_read(CXCursor variable, CXCursor statement) {
  struct Search {
    CXCursor variable;
    bool is_only_read = true;
  } search{variable};
  clang_visitChildren(
      statement,
      [](CXCursor child, CXCursor parent, CXClientData data) {
        auto& [wanted, is_only_read] = *static_cast<Search*>(data);
        if (clang_equalCursors(clang_getCursorReferenced(child), wanted) != 0 &&
            clang_isExpression(clang_getCursorKind(child)) != 0 &&
            clang_getCursorKind(child) != CXCursor_UnexposedExpr)
          is_only_read = is_only_read && clang_getCursorKind(parent) == CXCursor_UnexposedExpr;
        return CXChildVisit_Recurse;
      },
      &search);
  return search.is_only_read;
}

/// `this`, or a local pointer that the statement leaves as it is.
bool is_steady_pointer(CXCursor expression, CXCursor statement) {
  if (clang_getCursorKind(expression) == CXCursor_CXXThisExpr) return true;
  if (!is_name_of_variable(expression)) return false;
  const CXCursor variable = clang_getCursorReferenced(expression);
  return clang_Cursor_hasVarDeclGlobalStorage(variable) == 0 && is_only_read(variable, statement);
}

bool is_pointer(CXCursor expression) {
  return clang_getCanonicalType(clang_getCursorType(expression)).kind == CXType_Pointer;
}

}  // namespace

CKind kind_of(int kind) {
  const auto found = std::ranges::find(statements, kind, &KindOfStatement::theirs);
  if (found != statements.end()) return found->ours;
  return clang_isExpression(static_cast<CXCursorKind>(kind)) != 0 ? CKind::expression : CKind::other;
}

bool is_function(int kind) {
  constexpr std::array<int, 6> kinds{CXCursor_FunctionDecl,       CXCursor_CXXMethod,
                                     CXCursor_Constructor,        CXCursor_Destructor,
                                     CXCursor_ConversionFunction, CXCursor_FunctionTemplate};
  return std::ranges::find(kinds, kind) != kinds.end();
}

bool is_class(int kind) {
  constexpr std::array<int, 5> kinds{CXCursor_StructDecl, CXCursor_ClassDecl, CXCursor_UnionDecl,
                                     CXCursor_ClassTemplate, CXCursor_ClassTemplatePartialSpecialization};
  return std::ranges::find(kinds, kind) != kinds.end();
}

bool is_scalar(const void* type) {
  const CXTypeKind kind = clang_getCanonicalType(*static_cast<const CXType*>(type)).kind;
  const bool whole = kind >= CXType_Bool && kind <= CXType_ULongLong;
  const bool signed_or_real = kind >= CXType_Char_S && kind <= CXType_LongDouble && kind != CXType_Int128;
  return whole || signed_or_real || kind == CXType_Pointer || kind == CXType_Enum;
}

bool is_trivial(const void* cursor) {
  CXCursor value = *static_cast<const CXCursor*>(cursor);
  for (;;) {
    const CXCursorKind kind = clang_getCursorKind(value);
    if (kind == CXCursor_UnaryOperator) {
      const CXUnaryOperatorKind op = clang_getCursorUnaryOperatorKind(value);
      if (op >= CXUnaryOperator_PostInc && op <= CXUnaryOperator_PreDec) return false;
    } else if (kind == CXCursor_DeclRefExpr || kind == CXCursor_CXXThisExpr ||
               (kind >= CXCursor_IntegerLiteral && kind <= CXCursor_CharacterLiteral) ||
               kind == CXCursor_CXXBoolLiteralExpr || kind == CXCursor_CXXNullPtrLiteralExpr) {
      return true;
    } else if (kind != CXCursor_UnexposedExpr && kind != CXCursor_ParenExpr &&
               kind != CXCursor_CStyleCastExpr && kind != CXCursor_CXXStaticCastExpr &&
               kind != CXCursor_MemberRefExpr) {
      return false;
    }
    const CXCursor inner = last_child_of(value);
    if (clang_isExpression(clang_getCursorKind(inner)) == 0) return true;
    value = inner;
  }
}

bool is_plain_variable(const void* cursor) {
  const CXCursor variable = *static_cast<const CXCursor*>(cursor);
  const CXCursorKind kind = clang_getCursorKind(variable);
  // A reference is not read itself: the variable that it refers to is.
  const CXType type = clang_getCanonicalType(clang_getNonReferenceType(clang_getCursorType(variable)));
  return (kind == CXCursor_VarDecl || kind == CXCursor_ParmDecl) &&
         clang_isVolatileQualifiedType(type) == 0 && clang_Cursor_getStorageClass(variable) != CX_SC_Register;
}

bool is_plain_place(const void* expression, const void* assignment) {
  const CXCursor& statement = *static_cast<const CXCursor*>(assignment);
  CXCursor place = bare(*static_cast<const CXCursor*>(expression));
  for (;;) {
    if (is_volatile(place)) return false;
    const CXCursorKind kind = clang_getCursorKind(place);
    const CXCursor object = bare(first_child_of(place));
    if (kind == CXCursor_MemberRefExpr) {
      const CXCursor member = clang_getCursorReferenced(place);
      if (clang_getCursorKind(member) != CXCursor_FieldDecl || clang_Cursor_isBitField(member) != 0)
        return false;
      // A member without an object is one of `this`.
      if (clang_isExpression(clang_getCursorKind(object)) == 0) return true;
    } else if (kind == CXCursor_ArraySubscriptExpr) {
      if (clang_getCursorKind(bare(last_child_of(place))) != CXCursor_IntegerLiteral) return false;
    } else if (kind != CXCursor_UnaryOperator ||
               clang_getCursorUnaryOperatorKind(place) != CXUnaryOperator_Deref) {
      return is_name_of_variable(place);
    }
    if (is_pointer(object)) return is_steady_pointer(object, statement);
    place = object;
  }
}

}  // namespace jcprof::rewriter
