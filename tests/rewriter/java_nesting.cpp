// SPDX-License-Identifier: Apache-2.0
#include "tests/rewriter/java_nesting.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "tests/rewriter/java_nesting_writer.hpp"

namespace jcprof::rewriter {
namespace nesting {

std::string_view java_type(Type type) {
  constexpr std::array<std::string_view, 7> names{"short", "void",    "byte",  "boolean",
                                                  "int",   "short[]", "Object"};
  return names.at(static_cast<std::size_t>(type));
}

std::string MethodWriter::block(const Body& shapes, std::string_view first) {
  const Code code = sequence(shapes);
  const std::string text = std::string(first) + code.text;
  if (type_ == Type::of_void) return braced(text, end_of(code.flow));
  return braced(text + (code.flow.completes ? default_return() + "\n" : ""), End::other);
}

std::string MethodWriter::recursive_block(const Body& shapes) {
  return block(shapes, fmt::format("if (World.out()) {}\n", default_return()));
}

std::string MethodWriter::condition(Picks& picks) const {
  switch (picks.of(8)) {
    case 1:
      return "!World.c()";
    case 2:
      return "World.next() > 1";
    case 3:
      return variables_.empty() ? "(World.c())" : variables_.back() + " > 2";
    case 4:
      return "World.c() && World.next() < 4";
    case 5:
      return constant_true(picks);
    case 6:
      return "World.NEVER || false";
    default:
      return "World.c()";
  }
}

std::string MethodWriter::loop_condition(Picks& picks) const {
  constexpr std::array<std::string_view, 6> forms{
      "World.c()",         "World.c() && World.next() > 0", "true && World.c()",
      "World.c() == true", "(World.c()) || false",          "ALWAYS & World.c()"};
  return std::string(forms.at(picks.of(forms.size())));
}

std::string MethodWriter::constant_true(Picks& picks) const {
  constexpr std::array<std::string_view, 7> forms{
      "true", "(true)", "!false", "ALWAYS", "World.ALWAYS", "1 < 2", "true || World.NEVER"};
  return std::string(forms.at(picks.of(forms.size())));
}

std::string MethodWriter::short_value(Picks& picks, Flow& flow) const {
  const std::size_t form = picks.of(6);
  const auto returns_short = [](const Method& method) { return method.type == Type::of_short; };
  const auto callee = std::ranges::find_if(methods_, returns_short);
  if (form == 1) return "3";
  if (form == 2 && !variables_.empty()) return variables_.at(picks.of(variables_.size()));
  if (form == 3) return "(short) (World.c() ? World.next() : 5)";
  if (form == 4 && callee != methods_.end()) {
    flow.throws_checked = true;
    return callee->name + "()";
  }
  if (form == 5 && !variables_.empty()) return fmt::format("(short) ({} + World.next())", variables_.back());
  return "World.next()";
}

std::string MethodWriter::value(Type type, Picks& picks, Flow& flow) const {
  const std::size_t form = picks.of(3);
  switch (type) {
    case Type::of_short:
      return short_value(picks, flow);
    case Type::of_void:
      return "";
    case Type::of_byte:
      return std::array{"3", "(byte) World.next()", "World.c() ? (byte) 1 : (byte) 2"}.at(form);
    case Type::of_boolean:
      return std::array{"true", "World.c()", "World.next() > 2 || World.c()"}.at(form);
    case Type::of_int:
      return std::array{"70000", "World.next() * 3", "World.c() ? 1 : 2"}.at(form);
    case Type::of_array:
      return std::array{"null", "World.ARRAY", "new short[] {1, World.next()}"}.at(form);
    case Type::of_object:
      return std::array{"null", "World.ARRAY", "World.c() ? World.ARRAY : null"}.at(form);
  }
  return "";
}

std::string MethodWriter::default_return() const {
  constexpr std::array<std::string_view, 7> values{" 0", "", " 0", " false", " 0", " null", " null"};
  return fmt::format("return{};", values.at(static_cast<std::size_t>(type_)));
}

namespace {

/// The text again, each line as deep as its braces say.
std::string indented(const std::string& text) {
  std::string result;
  std::size_t depth = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    const std::string line = text.substr(at, end - at);
    const auto opened = static_cast<std::size_t>(std::ranges::count(line, '{'));
    const auto closed = static_cast<std::size_t>(std::ranges::count(line, '}'));
    const std::size_t leading = line.starts_with("}") ? 1 : 0;
    result += std::string(2 * (depth - leading), ' ') + line + "\n";
    depth += opened - closed;
    at = end + 1;
  }
  return result;
}

}  // namespace
}  // namespace nesting

std::string java_class(const std::string& name, const Program& program) {
  std::vector<nesting::Method> methods;
  for (const Shape& shape : program)
    methods.push_back({.name = fmt::format("m{}", methods.size()),
                       .type = methods.empty() ? nesting::Type::of_short
                                               : nesting::Type{static_cast<std::uint8_t>(shape.pick % 7)}});
  std::string text = fmt::format(
      "import javacard.framework.*;\n\nclass {} implements World.Program {{\nprivate static final boolean "
      "ALWAYS = true;\n",
      name);
  text += fmt::format("public short run() throws World.Checked {{\nreturn {};\n}}\n",
                      methods.empty() ? "0" : "m0()");
  nesting::Numbers numbers;
  for (std::size_t i = 0; i < methods.size(); ++i) {
    nesting::MethodWriter writer(methods[i].type, methods, numbers);
    text += fmt::format("static {} {}() throws World.Checked {}\n", java_type(methods[i].type),
                        methods[i].name, writer.recursive_block(program[i].parts.front()));
  }
  return nesting::indented(text + "}\n");
}

}  // namespace jcprof::rewriter
