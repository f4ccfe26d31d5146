// SPDX-License-Identifier: Apache-2.0
#include "rewriter/c/cursors.hpp"

#include <map>
#include <optional>
#include <set>
#include <utility>

#include <clang-c/Index.h>

namespace jcprof::rewriter {
namespace {

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

template <typename Test>
std::optional<CXCursor> last_child_if(CXCursor cursor, Test test) {
  std::optional<CXCursor> last;
  each_child(cursor, [&](CXCursor child) {
    if (test(child)) last = child;
  });
  return last;
}

std::optional<CXCursor> last_child(CXCursor cursor) {
  return last_child_if(cursor, [](CXCursor) { return true; });
}

/// UnexposedStmt: a coroutine's.
bool is_body(CXCursor cursor) {
  const CXCursorKind kind = clang_getCursorKind(cursor);
  return kind == CXCursor_CompoundStmt || kind == CXCursor_CXXTryStmt || kind == CXCursor_UnexposedStmt;
}

/// A function's body, and the body as it is written: that of a coroutine stands within one of clang's making.
struct Body {
  CXCursor held;
  CXCursor written;

  bool is_coroutine() const { return clang_equalCursors(held, written) == 0; }
};

constexpr std::string_view coroutine = "a coroutine";

std::optional<Body> body_of(CXCursor function) {
  const std::optional<CXCursor> held = last_child_if(function, is_body);
  if (!held) return std::nullopt;
  const bool is_made = clang_getCursorKind(*held) == CXCursor_UnexposedStmt;
  CXCursor written = is_made ? clang_getNullCursor() : *held;
  if (is_made) first_child(&*held, &written);
  return clang_Cursor_isNull(written) == 0 ? std::optional(Body{*held, written}) : std::nullopt;
}

/// The reading of one unit.
struct UnitWalk {
  const CUnitContext& context;
  const CSourceFile* source = nullptr;  // that is being read
  // Most questions are about the file that the last one was about.
  CXFile last_file = nullptr;
  const CSourceFile* last_source = nullptr;
  // Files that are included into the function that is being read: where that begins in their own nodes.
  std::map<const CSourceFile*, std::uint32_t> included = {};
  std::set<std::pair<std::size_t, std::uint32_t>> read = {};  // file and body: an expression may come twice
};

void statement(UnitWalk& walk, CXCursor cursor);

const CSourceFile* source_of(UnitWalk& walk, void* file) {
  if (file != walk.last_file) walk.last_source = walk.context.source_of(file);
  walk.last_file = file;
  return walk.last_source;
}

bool in_source(UnitWalk& walk, const CExtent& extent) {
  return source_of(walk, extent.begin.file) == walk.source && source_of(walk, extent.end.file) == walk.source;
}

CRange range_of(const UnitWalk& walk, CXCursor cursor) {
  return range_of(*walk.source, extent_of(&cursor));
}

Braces braces_of(UnitWalk& walk, CXCursor body) {
  const CExtent extent = extent_of(&body);
  return in_source(walk, extent) ? braces_of(*walk.source, range_of(*walk.source, extent)) : Braces::none;
}

// --- Nodes ---

CNode& node(UnitWalk& walk, std::uint32_t index) {
  return walk.source->view->nodes[index];
}

std::uint32_t open(UnitWalk& walk, CKind kind, CRange range) {
  CNode made{.kind = kind, .begin = range.begin, .end = range.end};
  made.in_macro = range_over(walk.source->view->macros, range.begin) != nullptr;
  walk.source->view->nodes.push_back(made);
  return static_cast<std::uint32_t>(walk.source->view->nodes.size() - 1);
}

void close(UnitWalk& walk, std::uint32_t index) {
  node(walk, index).subtree = static_cast<std::uint32_t>(walk.source->view->nodes.size() - index);
}

std::uint32_t open_function(UnitWalk& walk, CFunction function, CXCursor cursor) {
  const std::uint32_t index = open(walk, CKind::function, range_of(walk, cursor));
  node(walk, index).function = static_cast<std::uint32_t>(walk.source->view->functions.size());
  node(walk, index).begin = function.definition;
  walk.source->view->functions.push_back(std::move(function));
  return index;
}

// --- Functions ---

void lambda(UnitWalk& walk, CXCursor cursor);

/// The lambdas and local classes within an expression or a variable.
void lambdas(UnitWalk& walk, CXCursor cursor) {
  if (!walk.context.is_cpp) return;
  const CRange range = range_of(walk, cursor);
  if (!walk.source->text->may_hold_lambda(range.begin, range.end)) return;
  if (clang_getCursorKind(cursor) == CXCursor_LambdaExpr) {
    lambda(walk, cursor);
    return;
  }
  clang_visitChildren(
      cursor,
      [](CXCursor child, CXCursor /*parent*/, CXClientData data) {
        const CXCursorKind kind = clang_getCursorKind(child);
        if (kind == CXCursor_StmtExpr) return CXChildVisit_Continue;
        if (kind != CXCursor_LambdaExpr) return CXChildVisit_Recurse;
        lambda(*static_cast<UnitWalk*>(data), child);
        return CXChildVisit_Continue;
      },
      &walk);
}

void lambdas_beside(UnitWalk& walk, CXCursor function, const Body& body) {
  each_child(function, [&](CXCursor child) {
    if (clang_equalCursors(child, body.held) == 0) lambdas(walk, child);
  });
}

void lambda(UnitWalk& walk, CXCursor cursor) {
  const std::optional<Body> body = body_of(cursor);
  if (!body || braces_of(walk, body->written) != Braces::own) return;
  if (!walk.read.emplace(walk.source->index, range_of(walk, body->written).begin).second) return;
  const std::uint32_t begin = range_of(walk, cursor).begin;
  CFunction function;
  if (body->is_coroutine()) function.why_not = coroutine;
  function.is_lambda = true;
  function.declarator = {begin, begin + 1};
  function.definition = begin;
  function.returns = CResult::record;
  hold_of_lambda(&cursor, range_of(walk, cursor), *walk.source, function);
  read_lifetimes(&cursor, &body->written, *walk.source, walk.context, function);
  const std::uint32_t index = open_function(walk, std::move(function), cursor);
  lambdas_beside(walk, cursor, *body);
  statement(walk, body->written);
  close(walk, index);
}

/// A piece that an #include brings into a function's body is for its own file a function without traps.
void included(UnitWalk& walk, CXCursor cursor) {
  const CExtent extent = extent_of(&cursor);
  const CSourceFile* there = walk.context.source_of(extent.begin.file);
  if (there == nullptr || there == walk.source || walk.context.source_of(extent.end.file) != there) return;
  const std::string outer = walk.source->view->functions.back().name;
  const CSourceFile* outside = std::exchange(walk.source, there);
  const CRange place = range_of(*there, extent);
  if (walk.read.emplace(there->index, place.begin).second) {
    const auto [found, is_new] = walk.included.try_emplace(there, 0);
    if (is_new) {
      CFunction function{.name = outer + "::included", .owner = outer};
      function.signature.name = "included";
      function.why_not = "statements that are included into a function";
      function.declarator = {place.begin, place.begin + 1};
      function.definition = place.begin;
      found->second = open_function(walk, std::move(function), cursor);
      open(walk, CKind::compound, place);
    }
    statement(walk, cursor);
    for (const std::uint32_t index : {found->second, found->second + 1}) node(walk, index).end = place.end;
  }
  walk.source = outside;
}

void close_included(UnitWalk& walk) {
  const CSourceFile* outside = walk.source;
  for (const auto& [there, index] : walk.included) {
    walk.source = there;
    close(walk, index + 1);
    close(walk, index);
  }
  walk.source = outside;
}

CFunction described(const UnitWalk& walk, CXCursor cursor, CRange body) {
  const std::uint32_t name = point_of(clang_getCursorLocation(cursor)).offset;
  // Clang does not know where a function with `auto` parameters begins.
  const bool is_known = extent_of(&cursor).begin.file != nullptr;
  return describe_function(
      &cursor,
      {.name = name,
       .definition = is_known ? range_of(walk, cursor).begin : definition_at(*walk.source, name),
       .body = body.begin,
       .end = body.end},
      *walk.source, walk.context);
}

void function(UnitWalk& walk, CXCursor cursor) {
  if (clang_isCursorDefinition(cursor) == 0) return;
  const std::optional<Body> body = body_of(cursor);
  const Braces braces = body ? braces_of(walk, body->written) : Braces::none;
  if (braces == Braces::none) return;
  const CRange range = range_of(walk, body->written);
  if (!walk.read.emplace(walk.source->index, range.begin).second) {
    compiled_again(&cursor, range, *walk.source->view);
    return;
  }
  CFunction function = described(walk, cursor, range);
  if (body->is_coroutine()) function.why_not = coroutine;
  if (braces == Braces::half) function.why_not = "a function with a brace from a macro";
  if (braces == Braces::digraph) function.why_not = "a function with digraphs for braces";
  read_lifetimes(&cursor, &body->written, *walk.source, walk.context, function);
  const std::uint32_t index = open_function(walk, std::move(function), cursor);
  lambdas_beside(walk, cursor, *body);
  auto outside = std::exchange(walk.included, {});
  statement(walk, body->written);
  close_included(walk);
  walk.included = std::move(outside);
  close(walk, index);
}

void member(UnitWalk& walk, CXCursor field) {
  const std::optional<CFunction> value = read_member_value(&field, *walk.source);
  if (!value || !walk.read.emplace(walk.source->index, value->entry_value.begin).second)
    return lambdas(walk, field);
  const std::uint32_t index = open_function(walk, *value, field);
  lambdas(walk, field);
  close(walk, open(walk, CKind::expression, value->entry_value));
  close(walk, index);
}

/// Something at file, namespace or class level, or a local class.
void declaration(UnitWalk& walk, CXCursor cursor) {
  const CXCursorKind kind = clang_getCursorKind(cursor);
  if (clang_isPreprocessing(kind) != 0) return;
  const auto each_within = [&] { each_child(cursor, [&](CXCursor child) { declaration(walk, child); }); };
  if (kind == CXCursor_Namespace || kind == CXCursor_LinkageSpec) return each_within();
  if (!is_function(kind) && !(walk.context.is_cpp && (is_class(kind) || clang_isDeclaration(kind) != 0)))
    return;
  const CSourceFile* source = source_of(walk, point_of(clang_getCursorLocation(cursor)).file);
  if (source == nullptr) return;
  const CSourceFile* outside = std::exchange(walk.source, source);
  if (is_function(kind))
    function(walk, cursor);
  else if (is_class(kind) || kind == CXCursor_FriendDecl)
    each_within();
  else if (kind == CXCursor_FieldDecl)
    member(walk, cursor);
  else
    lambdas(walk, cursor);
  walk.source = outside;
}

// --- Statements ---

void local_variable(UnitWalk& walk, CXCursor variable, std::uint32_t index) {
  const bool is_cpp = walk.context.is_cpp;
  if (!is_cpp) hide(taken(clang_getCursorSpelling(variable)), walk.source->view->functions.back());
  const bool lasting = !is_cpp && clang_Cursor_getStorageClass(variable) == CX_SC_Static;
  const CXCursor value = clang_Cursor_getVarDeclInitializer(variable);
  if (clang_Cursor_isNull(value) == 0 && !lasting) {
    const bool computed = clang_getCursorKind(variable) == CXCursor_VarDecl && !is_trivial(&value);
    CNode& declaration = node(walk, index);
    declaration.value = computed ? CValue::computed : CValue::trivial;
    if (computed)
      declaration.assigned = kept_with(declaration.assigned, kept_of_variable(&variable, *walk.source));
  }
  lambdas(walk, variable);
}

void local_declaration(UnitWalk& walk, CXCursor cursor, std::uint32_t index) {
  each_child(cursor, [&](CXCursor child) {
    const CXCursorKind kind = clang_getCursorKind(child);
    if (walk.context.is_cpp && (is_class(kind) || kind == CXCursor_TypeAliasDecl)) declaration(walk, child);
    if (kind != CXCursor_VarDecl && kind != CXCursor_UnexposedDecl) return;
    local_variable(walk, child, index);
  });
}

void return_statement(UnitWalk& walk, CXCursor cursor, std::uint32_t index) {
  const std::optional<CXCursor> value = last_child(cursor);
  if (!value) return;
  node(walk, index).value = is_trivial(&*value) ? CValue::trivial : CValue::computed;
  node(walk, index).assigned = kept_of_returned(&*value, *walk.source);
  lambdas(walk, *value);
}

/// A part of a statement: a condition is there as an expression, a loop's variable as a declaration.
void part(UnitWalk& walk, CXCursor cursor) {
  const CXCursorKind kind = clang_getCursorKind(cursor);
  if (clang_isStatement(kind) != 0 || clang_isExpression(kind) != 0) {
    statement(walk, cursor);
  } else if (clang_isDeclaration(kind) != 0 && in_source(walk, extent_of(&cursor))) {
    const std::uint32_t index = open(walk, CKind::declaration, range_of(walk, cursor));
    lambdas(walk, cursor);
    close(walk, index);
  }
}

void statement(UnitWalk& walk, CXCursor cursor) {
  const CExtent extent = extent_of(&cursor);
  if (!in_source(walk, extent)) return included(walk, cursor);
  const CRange range = range_of(*walk.source, extent);
  const CXCursorKind kind = clang_getCursorKind(cursor);
  CKind ours = kind == CXCursor_UnexposedStmt ? CKind::attributed : kind_of(kind);
  // A throw that makes a temporary is no throw-expression at its top.
  const std::string_view word = word_at(*walk.source, range.begin);
  if ((ours == CKind::expression && word == "throw") || (ours == CKind::attributed && word == "co_return"))
    ours = CKind::jump;
  const std::uint32_t index = open(walk, ours, range);
  switch (ours) {
    case CKind::expression:
      node(walk, index).assigned = kept_of_expression(&cursor, *walk.source);
      lambdas(walk, cursor);
      break;
    case CKind::declaration:
      local_declaration(walk, cursor, index);
      break;
    case CKind::return_:
      return_statement(walk, cursor, index);
      break;
    case CKind::jump:
      lambdas(walk, cursor);
      break;
    case CKind::null:
    case CKind::break_:
    case CKind::other:
    case CKind::function:
      break;
    default:
      each_child(cursor, [&](CXCursor child) { part(walk, child); });
  }
  close(walk, index);
}

}  // namespace

void first_child(const void* cursor, void* child) {
  clang_visitChildren(
      *static_cast<const CXCursor*>(cursor),
      [](CXCursor first, CXCursor /*parent*/, CXClientData data) {
        *static_cast<CXCursor*>(data) = first;
        return CXChildVisit_Break;
      },
      child);
}

void read_functions(CXTranslationUnitImpl* unit, const CUnitContext& context) {
  UnitWalk walk{.context = context};
  each_child(clang_getTranslationUnitCursor(unit), [&](CXCursor child) { declaration(walk, child); });
}

}  // namespace jcprof::rewriter
