// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <regex>
#include <utility>

#include <fmt/format.h>

#include "rewriter/c_builder.hpp"
#include "rewriter/c_cursors.hpp"
#include "rewriter/c_entry.hpp"

namespace jcprof::rewriter {
namespace {

// Nobody writes a longer one, and std::regex recurses over its text.
constexpr std::size_t longest_marker = 200;

EntrySignature signature_of(const CFunction& source, bool is_cpp) {
  return {.name = source.simple_name,
          .result = source.result,
          .parameters = source.parameters,
          .is_static = source.is_static,
          .is_cpp = is_cpp,
          .variadic = source.is_variadic,
          .old_style = source.is_old_style,
          .c_linkage = source.has_c_linkage,
          .is_noexcept = source.is_noexcept};
}

}  // namespace

CViewModel CBuilder::build() {
  CViewModel model;
  for (NodeIndex node = 0; node < view_.nodes.size(); node += at(node).subtree) {
    if (at(node).kind != CKind::function) continue;
    fragment_ = {};
    lambdas_ = 0;
    fragment_.body = at(children(node).back()).begin;
    function(node, nullptr);
    model.fragments.push_back(std::move(fragment_));
  }
  collect_left_over(model);
  return model;
}

void CBuilder::function(NodeIndex node, const Frame* outside) {
  const CRange assigned_outside = std::exchange(assigned_, {});
  const CFunction& source = view_.functions[at(node).function];
  const std::vector<NodeIndex> parts = children(node);
  const NodeIndex body = parts.back();
  const Frame frame{.function = add_function(source, outside),
                    .source = &source,
                    .is_constexpr = source.is_constexpr ||
                                    (source.is_lambda && outside != nullptr && outside->is_constexpr)};
  for (std::size_t i = 0; i + 1 < parts.size(); ++i)
    if (at(parts[i]).kind == CKind::function) function(parts[i], &frame);
  if (const std::string why = why_no_trap(node, body); !why.empty())
    leave_function_alone(node, body, why);
  else
    function_body(frame, node, body);
  assigned_ = assigned_outside;
}

std::uint32_t CBuilder::add_function(const CFunction& source, const Frame* outside) {
  Function made{.name = source.name,
                .simple_name = source.simple_name,
                .owner = source.owner,
                .offset = source.declarator.begin};
  std::string parameters = fmt::format("({})", fmt::join(source.parameters, ","));
  if (source.is_lambda) {
    made.owner = outside == nullptr ? "" : fragment_.functions[outside->function].name;
    made.simple_name = fmt::format("lambda${}", ++lambdas_);
    made.name = made.owner.empty() ? made.simple_name : made.owner + "::" + made.simple_name;
    parameters.clear();
  }
  made.why_not = source.why_not;
  fragment_.functions.push_back(std::move(made));
  fragment_.parameters.push_back(std::move(parameters));
  return static_cast<std::uint32_t>(fragment_.functions.size() - 1);
}

std::string CBuilder::why_no_trap(NodeIndex node, NodeIndex body) const {
  const CFunction& source = view_.functions[at(node).function];
  if (!source.why_not.empty()) return source.why_not;
  const std::vector<std::uint32_t>& words = text_.coroutine_words();
  for (auto word = std::ranges::lower_bound(words, at(body).begin);
       word != words.end() && *word < at(body).end; ++word) {
    const auto holds_it = [&](const CNode& n) {
      return n.kind == CKind::function && n.begin <= *word && *word < n.end;
    };
    const auto first = view_.nodes.begin() + body;
    if (range_over(view_.skipped, *word) == nullptr &&
        std::none_of(first, first + at(body).subtree, holds_it))
      return "a coroutine";
  }
  return {};
}

void CBuilder::leave_function_alone(NodeIndex node, NodeIndex body, const std::string& why) {
  const std::size_t before = fragment_.statements.size();
  for (NodeIndex i = body; i < body + at(body).subtree; ++i) {
    const CNode& n = at(i);
    if (n.kind != CKind::expression && is_executable(n)) fragment_.statements.push_back(n.begin);
    if (n.kind != CKind::compound && n.kind != CKind::case_ && n.kind != CKind::label) continue;
    for (const NodeIndex child : children(i))
      if (at(child).kind == CKind::expression && is_executable(at(child)) &&
          (n.kind != CKind::case_ || child == children(i).back()))
        fragment_.statements.push_back(at(child).begin);
  }
  fragment_.functions.back().why_not = why;
  fragment_.left_alone.push_back({.offset = view_.functions[at(node).function].declarator.begin,
                                  .reason = why,
                                  .count = fragment_.statements.size() - before});
}

void CBuilder::function_body(const Frame& frame, NodeIndex node, NodeIndex body) {
  const std::vector<NodeIndex> parts = at(body).kind == CKind::try_ ? children(body) : std::vector{body};
  const std::uint32_t first_site = static_cast<std::uint32_t>(fragment_.sites.size());
  entry_traps(frame, node, parts.front());
  for (const NodeIndex part : parts) {
    const bool is_handler = at(part).kind == CKind::catch_;
    const NodeIndex block = is_handler ? children(part).back() : part;
    if (!is_own_block(block)) continue;
    sequence(frame, block, is_handler ? Position{TrapKind::handler, TrapLevel::block} : ordinary);
    if (completes(block)) end_trap(frame, {TrapKind::exit, TrapLevel::function}, block);
    assigned_ = {};
  }
  if (reach_ == Reach::in_process && fragment_.sites[first_site].kind == TrapKind::entry0)
    wrapper_behind(*frame.source, body, first_site);
}

void CBuilder::entry_traps(const Frame& frame, NodeIndex node, NodeIndex body) {
  const CFunction& source = *frame.source;
  std::uint32_t start = at(body).begin + 1;
  std::vector<NodeIndex> statements = children(body);
  while (!statements.empty() && word_at(at(statements.front()).begin) == "__label__") {
    start = at(statements.front()).end;
    statements.erase(statements.begin());
  }
  const bool declares =
      !view_.is_cpp && !statements.empty() && at(statements.front()).kind == CKind::declaration;
  const bool may_be_entry =
      !source.is_lambda && !frame.is_constexpr && (reach_ == Reach::program || can_be_wrapped(source, body));
  const CRange name = source.declarator;
  if (may_be_entry && at(node).kind == CKind::function) {
    const auto entry0 = site(frame, {TrapKind::entry0, TrapLevel::function}, name.begin, name.end);
    if (reach_ == Reach::in_process) wrapper_in_front(source, entry0);
    const std::string begin = declares ? "JCPROF_BEGIN_D({id});" : "JCPROF_BEGIN({id});";
    slot(start, reach_ == Reach::program ? begin : trap_text(frame, declares), {entry0});
  }
  const auto entry = site(frame, {TrapKind::entry, TrapLevel::function}, name.begin, name.end);
  slot(start, trap_text(frame, declares), {entry});
}

bool CBuilder::can_be_wrapped(const CFunction& source, NodeIndex body) const {
  const CToken* previous = token_before(source.declarator.begin);
  return source.is_free && why_no_wrapper(signature_of(source, view_.is_cpp)).empty() &&
         !in_macro(source.declarator.begin) && (previous == nullptr || text_.of(*previous) != "::") &&
         same_branch(definition_of(source), at(body).end);
}

/// With the `extern "C"` in front of it.
std::uint32_t CBuilder::definition_of(const CFunction& source) const {
  const CToken* language = token_before(source.definition);
  if (!view_.is_cpp || language == nullptr || text_.of(*language) != "\"C\"") return source.definition;
  const CToken* keyword = token_before(language->begin);
  return keyword != nullptr && text_.of(*keyword) == "extern" ? keyword->begin : source.definition;
}

std::size_t CBuilder::line_of(std::uint32_t offset) const {
  if (lines_.empty()) {
    lines_.push_back(0);
    for (std::uint32_t i = 0; i < text_.text().size(); ++i)
      if (text_.text()[i] == '\n') lines_.push_back(i + 1);
  }
  return static_cast<std::size_t>(std::ranges::upper_bound(lines_, offset) - lines_.begin());
}

void CBuilder::wrapper_in_front(const CFunction& source, std::uint32_t entry0) {
  const std::uint32_t begin = definition_of(source);
  slot(
      begin,
      fmt::format("\n{}#line {}\n", entry_wrapper(signature_of(source, view_.is_cpp)).before, line_of(begin)),
      {entry0});
}

void CBuilder::wrapper_behind(const CFunction& source, NodeIndex body, std::uint32_t entry0) {
  const std::uint32_t end = at(body).end;
  slot(end,
       fmt::format("\n{}#line {}\n", entry_wrapper(signature_of(source, view_.is_cpp)).behind, line_of(end)),
       {entry0});
}

void CBuilder::marker(const Frame& frame, NodeIndex null_statement) {
  const CNode& n = at(null_statement);
  const CToken* name = token_before(n.begin);
  if (name == nullptr || text_.of(*name) != "PM_CHECK" || n.in_macro) return;
  const CToken* previous = token_before(name->begin);
  const std::string_view behind = previous == nullptr ? "" : text_.of(*previous);
  if (behind != ";" && behind != "{" && behind != "}" && behind != ":") return;
  const std::size_t line_end = std::min(text_.text().find('\n', n.end), text_.text().size());
  const std::string line(text_.text().substr(n.end, line_end - n.end));
  static const std::regex form(R"(\s*//\s*([A-Za-z_]\w*)\s*)");
  std::smatch match;
  const std::uint32_t made = site(frame, {TrapKind::marker, TrapLevel::none}, name->begin, n.end);
  if (line.size() <= longest_marker && std::regex_match(line, match, form))
    fragment_.sites[made].marker_name = match[1];
  slot(n.end, trap_text(frame, false), {made});
  placed_markers_.push_back(name->begin);
}

void CBuilder::collect_left_over(CViewModel& model) {
  const auto leave = [&](std::uint32_t offset, std::string_view reason) {
    model.left_alone.push_back({.offset = offset, .reason = std::string(reason)});
  };
  std::ranges::sort(placed_markers_);
  for (const CRange& marker : view_.markers)
    if (!std::ranges::binary_search(placed_markers_, marker.begin) && word_at(marker.begin) == "PM_CHECK")
      leave(marker.begin, "a marker must stand between two statements that run");
  if (view_.is_cpp) return;  // there "({" begins a list of values too
  const std::vector<CToken>& tokens = text_.tokens();
  for (std::size_t i = 1; i < tokens.size(); ++i)
    if (text_.text()[tokens[i].begin] == '{' && text_.of(tokens[i - 1]) == "(" &&
        !in_macro(tokens[i].begin) && range_over(view_.skipped, tokens[i].begin) == nullptr)
      leave(tokens[i].begin, "a statement expression");
}

std::string CBuilder::trap_text(const Frame& frame, bool in_front_of_declaration) {
  const CRange assigned = std::exchange(assigned_, {});
  if (in_front_of_declaration && !view_.is_cpp) return "JCPROF_TRAP_D({id});";
  if (assigned.end > assigned.begin && !frame.is_constexpr)
    return fmt::format("JCPROF_TRAP_V({{id}},{});",
                       text_.text().substr(assigned.begin, assigned.end - assigned.begin));
  return "JCPROF_TRAP({id});";
}

std::uint32_t CBuilder::site(const Frame& frame, Position position, std::uint32_t begin, std::uint32_t end) {
  fragment_.sites.push_back({.kind = position.kind,
                             .level = position.level,
                             .function = frame.function,
                             .begin = begin,
                             .end = end});
  return static_cast<std::uint32_t>(fragment_.sites.size() - 1);
}

void CBuilder::slot(std::uint32_t at, std::string text, std::vector<std::uint32_t> wanted_by) {
  fragment_.slots.push_back({.at = at, .text = std::move(text), .wanted_by = std::move(wanted_by)});
}

void CBuilder::leave_alone(std::uint32_t offset, std::string_view reason) {
  fragment_.left_alone.push_back({.offset = offset, .reason = std::string(reason)});
}

bool CBuilder::is_executable(const CNode& node) {
  switch (node.kind) {
    case CKind::null:
    case CKind::compound:
    case CKind::case_:
    case CKind::label:
    case CKind::attributed:
    case CKind::catch_:
    case CKind::function:
      return false;
    case CKind::declaration:
      return node.value != CValue::none && !node.in_macro;
    default:
      return !node.in_macro;
  }
}

void CBuilder::count(NodeIndex node) {
  if (!at(node).in_macro) fragment_.statements.push_back(at(node).begin);
}

}  // namespace jcprof::rewriter
