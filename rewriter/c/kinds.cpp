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

CXCursor last_child_of(CXCursor cursor) {
  CXCursor last = clang_getNullCursor();
  clang_visitChildren(
      cursor,
      [](CXCursor child, CXCursor /*parent*/, CXClientData data) {
        *static_cast<CXCursor*>(data) = child;
        return CXChildVisit_Continue;
      },
      &last);
  return last;
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

}  // namespace jcprof::rewriter
