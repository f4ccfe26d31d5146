// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <set>

#include <clang-c/Index.h>

#include "rewriter/c/cursors.hpp"
#include "src/core/text.hpp"

namespace jcprof::rewriter {
namespace {

/// The initialiser of a base or a member, in the order in which they run.
struct Initialiser {
  std::uint32_t rank = 0;  // a member's place in the class; bases: 0
  bool costs = false;      // or may
  CRange place = {};       // the value in front of which a trap can stand; empty: none
};

/// Its name has been seen.
struct Named {
  std::uint32_t rank = 0;
  std::uint32_t at = 0;
  CXType type = {};
};

struct Written {
  std::vector<Initialiser> all;
  std::optional<Named> named;
  std::set<std::uint32_t> ranks;  // of members
  std::size_t bases = 0;
  bool delegates = false;  // to another constructor
};

std::uint32_t offset_of(CXCursor cursor) {
  return point_of(clang_getCursorLocation(cursor)).offset;
}

/// Making one runs something, or that cannot be told.
bool costs(CXType type) {
  type = clang_getCanonicalType(type);
  while (clang_getArrayElementType(type).kind != CXType_Invalid)
    type = clang_getCanonicalType(clang_getArrayElementType(type));
  return is_unknown(&type) || (type.kind == CXType_Record && clang_isPODType(type) == 0);
}

// --- Values between the brackets of an initialiser ---

struct Values {
  const CSourceFile& source;
  CRange brackets;  // from the opening one to behind the closing one
  std::vector<CXCursor> all = {};

  CRange range_of(CXCursor cursor) const {
    const CXSourceRange range = clang_getCursorExtent(cursor);
    const CPoint begin = point_of(clang_getRangeStart(range));
    return begin.file == nullptr ? CRange{} : CRange{begin.offset, point_of(clang_getRangeEnd(range)).offset};
  }
  std::string_view word(std::size_t token) const { return source.text->of(source.text->tokens()[token]); }
};

/// The outermost expressions within the brackets.
CXChildVisitResult collect_value(CXCursor cursor, CXCursor /*parent*/, CXClientData data) {
  auto& values = *static_cast<Values*>(data);
  const CRange range = values.range_of(cursor);
  const bool is_inside = values.brackets.begin < range.begin && range.end < values.brackets.end;
  if (!is_inside || clang_isExpression(clang_getCursorKind(cursor)) == 0) return CXChildVisit_Recurse;
  values.all.push_back(cursor);
  return CXChildVisit_Continue;
}

/// From the bracket behind the name to its partner; empty: a macro has a part in it.
CRange brackets_behind(const CSourceFile& source, std::size_t name, std::uint32_t end) {
  const std::vector<CToken>& tokens = source.text->tokens();
  std::size_t open = name + 1;
  // A base's name may have arguments, or be several words.
  const auto opens = [&] { return is_one_of(source.text->of(tokens[open]), {"(", "{"}); };
  while (open < tokens.size() && tokens[open].begin < end && !opens()) ++open;
  int depth = 0;
  for (std::size_t i = open; i < tokens.size() && tokens[i].begin < end; ++i) {
    if (range_over(source.view->macros, tokens[open].begin) != nullptr) return {};
    const std::string_view word = source.text->of(tokens[i]);
    depth += is_one_of(word, {"(", "{", "["}) ? 1 : is_one_of(word, {")", "}", "]"}) ? -1 : 0;
    if (depth == 0) return {tokens[open].begin, tokens[i].end};
  }
  return {};
}

bool is_number(std::string_view word) {
  return !word.empty() && word.front() >= '0' && word.front() <= '9';
}

/// `(trap, value)` is another expression than `value` where that is a constant that is converted: 0 is a null
/// pointer no more, and compilers warn of a number that they no longer see. And a base that is made by the
/// very value in its brackets would be moved there.
bool keeps_its_meaning(const Values& values, CXCursor value, const Named& named) {
  const CRange range = values.range_of(value);
  const std::string_view word = word_at(values.source, range.begin);
  const bool is_constant =
      is_number(word) || word.starts_with('\'') || is_one_of(word, {"-", "+", "true", "false"});
  if (is_constant && clang_getCursorKind(value) == CXCursor_UnexposedExpr && is_trivial(&value)) return false;
  if (is_constant && is_unknown(&named.type)) return false;
  const CXType type = clang_getCursorType(value);
  return named.rank != 0 || is_trivial(&value) ||
         (!is_unknown(&type) &&
          clang_equalTypes(clang_getCanonicalType(type), clang_getCanonicalType(named.type)) == 0);
}

bool can_be_wrapped(const Values& values, CXCursor value, const Named& named) {
  const std::vector<CToken>& tokens = values.source.text->tokens();
  const CRange range = values.range_of(value);
  const std::size_t first = values.source.text->at(range.begin);
  const std::size_t behind = values.source.text->at(range.end);
  if (first == 0 || behind >= tokens.size() || tokens[first].begin != range.begin) return false;
  for (std::size_t i = first - 1; i <= behind; ++i)
    if (tokens[i].kind == CToken::Kind::directive ||
        range_over(values.source.view->macros, tokens[i].begin) != nullptr)
      return false;
  return is_one_of(values.word(first - 1), {"(", "{", ",", "="}) &&
         is_one_of(values.word(behind), {")", "}", ",", ";"}) && !is_one_of(values.word(first), {"{", "."}) &&
         keeps_its_meaning(values, value, named);
}

/// Within parentheses the compiler is free to begin with any value: one alone may cost.
CRange place_in(const Values& values, const Named& named) {
  if (values.all.empty()) return {};
  CXCursor wrapped = values.all.front();
  if (values.source.text->text()[values.brackets.begin] == '(') {
    const auto is_costly = [](const CXCursor& value) { return !is_trivial(&value); };
    if (std::ranges::count_if(values.all, is_costly) > 1) return {};
    const auto costly = std::ranges::find_if(values.all, is_costly);
    if (costly != values.all.end()) wrapped = *costly;
  }
  return can_be_wrapped(values, wrapped, named) ? values.range_of(wrapped) : CRange{};
}

// --- The constructor's own list ---

struct ListVisit {
  const CSourceFile& source;
  std::string owner;      // name of the class
  std::uint32_t end = 0;  // of the body
  Written written = {};
};

void add_written(ListVisit& visit, CXCursor value) {
  Written& written = visit.written;
  const Named named = *written.named;
  written.named.reset();
  const CText& text = *visit.source.text;
  Values values{.source = visit.source,
                .brackets = brackets_behind(visit.source, text.at(named.at), visit.end)};
  Initialiser made{.rank = named.rank, .costs = costs(named.type)};
  if (values.brackets.end != 0) {
    if (collect_value(value, value, &values) == CXChildVisit_Recurse)
      clang_visitChildren(value, collect_value, &values);
    // A pack is written once for several bases: a trap in it would be passed as often as there are bases.
    if (values.word(text.at(values.brackets.end)) != ".") made.place = place_in(values, named);
    written.delegates |= values.word(text.at(values.brackets.begin) - 1) == visit.owner;
  }
  made.costs |= std::ranges::any_of(values.all, [](const CXCursor& one) { return !is_trivial(&one); });
  written.all.push_back(made);
}

CXChildVisitResult visit_list(CXCursor cursor, CXCursor /*parent*/, CXClientData data) {
  auto& visit = *static_cast<ListVisit*>(data);
  Written& written = visit.written;
  const CXCursorKind kind = clang_getCursorKind(cursor);
  if (kind == CXCursor_ParmDecl) {
    written.named.reset();  // what came before was the constructor's own name
  } else if (kind == CXCursor_MemberRef) {
    const CXCursor member = clang_getCursorReferenced(cursor);
    written.named = {.rank = offset_of(member), .at = offset_of(cursor), .type = clang_getCursorType(member)};
    written.ranks.insert(written.named->rank);
  } else if (kind == CXCursor_TypeRef || kind == CXCursor_TemplateRef) {
    written.named = {.rank = 0, .at = offset_of(cursor), .type = clang_getCursorType(cursor)};
  } else if (clang_isExpression(kind) != 0 && written.named) {
    if (written.named->rank == 0) {
      ++written.bases;
      const CXType made = clang_getCursorType(cursor);
      if (!is_unknown(&made)) written.named->type = made;
    }
    add_written(visit, cursor);
  }
  return CXChildVisit_Continue;
}

// --- What the list does not name ---

struct ClassVisit {
  const Written& written;
  std::vector<Initialiser> unnamed = {};
  std::size_t bases = 0;
};

CXChildVisitResult visit_class(CXCursor cursor, CXCursor /*parent*/, CXClientData data) {
  auto& visit = *static_cast<ClassVisit*>(data);
  const CXCursorKind kind = clang_getCursorKind(cursor);
  if (kind == CXCursor_CXXBaseSpecifier && ++visit.bases > visit.written.bases)
    visit.unnamed.push_back({.rank = 0, .costs = costs(clang_getCursorType(cursor))});
  if (kind != CXCursor_FieldDecl || visit.written.ranks.contains(offset_of(cursor)))
    return CXChildVisit_Continue;
  Initialiser made{.rank = offset_of(cursor), .costs = costs(clang_getCursorType(cursor))};
  clang_visitChildren(
      cursor,
      [](CXCursor value, CXCursor /*field*/, CXClientData costs) {
        const bool computes = clang_isExpression(clang_getCursorKind(value)) != 0 && !is_trivial(&value);
        *static_cast<bool*>(costs) |= computes;
        return CXChildVisit_Continue;
      },
      &made.costs);
  visit.unnamed.push_back(made);
  return CXChildVisit_Continue;
}

// --- The value that a class gives a member ---

CXChildVisitResult last_expression(CXCursor cursor, CXCursor /*field*/, CXClientData data) {
  if (clang_isExpression(clang_getCursorKind(cursor)) != 0) *static_cast<CXCursor*>(data) = cursor;
  return CXChildVisit_Continue;
}

/// Searches for a reason why the class is no aggregate.
CXChildVisitResult search_reason(CXCursor member, CXCursor /*parent*/, CXClientData data) {
  const CXCursorKind kind = clang_getCursorKind(member);
  const bool is_constructor =
      kind == CXCursor_Constructor || clang_getTemplateCursorKind(member) == CXCursor_Constructor;
  const bool is_method = is_constructor || kind == CXCursor_CXXMethod || kind == CXCursor_Destructor;
  const bool is_part = kind == CXCursor_FieldDecl || kind == CXCursor_CXXBaseSpecifier;
  const bool is_reason = (is_constructor && clang_CXXMethod_isDefaulted(member) == 0) ||
                         (is_method && clang_CXXMethod_isVirtual(member) != 0) ||
                         (is_part && clang_getCXXAccessSpecifier(member) != CX_CXXPublic);
  *static_cast<bool*>(data) &= !is_reason;
  return is_reason ? CXChildVisit_Break : CXChildVisit_Continue;
}

/// A list in braces makes an object of such a class in whatever function it stands in, and g++ keeps what the
/// members' values make until the whole expression ends there.
bool may_be_aggregate(CXCursor made) {
  bool may_be = true;
  clang_visitChildren(made, search_reason, &may_be);
  return may_be;
}

/// Two kinds do not, as the compiler may do their work itself and an object in front would stand in its way:
/// calls of functions that are constexpr, or may be, and values that are made without a constructor.
bool takes_time(CXCursor call) {
  const CXCursor called = clang_getCursorReferenced(call);
  const std::string name = taken(clang_getCursorSpelling(called));  // empty: a template's arguments tell
  const CXType made = clang_getCursorType(call);
  const bool is_made_plain =
      clang_getCursorKind(called) == CXCursor_Constructor && clang_isPODType(made) != 0;
  return !name.empty() && !name.starts_with("__builtin_") && !is_made_plain &&
         terse(&called).find("constexpr ") == std::string::npos;
}

CXChildVisitResult search_call(CXCursor cursor, CXCursor /*parent*/, CXClientData data) {
  const CXCursorKind kind = clang_getCursorKind(cursor);
  if (kind == CXCursor_LambdaExpr) return CXChildVisit_Continue;
  bool& found = *static_cast<bool*>(data);
  found = kind == CXCursor_CXXNewExpr || (kind == CXCursor_CallExpr && takes_time(cursor));
  return found ? CXChildVisit_Break : CXChildVisit_Recurse;
}

bool calls(CXCursor value) {
  bool found = false;
  if (search_call(value, value, &found) == CXChildVisit_Recurse)
    clang_visitChildren(value, search_call, &found);
  return found;
}

}  // namespace

void read_initialisers(const void* constructor, const CSourceFile& source, std::uint32_t end,
                       CFunction& function) {
  const CXCursor& cursor = *static_cast<const CXCursor*>(constructor);
  const CXCursor owner = clang_getCursorSemanticParent(cursor);
  ListVisit list{.source = source, .owner = taken(clang_getCursorSpelling(owner)), .end = end};
  clang_visitChildren(cursor, visit_list, &list);
  ClassVisit others{.written = list.written};
  if (!list.written.delegates) clang_visitChildren(owner, visit_class, &others);
  std::vector<Initialiser> all = std::move(others.unnamed);
  all.insert(all.end(), list.written.all.begin(), list.written.all.end());
  std::ranges::stable_sort(all, {}, &Initialiser::rank);
  const auto chosen = std::ranges::find_if(all, [](const Initialiser& one) { return one.place.end != 0; });
  const bool is_needed = std::any_of(chosen, all.end(), [](const Initialiser& one) { return one.costs; });
  if (is_needed) function.entry_value = chosen->place;
  if (std::any_of(all.begin(), chosen, [](const Initialiser& one) { return one.costs; }))
    function.unseen = "initialisers run ahead of the first trap, and their time counts for the caller";
}

std::optional<CFunction> read_member_value(const void* field, const CSourceFile& source) {
  const CXCursor& cursor = *static_cast<const CXCursor*>(field);
  CXCursor value = clang_getNullCursor();
  clang_visitChildren(cursor, last_expression, &value);
  if (clang_Cursor_isNull(value) != 0 || !calls(value)) return std::nullopt;
  if (may_be_aggregate(clang_getCursorSemanticParent(cursor))) return std::nullopt;
  const CText& text = *source.text;
  const std::uint32_t name = offset_of(cursor);
  const std::size_t behind = text.at(name) + 1;
  if (behind >= text.tokens().size()) return std::nullopt;
  const Named named{.rank = name, .at = name, .type = clang_getCursorType(cursor)};
  Values values{.source = source, .brackets = {}};
  CRange place;
  if (text.of(text.tokens()[behind]) == "=") {
    if (can_be_wrapped(values, value, named)) place = values.range_of(value);
  } else {
    values.brackets = brackets_behind(source, text.at(name), static_cast<std::uint32_t>(text.text().size()));
    if (values.brackets.end == 0) return std::nullopt;
    if (collect_value(value, value, &values) == CXChildVisit_Recurse)
      clang_visitChildren(value, collect_value, &values);
    place = place_in(values, named);
  }
  if (place.end == 0) return std::nullopt;
  CFunction function;
  function.signature.name = taken(clang_getCursorSpelling(cursor));
  function.owner = scope_of(field);
  function.name =
      function.owner.empty() ? function.signature.name : function.owner + "::" + function.signature.name;
  function.declarator = {name, name + static_cast<std::uint32_t>(function.signature.name.size())};
  function.definition = name;
  function.is_member_value = true;
  function.entry_value = place;
  return function;
}

}  // namespace jcprof::rewriter
