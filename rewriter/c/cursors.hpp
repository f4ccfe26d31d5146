// SPDX-License-Identifier: Apache-2.0
// libclang's cursors → the functions and statements of a CView. Internal to unit.cpp and its like.
#pragma once

#include <functional>
#include <string>

#include "rewriter/c/syntax.hpp"
#include "rewriter/c/text.hpp"

struct CXTranslationUnitImpl;

namespace jcprof::rewriter {

/// A file of which a unit's functions are read, with its macro uses known.
struct CTarget {
  const CText* text = nullptr;
  CView* view = nullptr;
  std::size_t file = 0;
};

struct CUnitContext {
  /// The target of a CXFile; none: of no interest.
  std::function<const CTarget*(void*)> target_of;
  bool is_cpp = false;
  bool statements_in_constexpr = true;
};

/// Offsets of a function's parts.
struct CPlaces {
  std::uint32_t name = 0;
  std::uint32_t definition = 0;
  std::uint32_t body = 0;
};

// `cursor` is a CXCursor, `type` a CXType, `kind` a CXCursorKind: headers must not name them.

/// What a CXString holds; it is disposed of.
template <typename String>
std::string taken(String string) {
  const char* text = clang_getCString(string);
  std::string result = text == nullptr ? "" : text;
  clang_disposeString(string);
  return result;
}

// In signature.cpp.

CFunction describe_function(const void* cursor, const CPlaces& places, const CTarget& target,
                            const CUnitContext& context);
/// A variable of that name is in scope: where the function's result has its type by it, a value cannot be
/// held.
void hide(std::string_view name, CFunction& function);
/// The same text, as another function: a template by #include. True: that one has another result.
bool has_other_result(const void* cursor, const CFunction& function);

// In kinds.cpp.

CKind kind_of(int kind);
bool is_function(int kind);
bool is_class(int kind);
bool is_scalar(const void* type);

void read_functions(CXTranslationUnitImpl* unit, const CUnitContext& context);

/// The use of a macro that holds `offset`; null: none does.
const CRange* range_over(const std::vector<CRange>& ranges, std::uint32_t offset);

}  // namespace jcprof::rewriter
