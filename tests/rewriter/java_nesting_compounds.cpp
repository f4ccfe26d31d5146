// SPDX-License-Identifier: Apache-2.0
#include <array>

#include <fmt/format.h>

#include "tests/rewriter/java_nesting_writer.hpp"

namespace jcprof::rewriter::nesting {
namespace {

/// A loop, a switch or a label ends what aims at it.
void arrive(Flow& flow, int target) {
  flow.breaks.erase(target);
  flow.continues.erase(target);
}

}  // namespace

Code MethodWriter::when(const Shape& shape) {
  Picks picks(shape.pick);
  const bool has_else = picks.yes();
  const bool braces = picks.yes();
  Code code{.text = fmt::format("if ({}) ", condition(picks)), .open_if = !has_else};
  const Code yes = part(shape.parts.at(0), braces     ? Braces::always
                                           : has_else ? Braces::where_needed_before_else
                                                      : Braces::where_needed);
  code.text += yes.text;
  add_exits(code.flow, yes.flow);
  if (!has_else) return code;
  const Body& rest = shape.parts.at(1);
  const bool else_if = rest.size() == 1 && rest.front().kind == Kind::when;
  const Code no = part(rest, picks.yes() && !else_if ? Braces::always : Braces::where_needed);
  code.text += " else " + no.text;
  code.open_if = no.open_if;
  add_exits(code.flow, no.flow);
  code.flow.completes = yes.flow.completes || no.flow.completes;
  return code;
}

MethodWriter::Target MethodWriter::target(std::string label) {
  return {.id = ++numbers_.target, .label = std::move(label)};
}

Code MethodWriter::loop(const Shape& shape) {
  Picks picks(shape.pick);
  Target aim = target(picks.yes() ? fresh("l") : "");
  aim.is_loop = true;
  targets_.push_back(aim);
  const std::size_t known = variables_.size();
  Code code = loop_form(shape, picks, aim);
  variables_.resize(known);
  targets_.pop_back();
  if (!aim.label.empty()) code.text = fmt::format("{}: {}", aim.label, code.text);
  arrive(code.flow, aim.id);
  return code;
}

Code MethodWriter::loop_form(const Shape& shape, Picks& picks, const Target& aim) {
  const std::size_t form = picks.of(12);
  const Braces braces = picks.yes() ? Braces::always : Braces::where_needed;
  const std::string variable = fresh("v");
  if (form == 5) variables_.push_back(variable);
  Code body = part(shape.parts.front(), braces);
  const bool repeats = body.flow.completes || body.flow.continues.contains(aim.id);
  const bool is_endless = form >= 7;
  // Else nothing might end it.
  if (is_endless && repeats)
    body = {.text = braced(fmt::format("if (World.out()) {}\n{}\n", default_return(), body.text),
                           end_of(body.flow)),
            .flow = body.flow};
  Code code{.flow = body.flow, .open_if = body.open_if};
  code.flow.completes = !is_endless || body.flow.breaks.contains(aim.id);
  const auto around = [&](const std::string& head) { return head + " " + body.text; };
  const auto repeated = [&](const std::string& condition) {
    code.open_if = false;
    return fmt::format("do {} while ({});", body.text, condition);
  };
  switch (form) {
    case 0:
    case 1:
      code.text = around(fmt::format("while ({})", loop_condition(picks)));
      break;
    case 2:
      code.text = around(fmt::format("for (short {0} = 0; {1}; {0}++)", variable, loop_condition(picks)));
      break;
    case 3:
    case 4:
      code.text = repeated(form == 3 ? loop_condition(picks) : "false");
      code.flow.completes = repeats || body.flow.breaks.contains(aim.id);
      break;
    case 5:
      code.text = around(fmt::format("for (short {} : World.ARRAY)", variable));
      break;
    case 6:
      code.text = around(fmt::format("for (short {0} = 0; {0} < 2; {0}++)", variable));
      break;
    case 7:
      code.text = around("for (;;)");
      break;
    case 8:
      code.text = around(fmt::format("for (short {0} = 0; {1}; {0}++)", variable, constant_true(picks)));
      break;
    case 9:
      code.text = repeated(constant_true(picks));
      break;
    case 10:
      code.setup = fmt::format("final boolean {} = true;\n", variable);
      code.text = around(fmt::format("while ({})", variable));
      break;
    default:
      code.text = around(fmt::format("while ({})", constant_true(picks)));
  }
  return code;
}

Code MethodWriter::labelled(const Shape& shape) {
  Picks picks(shape.pick);
  const Target aim = target(fresh("l"));
  targets_.push_back(aim);
  Code code = part(shape.parts.front(), picks.yes() ? Braces::always : Braces::where_needed);
  targets_.pop_back();
  code.text = fmt::format("{}: {}", aim.label, code.text);
  code.flow.completes |= code.flow.breaks.contains(aim.id);
  arrive(code.flow, aim.id);
  return code;
}

Code MethodWriter::choose(const Shape& shape) {
  Picks picks(shape.pick);
  Target aim = target(picks.of(4) == 1 ? fresh("l") : "");
  aim.is_switch = true;
  targets_.push_back(aim);
  const std::size_t groups = picks.of(shape.parts.size() + 1);
  const std::size_t with_default = picks.of(groups + 1);  // groups: none has it
  Code code{.flow = {}};
  std::string text;
  int label = 0;
  bool last_completes = true;
  End end = End::other;  // a group without statements ends nowhere
  for (std::size_t i = 0; i < groups; ++i) {
    const std::size_t labels = picks.of(4);
    const bool is_default = i == with_default;
    if (is_default && labels % 2 == 0) text += "default:\n";
    if (!is_default || labels > 0) text += fmt::format("case {}:\n", label++);
    if (labels == 3) text += fmt::format("case {}:\n", label++);
    if (is_default && labels % 2 == 1) text += "default:\n";
    Code group = sequence(shape.parts.at(i));
    if (group.flow.completes && picks.yes()) {
      group.text += "break;\n";
      group.flow.completes = false;
      group.flow.breaks.insert(aim.id);
    }
    text += group.text;
    last_completes = group.flow.completes;
    end = group.statements > 0 ? end_of(group.flow) : End::other;
    add_exits(code.flow, group.flow);
  }
  targets_.pop_back();
  code.flow.completes = last_completes || with_default == groups || code.flow.breaks.contains(aim.id);
  arrive(code.flow, aim.id);
  const std::string selector = picks.yes() ? "(byte) World.next()" : "World.next()";
  code.text = fmt::format("switch ({}) {}", selector, braced(text, end));
  if (!aim.label.empty()) code.text = fmt::format("{}: {}", aim.label, code.text);
  return code;
}

Code MethodWriter::attempt(const Shape& shape) {
  Picks picks(shape.pick);
  const std::size_t form = picks.of(5);
  const std::size_t catches = form < 3 ? 1 + form % 2 : form - 3;
  const bool has_finally = catches == 0 || form >= 2;
  const Code body = part(shape.parts.at(0), Braces::always);
  Code code{.text = "try " + body.text, .flow = body.flow};
  code.text += catch_clauses(shape, picks, code.flow, catches);
  if (!has_finally) return code;
  const Code last = part(shape.parts.at(3), Braces::always);
  code.text += " finally " + last.text;
  if (!last.flow.completes) code.flow = {};  // it swallows whatever was under way
  code.flow.completes &= last.flow.completes;
  add_exits(code.flow, last.flow);
  return code;
}

std::string MethodWriter::catch_clauses(const Shape& shape, Picks& picks, Flow& flow, std::size_t count) {
  // From the narrow to the wide: a type that is caught already cannot be caught again.
  constexpr std::array<std::string_view, 11> types{"World.UserIso",
                                                   "javacard.framework.ISOException",
                                                   "ISOException",
                                                   "World.UserError",
                                                   "ArithmeticException",
                                                   "ISOException | World.UserError",
                                                   "CardRuntimeException",
                                                   "RuntimeException",
                                                   "World.Checked",
                                                   "Exception",
                                                   "Throwable"};
  constexpr std::size_t both = 5;
  constexpr std::size_t checked = 8;
  std::string text;
  std::size_t next = 0;
  Flow handlers{.completes = false};
  bool checked_left = flow.throws_checked;
  for (std::size_t i = 0; i < count && next < types.size(); ++i) {
    std::size_t type = next + picks.of(types.size() - next);
    if (type == both && i > 0) type = both + 1;
    if (type == checked && !checked_left) type = checked + 1;
    next = type == 1 ? 3 : type + 1;
    checked_left &= type < checked;
    const std::string name = fresh("e");
    caught_.push_back({name, type == checked});
    const Code handler = part(shape.parts.at(1 + i), Braces::always);
    caught_.pop_back();
    text +=
        fmt::format(" catch ({}{} {}) {}", picks.yes() ? "final " : "", types.at(type), name, handler.text);
    handlers.completes |= handler.flow.completes;
    add_exits(handlers, handler.flow);
  }
  flow.completes |= handlers.completes;
  flow.throws_checked = checked_left;
  add_exits(flow, handlers);
  return text;
}

Code MethodWriter::nested_class(const Shape& shape) {
  Picks picks(shape.pick);
  Code code{.flow = {.throws_checked = true}};
  if (picks.yes()) {
    MethodWriter inner(Type::of_short, methods_, numbers_);
    code.text = fmt::format(
        "World.seen(new World.Program() {{\npublic short run() throws World.Checked {}\n}}.run());",
        inner.block(shape.parts.front()));
    return code;
  }
  const std::string name = fresh("L");
  const Type type = Type{static_cast<std::uint8_t>(picks.of(7))};
  MethodWriter inner(type, methods_, numbers_);
  code.text = fmt::format("class {0} {{\n{1} go() throws World.Checked {2}\n}}\nnew {0}().go();", name,
                          java_type(type), inner.block(shape.parts.front()));
  code.declares = true;
  return code;
}

Code MethodWriter::assigned_late(const Shape& shape) {
  Picks picks(shape.pick);
  const std::string variable = fresh("v");
  const std::size_t form = picks.of(5);
  Target aim = target("");
  aim.is_switch = true;
  if (form == 4) targets_.push_back(aim);
  const Code inner = sequence(shape.parts.front());
  if (form == 4) targets_.pop_back();
  Code code{.flow = inner.flow, .declares = true};
  code.flow.completes = true;
  const bool has_value = !inner.flow.breaks.contains(aim.id);
  arrive(code.flow, aim.id);
  const auto assigned = [&](int value) {
    return inner.text + (inner.flow.completes ? fmt::format("{} = {};\n", variable, value) : "");
  };
  switch (form) {
    case 1:
      code.text = fmt::format("final short {0};\nif (World.c()) {1} else {0} = World.next();", variable,
                              braced(assigned(1), end_of(inner.flow)));
      break;
    case 2:
      code.text = fmt::format("short {0};\ntry {1} catch (RuntimeException {2}) {{\n{0} = 2;\n}}", variable,
                              braced(assigned(1), end_of(inner.flow)), fresh("e"));
      break;
    case 3:
      code.text = fmt::format("final short {0};\ntry {1} finally {{\n{0} = 3;\n}}", variable,
                              braced(inner.text, end_of(inner.flow)));
      code.flow.completes = inner.flow.completes;
      break;
    case 4:
      code.text = fmt::format("short {0};\nswitch (World.next()) {{\ncase 0:\n{1}{2}default:\n{0} = 4;\n}}",
                              variable, assigned(1), inner.flow.completes ? "break;\n" : "");
      break;
    default:
      code.text = fmt::format(
          "short {0};\nwhile (true) {{\n{0} = World.next();\nif (World.out() || {0} > 2) break;\n}}\n{1}",
          variable, inner.text);
      code.flow.completes = inner.flow.completes;
  }
  if (code.flow.completes && has_value) code.text += fmt::format("\nWorld.seen({});", variable);
  return code;
}

}  // namespace jcprof::rewriter::nesting
