// SPDX-License-Identifier: Apache-2.0
// edge: bridge.c, which makes the arguments of an ecall of an input's bytes.
#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <set>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "rewriter/edge_templates.hpp"
#include "rewriter/edl/c_text.hpp"
#include "rewriter/edl/edge.hpp"
#include "src/core/error.hpp"
#include "src/core/text.hpp"

namespace jcprof::rewriter {
namespace {

/// What a parameter is for the bridge (docs/sgx.md, "The bridge").
enum class ParameterKind : std::uint8_t { value, array, block, string, unlisted };

std::vector<std::string> words_of(const std::string& type) {
  std::string spaced;
  for (const char c : type) spaced += c == '*' ? std::string(" * ") : std::string(1, c);
  std::istringstream in(spaced);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() || word == "*" ? "" : " ") + word;
  return text;
}

/// Without `const`, so that it can be filled in: "const char* const" → "char*".
std::string writable(const std::string& type) {
  std::vector<std::string> words = words_of(type);
  std::erase(words, "const");
  return joined(words);
}

/// What a variable of the type is declared as, where nobody but the ecall writes to what it points to: its
/// own `const` alone is away.
std::string variable_type(const std::string& type) {
  std::vector<std::string> words = words_of(type);
  const auto star = std::ranges::find(words, "*");
  if (star == words.end()) return writable(type);
  while (words.back() == "const") words.pop_back();
  return joined(words);
}

std::ptrdiff_t stars_of(const std::string& type) {
  return std::ranges::count(type, '*');
}

ParameterKind kind_of(const EdlParameter& parameter) {
  const bool is_plain = !parameter.user_check && !parameter.wstring && !parameter.isptr && !parameter.isary;
  const auto stars = stars_of(parameter.type);
  if (!is_plain) return ParameterKind::unlisted;
  if (!parameter.dimensions.empty()) return stars == 0 ? ParameterKind::array : ParameterKind::unlisted;
  if (stars == 0) return ParameterKind::value;
  if (stars > 1 || parameter.direction == EdlDirection::none) return ParameterKind::unlisted;
  if (parameter.string) return ParameterKind::string;
  const bool is_sized = !parameter.size.empty() || !parameter.count.empty();
  return writable(parameter.type) == "void*" && !is_sized ? ParameterKind::unlisted : ParameterKind::block;
}

bool comes_in(const EdlParameter& parameter) {
  return parameter.direction == EdlDirection::in || parameter.direction == EdlDirection::in_out;
}

bool comes_back(const EdlParameter& parameter) {
  return parameter.direction == EdlDirection::out || parameter.direction == EdlDirection::in_out;
}

/// Of the words of result types that are whole numbers; for other names the compiler is asked.
bool is_whole_number(const std::string& type) {
  static const std::set<std::string> known{"char",     "signed",      "unsigned", "short",    "int",
                                           "long",     "const",       "size_t",   "int8_t",   "int16_t",
                                           "int32_t",  "int64_t",     "uint8_t",  "uint16_t", "uint32_t",
                                           "uint64_t", "sgx_status_t"};
  return std::ranges::all_of(words_of(type), [](const std::string& word) { return known.contains(word); });
}

/// The C functions that make one ecall.
class EntryText {
 public:
  explicit EntryText(const EdlFunction& function)
      : function_(function), variable_("bridge_" + function.name) {
    find_follower();
  }

  std::string write() {
    const std::string prepare = prepare_text();
    return fmt::format("/* {} {}({})\n{} */\n", function_.result, function_.name, c_parameters(function_),
                       order()) +
           variables() + prepare + call_text() + reply_text();
  }

  std::size_t blocks() const { return blocks_; }
  std::string table_row() const { return fmt::format("{{{0}_prepare, {0}_call, {0}_reply}}", variable_); }

 private:
  using Parameters = std::vector<EdlParameter>;

  std::string member(const EdlParameter& parameter) const { return variable_ + "_of." + parameter.name; }

  /// The parameter by value that a size or count names.
  const EdlParameter* named(const std::string& text) const {
    const auto found = std::ranges::find(function_.parameters, text, &EdlParameter::name);
    return found != function_.parameters.end() && kind_of(*found) == ParameterKind::value ? &*found : nullptr;
  }

  bool is_sized_by(const EdlParameter& parameter, const EdlParameter& size) const {
    return kind_of(parameter) == ParameterKind::block &&
           (named(parameter.size) == &size || named(parameter.count) == &size);
  }

  /// The last pointer with a size in a parameter takes what is left, if that size is its alone and no string
  /// comes behind.
  void find_follower() {
    for (const EdlParameter& parameter : function_.parameters) {
      if (!comes_in(parameter) || kind_of(parameter) != ParameterKind::block) continue;
      const EdlParameter* const size = named(parameter.size);
      const EdlParameter* const count = named(parameter.count);
      if (size == nullptr && count == nullptr) continue;
      last_ = &parameter;
      follower_ = size == nullptr ? count : count == nullptr ? size : nullptr;
    }
    if (follower_ == nullptr) return;
    const auto users = std::ranges::count_if(function_.parameters, [&](const EdlParameter& parameter) {
      return comes_in(parameter) && is_sized_by(parameter, *follower_);
    });
    const bool is_before_text = std::any_of(
        last_ + 1, std::to_address(function_.parameters.end()),
        [](const EdlParameter& parameter) { return kind_of(parameter) == ParameterKind::string; });
    if (users > 1 || is_before_text) follower_ = nullptr;
  }

  /// In C, as an expression of type size_t; where it is a parameter its variable.
  std::string number(const std::string& text) const {
    const EdlParameter* const parameter = named(text);
    return fmt::format("(size_t){}", parameter != nullptr ? member(*parameter) : "(" + text + ")");
  }

  std::string element(const EdlParameter& parameter) const {
    std::vector<std::string> words = words_of(writable(parameter.type));
    words.pop_back();
    const std::string type = joined(words);
    return type == "void" ? "1" : fmt::format("sizeof({})", type);
  }

  /// The bytes of a block.
  std::string bytes_of(const EdlParameter& parameter) const {
    std::string size = parameter.size.empty() ? element(parameter) : number(parameter.size);
    if (parameter.count.empty()) return size;
    return fmt::format("bridge_times({}, {})", number(parameter.count), size);
  }

  /// What is read behind a parameter whose length is known.
  std::string behind(const EdlParameter& parameter) const {
    std::string sum;
    for (const EdlParameter* i = &parameter + 1;
         i < function_.parameters.data() + function_.parameters.size(); ++i) {
      const bool is_fixed = (kind_of(*i) == ParameterKind::value && i != follower_ && !is_taken(*i)) ||
                            (kind_of(*i) == ParameterKind::array && comes_in(*i));
      const bool is_fixed_block = kind_of(*i) == ParameterKind::block && comes_in(*i) &&
                                  named(i->size) == nullptr && named(i->count) == nullptr;
      if (!is_fixed && !is_fixed_block) continue;
      sum += (sum.empty() ? "" : " + ") + (is_fixed ? fmt::format("sizeof {}", member(*i)) : bytes_of(*i));
    }
    return sum.empty() ? "0" : sum;
  }

  bool is_taken(const EdlParameter& parameter) const { return taken_.contains(parameter.name); }

  std::string take(const EdlParameter& parameter) {
    if (&parameter == follower_ || !taken_.insert(parameter.name).second) return "";
    order_.push_back(parameter.name);
    return fmt::format("  bridge_take(input, &{0}, sizeof {0});\n", member(parameter));
  }

  std::string prepare_text() {
    std::string text = fmt::format("  memset(&{0}_of, 0, sizeof {0}_of);\n", variable_);
    for (const EdlParameter& parameter : function_.parameters) text += incoming(parameter);
    for (const EdlParameter& parameter : function_.parameters) {
      const bool is_made =
          kind_of(parameter) == ParameterKind::block && parameter.direction == EdlDirection::out;
      if (is_made) text += block(parameter, fmt::format("bridge_room_for({})", bytes_of(parameter)));
      if (kind_of(parameter) == ParameterKind::unlisted && parameter.dimensions.empty() && !parameter.isary)
        text += fmt::format("  {} = 0; /* yours to fill in */\n", member(parameter));
    }
    return fmt::format("static void {}_prepare(struct bridge_input *input) {{\n{}{}}}\n\n", variable_,
                       order_.empty() ? "  (void)input;\n" : "", text);
  }

  std::string block(const EdlParameter& parameter, const std::string& made) {
    ++blocks_;
    return fmt::format("  {} = ({}){};\n", member(parameter), writable(parameter.type), made);
  }

  std::string incoming(const EdlParameter& parameter) {
    switch (kind_of(parameter)) {
      case ParameterKind::value:
        return take(parameter);
      case ParameterKind::array:
        if (!comes_in(parameter)) return "";
        order_.push_back(parameter.name);
        return fmt::format("  bridge_take(input, {0}, sizeof {0});\n", member(parameter));
      case ParameterKind::string:
        order_.push_back(parameter.name + " up to a zero byte");
        return block(parameter, "bridge_take_string(input)");
      case ParameterKind::block:
        return comes_in(parameter) ? incoming_block(parameter) : "";
      case ParameterKind::unlisted:
        return "";
    }
    return "";
  }

  std::string incoming_block(const EdlParameter& parameter) {
    std::string text;
    for (const std::string& size : {parameter.size, parameter.count})
      if (const EdlParameter* const value = named(size)) text += take(*value);
    if (&parameter == last_ && follower_ != nullptr) {
      const std::string unit = named(parameter.count) == follower_
                                   ? (parameter.size.empty() ? element(parameter) : number(parameter.size))
                               : parameter.count.empty() ? "1"
                                                         : number(parameter.count);
      text += fmt::format("  {} = ({})bridge_all_but(input, {}, {}, BRIDGE_MOST({}));\n", member(*follower_),
                          variable_type(follower_->type), behind(parameter), unit,
                          variable_type(follower_->type));
      order_.push_back(fmt::format("{} with all that is left", parameter.name));
    } else {
      order_.push_back(parameter.name);
    }
    return text + block(parameter, fmt::format("bridge_take_block(input, {})", bytes_of(parameter)));
  }

  std::string variables() const {
    std::string members;
    for (const EdlParameter& parameter : function_.parameters) {
      const bool is_filled = kind_of(parameter) != ParameterKind::unlisted;
      EdlParameter variable = parameter;
      variable.type = is_filled ? writable(parameter.type) : variable_type(parameter.type);
      members += fmt::format("  {};\n", c_declared(variable));
    }
    if (function_.result != "void")
      members += fmt::format("  {} {};\n", variable_type(function_.result), result());
    if (members.empty()) members = "  char none;\n";
    return fmt::format("static struct {{\n{}}} {}_of;\n\n", members, variable_);
  }

  /// A name that no parameter has.
  std::string result() const {
    std::string name = "result";
    while (std::ranges::find(function_.parameters, name, &EdlParameter::name) != function_.parameters.end())
      name += "_";
    return name;
  }

  std::string call_text() const {
    std::string arguments = "bridge_enclave";
    if (function_.result != "void") arguments += fmt::format(", &{}_of.{}", variable_, result());
    for (const EdlParameter& parameter : function_.parameters) arguments += ", " + member(parameter);
    return fmt::format("static sgx_status_t {}_call(void) {{\n  return {}({});\n}}\n\n", variable_,
                       function_.name, arguments);
  }

  std::string reply_text() {
    std::string text;
    for (const EdlParameter& parameter : function_.parameters) {
      if (!comes_back(parameter)) continue;
      const std::string value = member(parameter);
      if (kind_of(parameter) == ParameterKind::array)
        text += fmt::format("  bridge_give(answer, {0}, sizeof {0});\n", value);
      if (kind_of(parameter) == ParameterKind::string)
        text += fmt::format("  bridge_give(answer, {0}, strlen({0}));\n", value);
      if (kind_of(parameter) == ParameterKind::block)
        text += fmt::format("  bridge_give(answer, {}, {});\n", value, bytes_of(parameter));
    }
    return fmt::format("static void {}_reply(struct bridge_answer *answer) {{\n{}{}}}\n\n", variable_, text,
                       status());
  }

  std::string status() const {
    const std::string value = fmt::format("{}_of.{}", variable_, result());
    const bool is_pointer = stars_of(function_.result) > 0;
    if (function_.result == "void" || is_pointer) return "  answer->status = 0;\n";
    if (is_whole_number(function_.result)) return fmt::format("  answer->status = (uint32_t){};\n", value);
    return fmt::format("  answer->status = BRIDGE_STATUS({});\n", value);
  }

  /// What of the input goes where, for a person.
  std::string order() const {
    return fmt::format("   input: {}",
                       order_.empty() ? "nothing" : fmt::format("{}", fmt::join(order_, ", ")));
  }

  const EdlFunction& function_;
  std::string variable_;
  const EdlParameter* last_ = nullptr;
  const EdlParameter* follower_ = nullptr;  // the size or count of `last_` that is not read
  std::set<std::string> taken_;
  std::vector<std::string> order_;
  std::size_t blocks_ = 0;
};

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
              .place = {.file = found->file},
              .hint = "it can be called from within an ocall only: profile the ecall that leads there"});
  return *found;
}

/// To a structure of the EDL's that has pointers itself (deep copy): bytes of an input are none.
bool leads_to_pointers(const EdlParameter& parameter, const std::vector<EdlDeclaration>& declarations) {
  std::vector<std::string> words = words_of(writable(parameter.type));
  if (stars_of(parameter.type) != 1) return false;
  words.pop_back();
  const std::string type = joined(words);
  return std::ranges::any_of(declarations, [&](const EdlDeclaration& declared) {
    return declared.name == type && declared.text.find('*') != std::string::npos;
  });
}

}  // namespace

EdgeFile bridge_file(const EdlEdit& edit, const std::vector<std::string>& entries) {
  std::string texts;
  std::vector<std::string> rows;
  std::vector<std::string> names;
  std::size_t blocks = 1;
  for (const std::string& name : entries) {
    EdlFunction function = entry_named(edit.edl, name);
    for (EdlParameter& parameter : function.parameters)
      parameter.user_check |= leads_to_pointers(parameter, edit.edl.declarations);
    EntryText entry(function);
    texts += entry.write();
    rows.push_back(entry.table_row());
    names.push_back(fmt::format("\"{}\"", name));
    blocks = std::max(blocks, entry.blocks());
  }
  return {.path = "bridge.c",
          .text = c_filled(bridge_template, {{"FILE", edit.edl.main.path},
                                             {"NAME", edge_name(edit.edl.main)},
                                             {"MOST_BLOCKS", std::to_string(blocks)},
                                             {"ENTRIES", texts},
                                             {"TABLE", fmt::format("{}", fmt::join(rows, ",\n    "))},
                                             {"NAMES", fmt::format("{}", fmt::join(names, ", "))},
                                             {"OURS", edit.function}})};
}

}  // namespace jcprof::rewriter
