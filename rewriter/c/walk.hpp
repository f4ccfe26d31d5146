// SPDX-License-Identifier: Apache-2.0
// The walk over what a unit sees of a file that makes sites and slots, in the order of the text. Internal to
// functions.cpp (functions, their ends, markers), statements.cpp (bodies) and returns.cpp.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rewriter/c/front_end.hpp"
#include "rewriter/c/merge.hpp"
#include "rewriter/c/places.hpp"
#include "rewriter/line_index.hpp"

namespace jcprof::rewriter {

struct CWalk {
  /// The function that is being walked.
  struct Frame {
    std::uint32_t function = 0;  // of the fragment
    const CFunction* source = nullptr;
    bool is_constexpr = false;
    bool holds_guards = true;  // objects with destructors may stand in it
    bool ends_late = false;    // its last trap is passed when all in it is destroyed
    std::uint32_t last = 0;    // that trap's site
  };

  const CSyntax syntax;
  const CEntering& entering;
  const LineIndex lines{syntax.text.text()};
  CFragment fragment = {};
  Frame frame = {};
  std::vector<std::uint32_t> placed_markers = {};
  std::string assigned = {};  // the values that the statement in front of the next trap has left behind
  std::optional<std::uint32_t> last_in_macro = {};  // where the last trap in front of a macro's use stands
  int lambdas = 0;                                  // of the fragment
};

// In functions.cpp.

CViewModel build_c(const CText& text, const CView& view, const CEntering& entering);
void function(CWalk& walk, NodeIndex node);
void marker(CWalk& walk, NodeIndex null_statement);
std::uint32_t c_site(CWalk& walk, Position position, std::uint32_t begin, std::uint32_t end);
/// Settles the form of the site's trap.
std::string trap_text(CWalk& walk, std::uint32_t site, bool in_front_of_declaration);
void leave_alone(CWalk& walk, std::uint32_t offset, std::string_view reason);
/// A part of the function that is walked runs outside of its traps.
void mark_unseen(CWalk& walk, std::string_view reason);
void count(CWalk& walk, NodeIndex node);

// In statements.cpp.

/// The statements of a compound from the child `from` on. `first` is the position of the first one that can
/// carry a trap.
void sequence(CWalk& walk, NodeIndex compound, Position first, NodeIndex from = 0);
void end_trap(CWalk& walk, Position position, NodeIndex compound);
void before_trap(CWalk& walk, NodeIndex node, Position position, Spot spot);
/// Functions within an expression or a declaration.
void nested(CWalk& walk, NodeIndex node);

// In returns.cpp.

void return_statement(CWalk& walk, NodeIndex node, Position position, Spot spot);

}  // namespace jcprof::rewriter
