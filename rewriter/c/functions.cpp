// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>
#include <numeric>
#include <regex>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "rewriter/c/entry.hpp"
#include "rewriter/c/walk.hpp"
#include "src/core/text.hpp"

namespace jcprof::rewriter {
namespace {

// --- Functions without traps ---

/// A naked function is. Another declaration or a macro may make it one, and traps would spoil its registers.
bool is_assembly(const CSyntax& syntax, NodeIndex body) {
  const std::vector<NodeIndex> statements = syntax.children(body);
  return !statements.empty() && std::ranges::all_of(statements, [&](NodeIndex statement) {
    return is_one_of(syntax.word_at(syntax[statement].begin), {"asm", "__asm", "__asm__"});
  });
}

/// A condition is an expression too, and a loop's variable a declaration.
bool is_statement_of(const CSyntax& syntax, NodeIndex outer, NodeIndex child) {
  switch (syntax[outer].kind) {
    case CKind::compound:
      return true;
    case CKind::case_:
    case CKind::label:
    case CKind::attributed:
    case CKind::loop:
      return child == syntax.children(outer).back();
    case CKind::do_:
      return child == syntax.children(outer).front();
    case CKind::if_: {
      const IfParts parts = parts_of(syntax, outer);
      return parts.then == child || parts.otherwise == child;
    }
    default:
      return false;
  }
}

void leave_function_alone(CWalk& walk, NodeIndex body, const std::string& why) {
  const std::size_t before = walk.fragment.statements.size();
  const std::uint32_t function = walk.frame.function;
  const auto count_it = [&](const CNode& n) { walk.fragment.statements.push_back({n.begin, function}); };
  const auto may_be_within = [](const CNode& n) {
    return n.kind == CKind::expression || n.kind == CKind::declaration;
  };
  for (NodeIndex i = body; i < body + walk.syntax[body].subtree; ++i) {
    const CNode& n = walk.syntax[i];
    if (!may_be_within(n) && is_executable(n)) count_it(n);
    for (const NodeIndex child : walk.syntax.children(i)) {
      const CNode& c = walk.syntax[child];
      if (may_be_within(c) && is_executable(c) && is_statement_of(walk.syntax, i, child)) count_it(c);
    }
  }
  walk.fragment.functions[function].why_not = why;
  if (const std::size_t count = walk.fragment.statements.size() - before; count > 0)
    walk.fragment.left_alone.push_back(
        {.offset = walk.frame.source->declarator.begin, .reason = why, .count = count});
}

// --- Entries ---

/// With the `extern "C"` in front of it.
std::uint32_t definition_of(const CSyntax& syntax, const CFunction& source) {
  const CToken* language = syntax.token_before(source.definition);
  if (!syntax.view.is_cpp || language == nullptr || syntax.text.of(*language) != "\"C\"")
    return source.definition;
  const CToken* keyword = syntax.token_before(language->begin);
  return keyword != nullptr && syntax.text.of(*keyword) == "extern" ? keyword->begin : source.definition;
}

/// Why no wrapper can take its place; empty: one can.
std::string why_not_wrapped(const CSyntax& syntax, const CFunction& source, NodeIndex body) {
  if (!source.why_no_wrapper.empty()) return source.why_no_wrapper;
  if (std::string why = why_no_wrapper(source.signature); !why.empty()) return why;
  const std::uint32_t name = source.declarator.begin;
  if (!source.is_free || syntax.word_before(name) == "::")
    return "a wrapper cannot take the place of a member, of a template, or of what is in a namespace";
  if (syntax.macro_at(name) != nullptr && source.written.empty())
    return "a macro makes its head, so that jcprof does not see where its name is";
  if (!syntax.same_branch(definition_of(syntax, source), syntax[body].end))
    return "its head and its end stand in different branches of an #if";
  return {};
}

bool may_be_entry(const CWalk& walk, const CFunction& source, NodeIndex body) {
  const CEntering& entering = walk.entering;
  if (source.is_lambda) return false;
  if (entering.reach == Reach::enclave && !entering.entries.contains(source.name)) return false;
  return entering.reach == Reach::program || why_not_wrapped(walk.syntax, source, body).empty();
}

/// Slots in front of the definition, at its body and behind it. Without `wanted_by` they always stand. The
/// tidying up puts each where it belongs among the slots.
void wrap(CWalk& walk, NodeIndex whole, RootKind root, const std::vector<std::uint32_t>& wanted_by) {
  EntrySignature signature = walk.frame.source->signature;
  signature.root = root;
  const EntryWrapper wrapper = entry_wrapper(signature);
  const auto lines_at = [&](std::uint32_t at, const std::string& lines) {
    add_slot(walk.fragment, at, fmt::format("\n{}#line {}\n", lines, walk.lines.line(at)), wanted_by);
  };
  lines_at(definition_of(walk.syntax, *walk.frame.source), wrapper.before);
  lines_at(walk.syntax[whole].begin, wrapper.at_body);
  lines_at(walk.syntax[whole].end, wrapper.behind);
}

/// In the initialiser that runs first, and in the body in case that does not compile.
void entry_in_initialiser(CWalk& walk, CRange value) {
  const CRange name = walk.frame.source->declarator;
  const auto entry = c_site(walk, at_entry, name.begin, name.end);
  add_slot(walk.fragment, value.begin, "(JCPROF_TRAP_E({id}),", {entry});
  add_slot(walk.fragment, value.end, ")", {entry});
}

/// In front of all else in the block, so that it is destroyed behind all else.
void last_trap(CWalk& walk, NodeIndex block, std::uint32_t start, const std::string& text) {
  const std::uint32_t brace = walk.syntax[block].end - 1;
  walk.frame.last = c_site(walk, at_exit, brace, brace + 1);
  add_slot(walk.fragment, start, text + "({id});", {walk.frame.last});
}

/// The handlers of a function's own `try` run when the locals of its body are gone. With a block round it
/// that `try` is a statement like others; not that of a constructor or destructor.
bool can_hold_try(const CWalk& walk, NodeIndex whole) {
  const CSyntax& syntax = walk.syntax;
  const CNode& n = syntax[whole];
  return n.kind == CKind::try_ && !walk.frame.source->keeps_try && !n.in_macro &&
         syntax.word_at(n.begin) == "try" && syntax.same_branch(n.begin, n.end) &&
         syntax.macro_at(n.end - 1) == nullptr;
}

void entry_traps(CWalk& walk, NodeIndex whole) {
  const CSyntax& syntax = walk.syntax;
  const CFunction& source = *walk.frame.source;
  const bool holds_try = walk.frame.ends_late && can_hold_try(walk, whole);
  const bool is_try = syntax[whole].kind == CKind::try_ && !holds_try;
  const NodeIndex body = is_try ? syntax.children(whole).front() : whole;
  std::uint32_t start = syntax[body].begin + (holds_try ? 0 : 1);
  const std::vector<NodeIndex> statements = holds_try ? std::vector<NodeIndex>{} : syntax.children(body);
  const std::size_t open = walk.fragment.slots.size();
  if (holds_try) add_slot(walk.fragment, start, "{", {});
  const auto first = std::ranges::find_if_not(statements, [&](NodeIndex statement) {
    return syntax.word_at(syntax[statement].begin) == "__label__";
  });
  if (first != statements.begin()) start = syntax[*std::prev(first)].end;
  const bool begins_with_declaration = first != statements.end() && syntax[*first].kind == CKind::declaration;
  const bool declares = !syntax.view.is_cpp && (begins_with_declaration || walk.frame.ends_late);
  const CRange name = source.declarator;
  const auto first_site = static_cast<std::uint32_t>(walk.fragment.sites.size());
  const bool is_program = walk.entering.reach == Reach::program;
  if (!is_program)
    walk.fragment.functions[walk.frame.function].why_no_entry = why_not_wrapped(syntax, source, body);
  if (!walk.frame.is_constexpr && may_be_entry(walk, source, body)) {
    const auto entry0 = c_site(walk, at_entry0, name.begin, name.end);
    const std::string begin = declares ? "JCPROF_BEGIN_D({id});" : "JCPROF_BEGIN({id});";
    add_slot(walk.fragment, start, is_program ? begin : trap_text(walk, entry0, declares), {entry0});
  }
  const bool has_place = source.entry_value.end != 0;
  if (has_place) entry_in_initialiser(walk, source.entry_value);
  const auto entry = c_site(walk, at_entry, name.begin, name.end);
  walk.fragment.sites[entry].instead = has_place;
  add_slot(walk.fragment, start, trap_text(walk, entry, declares), {entry});
  if (walk.frame.ends_late && !is_try) last_trap(walk, body, start, "JCPROF_LAST");
  if (!source.unseen.empty()) mark_unseen(walk, source.unseen);
  if (source.is_left_late && !walk.frame.ends_late)
    mark_unseen(walk, "locals are destroyed behind the last trap, and their time counts for the caller");
  if (!holds_try) return;
  std::vector<std::uint32_t> all(walk.fragment.sites.size() - first_site);
  std::iota(all.begin(), all.end(), first_site);
  walk.fragment.slots[open].wanted_by = all;
  add_slot(walk.fragment, syntax[whole].end, "}", all);
}

void wrap_entry(CWalk& walk, NodeIndex body, std::uint32_t first_site) {
  const bool may_be_armed = walk.fragment.sites[first_site].kind == TrapKind::entry0;
  const Reach reach = walk.entering.reach;
  if (reach == Reach::in_process && may_be_armed) wrap(walk, body, RootKind::entry, {first_site});
  if (reach == Reach::ta && may_be_armed) wrap(walk, body, RootKind::ta, {first_site});
  if (reach == Reach::enclave && may_be_armed)
    wrap(walk, body, RootKind::entry, {});
  else if (walk.entering.nested.contains(walk.frame.source->name) &&
           why_not_wrapped(walk.syntax, *walk.frame.source, body).empty())
    wrap(walk, body, RootKind::nested, {});
}

void function_body(CWalk& walk, NodeIndex body) {
  const CSyntax& syntax = walk.syntax;
  const std::vector<NodeIndex> parts =
      syntax[body].kind == CKind::try_ ? syntax.children(body) : std::vector{body};
  const auto first_site = static_cast<std::uint32_t>(walk.fragment.sites.size());
  entry_traps(walk, body);
  // An exception that leaves the body goes to the handlers, one that leaves these leaves the function.
  const bool keeps_try = walk.frame.ends_late && parts.size() > 1 && !can_hold_try(walk, body);
  for (const NodeIndex part : parts) {
    const bool is_handler = syntax[part].kind == CKind::catch_;
    const NodeIndex block = is_handler ? syntax.children(part).back() : part;
    if (!is_own_block(syntax, block)) continue;
    if (keeps_try)
      last_trap(walk, block, syntax[block].begin + 1, is_handler ? "JCPROF_LAST" : "JCPROF_AFTER");
    sequence(walk, block, is_handler ? at_handler : ordinary);
    if (!walk.frame.source->needs_return && completes(syntax, block)) {
      if (walk.frame.ends_late) end_trap(walk, end_of_block, block);
      end_trap(walk, at_exit, block);
      walk.fragment.sites.back().instead = walk.frame.ends_late;
    }
    walk.assigned = {};
  }
  wrap_entry(walk, body, first_site);
}

/// Some way out of it is passed by no trap behind it: a return in what a macro makes, or without an end of
/// its own, and a throw, on the way of which other functions destroy things.
bool has_unheld_end(const CSyntax& syntax, NodeIndex body) {
  for (NodeIndex i = body; i < body + syntax[body].subtree;) {
    const CNode& n = syntax[i];
    if (n.kind == CKind::return_ && (n.in_macro || !end_of(syntax, i))) return true;
    if (n.kind == CKind::jump && syntax.word_at(n.begin) == "throw") return true;
    i += n.kind == CKind::function ? n.subtree : 1;
  }
  return false;
}

bool ends_late(const CWalk& walk, NodeIndex body) {
  const CSyntax& syntax = walk.syntax;
  const CFunction& source = *walk.frame.source;
  if (!walk.frame.holds_guards) return false;
  if (syntax[body].kind == CKind::try_) return source.keeps_try || can_hold_try(walk, body);
  return syntax[body].kind == CKind::compound && (source.is_left_late || has_unheld_end(syntax, body));
}

/// The value that a class gives a member: its traps are in front of it.
void member_value(CWalk& walk) {
  const CFunction& source = *walk.frame.source;
  const CRange value = source.entry_value;
  const auto entry = c_site(walk, at_entry, source.declarator.begin, source.declarator.end);
  const auto last = c_site(walk, at_exit, value.end - 1, value.end);
  add_slot(walk.fragment, value.begin, "(", {entry, last});
  add_slot(walk.fragment, value.begin, "JCPROF_TRAP_E({id}),", {entry});
  add_slot(walk.fragment, value.begin, "JCPROF_LAST_E({id}),", {last});
  add_slot(walk.fragment, value.end, ")", {entry, last});
}

/// `outside`: the function that a lambda stands in; its source is null where there is none.
std::uint32_t add_function(CWalk& walk, const CFunction& source, const CWalk::Frame& outside) {
  Function made{.name = source.name,
                .simple_name = source.signature.name,
                .owner = source.owner,
                .offset = source.declarator.begin,
                .why_not = source.why_not,
                .names_processor = source.names_processor};
  if (walk.entering.reach == Reach::ta && !source.written.empty()) {  // OP-TEE's header renames
    made.simple_name = source.written;
    made.name = source.owner.empty() ? source.written : source.owner + "::" + source.written;
  }
  std::string parameters = fmt::format("({})", fmt::join(source.signature.parameters, ","));
  if (source.is_lambda) {
    made.owner = outside.source == nullptr ? "" : walk.fragment.functions[outside.function].name;
    made.simple_name = fmt::format("lambda${}", ++walk.lambdas);
    made.name = made.owner.empty() ? made.simple_name : made.owner + "::" + made.simple_name;
    parameters.clear();
  }
  walk.fragment.functions.push_back(std::move(made));
  walk.fragment.parameters.push_back(std::move(parameters));
  return static_cast<std::uint32_t>(walk.fragment.functions.size() - 1);
}

// --- Left over ---

/// In C++ "({" begins a list of values too, which ends without a `;`.
bool ends_with_statement(const CSyntax& syntax, std::size_t brace) {
  std::size_t token = brace;
  std::size_t last = brace;
  for (int depth = 0; syntax.is_token(token); token = syntax.next_token(token)) {
    if (syntax.word(token) == "{") ++depth;
    if (syntax.word(token) == "}" && --depth == 0) break;
    last = token;
  }
  return syntax.word(last) == ";";
}

std::vector<LeftAlone> left_over(const CSyntax& syntax, std::vector<std::uint32_t> placed_markers) {
  std::vector<LeftAlone> left;
  std::ranges::sort(placed_markers);
  for (const CRange& marker : syntax.view.markers)
    if (!std::ranges::binary_search(placed_markers, marker.begin) &&
        syntax.word_at(marker.begin) == "PM_CHECK")
      left.push_back(
          {.offset = marker.begin, .reason = "a marker must stand between two statements that run"});
  const std::vector<CToken>& tokens = syntax.text.tokens();
  for (std::size_t i = 1; i < tokens.size(); ++i) {
    const std::uint32_t begin = tokens[i].begin;
    if (syntax.text.text()[begin] == '{' && syntax.text.of(tokens[i - 1]) == "(" &&
        syntax.macro_at(begin) == nullptr && syntax.skipped_at(begin) == nullptr &&
        (!syntax.view.is_cpp || ends_with_statement(syntax, i)))
      left.push_back({.offset = begin, .reason = "a statement expression"});
  }
  return left;
}

}  // namespace

CViewModel build_c(const CText& text, const CView& view, const CEntering& entering) {
  CWalk walk{.syntax = {.text = text, .view = view}, .entering = entering};
  CViewModel model;
  for (NodeIndex node = 0; node < view.nodes.size(); node += view.nodes[node].subtree) {
    if (view.nodes[node].kind != CKind::function) continue;
    walk.fragment = {};
    walk.lambdas = 0;
    walk.fragment.body = view.nodes[walk.syntax.children(node).back()].begin;
    function(walk, node);
    model.fragments.push_back(std::move(walk.fragment));
  }
  model.left_alone = left_over(walk.syntax, std::move(walk.placed_markers));
  // A file that is included again may have its functions read in another order than they stand.
  std::ranges::stable_sort(model.fragments, {}, &CFragment::body);
  return model;
}

void function(CWalk& walk, NodeIndex node) {
  const std::string assigned_outside = std::exchange(walk.assigned, {});
  const CWalk::Frame outside = walk.frame;
  const CFunction& source = walk.syntax.view.functions[walk.syntax[node].function];
  const std::vector<NodeIndex> parts = walk.syntax.children(node);
  const NodeIndex body = parts.back();
  walk.frame = {.function = add_function(walk, source, outside),
                .source = &source,
                .is_constexpr = source.is_constexpr || (source.is_lambda && outside.is_constexpr)};
  walk.frame.holds_guards = !walk.frame.is_constexpr || source.guards_in_constexpr;
  walk.frame.ends_late = ends_late(walk, body);
  if (source.is_member_value) member_value(walk);
  for (std::size_t i = 0; i + 1 < parts.size(); ++i)
    if (walk.syntax[parts[i]].kind == CKind::function) function(walk, parts[i]);
  if (!source.why_not.empty())
    leave_function_alone(walk, body, source.why_not);
  else if (is_assembly(walk.syntax, body))
    leave_function_alone(walk, body, "a function of nothing but assembly");
  else if (!source.is_member_value)
    function_body(walk, body);
  walk.frame = outside;
  walk.assigned = assigned_outside;
}

void marker(CWalk& walk, NodeIndex null_statement) {
  const CNode& n = walk.syntax[null_statement];
  const CToken* name = walk.syntax.token_before(n.begin);
  if (name == nullptr || walk.syntax.text.of(*name) != "PM_CHECK" || n.in_macro) return;
  if (!is_one_of(walk.syntax.word_before(name->begin), {";", "{", "}", ":"})) return;
  const std::string_view text = walk.syntax.text.text().substr(n.end);
  const std::string line(text.substr(0, text.find('\n')));
  static const std::regex form(R"(\s*//\s*([A-Za-z_]\w*)\s*)");
  std::smatch match;
  const std::uint32_t made = c_site(walk, at_marker, name->begin, n.end);
  if (line.size() <= longest_marker && std::regex_match(line, match, form))
    walk.fragment.sites[made].marker_name = match[1];
  add_slot(walk.fragment, n.end, trap_text(walk, made, false), {made});
  walk.placed_markers.push_back(name->begin);
}

std::string trap_text(CWalk& walk, std::uint32_t site, bool in_front_of_declaration) {
  std::string assigned = std::exchange(walk.assigned, {});
  TrapForm& form = walk.fragment.sites[site].form;
  form.declares = in_front_of_declaration && !walk.syntax.view.is_cpp;
  if (!walk.frame.is_constexpr) form.kept = std::move(assigned);
  return "{trap};";
}

std::uint32_t c_site(CWalk& walk, Position position, std::uint32_t begin, std::uint32_t end) {
  return add_site(walk.fragment, {.kind = position.kind,
                                  .level = position.level,
                                  .function = walk.frame.function,
                                  .begin = begin,
                                  .end = end});
}

void leave_alone(CWalk& walk, std::uint32_t offset, std::string_view reason) {
  walk.fragment.left_alone.push_back({.offset = offset, .reason = std::string(reason)});
}

void mark_unseen(CWalk& walk, std::string_view reason) {
  std::string& unseen = walk.fragment.functions[walk.frame.function].unseen;
  if (unseen.empty()) unseen = reason;
  leave_alone(walk, walk.frame.source->declarator.begin, reason);
}

void count(CWalk& walk, NodeIndex node) {
  const CNode& n = walk.syntax[node];
  if (!n.in_macro) walk.fragment.statements.push_back({.begin = n.begin, .function = walk.frame.function});
}

}  // namespace jcprof::rewriter
