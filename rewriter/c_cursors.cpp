// SPDX-License-Identifier: Apache-2.0
#include "rewriter/c_cursors.hpp"

#include <algorithm>
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
      const std::optional<CXCursor> value = last_child(cursor);
      if (to && clang_getCursorKind(*to) == CXCursor_DeclRefExpr &&
          is_plain(clang_getCursorReferenced(*to)) && is_scalar_variable(*to) &&
          (compound || !is_trivial(&*value)))
        node(index).assigned = outside_macros(extent(*to));
    }
    lambdas(cursor);
  }

  static bool is_scalar_variable(CXCursor cursor) {
    const CXType type = clang_getCursorType(cursor);
    return is_scalar(&type);
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
        const bool computed = kind == CXCursor_VarDecl && !is_trivial(&value);
        node(index).value = computed ? CValue::computed : CValue::trivial;
        node(index).assigned =
            computed && is_plain(child) && is_scalar_variable(child) ? name_of(child) : CRange{};
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
    node(index).value = is_trivial(&*value) ? CValue::trivial : CValue::computed;
    lambdas(*value);
  }

  // Functions.

  CFunction describe(CXCursor cursor, CXCursor body) const {
    return describe_function(&cursor,
                             {.name = point(clang_getCursorLocation(cursor)).offset,
                              .definition = extent(cursor).begin,
                              .body = extent(body).begin},
                             *target_, context_);
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
