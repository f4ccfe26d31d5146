// SPDX-License-Identifier: Apache-2.0
#include <array>

#include <fmt/format.h>

#include "tests/rewriter/java_nesting_writer.hpp"

namespace jcprof::rewriter::nesting {
void add_exits(Flow& to, const Flow& from) {
  to.breaks.insert(from.breaks.begin(), from.breaks.end());
  to.continues.insert(from.continues.begin(), from.continues.end());
  to.throws_checked |= from.throws_checked;
}

Code MethodWriter::sequence(const Body& shapes) {
  Code all{.text = {}, .flow = {}, .statements = 0};
  const std::size_t known = variables_.size();
  for (const Shape& shape : shapes) {
    // What cannot be reached would not compile; a comment may stand there.
    if (!all.flow.completes && shape.kind != Kind::marker) continue;
    const Code one = statement(shape);
    all.text += one.setup + one.text + "\n";
    all.statements += one.statements + (one.setup.empty() ? 0 : 1);
    all.declares |= one.declares;
    all.open_if = one.open_if;
    add_exits(all.flow, one.flow);
    if (shape.kind != Kind::marker) all.flow.completes = one.flow.completes;
  }
  variables_.resize(known);
  return all;
}

Code MethodWriter::statement(const Shape& shape) {
  const Picks picks(shape.pick);
  switch (shape.kind) {
    case Kind::step:
    case Kind::method:
      return step();
    case Kind::assign:
      return assign(picks);
    case Kind::declare:
      return declare(picks);
    case Kind::call:
      return call(picks);
    case Kind::marker:
      return {.text = "// PM_CHECK", .statements = 0, .declares = true};
    case Kind::leave:
      return leave(picks);
    case Kind::jump:
      return jump(picks);
    case Kind::block:
      return part(shape.parts.front(), Braces::always);
    case Kind::when:
      return when(shape);
    case Kind::loop:
      return loop(shape);
    case Kind::labelled:
      return labelled(shape);
    case Kind::choose:
      return choose(shape);
    case Kind::attempt:
      return attempt(shape);
    case Kind::nested_class:
      return nested_class(shape);
    case Kind::assigned_late:
      return assigned_late(shape);
  }
  return step();
}

Code MethodWriter::part(const Body& shapes, Braces braces) {
  if (shapes.empty() && braces != Braces::always) return {.text = ";"};
  Code code = sequence(shapes);
  const bool alone = code.statements == 1 && !code.declares;
  if (braces == Braces::always || !alone || (code.open_if && braces == Braces::where_needed_before_else)) {
    code = {.text = braced(code.text, end_of(code.flow)), .flow = code.flow};
  } else {
    code.text.pop_back();
  }
  return code;
}

Code MethodWriter::step() {
  return {.text = fmt::format("World.seen({});", ++numbers_.step)};
}

Code MethodWriter::assign(Picks picks) {
  if (variables_.empty()) return step();
  const std::string& variable = variables_.at(picks.of(variables_.size()));
  Code code;
  switch (picks.of(4)) {
    case 1:
      code.text = variable + "++;";
      break;
    case 2:
      code.text = fmt::format("{} += World.next();", variable);
      break;
    case 3:
      code.text = fmt::format("World.seen({});", variable);
      break;
    default:
      code.text = fmt::format("{} = {};", variable, short_value(picks, code.flow));
  }
  return code;
}

Code MethodWriter::declare(Picks picks) {
  Code code{.declares = true};
  const std::string variable = fresh("v");
  const std::size_t form = picks.of(4);
  const std::string initial = short_value(picks, code.flow);
  if (form == 1) {
    code.text = fmt::format("short {0};\n{0} = {1};", variable, initial);
  } else if (form == 2) {
    code.text = fmt::format("final short {0} = {1};\nWorld.seen({0});", variable, initial);
    return code;
  } else if (form == 3) {
    code.text = fmt::format("short {}, {} = {};", fresh("v"), variable, initial);
  } else {
    code.text = fmt::format("short {} = {};", variable, initial);
  }
  variables_.push_back(variable);
  return code;
}

Code MethodWriter::call(Picks picks) {
  const Method& method = methods_.at(picks.of(methods_.size()));
  Code code{.text = method.name + "();"};
  if (method.type != Type::of_void && picks.yes()) code.text = fmt::format("World.seen({}());", method.name);
  code.flow.throws_checked = true;
  return code;
}

Code MethodWriter::maybe_under_condition(Code code, Picks& picks) {
  if (picks.yes()) return code;
  code.text = fmt::format("if ({}) {}", condition(picks), code.text);
  code.flow.completes = true;
  code.open_if = true;
  return code;
}

Code MethodWriter::leave(Picks picks) {
  if (picks.of(3) == 2) return throw_something(picks);
  Code code;
  const std::string result = value(type_, picks, code.flow);
  code.text = "return" + (result.empty() ? "" : " " + result) + ";";
  code.flow.completes = false;
  return maybe_under_condition(code, picks);
}

Code MethodWriter::throw_something(Picks& picks) {
  constexpr std::array<std::string_view, 5> thrown{"new World.UserError()", "new World.UserIso()",
                                                   "new World.Checked()", "new RuntimeException()", ""};
  const std::size_t form = picks.of(thrown.size() + 1);
  Code code;
  if (form == thrown.size()) return {.text = "ISOException.throwIt((short) 0x6A80);"};
  code.text = fmt::format("throw {};", thrown.at(form));
  code.flow.completes = false;
  code.flow.throws_checked = form == 2;
  if (thrown.at(form).empty() && caught_.empty()) code.text = "throw new ArithmeticException();";
  if (thrown.at(form).empty() && !caught_.empty()) {
    code.text = fmt::format("throw {};", caught_.back().name);
    code.flow.throws_checked = caught_.back().is_checked;
  }
  return maybe_under_condition(code, picks);
}

Code MethodWriter::jump(Picks picks) {
  struct Choice {
    std::string text;
    int target = 0;
    bool is_break = true;
  };
  std::vector<Choice> choices;
  bool break_taken = false;
  bool continue_taken = false;
  for (auto i = targets_.rbegin(); i != targets_.rend(); ++i) {
    const bool takes_break = i->is_loop || i->is_switch;
    if (takes_break && !break_taken) choices.push_back({"break;", i->id, true});
    if (i->is_loop && !continue_taken) choices.push_back({"continue;", i->id, false});
    if (!i->label.empty()) choices.push_back({fmt::format("break {};", i->label), i->id, true});
    if (!i->label.empty() && i->is_loop)
      choices.insert(choices.end(), 3,
                     {fmt::format("continue {};", i->label), i->id, false});  // rare otherwise
    break_taken |= takes_break;
    continue_taken |= i->is_loop;
  }
  if (choices.empty()) return step();
  const Choice& choice = choices.at(picks.of(choices.size()));
  Code code{.text = choice.text};
  code.flow.completes = false;
  (choice.is_break ? code.flow.breaks : code.flow.continues).insert(choice.target);
  return maybe_under_condition(code, picks);
}

}  // namespace jcprof::rewriter::nesting
