// SPDX-License-Identifier: Apache-2.0
// Puts together what several units see of one file: a site stands where every unit that compiles that place
// has it, and in the same way. Pure.
#pragma once

#include <string>
#include <vector>

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

struct CSeen {
  CView view;
  CViewModel model;
};

/// Adds to `model`, which has path and text, what `seen` says; no view: no unit includes the file. The
/// parameter types of its functions.
std::vector<std::string> merge_views(const CText& text, const std::vector<CSeen>& seen, SourceModel& model);

/// Functions that share a name are told apart by their parameters in C++, by their files in C.
void name_functions(std::vector<SourceModel>& models,
                    const std::vector<std::vector<std::string>>& parameters);

}  // namespace jcprof::rewriter
