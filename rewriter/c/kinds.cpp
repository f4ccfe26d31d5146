// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include <clang-c/Index.h>

#include "rewriter/c/cursors.hpp"

namespace jcprof::rewriter {
CKind kind_of(int kind) {
  switch (kind) {
    case CXCursor_CompoundStmt:
      return CKind::compound;
    case CXCursor_NullStmt:
      return CKind::null;
    case CXCursor_DeclStmt:
      return CKind::declaration;
    case CXCursor_IfStmt:
      return CKind::if_;
    case CXCursor_WhileStmt:
    case CXCursor_ForStmt:
    case CXCursor_CXXForRangeStmt:
      return CKind::loop;
    case CXCursor_DoStmt:
      return CKind::do_;
    case CXCursor_SwitchStmt:
      return CKind::switch_;
    case CXCursor_CaseStmt:
    case CXCursor_DefaultStmt:
      return CKind::case_;
    case CXCursor_LabelStmt:
      return CKind::label;
    case CXCursor_ReturnStmt:
      return CKind::return_;
    case CXCursor_BreakStmt:
      return CKind::break_;
    case CXCursor_ContinueStmt:
    case CXCursor_GotoStmt:
    case CXCursor_IndirectGotoStmt:
    case CXCursor_CXXThrowExpr:
      return CKind::jump;
    case CXCursor_CXXTryStmt:
      return CKind::try_;
    case CXCursor_CXXCatchStmt:
      return CKind::catch_;
    default:
      return clang_isExpression(static_cast<CXCursorKind>(kind)) != 0 ? CKind::expression : CKind::other;
  }
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

}  // namespace jcprof::rewriter
