// SPDX-License-Identifier: Apache-2.0
#include "rewriter/c/cursors.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include <clang-c/Index.h>

namespace jcprof::rewriter {
namespace {

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

/// A cursor's extent, for the file: macros' uses, not what they make.
struct Extent {
  Point begin;
  Point end;
  CXSourceLocation end_location = {};
};

Extent extent_of(CXCursor cursor) {
  const CXSourceRange range = clang_getCursorExtent(cursor);
  const CXSourceLocation end = clang_getRangeEnd(range);
  return {point(clang_getRangeStart(range)), point(end), end};
}

template <typename Test>
std::optional<CXCursor> last_child_if(CXCursor cursor, Test test) {
  std::optional<CXCursor> last;
  each_child(cursor, [&](CXCursor child) {
    if (test(child)) last = child;
  });
  return last;
}

/// UnexposedStmt: a coroutine's.
bool is_body(CXCursor cursor) {
  const CXCursorKind kind = clang_getCursorKind(cursor);
  return kind == CXCursor_CompoundStmt || kind == CXCursor_CXXTryStmt || kind == CXCursor_UnexposedStmt;
}

constexpr std::string_view coroutine = "a coroutine";

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
    const CTarget* target = target_of(point(clang_getCursorLocation(cursor)).file);
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
    const std::optional<CXCursor> held = last_child_if(cursor, is_body);
    const std::optional<CXCursor> body = held ? written_body(*held) : std::nullopt;
    const Braces braces = body ? braces_of(*body) : Braces::none;
    if (braces == Braces::none) return;
    if (!read_.emplace(target_->file, extent(*body).begin).second) {
      compiled_again(cursor, extent(*body));
      return;
    }
    CFunction described = describe(cursor, *body);
    if (clang_equalCursors(*held, *body) == 0) described.why_not = coroutine;
    if (braces == Braces::half) described.why_not = "a function with a brace from a macro";
    if (braces == Braces::digraph) described.why_not = "a function with digraphs for braces";
    const std::uint32_t index = open_function(std::move(described), cursor);
    each_child(cursor, [&](CXCursor child) {
      if (clang_equalCursors(child, *held) == 0) lambdas(child);
    });
    Included outside = std::exchange(included_, {});
    statement(*body);
    close_included();
    included_ = std::move(outside);
    close(index);
  }

  /// What an #include within a function's body brings is for its own file a function that has no traps.
  void included(CXCursor cursor) {
    const CXSourceRange range = clang_getCursorExtent(cursor);
    const CTarget* there = context_.target_of(point(clang_getRangeStart(range)).file);
    if (there == nullptr || there == target_ ||
        context_.target_of(point(clang_getRangeEnd(range)).file) != there)
      return;
    const std::string outer = target_->view->functions.back().name;
    const CTarget* outside = std::exchange(target_, there);
    const CRange place = extent(cursor);
    if (read_.emplace(there->file, place.begin).second) {
      const auto [found, is_new] = included_.try_emplace(there, 0);
      if (is_new) {
        CFunction function{.name = outer + "::included", .owner = outer};
        function.signature.name = "included";
        function.why_not = "statements that are included into a function";
        function.declarator = {place.begin, place.begin + 1};
        function.definition = place.begin;
        found->second = open_function(std::move(function), cursor);
        open(CKind::compound, place);
      }
      statement(cursor);
      for (const std::uint32_t index : {found->second, found->second + 1}) node(index).end = place.end;
    }
    target_ = outside;
  }

  void close_included() {
    const CTarget* outside = target_;
    for (const auto& [there, index] : included_) {
      target_ = there;
      close(index + 1);
      close(index);
    }
    target_ = outside;
  }

  /// The body of a coroutine stands within one of clang's own making.
  static std::optional<CXCursor> written_body(CXCursor body) {
    return clang_getCursorKind(body) == CXCursor_UnexposedStmt ? first_child(body) : body;
  }

  /// By the same unit, which includes the file several times: what #if leaves out here, it compiles there.
  void compiled_again(CXCursor cursor, CRange body) {
    CView& view = *target_->view;
    const auto of_body = [&](const CNode& n) { return n.kind == CKind::function && n.end == body.end; };
    for (const CNode& n : view.nodes)
      if (of_body(n) && view.functions[n.function].returns != CResult::nothing &&
          has_other_result(&cursor, view.functions[n.function]))
        view.functions[n.function].returns = CResult::unnamed;
    const auto is_within = [&](const CRange& range) {
      return body.begin <= range.begin && range.end <= body.end;
    };
    if (std::ranges::none_of(view.skipped, is_within)) return;
    for (const CNode& n : view.nodes)
      if (of_body(n))
        view.functions[n.function].why_not = "a function that one unit compiles in several ways";
    std::erase_if(view.skipped, is_within);
  }

  std::uint32_t open_function(CFunction function, CXCursor cursor) {
    const std::uint32_t index = open(CKind::function, extent(cursor));
    node(index).function = static_cast<std::uint32_t>(target_->view->functions.size());
    node(index).begin = function.definition;
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
    const std::optional<CXCursor> held = last_child_if(cursor, is_body);
    const std::optional<CXCursor> body = held ? written_body(*held) : std::nullopt;
    if (!body || braces_of(*body) != Braces::own) return;
    if (!read_.emplace(target_->file, extent(*body).begin).second) return;
    CFunction function;
    if (clang_equalCursors(*held, *body) == 0) function.why_not = coroutine;
    const std::uint32_t begin = extent(cursor).begin;
    function.is_lambda = true;
    function.declarator = {begin, begin + 1};
    function.definition = begin;
    function.returns = CResult::record;
    const std::uint32_t index = open_function(std::move(function), cursor);
    each_child(cursor, [&](CXCursor child) {
      if (clang_equalCursors(child, *held) == 0) lambdas(child);
    });
    statement(*body);
    close(index);
  }

  // Statements.

  void statement(CXCursor cursor) {
    const Extent here = extent_of(cursor);
    if (!in_target(here)) {
      included(cursor);
      return;
    }
    const CRange range = in_file(here);
    const CXCursorKind kind = clang_getCursorKind(cursor);
    CKind ours = kind == CXCursor_UnexposedStmt ? CKind::attributed : kind_of(kind);
    // One that makes a temporary is no throw-expression at its top.
    const std::string_view word = word_at(range.begin);
    if ((ours == CKind::expression && word == "throw") || (ours == CKind::attributed && word == "co_return"))
      ours = CKind::jump;
    const std::uint32_t index = open(ours, range);
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
    } else if (clang_isDeclaration(kind) != 0 && in_target(extent_of(cursor))) {
      const std::uint32_t index = open(CKind::declaration, extent(cursor));
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
          (compound || !is_trivial(*value)))
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
    // What a reference refers to is read in its place.
    const CXType type = clang_getNonReferenceType(clang_getCursorType(variable));
    return (kind == CXCursor_VarDecl || kind == CXCursor_ParmDecl) &&
           clang_isVolatileQualifiedType(type) == 0 &&
           clang_Cursor_getStorageClass(variable) != CX_SC_Register;
  }

  void local_declaration(CXCursor cursor, std::uint32_t index) {
    int variables = 0;
    each_child(cursor, [&](CXCursor child) {
      const CXCursorKind kind = clang_getCursorKind(child);
      if (context_.is_cpp && (is_class(kind) || kind == CXCursor_TypeAliasDecl)) declaration(child);
      if (kind != CXCursor_VarDecl && kind != CXCursor_UnexposedDecl) return;
      ++variables;
      if (!context_.is_cpp) hide(taken(clang_getCursorSpelling(child)), target_->view->functions.back());
      const bool lasting = !context_.is_cpp && clang_Cursor_getStorageClass(child) == CX_SC_Static;
      const CXCursor value = clang_Cursor_getVarDeclInitializer(child);
      const bool has_value = clang_Cursor_isNull(value) == 0 && !lasting;
      if (has_value) {
        const bool computed = kind == CXCursor_VarDecl && !is_trivial(value);
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
    node(index).value = is_trivial(*value) ? CValue::trivial : CValue::computed;
    lambdas(*value);
  }

  // Functions.

  CFunction describe(CXCursor cursor, CXCursor body) const {
    const std::uint32_t name = point(clang_getCursorLocation(cursor)).offset;
    // Of a function with `auto` parameters clang does not know where it begins.
    const bool is_known = point(clang_getRangeStart(clang_getCursorExtent(cursor))).file != nullptr;
    return describe_function(&cursor,
                             {.name = name,
                              .definition = is_known ? extent(cursor).begin : definition_of(name),
                              .body = extent(body).begin},
                             *target_, context_);
  }

  /// Behind what ends in front of it.
  std::uint32_t definition_of(std::uint32_t name) const {
    const CText& text = *target_->text;
    std::size_t token = text.at(name);
    for (; token > 0; --token) {
      const CToken& previous = text.tokens()[token - 1];
      const std::string_view word = text.of(previous);
      if (previous.kind == CToken::Kind::directive || word == ";" || word == "{" || word == "}" ||
          word == ":")
        break;
    }
    return token < text.tokens().size() ? text.tokens()[token].begin : name;
  }

  // Places.

  CRange extent(CXCursor cursor) const { return in_file(extent_of(cursor)); }

  CRange in_file(const Extent& here) const {
    CRange result{here.begin.offset, here.end.offset};
    // What ends within a macro's use ends for the file behind it. An end in an argument is given as the use's
    // begin.
    const CRange* macro = range_over(target_->view->macros, result.end);
    if (macro != nullptr && (macro->begin < result.end || file_offset(here.end_location) != result.end))
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

  bool in_target(const Extent& here) {
    return target_of(here.begin.file) == target_ && target_of(here.end.file) == target_;
  }

  /// Most questions are about the file that the last one was about.
  const CTarget* target_of(CXFile file) {
    if (file != last_file_) last_target_ = context_.target_of(file);
    last_file_ = file;
    return last_target_;
  }

  enum class Braces { none, own, half, digraph };  // half: one of them comes from a macro

  /// What is `= default` has a body too, without any.
  Braces braces_of(CXCursor body) {
    const Extent here = extent_of(body);
    if (!in_target(here)) return Braces::none;
    const CRange range = in_file(here);
    const auto is_own = [&](std::uint32_t offset) {
      return range_over(target_->view->macros, offset) == nullptr;
    };
    const std::string_view text = target_->text->text();
    const bool begins = is_own(range.begin) && (text[range.begin] == '{' || word_at(range.begin) == "try");
    const bool ends = range.end > range.begin && is_own(range.end - 1) && text[range.end - 1] == '}';
    if (begins && ends) return Braces::own;
    const auto is_written = [&](std::uint32_t offset, std::string_view brace) {
      return is_own(offset) && text.substr(offset).starts_with(brace);
    };
    if (is_written(range.begin, "<%") || is_written(range.begin, "?\?<") ||
        (range.end > range.begin + 2 &&
         (is_written(range.end - 2, "%>") || is_written(range.end - 3, "?\?>"))))
      return Braces::digraph;
    return begins || (ends && !is_own(range.begin)) ? Braces::half : Braces::none;
  }

  std::uint32_t open(CKind kind, CRange range) {
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
  CXFile last_file_ = nullptr;
  const CTarget* last_target_ = nullptr;
  using Included = std::map<const CTarget*, std::uint32_t>;
  Included included_;  // into the function that is read: where that begins in its own file's nodes
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
