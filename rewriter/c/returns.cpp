// SPDX-License-Identifier: Apache-2.0
// Returns: the trap is passed when the value is known.
#include <fmt/format.h>

#include "rewriter/c/walk.hpp"

namespace jcprof::rewriter {
namespace {

/// Text round a returned value.
struct Holder {
  std::string before;
  std::string behind;
};

/// `id`: of the value's name. `use`: what is done with it.
Holder holder_in_c(const CFunction& source, std::string_view id, std::string_view use) {
  return {fmt::format("__extension__({{__typeof__({}) jcprof_r{}=(", source.signature.result, id),
          fmt::format(");{};jcprof_r{};}})", use, id)};
}

/// `{}`: the value's name.
std::string_view form_held(CResult result) {
  return result == CResult::scalar ? "{}" : result == CResult::small ? "JCPROF_WHOLE({})" : "";
}

/// A guard's destructor does not see the value, so that it has to be known before.
Holder holder_in_cpp(const CFunction& source, bool is_list) {
  if (source.held_as.empty() || (is_list && !source.is_held_whole)) return {};
  if (source.held_as == deduced) return {"JCPROF_HELD_AUTO(", ")"};
  return {fmt::format("JCPROF_HELD{}<{}>({}", source.is_held_whole ? "_WHOLE" : "", source.held_as,
                      is_list ? fmt::format("jcprof_type<{}>", source.held_as) : ""),
          ")"};
}

/// In C++, a value with a comma needs parentheses of its own.
void hold(CWalk& walk, NodeIndex node, CRange value, std::uint32_t site, const Holder& holder) {
  const std::string_view text = walk.syntax.text.text().substr(value.begin, value.end - value.begin);
  const bool is_row =
      walk.syntax.view.is_cpp && !text.starts_with("{") && text.find(',') != std::string_view::npos;
  if (!holder.before.empty())
    add_slot(walk.fragment, value.begin, holder.before + (is_row ? "(" : ""), {site});
  nested(walk, node);
  if (!holder.before.empty()) add_slot(walk.fragment, value.end, (is_row ? ")" : "") + holder.behind, {site});
}

/// Text round a returned value, and the trap once it is known.
void held_value(CWalk& walk, NodeIndex node, CRange value, std::uint32_t end) {
  const CFunction& source = *walk.frame.source;
  const std::uint32_t begin = walk.syntax[node].begin;
  const std::uint32_t done = c_site(walk, at_return, begin, end);
  if (!walk.syntax.view.is_cpp) {
    walk.fragment.sites[done].form.kept =
        fmt::format(fmt::runtime(form_held(source.returns)), "jcprof_r{id}");
    return hold(walk, node, value, done, holder_in_c(source, "{id}", "{trap}"));
  }
  if (!walk.frame.holds_guards)
    return hold(walk, node, value, done, {fmt::format("JCPROF_RESULT({{id}},{})(", source.held_as), ")"});
  add_slot(walk.fragment, begin, "{JCPROF_AFTER({id});", {done});
  hold(walk, node, value, done, holder_in_cpp(source, walk.syntax.word_at(value.begin) == "{"));
  add_slot(walk.fragment, end, "}", {done});
}

/// The same where the function's last trap follows.
void held_value_in_last(CWalk& walk, NodeIndex node, CRange value) {
  const CFunction& source = *walk.frame.source;
  const std::string_view form = form_held(source.returns);
  Holder holder;
  if (walk.syntax.view.is_cpp)
    holder = holder_in_cpp(source, walk.syntax.word_at(value.begin) == "{");
  else if (!form.empty())
    holder = holder_in_c(source, "", "JCPROF_KEEP(" + fmt::format(fmt::runtime(form), "jcprof_r") + ")");
  hold(walk, node, value, walk.frame.last, holder);
}

bool can_be_held(const CWalk& walk, NodeIndex node, std::optional<std::uint32_t> end) {
  const CSyntax& syntax = walk.syntax;
  const CNode& n = syntax[node];
  const CResult result = walk.frame.source->returns;
  if (n.in_macro || !end || !syntax.same_branch(n.begin, *end) || result == CResult::unnamed) return false;
  const bool is_list = syntax.word(syntax.next_token(syntax.token_at(n.begin))) == "{";
  const std::string& type = walk.frame.source->held_as;
  return walk.frame.holds_guards || (!type.empty() && type != deduced && !is_list);
}

}  // namespace

void return_statement(CWalk& walk, NodeIndex node, Position position, Spot spot) {
  const CSyntax& syntax = walk.syntax;
  const CNode& n = syntax[node];
  const CFunction& source = *walk.frame.source;
  const std::optional<std::uint32_t> end = end_of(syntax, node);
  // Where the function ends later it is a statement like others.
  const bool ends_late = walk.frame.ends_late;
  const bool is_computed = n.value == CValue::computed && source.returns != CResult::nothing;
  walk.assigned = both_kept(walk.assigned, n.assigned);
  before_trap(walk, node, !ends_late && !is_computed ? at_return : position, spot);
  const bool is_held = is_computed && spot.why_not.empty() && can_be_held(walk, node, end);
  if (is_computed && !ends_late && !is_held && !walk.frame.holds_guards)
    mark_unseen(walk, "no trap can stand behind a return in it, so the caller's next code counts for it");
  if (!is_held) return nested(walk, node);
  const std::uint32_t begin = syntax.token(syntax.next_token(syntax.token_at(n.begin))).begin;
  const CRange value{begin, *end - 1};
  if (ends_late)
    held_value_in_last(walk, node, value);
  else
    held_value(walk, node, value, *end);
}

}  // namespace jcprof::rewriter
