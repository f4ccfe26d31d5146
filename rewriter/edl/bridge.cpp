// SPDX-License-Identifier: Apache-2.0
// edge: bridge.c, which makes the arguments of an ecall of an input's bytes.
#include <algorithm>
#include <iterator>
#include <regex>
#include <set>
#include <span>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "rewriter/edl/c_text.hpp"
#include "rewriter/edl/edge.hpp"
#include "rewriter/templates.hpp"
#include "src/core/error.hpp"
#include "src/core/text.hpp"

namespace jcprof::rewriter {
namespace {

/// What a parameter is for the bridge (docs/sgx.md, "The bridge").
enum class ParameterKind : std::uint8_t { value, array, block, string, unlisted };

std::ptrdiff_t stars_of(const std::string& type) {
  return std::ranges::count(type, '*');
}

/// Without `const`, so that it can be filled in: "const char* const" → "char*".
std::string writable(const std::string& type) {
  static const std::regex qualifier(R"(\bconst | const\b)");
  return std::regex_replace(type, qualifier, "");
}

/// What a variable of the type is declared as, where nobody but the ecall writes to what it points to: its
/// own `const` alone is away.
std::string variable_type(std::string type) {
  constexpr std::string_view own = " const";
  if (stars_of(type) == 0) return writable(type);
  while (type.ends_with(own)) type.resize(type.size() - own.size());
  return type;
}

/// What one star of a type points to; `type` is writable.
std::string pointed_to(const std::string& type) {
  return type.substr(0, type.rfind('*'));
}

ParameterKind kind_of(const EdlParameter& parameter) {
  const auto stars = stars_of(parameter.type);
  for (const char* const unlisted : {"user_check", "wstring", "isptr", "isary"})
    if (parameter.has(unlisted)) return ParameterKind::unlisted;
  if (!parameter.dimensions.empty()) return stars == 0 ? ParameterKind::array : ParameterKind::unlisted;
  if (stars == 0) return ParameterKind::value;
  if (stars > 1 || !(parameter.has("in") || parameter.has("out"))) return ParameterKind::unlisted;
  if (parameter.has("string")) return ParameterKind::string;
  const bool is_sized = !parameter.value_of("size").empty() || !parameter.value_of("count").empty();
  return writable(parameter.type) == "void*" && !is_sized ? ParameterKind::unlisted : ParameterKind::block;
}

/// Of the words of result types that are whole numbers; for other names the compiler is asked.
bool is_whole_number(const std::string& type) {
  static const std::set<std::string> known{"char",     "signed",      "unsigned", "short",    "int",
                                           "long",     "const",       "size_t",   "int8_t",   "int16_t",
                                           "int32_t",  "int64_t",     "uint8_t",  "uint16_t", "uint32_t",
                                           "uint64_t", "sgx_status_t"};
  std::istringstream words(type);
  return std::all_of(std::istream_iterator<std::string>(words), {},
                     [](const std::string& word) { return known.contains(word); });
}

using Parameters = std::span<const EdlParameter>;

/// The C functions that make one ecall, while they are written.
struct Entry {
  const EdlFunction& function;
  std::string variable;                    // "bridge_ecall_get"
  const EdlParameter* last = nullptr;      // takes what is left of the input
  const EdlParameter* follower = nullptr;  // the size or count of `last` that is not read
  std::set<std::string> taken = {};
  std::vector<std::string> order = {};  // what of the input goes where, for a person
  std::size_t blocks = 0;
};

std::string member(const Entry& entry, const EdlParameter& parameter) {
  return entry.variable + "_of." + parameter.name;
}

/// The parameter by value that a size or count names.
const EdlParameter* named(const EdlFunction& function, const std::string& text) {
  const auto found = std::ranges::find(function.parameters, text, &EdlParameter::name);
  return found != function.parameters.end() && kind_of(*found) == ParameterKind::value ? &*found : nullptr;
}

const EdlParameter* size_of(const EdlFunction& function, const EdlParameter& parameter) {
  return named(function, parameter.value_of("size"));
}

const EdlParameter* count_of(const EdlFunction& function, const EdlParameter& parameter) {
  return named(function, parameter.value_of("count"));
}

bool is_incoming_block(const EdlParameter& parameter) {
  return parameter.has("in") && kind_of(parameter) == ParameterKind::block;
}

Parameters behind(const EdlFunction& function, const EdlParameter& parameter) {
  return Parameters(function.parameters)
      .subspan(static_cast<std::size_t>(&parameter - function.parameters.data()) + 1);
}

/// The last pointer with a size in a parameter takes what is left, if that size is its alone and no string
/// comes behind.
void find_follower(Entry& entry) {
  const EdlFunction& function = entry.function;
  for (const EdlParameter& parameter : function.parameters) {
    const EdlParameter* const size = size_of(function, parameter);
    const EdlParameter* const count = count_of(function, parameter);
    if (!is_incoming_block(parameter) || (size == nullptr && count == nullptr)) continue;
    entry.last = &parameter;
    entry.follower = size == nullptr ? count : count == nullptr ? size : nullptr;
  }
  if (entry.follower == nullptr) return;
  const auto users = std::ranges::count_if(function.parameters, [&](const EdlParameter& parameter) {
    return is_incoming_block(parameter) && (size_of(function, parameter) == entry.follower ||
                                            count_of(function, parameter) == entry.follower);
  });
  const bool is_before_text = std::ranges::find(behind(function, *entry.last), ParameterKind::string,
                                                kind_of) != behind(function, *entry.last).end();
  if (users > 1 || is_before_text) entry.follower = nullptr;
}

/// In C, as an expression of type size_t; where it is a parameter its variable.
std::string number(const Entry& entry, const std::string& text) {
  const EdlParameter* const parameter = named(entry.function, text);
  return fmt::format("(size_t){}", parameter != nullptr ? member(entry, *parameter) : "(" + text + ")");
}

/// The bytes of one of what a count counts.
std::string unit_of(const Entry& entry, const EdlParameter& parameter) {
  if (const std::string size = parameter.value_of("size"); !size.empty()) return number(entry, size);
  const std::string type = pointed_to(writable(parameter.type));
  return type == "void" ? "1" : fmt::format("sizeof({})", type);
}

std::string bytes_of(const Entry& entry, const EdlParameter& parameter) {
  const std::string count = parameter.value_of("count");
  const std::string unit = unit_of(entry, parameter);
  return count.empty() ? unit : fmt::format("bridge_times({}, {})", number(entry, count), unit);
}

/// The bytes that are read behind a parameter, as far as their number is known.
std::string bytes_behind(const Entry& entry, const EdlParameter& parameter) {
  std::vector<std::string> sum;
  for (const EdlParameter& other : behind(entry.function, parameter)) {
    const ParameterKind kind = kind_of(other);
    const bool is_read_value =
        kind == ParameterKind::value && &other != entry.follower && !entry.taken.contains(other.name);
    if (is_read_value || (kind == ParameterKind::array && other.has("in")))
      sum.push_back("sizeof " + member(entry, other));
    else if (is_incoming_block(other) && size_of(entry.function, other) == nullptr &&
             count_of(entry.function, other) == nullptr)
      sum.push_back(bytes_of(entry, other));
  }
  return sum.empty() ? "0" : fmt::format("{}", fmt::join(sum, " + "));
}

std::string take(Entry& entry, const EdlParameter& parameter) {
  if (&parameter == entry.follower || !entry.taken.insert(parameter.name).second) return "";
  entry.order.push_back(parameter.name);
  return fmt::format("  bridge_take(input, &{0}, sizeof {0});\n", member(entry, parameter));
}

std::string block(Entry& entry, const EdlParameter& parameter, const std::string& made) {
  ++entry.blocks;
  return fmt::format("  {} = ({}){};\n", member(entry, parameter), writable(parameter.type), made);
}

std::string incoming_block(Entry& entry, const EdlParameter& parameter) {
  const EdlFunction& function = entry.function;
  std::string text;
  for (const EdlParameter* const value : {size_of(function, parameter), count_of(function, parameter)})
    if (value != nullptr) text += take(entry, *value);
  if (&parameter == entry.last && entry.follower != nullptr) {
    const std::string count = parameter.value_of("count");
    const std::string unit = count_of(function, parameter) == entry.follower ? unit_of(entry, parameter)
                             : count.empty()                                 ? "1"
                                                                             : number(entry, count);
    text += fmt::format("  {0} = ({1})bridge_all_but(input, {2}, {3}, BRIDGE_MOST({1}));\n",
                        member(entry, *entry.follower), variable_type(entry.follower->type),
                        bytes_behind(entry, parameter), unit);
    entry.order.push_back(parameter.name + " with all that is left");
  } else {
    entry.order.push_back(parameter.name);
  }
  return text +
         block(entry, parameter, fmt::format("bridge_take_block(input, {})", bytes_of(entry, parameter)));
}

std::string incoming(Entry& entry, const EdlParameter& parameter) {
  switch (kind_of(parameter)) {
    case ParameterKind::value:
      return take(entry, parameter);
    case ParameterKind::array:
      if (!parameter.has("in")) return "";
      entry.order.push_back(parameter.name);
      return fmt::format("  bridge_take(input, {0}, sizeof {0});\n", member(entry, parameter));
    case ParameterKind::string:
      entry.order.push_back(parameter.name + " up to a zero byte");
      return block(entry, parameter, "bridge_take_string(input)");
    case ParameterKind::block:
      return parameter.has("in") ? incoming_block(entry, parameter) : "";
    case ParameterKind::unlisted:
      return "";
  }
  return "";
}

std::string prepare_text(Entry& entry) {
  std::string text = fmt::format("  memset(&{0}_of, 0, sizeof {0}_of);\n", entry.variable);
  for (const EdlParameter& parameter : entry.function.parameters) text += incoming(entry, parameter);
  for (const EdlParameter& parameter : entry.function.parameters) {
    const ParameterKind kind = kind_of(parameter);
    if (kind == ParameterKind::block && !parameter.has("in"))
      text += block(entry, parameter, fmt::format("bridge_room_for({})", bytes_of(entry, parameter)));
    if (kind == ParameterKind::unlisted && parameter.dimensions.empty() && !parameter.has("isary"))
      text += fmt::format("  {} = 0; /* yours to fill in */\n", member(entry, parameter));
  }
  return fmt::format("static void {}_prepare(struct bridge_input *input) {{\n{}{}}}\n\n", entry.variable,
                     entry.order.empty() ? "  (void)input;\n" : "", text);
}

/// A name that no parameter has.
std::string result_of(const EdlFunction& function) {
  std::string name = "result";
  while (std::ranges::find(function.parameters, name, &EdlParameter::name) != function.parameters.end())
    name += "_";
  return name;
}

std::string variables(const Entry& entry) {
  const EdlFunction& function = entry.function;
  std::string members;
  for (EdlParameter variable : function.parameters) {
    variable.type =
        kind_of(variable) == ParameterKind::unlisted ? variable_type(variable.type) : writable(variable.type);
    members += fmt::format("  {};\n", c_declared(variable));
  }
  if (function.result != "void")
    members += fmt::format("  {} {};\n", variable_type(function.result), result_of(function));
  return fmt::format("static struct {{\n{}}} {}_of;\n\n", members.empty() ? "  char none;\n" : members,
                     entry.variable);
}

std::string call_text(const Entry& entry) {
  const EdlFunction& function = entry.function;
  std::string arguments = "bridge_enclave";
  if (function.result != "void") arguments += fmt::format(", &{}_of.{}", entry.variable, result_of(function));
  for (const EdlParameter& parameter : function.parameters) arguments += ", " + member(entry, parameter);
  return fmt::format("static sgx_status_t {}_call(void) {{\n  return {}({});\n}}\n\n", entry.variable,
                     function.name, arguments);
}

std::string status(const Entry& entry) {
  const std::string& type = entry.function.result;
  if (type == "void" || stars_of(type) > 0) return "0";
  return fmt::format("{}{}_of.{}{}", is_whole_number(type) ? "(uint32_t)" : "BRIDGE_STATUS(", entry.variable,
                     result_of(entry.function), is_whole_number(type) ? "" : ")");
}

std::string reply_text(const Entry& entry) {
  std::string text;
  for (const EdlParameter& parameter : entry.function.parameters) {
    if (!parameter.has("out")) continue;
    const std::string value = member(entry, parameter);
    const ParameterKind kind = kind_of(parameter);
    const std::string size = kind == ParameterKind::array    ? "sizeof " + value
                             : kind == ParameterKind::string ? fmt::format("strlen({})", value)
                             : kind == ParameterKind::block  ? bytes_of(entry, parameter)
                                                             : "";
    if (!size.empty()) text += fmt::format("  bridge_give(answer, {}, {});\n", value, size);
  }
  return fmt::format(
      "static void {}_reply(struct bridge_answer *answer) {{\n{}  answer->status = {};\n}}\n\n",
      entry.variable, text, status(entry));
}

std::string text_of(Entry& entry) {
  find_follower(entry);
  const std::string prepare = prepare_text(entry);
  return fmt::format("/* {} {}({})\n   input: {} */\n", entry.function.result, entry.function.name,
                     c_parameters(entry.function),
                     entry.order.empty() ? "nothing" : fmt::format("{}", fmt::join(entry.order, ", "))) +
         variables(entry) + prepare + call_text(entry) + reply_text(entry);
}

const EdlFunction& entry_named(const Edl& edl, const std::string& name) {
  const auto found = std::ranges::find(edl.ecalls, name, &EdlFunction::name);
  if (found == edl.ecalls.end()) {
    std::vector<std::string> names;
    for (const EdlFunction& function : edl.ecalls)
      if (function.is_public) names.push_back(function.name);
    throw UserError(Fault{.message = fmt::format("there is no ecall \"{}\"", name),
                          .place = {.file = edl.main.path},
                          .hint = did_you_mean(name, names)});
  }
  if (!found->is_public)
    throw UserError(
        Fault{.message = fmt::format("the ecall \"{}\" is not public", name),
              .place = {.file = found->place.file},
              .hint = "it can be called from within an ocall only: profile the ecall that leads there"});
  return *found;
}

/// To a structure of the EDL's that has pointers itself (deep copy): bytes of an input are none.
bool leads_to_pointers(const EdlParameter& parameter, const std::vector<EdlDeclaration>& declarations) {
  if (stars_of(parameter.type) != 1) return false;
  const std::string type = pointed_to(writable(parameter.type));
  return std::ranges::any_of(declarations, [&](const EdlDeclaration& declared) {
    return declared.name == type && declared.text.find('*') != std::string::npos;
  });
}

/// One of the entries, as the bridge can fill it in.
EdlFunction function_of(const EdlEdit& edit, const std::string& entry) {
  EdlFunction function = entry_named(edit.edl, entry);
  for (EdlParameter& parameter : function.parameters)
    if (leads_to_pointers(parameter, edit.edl.declarations)) parameter.attributes["user_check"];
  return function;
}

std::string note_on(const EdlFunction& function) {
  std::vector<std::string> names;
  for (const EdlParameter& parameter : function.parameters)
    if (kind_of(parameter) == ParameterKind::unlisted) names.push_back(parameter.name);
  if (names.empty()) return "";
  return fmt::format(
      "{} gets null for {}, because the bridge has no input for that: the ecall may take its error path",
      function.name, fmt::join(names, ", "));
}

}  // namespace

std::vector<std::string> bridge_notes(const EdlEdit& edit, const std::vector<std::string>& entries) {
  std::vector<std::string> notes;
  for (const std::string& entry : entries)
    if (std::string note = note_on(function_of(edit, entry)); !note.empty()) notes.push_back(std::move(note));
  return notes;
}

EdgeFile bridge_file(const EdlEdit& edit, const std::vector<std::string>& entries) {
  std::string texts;
  std::vector<std::string> rows;
  std::vector<std::string> names;
  std::vector<std::string> notes;
  std::size_t blocks = 1;
  for (const std::string& name : entries) {
    const EdlFunction function = function_of(edit, name);
    Entry entry{.function = function, .variable = "bridge_" + name};
    texts += text_of(entry);
    rows.push_back(fmt::format("{{{0}_prepare, {0}_call, {0}_reply}}", entry.variable));
    names.push_back(fmt::format("\"{}\"", name));
    notes.push_back(fmt::format("\"{}\"", note_on(function)));
    blocks = std::max(blocks, entry.blocks);
  }
  return {.path = "bridge.c",
          .text = c_filled(bridge_template, {{"FILE", edit.edl.main.path},
                                             {"NAME", edge_name(edit.edl.main)},
                                             {"MOST_BLOCKS", std::to_string(blocks)},
                                             {"ENTRIES", texts},
                                             {"TABLE", fmt::format("{}", fmt::join(rows, ",\n    "))},
                                             {"NAMES", fmt::format("{}", fmt::join(names, ", "))},
                                             {"NOTES", fmt::format("{}", fmt::join(notes, ",\n    "))},
                                             {"OURS", edit.function}})};
}

}  // namespace jcprof::rewriter
