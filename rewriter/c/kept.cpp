// SPDX-License-Identifier: Apache-2.0
// Values that a statement leaves behind: an optimiser may put off the work for a value that no trap names.
#include <algorithm>
#include <array>

#include <clang-c/Index.h>
#include <fmt/format.h>

#include "rewriter/c/cursors.hpp"

namespace jcprof::rewriter {
namespace {

using Kept = std::vector<std::string>;

/// The most values that are named.
constexpr std::size_t most_kept = 8;
/// The largest value that is named whole, as in jcprof.h.
constexpr long long most_bytes = 32;

std::vector<CXCursor> parts_of(CXCursor expression) {
  std::vector<CXCursor> parts;
  clang_visitChildren(
      expression,
      [](CXCursor child, CXCursor /*parent*/, CXClientData data) {
        if (clang_isExpression(clang_getCursorKind(child)) != 0)
          static_cast<std::vector<CXCursor>*>(data)->push_back(child);
        return CXChildVisit_Continue;
      },
      &parts);
  return parts;
}

/// A null cursor: there is none.
CXCursor first_child_of(CXCursor cursor) {
  CXCursor first = clang_getNullCursor();
  first_child(&cursor, &first);
  return first;
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

bool is_vector(CXCursor expression) {
  const CXTypeKind kind = clang_getCanonicalType(clang_getCursorType(expression)).kind;
  return kind == CXType_Vector || kind == CXType_ExtVector;
}

/// The left side of an assignment that can be read again right behind it: a plain variable, a member or a
/// numbered element of one, or of what `this` points at, or a local pointer that the statement only reads.
bool is_plain_place(CXCursor place, CXCursor statement) {
  place = bare(place);
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
      // The elements of a vector have no addresses.
      if (clang_getCursorKind(bare(parts_of(place).back())) != CXCursor_IntegerLiteral || is_vector(object))
        return false;
    } else if (kind != CXCursor_UnaryOperator ||
               clang_getCursorUnaryOperatorKind(place) != CXUnaryOperator_Deref) {
      return is_name_of_variable(place);
    }
    if (is_pointer(object)) return is_steady_pointer(object, statement);
    place = object;
  }
}

/// Without casts, too.
CXCursor uncast(CXCursor expression) {
  for (;;) {
    expression = bare(expression);
    const CXCursorKind kind = clang_getCursorKind(expression);
    const std::vector<CXCursor> parts = parts_of(expression);
    if ((kind != CXCursor_CStyleCastExpr && kind != CXCursor_CXXStaticCastExpr) || parts.size() != 1)
      return expression;
    expression = parts.front();
  }
}

bool is_local(CXCursor variable) {
  const CXTypeKind type = clang_getCanonicalType(clang_getCursorType(variable)).kind;
  return is_plain_variable(&variable) && type != CXType_LValueReference && type != CXType_RValueReference &&
         clang_Cursor_hasVarDeclGlobalStorage(variable) != 1;
}

/// The place lies in a local variable, wherever pointers point.
bool is_in_local(CXCursor place) {
  for (;;) {
    place = bare(place);
    const CXCursorKind kind = clang_getCursorKind(place);
    if (kind == CXCursor_DeclRefExpr) return is_local(clang_getCursorReferenced(place));
    if (kind != CXCursor_MemberRefExpr && kind != CXCursor_ArraySubscriptExpr) return false;
    const std::vector<CXCursor> parts = parts_of(place);
    if (parts.empty()) return false;
    place = parts.front();
    if (clang_getCanonicalType(clang_getCursorType(bare(place))).kind == CXType_Pointer) return false;
  }
}

/// A list of nothing but names and numbers takes no time, and neither does a lambda that is not called.
bool is_trivial_list(CXCursor value) {
  if (clang_getCursorKind(bare(value)) == CXCursor_LambdaExpr) return true;
  if (clang_getCursorKind(bare(value)) != CXCursor_InitListExpr) return is_trivial(&value);
  return std::ranges::all_of(parts_of(bare(value)), is_trivial_list);
}

std::string text_of(CXCursor cursor, const CSourceFile& source) {
  const CRange range = outside_macros(source, range_of(source, extent_of(&cursor)));
  return std::string(source.text->text().substr(range.begin, range.end - range.begin));
}

/// `text`: the place, of that type.
std::string named(const std::string& text, CXType type, bool is_variable) {
  if (text.empty() || is_scalar(&type)) return text;
  return is_variable && is_small(&type) ? fmt::format("JCPROF_WHOLE({})", text) : std::string{};
}

class KeptPlaces {
 public:
  KeptPlaces(CXCursor statement, const CSourceFile& source) : statement_(statement), source_(source) {}

  /// `is_last`: nothing of the statement runs behind it.
  Kept within(CXCursor expression, bool is_last) const {
    expression = uncast(expression);
    const CXCursorKind kind = clang_getCursorKind(expression);
    const std::vector<CXCursor> parts = parts_of(expression);
    if (kind == CXCursor_CompoundAssignOperator && parts.size() == 2) return assigned(parts, true, is_last);
    if (kind == CXCursor_ConditionalOperator && parts.size() == 3) return in_either(parts, is_last);
    if (kind != CXCursor_BinaryOperator || parts.size() != 2) return {};
    switch (clang_getCursorBinaryOperatorKind(expression)) {
      case CXBinaryOperator_Assign:
        return assigned(parts, false, is_last);
      case CXBinaryOperator_Comma:
        return joined(within(parts[0], false), within(parts[1], is_last));
      default:
        return {};
    }
  }

 private:
  static Kept joined(Kept first, const Kept& second) {
    for (const std::string& kept : second)
      if (std::ranges::find(first, kept) == first.end()) first.push_back(kept);
    return first;
  }

  Kept assigned(const std::vector<CXCursor>& parts, bool is_compound, bool is_last) const {
    const CXCursor& to = parts.front();
    // Code behind it may free the memory that a pointer points at.
    if (!is_plain_place(to, statement_) || !(is_last || is_in_local(to))) return {};
    if (!is_compound && is_trivial_list(parts.back())) return {};
    const bool is_variable = clang_getCursorKind(bare(to)) == CXCursor_DeclRefExpr && is_in_local(to);
    const std::string kept = named(text_of(to, source_), clang_getCursorType(to), is_variable);
    return kept.empty() ? Kept{} : Kept{kept};
  }

  /// Values that both ways leave behind.
  Kept in_either(const std::vector<CXCursor>& parts, bool is_last) const {
    Kept kept = within(parts[1], is_last);
    const Kept other = within(parts[2], is_last);
    std::erase_if(kept, [&](const std::string& one) { return std::ranges::find(other, one) == other.end(); });
    return kept;
  }

  CXCursor statement_;
  const CSourceFile& source_;
};

/// An object that is made of no arguments may be left as it was.
bool is_made_of_nothing(CXCursor variable, CXCursor value) {
  return clang_getCursorKind(value) == CXCursor_CallExpr && clang_Cursor_getNumArguments(value) == 0 &&
         clang_equalLocations(clang_getRangeStart(clang_getCursorExtent(value)),
                              clang_getCursorLocation(variable)) != 0;
}

}  // namespace

bool is_small(const void* type) {
  const CXType of = clang_getCanonicalType(*static_cast<const CXType*>(type));
  if (is_unknown(&of)) return true;
  constexpr auto kinds = std::to_array({CXType_Record, CXType_Int128, CXType_UInt128, CXType_Float128,
                                        CXType_Complex, CXType_Vector, CXType_ExtVector});
  const long long size = clang_Type_getSizeOf(of);
  return std::ranges::find(kinds, of.kind) != kinds.end() && size > 0 && size <= most_bytes &&
         !is_destroyed(&of);
}

std::string kept_of_expression(const void* statement, const CSourceFile& source) {
  const CXCursor& of = *static_cast<const CXCursor*>(statement);
  std::string all;
  Kept kept = KeptPlaces(of, source).within(of, true);
  kept.resize(std::min(kept.size(), most_kept));
  for (const std::string& one : kept) all = both_kept(all, one);
  return all;
}

std::string kept_of_variable(const void* variable, const CSourceFile& source) {
  const CXCursor& of = *static_cast<const CXCursor*>(variable);
  const CXCursor value = clang_Cursor_getVarDeclInitializer(of);
  if (!is_plain_variable(variable) || is_trivial_list(value) || is_made_of_nothing(of, value)) return {};
  const std::uint32_t begin = point_of(clang_getCursorLocation(of)).offset;
  const std::string name = taken(clang_getCursorSpelling(of));
  const auto end = static_cast<std::uint32_t>(begin + name.size());
  if (outside_macros(source, {begin, end}).end == 0) return {};
  const CXType type = clang_getCanonicalType(clang_getCursorType(of));
  if (type.kind != CXType_ConstantArray) return named(name, type, true);
  const CXType element = clang_getArrayElementType(type);
  const auto count = static_cast<std::size_t>(clang_getArraySize(type));
  std::string all;
  for (std::size_t i = 0; i < count && count <= most_kept && is_scalar(&element); ++i)
    all = both_kept(all, fmt::format("{}[{}]", name, i));
  return all;
}

std::string kept_with(const std::string& all, const std::string& more) {
  constexpr std::string_view both = "JCPROF_BOTH(";
  const std::string joined = both_kept(all, more);
  std::size_t values = 1;
  for (std::size_t at = joined.find(both); at != std::string::npos; at = joined.find(both, at + both.size()))
    ++values;
  return values <= most_kept ? joined : all;
}

std::string kept_of_returned(const void* value, const CSourceFile& source) {
  const CXCursor& of = *static_cast<const CXCursor*>(value);
  const CXCursor place = uncast(of);
  if (!is_trivial(value) || !is_plain_place(place, of) || !is_in_local(place)) return {};
  return named(text_of(place, source), clang_getCursorType(place),
               clang_getCursorKind(place) == CXCursor_DeclRefExpr);
}

}  // namespace jcprof::rewriter
