// SPDX-License-Identifier: Apache-2.0
// Sites and slots that one unit makes of one file, a function at a time: so what several units make can be
// compared and put together (merge.hpp).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "rewriter/c/front_end.hpp"
#include "rewriter/c/syntax.hpp"
#include "rewriter/c/text.hpp"
#include "rewriter/source_model.hpp"

namespace jcprof::rewriter {

/// One that counts: it does something, and does not begin in a macro.
struct CStatement {
  std::uint32_t begin = 0;
  std::uint32_t function = 0;  // of the fragment, later of the model
  bool operator==(const CStatement&) const = default;
};

/// A function with what is nested in it: what units agree about or do not.
struct CFragment : SourceParts {
  std::uint32_t body = 0;               // where it begins: units mean the same function
  std::vector<std::string> parameters;  // of each function: "(int,char *)"
  std::vector<CStatement> statements;
  bool operator==(const CFragment&) const = default;
};

struct CViewModel {
  std::vector<CFragment> fragments;
  std::vector<LeftAlone> left_alone;  // outside of functions
};

CViewModel build_c(const CText& text, const CView& view, const CEntering& entering);

}  // namespace jcprof::rewriter
