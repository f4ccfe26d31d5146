// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <regex>
#include <utility>

#include <fmt/format.h>

#include "rewriter/c/builder.hpp"
#include "rewriter/c/cursors.hpp"
#include "rewriter/c/entry.hpp"
#include "rewriter/c/forms.hpp"
#include "src/core/text.hpp"

namespace jcprof::rewriter {
namespace {

// Nobody writes a longer one, and std::regex recurses over its text.
constexpr std::size_t longest_marker = 200;

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
  // A file that is included again may have its functions read in another order than they stand.
  std::ranges::stable_sort(model.fragments, {}, &CFragment::body);
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
  if (!source.why_not.empty())
    leave_function_alone(node, body, source.why_not);
  else if (is_assembly(body))
    leave_function_alone(node, body, "a function of nothing but assembly");
  else
    function_body(frame, node, body);
  assigned_ = assigned_outside;
}

std::uint32_t CBuilder::add_function(const CFunction& source, const Frame* outside) {
  Function made{.name = source.name,
                .simple_name = source.signature.name,
                .owner = source.owner,
                .offset = source.declarator.begin};
  std::string parameters = fmt::format("({})", fmt::join(source.signature.parameters, ","));
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

/// As of naked functions, which another declaration or a macro may call that: a trap would spoil their
/// registers.
bool CBuilder::is_assembly(NodeIndex body) const {
  const std::vector<NodeIndex> statements = children(body);
  return !statements.empty() && std::ranges::all_of(statements, [&](NodeIndex statement) {
    return is_one_of(word_at(at(statement).begin), {"asm", "__asm", "__asm__"});
  });
}

/// A condition is an expression too, and a loop's variable a declaration.
bool CBuilder::is_statement_of(NodeIndex outer, NodeIndex child) const {
  switch (at(outer).kind) {
    case CKind::compound:
      return true;
    case CKind::case_:
    case CKind::label:
    case CKind::attributed:
    case CKind::loop:
      return child == children(outer).back();
    case CKind::do_:
      return child == children(outer).front();
    case CKind::if_: {
      const IfParts parts = parts_of(outer);
      return parts.then == child || parts.otherwise == child;
    }
    default:
      return false;
  }
}

void CBuilder::leave_function_alone(NodeIndex node, NodeIndex body, const std::string& why) {
  const std::size_t before = fragment_.statements.size();
  const auto function = static_cast<std::uint32_t>(fragment_.functions.size() - 1);
  const auto count = [&](const CNode& n) { fragment_.statements.push_back({n.begin, function}); };
  const auto may_be_within = [](const CNode& n) {
    return n.kind == CKind::expression || n.kind == CKind::declaration;
  };
  for (NodeIndex i = body; i < body + at(body).subtree; ++i) {
    const CNode& n = at(i);
    if (!may_be_within(n) && is_executable(n)) count(n);
    for (const NodeIndex child : children(i))
      if (may_be_within(at(child)) && is_executable(at(child)) && is_statement_of(i, child)) count(at(child));
  }
  fragment_.functions.back().why_not = why;
  fragment_.left_alone.push_back({.offset = view_.functions[at(node).function].declarator.begin,
                                  .reason = why,
                                  .count = fragment_.statements.size() - before});
}

void CBuilder::function_body(const Frame& frame, NodeIndex node, NodeIndex body) {
  const std::vector<NodeIndex> parts = at(body).kind == CKind::try_ ? children(body) : std::vector{body};
  const std::uint32_t first_site = static_cast<std::uint32_t>(fragment_.sites.size());
  entry_traps(frame, node, body);
  for (const NodeIndex part : parts) {
    const bool is_handler = at(part).kind == CKind::catch_;
    const NodeIndex block = is_handler ? children(part).back() : part;
    if (!is_own_block(block)) continue;
    sequence(frame, block, is_handler ? Position{TrapKind::handler, TrapLevel::block} : ordinary);
    if (completes(block)) end_trap(frame, {TrapKind::exit, TrapLevel::function}, block);
    assigned_ = {};
  }
  const bool may_be_armed = fragment_.sites[first_site].kind == TrapKind::entry0;
  if (entering_.reach == Reach::in_process && may_be_armed)
    wrap(*frame.source, body, RootKind::entry, {first_site});
  if (entering_.reach == Reach::ta && may_be_armed) wrap(*frame.source, body, RootKind::ta, {first_site});
  if (entering_.reach == Reach::enclave && may_be_armed)
    wrap(*frame.source, body, RootKind::entry, {});
  else if (entering_.nested.contains(frame.source->name) && can_be_wrapped(*frame.source, body))
    wrap(*frame.source, body, RootKind::nested, {});
}

void CBuilder::entry_traps(const Frame& frame, NodeIndex node, NodeIndex whole) {
  const CFunction& source = *frame.source;
  const NodeIndex body = at(whole).kind == CKind::try_ ? children(whole).front() : whole;
  std::uint32_t start = at(body).begin + 1;
  std::vector<NodeIndex> statements = children(body);
  while (!statements.empty() && word_at(at(statements.front()).begin) == "__label__") {
    start = at(statements.front()).end;
    statements.erase(statements.begin());
  }
  const bool declares =
      !view_.is_cpp && !statements.empty() && at(statements.front()).kind == CKind::declaration;
  const CRange name = source.declarator;
  if (entering_.reach != Reach::program)
    fragment_.functions[frame.function].why_no_entry =
        source.why_no_wrapper.empty() ? why_no_wrapper(source.signature) : source.why_no_wrapper;
  if (!frame.is_constexpr && may_be_entry(source, body) && at(node).kind == CKind::function) {
    const auto entry0 = site(frame, {TrapKind::entry0, TrapLevel::function}, name.begin, name.end);
    const std::string begin = declares ? "JCPROF_BEGIN_D({id});" : "JCPROF_BEGIN({id});";
    slot(start, entering_.reach == Reach::program ? begin : trap_text(frame, declares), {entry0});
  }
  const auto entry = site(frame, {TrapKind::entry, TrapLevel::function}, name.begin, name.end);
  slot(start, trap_text(frame, declares), {entry});
}

bool CBuilder::may_be_entry(const CFunction& source, NodeIndex body) const {
  if (source.is_lambda) return false;
  if (entering_.reach == Reach::enclave && !entering_.entries.contains(source.name)) return false;
  return entering_.reach == Reach::program || can_be_wrapped(source, body);
}

bool CBuilder::can_be_wrapped(const CFunction& source, NodeIndex body) const {
  const CToken* previous = token_before(source.declarator.begin);
  return source.is_free && source.why_no_wrapper.empty() && why_no_wrapper(source.signature).empty() &&
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
  if (!lines_) lines_.emplace(text_.text());
  return lines_->line(offset);
}

/// The tidying up puts each where it belongs among the slots.
void CBuilder::wrap(const CFunction& source, NodeIndex whole, RootKind root,
                    const std::vector<std::uint32_t>& wanted_by) {
  EntrySignature signature = source.signature;
  signature.root = root;
  const EntryWrapper wrapper = entry_wrapper(signature);
  const auto lines_at = [&](std::uint32_t at, const std::string& lines) {
    slot(at, fmt::format("\n{}#line {}\n", lines, line_of(at)), wanted_by);
  };
  lines_at(definition_of(source), wrapper.before);
  lines_at(at(whole).begin, wrapper.at_body);
  lines_at(at(whole).end, wrapper.behind);
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
  const std::vector<CToken>& tokens = text_.tokens();
  for (std::size_t i = 1; i < tokens.size(); ++i)
    if (text_.text()[tokens[i].begin] == '{' && text_.of(tokens[i - 1]) == "(" &&
        !in_macro(tokens[i].begin) && range_over(view_.skipped, tokens[i].begin) == nullptr &&
        (!view_.is_cpp || ends_with_statement(i)))
      leave(tokens[i].begin, "a statement expression");
}

/// In C++ "({" begins a list of values too, which ends without a `;`.
bool CBuilder::ends_with_statement(std::size_t brace) const {
  std::size_t token = brace;
  std::size_t last = brace;
  for (int depth = 0; token < text_.tokens().size(); token = next_token(token)) {
    if (word(token) == "{") ++depth;
    if (word(token) == "}" && --depth == 0) break;
    last = token;
  }
  return word(last) == ";";
}

std::string CBuilder::trap_text(const Frame& frame, bool in_front_of_declaration) {
  const CRange assigned = std::exchange(assigned_, {});
  CTrapForm form{.declares = in_front_of_declaration && !view_.is_cpp};
  if (!frame.is_constexpr) form.kept = text_.text().substr(assigned.begin, assigned.end - assigned.begin);
  return text_of(form) + ";";
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

void CBuilder::count(const Frame& frame, NodeIndex node) {
  if (!at(node).in_macro)
    fragment_.statements.push_back({.begin = at(node).begin, .function = frame.function});
}

}  // namespace jcprof::rewriter
