// SPDX-License-Identifier: Apache-2.0
// The view that one unit has of one C or C++ file, as plain values: functions, their statements, macro uses,
// code that is not compiled. No cursor of libclang's outlives the reading, and no decision is made here.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "rewriter/c/entry.hpp"

namespace jcprof::rewriter {

/// Bytes of a file, [begin, end).
struct CRange {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  bool operator==(const CRange&) const = default;
};

/// The range that holds `offset`, of ascending ones; null: none does.
inline const CRange* range_over(const std::vector<CRange>& ranges, std::uint32_t offset) {
  const auto behind = std::ranges::upper_bound(ranges, offset, {}, &CRange::begin);
  if (behind == ranges.begin()) return nullptr;
  const CRange& range = *(behind - 1);
  return offset < range.end ? &range : nullptr;
}

enum class CKind : std::uint8_t {
  expression,
  null,
  compound,
  declaration,
  if_,
  loop,  // for, while, range-for
  do_,
  switch_,
  case_,  // and default
  label,
  attributed,
  return_,
  break_,
  jump,  // away: continue, goto, throw
  try_,
  catch_,
  function,  // with a body of its own: at file level, in a class, a lambda
  other,     // a statement of which nothing within is looked at
};

/// A value that takes no time of its own, such as a variable or a number, is trivial.
enum class CValue : std::uint8_t { none, trivial, computed };

/// In pre-order; the nodes within it are the `subtree - 1` that follow.
struct CNode {
  CKind kind = CKind::other;
  CValue value = CValue::none;  // of a return; of a declaration's run-time initialiser
  bool in_macro = false;        // begins within a macro's use
  std::uint32_t begin = 0;
  std::uint32_t end = 0;  // without its `;` as a rule; behind the macro's use it ends in
  std::uint32_t subtree = 1;
  std::uint32_t function = 0;  // for a function: index into CView::functions
  std::string assigned = {};   // names the values that it leaves behind, for JCPROF_TRAP_V
};

/// Both values as one.
inline std::string both_kept(const std::string& a, const std::string& b) {
  if (a.empty() || a == b) return b;
  return b.empty() ? a : "JCPROF_BOTH(" + a + "," + b + ")";
}

enum class CResult : std::uint8_t { nothing, scalar, small, record, unnamed };  // small: no scalar

/// A result's type that is deduced from the returned value, as `auto` is, needs no name.
constexpr std::string_view deduced = "auto";

struct CFunction {
  std::string name;            // "fmt::detail::write"
  std::string owner;           // "fmt::detail"
  std::string why_not;         // not empty: no trap can stand in it, and why
  std::string why_no_wrapper;  // not empty: it could not be wrapped, by how its definition is written
  EntrySignature signature;
  std::string written;           // the macro that stands in its name's place, such as OP-TEE's; empty: none
  CRange declarator;             // its name
  std::uint32_t definition = 0;  // where the definition begins
  CResult returns = CResult::nothing;
  bool is_constexpr = false;
  bool names_processor = false;  // has an attribute `target`, or one that clang does not know
  bool is_free = false;          // neither member, template nor lambda
  bool is_lambda = false;        // numbered by whoever names it
  bool needs_return = false;     // nothing may run into its end
  // Something that is destroyed, or cleaned up, lives in it until it is left.
  bool is_left_late = false;
  bool guards_in_constexpr = false;  // C++20: objects with destructors may stand in constexpr functions
  bool keeps_try = false;            // a constructor's or destructor's own `try` holds more than its body
  bool is_member_value = false;      // the value that a class gives a member
  CRange entry_value = {};           // of an initialiser, in front of which its entry can stand; empty: none
  std::string held_as = {};          // the type of its result, a copy of which costs nothing; empty: another
  bool is_held_whole = false;        // that is no scalar
  std::string_view unseen = {};      // the part of it that runs outside of its traps
};

struct CView {
  bool is_cpp = false;
  std::uint64_t definitions = 0;  // a digest of where the macros that are used were defined
  std::vector<CRange> skipped;    // by the preprocessor, ascending
  std::vector<CRange> macros;     // uses, outermost only, ascending
  std::vector<CRange> markers;    // those of PM_CHECK
  std::vector<CFunction> functions;
  std::vector<CNode> nodes;

  /// Equal keys: units that see the same of the file.
  bool same_as(const CView& other) const {
    return is_cpp == other.is_cpp && definitions == other.definitions && skipped == other.skipped &&
           macros == other.macros;
  }
};

}  // namespace jcprof::rewriter
