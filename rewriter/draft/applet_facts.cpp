// SPDX-License-Identifier: Apache-2.0
#include "rewriter/draft/facts.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <regex>

#include <fmt/format.h>

#include "rewriter/java/front_end.hpp"
#include "rewriter/java/syntax.hpp"
#include "src/core/error.hpp"
#include "src/core/text.hpp"

namespace jcprof::rewriter {
namespace {

/// One `process(APDU)` that a card may call.
struct Entry {
  std::string name;  // "PinApplet.process"
  std::string class_name;
  const SourceModel* model = nullptr;
};

std::string lower(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(), [](unsigned char c) { return std::tolower(c); });
  return result;
}

/// Those that cannot be read are passed over here: jcprof gen says what is wrong with them.
std::vector<SourceModel> read_models(const FoundTree& tree) {
  std::vector<SourceModel> models;
  for (const auto& [path, text] : tree.texts) {
    if (!path.ends_with(".java") || is_made_or_foreign(path)) continue;
    try {
      models.push_back(read_java(path, text));
    } catch (const UserError&) {
      continue;
    }
  }
  settle_applets(models);
  return models;
}

bool is_extended(const std::vector<SourceModel>& models, const std::string& qualified) {
  return std::ranges::any_of(models, [&](const SourceModel& model) {
    return std::ranges::any_of(model.classes, [&](const ClassInfo& c) {
      return std::ranges::find(c.bases, qualified) != c.bases.end();
    });
  });
}

/// Entries of applets that no other class extends; those of tests and examples last.
std::vector<Entry> find_entries(const std::vector<SourceModel>& models) {
  std::vector<Entry> entries;
  for (const SourceModel& model : models)
    for (std::uint32_t i = 0; i < model.functions.size(); ++i) {
      const Function& function = model.functions[i];
      const auto owner = std::ranges::find(model.classes, function.owner, &ClassInfo::name);
      const bool can_be_entered = std::ranges::any_of(
          model.sites, [&](const Site& site) { return site.function == i && site.kind == TrapKind::entry0; });
      if (function.simple_name != "process" || !can_be_entered || owner == model.classes.end()) continue;
      if (!owner->applet || is_extended(models, qualified_name(model.scope, owner->name))) continue;
      entries.push_back({owner->name + ".process", owner->name, &model});
    }
  std::ranges::stable_partition(entries, [](const Entry& entry) { return !is_aside(entry.model->path); });
  return entries;
}

/// "src/com/example/A.java" of package com.example → "src"
std::optional<std::string> root_of(const std::string& path, std::string package) {
  std::ranges::replace(package, '.', '/');
  const std::string folder = folder_of(path);
  if (package.empty()) return folder.empty() ? "." : folder;
  if (folder == package) return ".";
  if (!folder.ends_with("/" + package)) return std::nullopt;
  return folder.substr(0, folder.size() - package.size() - 1);
}

// --- Constants ---

bool has_word(std::string_view name, std::string_view word) {
  static const auto is_edge = [](std::string_view text, std::size_t at) {
    return at >= text.size() || text[at] == '_';
  };
  const std::size_t at = name.find(word);
  return at != std::string_view::npos && is_edge(name, at == 0 ? name.size() : at - 1) &&
         is_edge(name, at + word.size());
}

/// "(byte)0x31", "49", "(byte)-128" → two hexadecimal digits; empty for anything else.
std::string byte_of(const std::string& expression) {
  static const std::regex number(R"((?:\(byte\)|\(short\))?\(?(-?)(0[xX][0-9A-Fa-f]{1,2}|[0-9]{1,3})\)?)");
  std::smatch match;
  if (!std::regex_match(expression, match, number)) return "";
  const unsigned long value = std::stoul(match[2].str(), nullptr, 0);
  return fmt::format("{:02X}", (match[1].length() > 0 ? 0 - value : value) & 0xFF);
}

/// Constants whose name holds the word INS or CLA.
std::vector<Instruction> constants_named(std::string_view word, const std::string& path,
                                         const std::string& text) {
  std::vector<Instruction> found;
  const JavaSyntax syntax(path, text);
  for (NodeIndex i = 0; i < syntax.count(); ++i) {
    if (syntax[i].type != "variable_declarator") continue;
    const std::string_view parent = syntax[syntax[i].parent].type;
    const NodeIndex value = syntax.child(i, "value");
    if ((parent != "field_declaration" && parent != "constant_declaration") || value == no_node) continue;
    const std::string name(syntax.text(syntax.child(i, "name")));
    const std::string byte = byte_of(syntax.words(value));
    if (has_word(name, word) && !byte.empty()) found.push_back({name, byte});
  }
  return found;
}

void find_constants(const std::vector<SourceModel>& models, AppletFacts& facts) {
  // Those of the applet's own file come first.
  std::vector<const SourceModel*> own;
  for (const SourceModel& model : models)
    if (folder_of(model.path) == folder_of(facts.source)) own.push_back(&model);
  std::ranges::stable_partition(own, [&](const SourceModel* model) { return model->path == facts.source; });
  for (const SourceModel* model : own) {
    for (Instruction& found : constants_named("INS", model->path, model->text))
      facts.instructions.push_back(std::move(found));
    const std::vector<Instruction> classes = constants_named("CLA", model->path, model->text);
    if (facts.cla.empty() && !classes.empty()) facts.cla = classes.front().value;
  }
}

// --- AID ---

/// In a build file: the AID of the applet of that class, or the first one. Repetitions are bounded, because
/// std::regex takes its stack from what it matches.
std::string aid_in(const std::string& text, const std::string& class_name) {
  static const std::regex ant(R"(<applet(?:nameaid)?\b[^>]{0,400}>)");
  static const std::regex gradle(R"(\bapplet\s{0,40}\{[^}]{0,400}\})");
  static const std::regex options(R"(-applet\s{1,40}\S{1,100}\s{1,40}\S{1,200})");
  static const std::regex aid(R"#((?:\baid\s*[=(]?\s*["']|-applet\s+)([0-9A-Fa-fxX: ,]+))#");
  std::string first;
  for (const std::regex* form : {&ant, &gradle, &options})
    for (std::sregex_iterator i(text.begin(), text.end(), *form); i != std::sregex_iterator(); ++i) {
      const std::string part = i->str();
      std::smatch match;
      if (!std::regex_search(part, match, aid)) continue;
      const std::string found = normal_aid(match[1].str());
      if (found.empty()) continue;
      if (part.find(class_name) != std::string::npos) return found;
      if (first.empty()) first = found;
    }
  return first;
}

/// In a comment: "AID: A0 00 00 00 62 01".
std::string aid_in_comment(const std::string& path, const std::string& text) {
  static const std::regex words(
      R"(\bAID\b[^0-9A-Fa-f\n]{0,12}((?:0x)?[0-9A-Fa-f]{2}(?:[: ,]{0,2}(?:0x)?[0-9A-Fa-f]{2}){4,15})\b)");
  const JavaSyntax syntax(path, text);
  for (NodeIndex i = 0; i < syntax.count(); ++i) {
    const std::string comment(syntax.is_comment(i) ? syntax.text(i) : "");
    std::smatch match;
    if (std::regex_search(comment, match, words)) return normal_aid(match[1].str());
  }
  return "";
}

void find_aid(const FoundTree& tree, const Entry& entry, AppletFacts& facts) {
  const auto take = [&](const std::string& path, const std::string& aid) {
    if (!facts.aid.empty() || aid.empty()) return;
    facts.aid = aid;
    facts.aid_from = path;
  };
  for (const auto& [path, text] : tree.texts)
    if (!is_c_source(path) && !path.ends_with(".java") && !is_made_or_foreign(path))
      take(path, aid_in(text, entry.class_name));
  take(entry.model->path, aid_in_comment(entry.model->path, entry.model->text));
}

// --- Libraries and builders ---

bool is_simulator(const std::string& path) {
  return lower(name_of_file(path)).starts_with("jcardsim") && path.ends_with(".jar");
}

bool is_api(const std::string& path) {
  const std::string name = lower(name_of_file(path));
  if (!name.ends_with(".jar") || name.starts_with("apiguardian")) return false;
  return std::ranges::any_of(
      std::to_array<std::string_view>({"api", "gpapi", "jcapi", "javacard", "java_card"}),
      [&](std::string_view start) { return name.starts_with(start); });
}

std::string encoding_of(const FoundTree& tree) {
  const bool is_all_utf8 = std::ranges::all_of(tree.texts, [](const auto& file) {
    const auto& [path, text] = file;
    return !path.ends_with(".java") || is_made_or_foreign(path) || is_utf8(text);
  });
  return is_all_utf8 ? "UTF-8" : "ISO-8859-1";
}

void find_files(const FoundTree& tree, AppletFacts& facts) {
  for (const std::string& path : tree.paths) {
    if (path.ends_with(".java") && folder_of(path) == folder_of(facts.source))
      facts.package_sources.push_back(path);
    if (is_api(path)) facts.api_jars.push_back("{project}/" + path);
    if (is_simulator(path) && facts.simulator.empty()) facts.simulator = "{project}/" + path;
    const bool is_builder =
        path == "build.xml" || path == "build.gradle" || path == "build.gradle.kts" || path == "pom.xml";
    if (is_builder && facts.builder.empty()) facts.builder = path;
  }
  if (facts.simulator.empty()) facts.simulator = tree.simulator;
}

}  // namespace

std::string normal_aid(std::string_view text) {
  std::string digits;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find_first_of(": ,", at), text.size());
    std::string part(text.substr(at, end - at));
    at = end + 1;
    if (part.starts_with("0x") || part.starts_with("0X")) part.erase(0, 2);
    if (part.size() == 1) digits += '0';  // 0xA0:0x0
    digits += part;
  }
  std::ranges::transform(digits, digits.begin(), [](unsigned char c) { return std::toupper(c); });
  const bool is_hex = digits.find_first_not_of("0123456789ABCDEF") == std::string::npos;
  return is_hex && digits.size() % 2 == 0 && digits.size() >= 10 && digits.size() <= 32 ? digits : "";
}

std::optional<AppletFacts> find_applet(const FoundTree& tree) {
  const std::vector<SourceModel> models = read_models(tree);
  const std::vector<Entry> entries = find_entries(models);
  if (entries.empty()) return std::nullopt;
  const Entry& chosen = entries.front();
  AppletFacts facts{.package = chosen.model->scope,
                    .entry = chosen.name,
                    .source = chosen.model->path,
                    .source_root = root_of(chosen.model->path, chosen.model->scope),
                    .encoding = encoding_of(tree)};
  for (std::size_t i = 1; i < entries.size(); ++i)
    facts.others.push_back(fmt::format("{} ({})", entries[i].name, entries[i].model->path));
  find_files(tree, facts);
  find_constants(models, facts);
  find_aid(tree, chosen, facts);
  return facts;
}

}  // namespace jcprof::rewriter
