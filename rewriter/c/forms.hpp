// SPDX-License-Identifier: Apache-2.0
// The forms of a trap that differ in what they ask of the place: whether it is a declaration, and which
// variable's value it keeps above itself. Pure text; where a trap stands is others' to say.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace jcprof::rewriter {

struct CTrapForm {
  bool declares = false;  // it is a declaration: it may stand in front of others in C90, and in C++ too
  std::string kept = {};  // the scalar variable that it names for the optimiser; empty: none
  bool operator==(const CTrapForm&) const = default;
};

/// "JCPROF_TRAP_V({id},x)"
std::string text_of(const CTrapForm& form);

/// A slot's text, taken apart at the one trap in it that has such a form; none: it holds none.
struct CTrapText {
  std::string in_front;
  CTrapForm form;
  std::string behind;
};
std::optional<CTrapText> trap_in(std::string_view text);

/// The form that stands wherever both may: a declaration where one must be, and no variable that only one may
/// name.
CTrapForm common_form(const CTrapForm& a, const CTrapForm& b);

}  // namespace jcprof::rewriter
