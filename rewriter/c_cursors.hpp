// SPDX-License-Identifier: Apache-2.0
// libclang's cursors → the functions and statements of a CView. Internal to c_unit.cpp.
#pragma once

#include <functional>

#include "rewriter/c_syntax.hpp"
#include "rewriter/c_text.hpp"

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

void read_functions(CXTranslationUnitImpl* unit, const CUnitContext& context);

/// The use of a macro that holds `offset`; null: none does.
const CRange* range_over(const std::vector<CRange>& ranges, std::uint32_t offset);

}  // namespace jcprof::rewriter
