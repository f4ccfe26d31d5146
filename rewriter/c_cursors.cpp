// SPDX-License-Identifier: Apache-2.0
#include "rewriter/c_cursors.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include <clang-c/Index.h>

namespace jcprof::rewriter {
namespace {

std::string taken(CXString string) {
  const char* text = clang_getCString(string);
  std::string result = text == nullptr ? "" : text;
  clang_disposeString(string);
  return result;
}

struct Point {
  CXFile file = nullptr;
  std::uint32_t offset = 0;
};

Point point(CXSourceLocation location) {
  Point result;
  clang_getExpansionLocation(location, &result.file, nullptr, nullptr, &result.offset);
  return result;
}

std::uint32_t file_offset(CXSourceLocation location) {
  std::uint32_t offset = 0;
  clang_getFileLocation(location, nullptr, nullptr, nullptr, &offset);
  return offset;
}

/// `visit` is called with each child.
template <typename Visit>
void each_child(CXCursor cursor, Visit visit) {
  clang_visitChildren(
      cursor,
      [](CXCursor child, CXCursor /*parent*/, CXClientData data) {
        (*static_cast<Visit*>(data))(child);
        return CXChildVisit_Continue;
      },
      &visit);
}

std::optional<CXCursor> first_child(CXCursor cursor) {
  std::optional<CXCursor> first;
  clang_visitChildren(
      cursor,
      [](CXCursor child, CXCursor /*parent*/, CXClientData data) {
        *static_cast<std::optional<CXCursor>*>(data) = child;
        return CXChildVisit_Break;
      },
      &first);
  return first;
}

std::optional<CXCursor> last_child(CXCursor cursor) {
  std::optional<CXCursor> last;
  each_child(cursor, [&](CXCursor child) { last = child; });
  return last;
}

CKind kind_of(CXCursorKind kind) {
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
      return clang_isExpression(kind) != 0 ? CKind::expression : CKind::other;
  }
}

bool is_function(CXCursorKind kind) {
  constexpr std::array<CXCursorKind, 6> kinds{CXCursor_FunctionDecl,       CXCursor_CXXMethod,
                                              CXCursor_Constructor,        CXCursor_Destructor,
                                              CXCursor_ConversionFunction, CXCursor_FunctionTemplate};
  return std::ranges::find(kinds, kind) != kinds.end();
}

bool is_class(CXCursorKind kind) {
  constexpr std::array<CXCursorKind, 5> kinds{CXCursor_StructDecl, CXCursor_ClassDecl, CXCursor_UnionDecl,
                                              CXCursor_ClassTemplate,
                                              CXCursor_ClassTemplatePartialSpecialization};
  return std::ranges::find(kinds, kind) != kinds.end();
}

bool is_scalar(CXType type) {
  const CXTypeKind kind = clang_getCanonicalType(type).kind;
  const bool whole = kind >= CXType_Bool && kind <= CXType_ULongLong;
  const bool signed_or_real = kind >= CXType_Char_S && kind <= CXType_LongDouble && kind != CXType_Int128;
  return whole || signed_or_real || kind == CXType_Pointer || kind == CXType_Enum;
}

/// A value that takes no time of its own: a name, a number, a member of such.
bool is_trivial(CXCursor value) {
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
    const std::optional<CXCursor> inner = last_child(value);
    if (!inner || clang_isExpression(clang_getCursorKind(*inner)) == 0) return true;
    value = *inner;
  }
}

CResult result_of(CXType type) {
  const CXTypeKind kind = clang_getCanonicalType(type).kind;
  if (kind == CXType_Void) return CResult::nothing;
  const std::string spelling = taken(clang_getTypeSpelling(type));
  if (spelling.find("(unnamed") != std::string::npos || spelling.find("(anonymous") != std::string::npos)
    return CResult::unnamed;
  return is_scalar(type) ? CResult::scalar : CResult::record;
}

class FunctionReader {
 public:
  FunctionReader(CXTranslationUnit unit, const CUnitContext& context) : unit_(unit), context_(context) {}

  void read() {
    each_child(clang_getTranslationUnitCursor(unit_), [this](CXCursor child) { declaration(child); });
  }

 private:
  /// What is at file, namespace or class level, or local.
  void declaration(CXCursor cursor) {
    const CXCursorKind kind = clang_getCursorKind(cursor);
    if (clang_isPreprocessing(kind) != 0) return;
    if (kind == CXCursor_Namespace || kind == CXCursor_LinkageSpec) {
      each_child(cursor, [this](CXCursor child) { declaration(child); });
      return;
    }
    const bool reads =
        is_function(kind) || (context_.is_cpp && (is_class(kind) || clang_isDeclaration(kind) != 0));
    if (!reads) return;
    const CTarget* target = context_.target_of(point(clang_getCursorLocation(cursor)).file);
    if (target == nullptr) return;
    const CTarget* outside = std::exchange(target_, target);
    if (is_function(kind))
      function(cursor);
    else if (is_class(kind) || kind == CXCursor_FriendDecl)
      each_child(cursor, [this](CXCursor child) { declaration(child); });
    else
      lambdas(cursor);
    target_ = outside;
  }

  void function(CXCursor cursor) {
    if (clang_isCursorDefinition(cursor) == 0) return;
    std::optional<CXCursor> body;
    each_child(cursor, [&](CXCursor child) {
      const CXCursorKind kind = clang_getCursorKind(child);
      if (kind == CXCursor_CompoundStmt || kind == CXCursor_CXXTryStmt) body = child;
    });
    const Braces braces = body ? braces_of(*body) : Braces::none;
    if (braces == Braces::none || !read_.emplace(target_->file, extent(*body).begin).second) return;
    CFunction described = describe(cursor, *body);
    if (braces == Braces::half) described.why_not = "a function with a brace from a macro";
    const std::uint32_t index = open_function(std::move(described), cursor);
    each_child(cursor, [&](CXCursor child) {
      if (clang_equalCursors(child, *body) == 0) lambdas(child);
    });
    statement(*body);
    close(index);
  }

  std::uint32_t open_function(CFunction function, CXCursor cursor) {
    const std::uint32_t index = open(CKind::function, cursor);
    target_->view->nodes[index].function = static_cast<std::uint32_t>(target_->view->functions.size());
    target_->view->functions.push_back(std::move(function));
    return index;
  }

  /// The lambdas and local classes within an expression or a variable.
  void lambdas(CXCursor cursor) {
    if (!context_.is_cpp) return;
    const CRange range = extent(cursor);
    if (!target_->text->may_hold_lambda(range.begin, range.end)) return;
    if (clang_getCursorKind(cursor) == CXCursor_LambdaExpr) {
      lambda(cursor);
      return;
    }
    clang_visitChildren(
        cursor,
        [](CXCursor child, CXCursor /*parent*/, CXClientData data) {
          const CXCursorKind kind = clang_getCursorKind(child);
          if (kind == CXCursor_StmtExpr) return CXChildVisit_Continue;
          if (kind != CXCursor_LambdaExpr) return CXChildVisit_Recurse;
          static_cast<FunctionReader*>(data)->lambda(child);
          return CXChildVisit_Continue;
        },
        this);
  }

  void lambda(CXCursor cursor) {
    std::optional<CXCursor> body = last_child(cursor);
    if (!body || clang_getCursorKind(*body) != CXCursor_CompoundStmt || braces_of(*body) != Braces::own)
      return;
    if (!read_.emplace(target_->file, extent(*body).begin).second) return;
    CFunction function;
    const std::uint32_t begin = extent(cursor).begin;
    function.is_lambda = true;
    function.declarator = {begin, begin + 1};
    function.definition = begin;
    function.returns = CResult::record;
    const std::uint32_t index = open_function(std::move(function), cursor);
    each_child(cursor, [&](CXCursor child) {
      if (clang_equalCursors(child, *body) == 0) lambdas(child);
    });
    statement(*body);
    close(index);
  }

  // Statements.

  void statement(CXCursor cursor) {
    if (!in_target(cursor)) return;
    const CXCursorKind kind = clang_getCursorKind(cursor);
    CKind ours = kind == CXCursor_UnexposedStmt ? CKind::attributed : kind_of(kind);
    // One that makes a temporary is no throw-expression at its top.
    if (ours == CKind::expression && word_at(extent(cursor).begin) == "throw") ours = CKind::jump;
    const std::uint32_t index = open(ours, cursor);
    switch (ours) {
      case CKind::expression:
        expression(cursor, index);
        break;
      case CKind::declaration:
        local_declaration(cursor, index);
        break;
      case CKind::return_:
        return_statement(cursor, index);
        break;
      case CKind::jump:
        lambdas(cursor);
        break;
      case CKind::null:
      case CKind::break_:
      case CKind::other:
      case CKind::function:
        break;
      default:
        each_child(cursor, [this](CXCursor child) { part(child); });
    }
    close(index);
  }

  /// What stands within a statement: a condition is there as an expression, a loop's variable as a
  /// declaration.
  void part(CXCursor cursor) {
    const CXCursorKind kind = clang_getCursorKind(cursor);
    if (clang_isStatement(kind) != 0 || clang_isExpression(kind) != 0) {
      statement(cursor);
    } else if (clang_isDeclaration(kind) != 0 && in_target(cursor)) {
      const std::uint32_t index = open(CKind::declaration, cursor);
      lambdas(cursor);
      close(index);
    }
  }

  void expression(CXCursor cursor, std::uint32_t index) {
    const CXCursorKind kind = clang_getCursorKind(cursor);
    const bool compound = kind == CXCursor_CompoundAssignOperator;
    if (compound || (kind == CXCursor_BinaryOperator &&
                     clang_getCursorBinaryOperatorKind(cursor) == CXBinaryOperator_Assign)) {
      const std::optional<CXCursor> to = first_child(cursor);
      if (to && clang_getCursorKind(*to) == CXCursor_DeclRefExpr &&
          is_plain(clang_getCursorReferenced(*to)) && is_scalar(clang_getCursorType(*to)) &&
          (compound || !is_trivial(*last_child(cursor))))
        node(index).assigned = outside_macros(extent(*to));
    }
    lambdas(cursor);
  }

  bool is_plain(CXCursor variable) const {
    const CXCursorKind kind = clang_getCursorKind(variable);
    return (kind == CXCursor_VarDecl || kind == CXCursor_ParmDecl) &&
           clang_isVolatileQualifiedType(clang_getCursorType(variable)) == 0 &&
           clang_Cursor_getStorageClass(variable) != CX_SC_Register;
  }

  void local_declaration(CXCursor cursor, std::uint32_t index) {
    int variables = 0;
    each_child(cursor, [&](CXCursor child) {
      const CXCursorKind kind = clang_getCursorKind(child);
      if (context_.is_cpp && (is_class(kind) || kind == CXCursor_TypeAliasDecl)) declaration(child);
      if (kind != CXCursor_VarDecl && kind != CXCursor_UnexposedDecl) return;
      ++variables;
      const bool lasting = !context_.is_cpp && clang_Cursor_getStorageClass(child) == CX_SC_Static;
      const CXCursor value = clang_Cursor_getVarDeclInitializer(child);
      const bool has_value = clang_Cursor_isNull(value) == 0 && !lasting;
      if (has_value) {
        const bool computed = kind == CXCursor_VarDecl && !is_trivial(value);
        node(index).value = computed ? CValue::computed : CValue::trivial;
        node(index).assigned =
            computed && is_plain(child) && is_scalar(clang_getCursorType(child)) ? name_of(child) : CRange{};
      }
      lambdas(child);
    });
    if (variables != 1) node(index).assigned = {};
  }

  CRange name_of(CXCursor declaration) const {
    const std::uint32_t begin = point(clang_getCursorLocation(declaration)).offset;
    return outside_macros(
        {begin, begin + static_cast<std::uint32_t>(taken(clang_getCursorSpelling(declaration)).size())});
  }

  void return_statement(CXCursor cursor, std::uint32_t index) {
    const std::optional<CXCursor> value = last_child(cursor);
    if (!value) return;
    node(index).value = is_trivial(*value) ? CValue::trivial : CValue::computed;
    lambdas(*value);
  }

  // Functions.

  CFunction describe(CXCursor cursor, CXCursor body) const {
    CFunction function;
    function.simple_name = taken(clang_getCursorSpelling(cursor));
    if (const std::size_t arguments = function.simple_name.find('<');
        clang_getCursorKind(cursor) == CXCursor_Constructor && arguments != std::string::npos)
      function.simple_name.resize(arguments);
    function.owner = scope_of(cursor);
    function.name =
        function.owner.empty() ? function.simple_name : function.owner + "::" + function.simple_name;
    const std::uint32_t begin = point(clang_getCursorLocation(cursor)).offset;
    function.declarator = {begin, begin + static_cast<std::uint32_t>(function.simple_name.size())};
    if (const CRange* macro = range_over(target_->view->macros, begin)) function.declarator = *macro;
    function.definition = extent(cursor).begin;
    const CXType result = clang_getCursorResultType(cursor);
    function.result = taken(clang_getTypeSpelling(result));
    function.returns = context_.is_cpp ? CResult::record : result_of(result);
    const CXType type = clang_getCursorType(cursor);
    const int parameters = clang_getNumArgTypes(type);
    for (int i = 0; i < parameters; ++i)
      function.parameters.push_back(
          taken(clang_getTypeSpelling(clang_getArgType(type, static_cast<unsigned>(i)))));
    function.is_variadic = clang_isFunctionTypeVariadic(type) != 0;
    function.is_static = clang_Cursor_getStorageClass(cursor) == CX_SC_Static;
    const CXCursorKind parent = clang_getCursorKind(clang_getCursorSemanticParent(cursor));
    function.is_free =
        clang_getCursorKind(cursor) == CXCursor_FunctionDecl && !is_class(parent) &&
        clang_equalCursors(clang_getCursorSemanticParent(cursor), clang_getCursorLexicalParent(cursor)) != 0;
    function.is_old_style = type.kind == CXType_FunctionNoProto;
    function.has_c_linkage = context_.is_cpp && function.is_free &&
                             taken(clang_Cursor_getMangling(cursor)) == function.simple_name;
    const int exceptions = clang_getExceptionSpecificationType(type);
    function.is_noexcept = exceptions == CXCursor_ExceptionSpecificationKind_BasicNoexcept ||
                           exceptions == CXCursor_ExceptionSpecificationKind_DynamicNone ||
                           exceptions == CXCursor_ExceptionSpecificationKind_ComputedNoexcept;
    judge(cursor, body, function);
    return function;
  }

  /// Its namespaces and classes; what has no name is left out.
  std::string scope_of(CXCursor cursor) const {
    std::string scope;
    for (CXCursor parent = clang_getCursorSemanticParent(cursor);
         clang_Cursor_isNull(parent) == 0 && clang_isTranslationUnit(clang_getCursorKind(parent)) == 0;
         parent = clang_getCursorSemanticParent(parent)) {
      const CXCursorKind kind = clang_getCursorKind(parent);
      if (kind == CXCursor_LinkageSpec) continue;
      const std::string name = taken(clang_getCursorSpelling(parent));
      if (name.empty() || name.find('(') != std::string::npos) continue;
      scope = scope.empty() ? name : name + "::" + scope;
    }
    return scope;
  }

  /// Whether it is constexpr, and why no trap can stand in it.
  void judge(CXCursor cursor, CXCursor body, CFunction& function) const {
    const CRange whole{function.definition, extent(body).begin};
    const CText& text = *target_->text;
    bool evaluated = false;  // its constexpr or consteval may hide in a macro
    bool consteval_ = false;
    for (std::size_t i = text.at(whole.begin); i < text.tokens().size() && text.tokens()[i].begin < whole.end;
         ++i) {
      const std::string_view word = text.of(text.tokens()[i]);
      if (word.find("naked") != std::string_view::npos && text.tokens()[i].begin != function.declarator.begin)
        function.why_not = "a naked function";
      function.is_constexpr |= word == "constexpr";
      consteval_ |= word == "consteval";
      evaluated |= text.tokens()[i].begin < function.declarator.begin &&
                   range_over(target_->view->macros, text.tokens()[i].begin) != nullptr;
    }
    if (context_.is_cpp && evaluated) {
      const std::string head = terse(cursor);
      function.is_constexpr |= head.find("constexpr ") != std::string::npos;
      consteval_ |= head.find("consteval ") != std::string::npos;
    }
    if (function.is_constexpr && !context_.statements_in_constexpr)
      function.why_not = "a constexpr function before C++14";
    if (consteval_) function.why_not = "a consteval function";
  }

  static std::string terse(CXCursor cursor) {
    CXPrintingPolicy policy = clang_getCursorPrintingPolicy(cursor);
    clang_PrintingPolicy_setProperty(policy, CXPrintingPolicy_TerseOutput, 1);
    std::string text = taken(clang_getCursorPrettyPrinted(cursor, policy));
    clang_PrintingPolicy_dispose(policy);
    return text;
  }

  // Places.

  CRange extent(CXCursor cursor) const {
    const CXSourceRange range = clang_getCursorExtent(cursor);
    CRange result{point(clang_getRangeStart(range)).offset, point(clang_getRangeEnd(range)).offset};
    // What ends within a macro's use ends for the file behind it. An end in an argument is given as the use's
    // begin.
    const CRange* macro = range_over(target_->view->macros, result.end);
    if (macro != nullptr &&
        (macro->begin < result.end || file_offset(clang_getRangeEnd(range)) != result.end))
      result.end = macro->end;
    return result;
  }

  CRange outside_macros(CRange range) const {
    return range_over(target_->view->macros, range.begin) == nullptr ? range : CRange{};
  }

  std::string_view word_at(std::uint32_t offset) const {
    const CText& text = *target_->text;
    const std::size_t token = text.at(offset);
    return token < text.tokens().size() ? text.of(text.tokens()[token]) : std::string_view{};
  }

  bool in_target(CXCursor cursor) const {
    const CXSourceRange range = clang_getCursorExtent(cursor);
    const CTarget* begin = context_.target_of(point(clang_getRangeStart(range)).file);
    return begin == target_ && context_.target_of(point(clang_getRangeEnd(range)).file) == target_;
  }

  enum class Braces { none, own, half };  // half: one of them comes from a macro

  /// What is `= default` has a body too, without any.
  Braces braces_of(CXCursor body) const {
    if (!in_target(body)) return Braces::none;
    const CRange range = extent(body);
    const auto is_own = [&](std::uint32_t offset) {
      return range_over(target_->view->macros, offset) == nullptr;
    };
    const std::string_view text = target_->text->text();
    const bool begins = is_own(range.begin) && (text[range.begin] == '{' || word_at(range.begin) == "try");
    const bool ends = range.end > range.begin && is_own(range.end - 1) && text[range.end - 1] == '}';
    if (begins && ends) return Braces::own;
    return begins || (ends && !is_own(range.begin)) ? Braces::half : Braces::none;
  }

  std::uint32_t open(CKind kind, CXCursor cursor) {
    const CRange range = extent(cursor);
    CNode made{.kind = kind, .begin = range.begin, .end = range.end};
    made.in_macro = range_over(target_->view->macros, range.begin) != nullptr;
    target_->view->nodes.push_back(made);
    return static_cast<std::uint32_t>(target_->view->nodes.size() - 1);
  }

  void close(std::uint32_t index) {
    node(index).subtree = static_cast<std::uint32_t>(target_->view->nodes.size() - index);
  }

  CNode& node(std::uint32_t index) { return target_->view->nodes[index]; }

  CXTranslationUnit unit_;
  const CUnitContext& context_;
  const CTarget* target_ = nullptr;
  std::set<std::pair<std::size_t, std::uint32_t>> read_;  // file and body: an expression may be there twice
};

}  // namespace

const CRange* range_over(const std::vector<CRange>& ranges, std::uint32_t offset) {
  const auto behind = std::ranges::upper_bound(ranges, offset, {}, &CRange::begin);
  if (behind == ranges.begin()) return nullptr;
  const CRange& range = *(behind - 1);
  return offset < range.end ? &range : nullptr;
}

void read_functions(CXTranslationUnitImpl* unit, const CUnitContext& context) {
  FunctionReader(unit, context).read();
}

}  // namespace jcprof::rewriter
