// SPDX-License-Identifier: Apache-2.0
#include "rewriter/draft/applet_commands.hpp"

#include <algorithm>
#include <cctype>
#include <list>
#include <map>
#include <regex>

#include <fmt/format.h>

#include "rewriter/java/syntax.hpp"
#include "src/core/text.hpp"

namespace jcprof::rewriter {
namespace {

/// ISO 7816-4's, as javacard.framework.ISO7816 has them.
const std::map<std::string, std::string>& known_constants() {
  static const std::map<std::string, std::string> known{
      {"CLA_ISO7816", "00"}, {"INS_SELECT", "A4"}, {"INS_EXTERNAL_AUTHENTICATE", "82"}};
  return known;
}

/// One file, parsed once.
struct File {
  const SourceModel* model = nullptr;
  JavaSyntax syntax;
};

/// "(byte)0x31", "49", "(byte)-128" → two hexadecimal digits; empty for anything else.
std::string byte_of(const std::string& expression) {
  static const std::regex number(
      R"((?:\((?:byte|short|int)\))?\(?(?:\(byte\))?(-?)(0[xX][0-9A-Fa-f]{1,2}|[0-9]{1,3})\)?)");
  std::smatch match;
  if (expression.size() > 40 || !std::regex_match(expression, match, number)) return "";
  const unsigned long value = std::stoul(match[2].str(), nullptr, 0);
  return fmt::format("{:02X}", (match[1].length() > 0 ? 0 - value : value) & 0xFF);
}

std::string last_part(const std::string& name) {
  return name.substr(name.rfind('.') + 1);
}

/// The expression without casts and parentheses.
NodeIndex bare(const JavaSyntax& syntax, NodeIndex node) {
  for (;;) {
    const std::string_view type = syntax[node].type;
    if (type == "cast_expression")
      node = syntax.child(node, "value");
    else if (type == "parenthesized_expression")
      node = syntax.named_children(node).front();
    else
      return node;
  }
}

/// The words of a name: "apduIns" and "APDU_INS" have "ins".
bool has_word(std::string_view name, std::string_view word) {
  std::string split;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const auto at = [&](std::size_t k) { return static_cast<unsigned char>(name[k]); };
    const bool begins = i > 0 && std::isupper(at(i)) != 0 && std::islower(at(i - 1)) != 0;
    split += begins ? "_" : "";
    split += is_word(name[i]) ? static_cast<char>(std::tolower(at(i))) : '_';
  }
  return ("_" + split + "_").find(fmt::format("_{}_", word)) != std::string::npos;
}

/// `subject == value`, or a case of a switch over it.
struct Comparison {
  std::string subject;  // in words
  NodeIndex value = no_node;
  NodeIndex handler = no_node;  // the statements that it leads to; none: not seen
  bool excludes = false;        // it is !=, or a case: other values are turned away
};

void switch_cases(const JavaSyntax& syntax, NodeIndex node, std::vector<Comparison>& found) {
  const std::string subject = syntax.words(syntax.child(node, "condition"));
  for (const NodeIndex group : syntax.named_children(syntax.child(node, "body")))
    for (const NodeIndex label : syntax.named_children(group))
      if (syntax[label].type == "switch_label" && !syntax.named_children(label).empty())
        found.push_back({subject, syntax.named_children(label).front(), group, true});
}

/// The statement that runs where the condition holds in which `node` stands.
NodeIndex consequence_of(const JavaSyntax& syntax, NodeIndex node) {
  while (node != syntax.root() && syntax[node].field != "condition") node = syntax[node].parent;
  return node == syntax.root() ? no_node : syntax.child(syntax[node].parent, "consequence");
}

void equality(const JavaSyntax& syntax, NodeIndex node, std::vector<Comparison>& found) {
  const std::string_view sign = syntax.text(syntax.child(node, "operator"));
  if (sign != "==" && sign != "!=") return;
  const NodeIndex handler = consequence_of(syntax, node);
  const NodeIndex left = syntax.child(node, "left");
  const NodeIndex right = syntax.child(node, "right");
  for (const auto& [subject, value] : {std::pair(left, right), std::pair(right, left)})
    found.push_back({syntax.words(subject), value, sign == "==" ? handler : no_node, sign == "!="});
}

std::vector<Comparison> comparisons_in(const JavaSyntax& syntax) {
  std::vector<Comparison> found;
  for (NodeIndex i = 0; i < syntax.count(); ++i) {
    if (is_one_of(syntax[i].type, {"switch_expression", "switch_statement"})) switch_cases(syntax, i, found);
    if (syntax[i].type == "binary_expression") equality(syntax, i, found);
  }
  return found;
}

/// A byte of the header, as a whole: not some of its bits, and no constant.
bool is_byte_named(const std::string& subject, std::string_view word, std::string_view other) {
  static const std::regex constant(R"((?:\w+\.)*[A-Z][A-Z0-9_]*)");
  static const std::regex mask(R"(&(?!\(?(?:\((?:byte|short)\))?(?:0[xX](?:00)?[fF]{2}|255)))");
  return subject.size() < 200 && has_word(subject, word) && !has_word(subject, other) &&
         !std::regex_match(subject, constant) && !std::regex_search(subject, mask);
}

bool is_constant(const JavaSyntax& syntax, NodeIndex declaration) {
  if (syntax[declaration].type == "constant_declaration") return true;  // of an interface
  const NodeIndex modifiers = syntax.child_of_type(declaration, "modifiers");
  return syntax[declaration].type == "field_declaration" && modifiers != no_node &&
         syntax.has_child_of_type(modifiers, "final");
}

class Commands {
 public:
  Commands(const std::vector<const SourceModel*>& models, const std::vector<const SourceModel*>& others) {
    for (const SourceModel* model : models) files_.push_back({model, JavaSyntax(model->path, model->text)});
    for (const SourceModel* model : others) others_.push_back({model, JavaSyntax(model->path, model->text)});
    for (const auto* files : {&files_, &others_})
      for (const File& file : *files) collect(file.syntax);
  }

  std::string class_byte() const {
    std::string accepted;  // by ==, which may be a case apart
    for (const File& file : files_)
      for (const Comparison& c : comparisons_in(file.syntax)) {
        const std::string value = class_compared(file.syntax, c, accepted);
        if (c.excludes && !value.empty()) return value;
        if (accepted.empty() || accepted == "00") accepted = value.empty() ? accepted : value;
      }
    if (accepted.empty()) accepted = class_asked_for();
    if (!accepted.empty()) return accepted;
    return constants_called("cla").empty() ? "" : constants_called("cla").front().value;
  }

  std::vector<Instruction> instructions() const {
    std::vector<Instruction> found;
    for (const File& file : files_)
      for (const Comparison& c : comparisons_in(file.syntax)) {
        const std::string value =
            is_byte_named(c.subject, "ins", "cla") ? value_of(file.syntax, c.value) : "";
        if (value.empty()) continue;
        const bool reads = reads_data(file.syntax, c.handler, 0);
        const auto known = std::ranges::find(found, value, &Instruction::value);
        if (known == found.end())
          found.push_back({last_part(file.syntax.words(bare(file.syntax, c.value))), value, reads});
        else
          known->takes_data = known->takes_data || reads;
      }
    return found.empty() ? constants_called("ins") : found;
  }

 private:
  /// 10 says that more of a command of class 00 follows, and is no class of its own beside another.
  std::string class_compared(const JavaSyntax& syntax, const Comparison& c, const std::string& before) const {
    const std::string value = is_byte_named(c.subject, "cla", "ins") ? value_of(syntax, c.value) : "";
    return value == "10" && !before.empty() ? before : value;
  }

  /// By a call of isISOInterindustryCLA().
  std::string class_asked_for() const {
    static const std::regex refused(
        R"(if\s*\(\s*\w+\.isISOInterindustryCLA\(\)\s*\)\s*\{?\s*(ISOException\.)?throw)");
    for (const File& file : files_)
      if (file.model->text.find("isISOInterindustryCLA()") != std::string::npos)
        return std::regex_search(file.model->text, refused) ? "80" : "00";
    return "";
  }

  void collect(const JavaSyntax& syntax) {
    for (NodeIndex i = 0; i < syntax.count(); ++i) {
      const NodeIndex name = syntax.child(i, "name");
      if (syntax[i].type == "method_declaration" && syntax.child(i, "body") != no_node)
        methods_[std::string(syntax.text(name))].emplace_back(&syntax, syntax.child(i, "body"));
      const NodeIndex value = syntax.child(i, "value");
      if (syntax[i].type != "variable_declarator" || value == no_node) continue;
      if (is_constant(syntax, syntax[i].parent)) {
        const std::string text = syntax.words(bare(syntax, value));
        if (constants_.try_emplace(std::string(syntax.text(name)), text).second)
          in_order_.emplace_back(syntax.text(name));
      }
    }
  }

  std::string value_of(const std::string& text, int depth = 0) const {
    static const std::regex name(R"([\w.]{1,200})");
    if (const std::string byte = byte_of(text); !byte.empty()) return byte;
    if (text.size() > 200 || !std::regex_match(text, name)) return "";
    if (const auto known = known_constants().find(last_part(text)); known != known_constants().end())
      return known->second;
    const auto constant = constants_.find(last_part(text));
    return constant == constants_.end() || depth == 4 ? "" : value_of(constant->second, depth + 1);
  }
  std::string value_of(const JavaSyntax& syntax, NodeIndex node) const {
    return value_of(syntax.words(bare(syntax, node)));
  }

  std::vector<Instruction> constants_called(std::string_view word) const {
    std::vector<Instruction> found;
    for (const std::string& name : in_order_)
      if (const std::string value = has_word(name, word) ? value_of(name) : ""; !value.empty())
        found.push_back({name, value, false});
    return found;
  }

  /// Itself, or a method that it calls.
  bool reads_data(const JavaSyntax& syntax, NodeIndex node, int depth) const {
    if (node == no_node || depth == 3) return false;
    for (NodeIndex i = node; i < node + syntax[node].subtree; ++i) {
      if (syntax[i].type != "identifier") continue;
      const std::string name(syntax.text(i));
      if (is_one_of(name, {"OFFSET_CDATA", "OFFSET_LC", "setIncomingAndReceive", "receiveBytes",
                           "getIncomingLength", "getOffsetCdata"}))
        return true;
      const auto called = methods_.find(name);
      const bool is_call = syntax[syntax[i].parent].type == "method_invocation" && syntax[i].field == "name";
      if (!is_call || called == methods_.end()) continue;
      for (const auto& [in, body] : called->second)
        if (reads_data(*in, body, depth + 1)) return true;
    }
    return false;
  }

  std::list<File> files_;                         // that stay where they are
  std::list<File> others_;                        // their comparisons are none of this applet's
  std::map<std::string, std::string> constants_;  // their values as written; the nearer file's wins
  std::vector<std::string> in_order_;             // their names
  std::map<std::string, std::vector<std::pair<const JavaSyntax*, NodeIndex>>> methods_;
};

}  // namespace

AppletCommands find_applet_commands(const std::vector<const SourceModel*>& models,
                                    const std::vector<const SourceModel*>& others) {
  const Commands commands(models, others);
  return {.cla = commands.class_byte(), .instructions = commands.instructions()};
}

}  // namespace jcprof::rewriter
