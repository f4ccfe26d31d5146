// SPDX-License-Identifier: Apache-2.0
#include "rewriter/draft/facts.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>
#include <regex>
#include <set>

#include <fmt/format.h>

#include "rewriter/draft/main_scan.hpp"
#include "rewriter/edl/edge.hpp"
#include "rewriter/edl/files.hpp"
#include "rewriter/edl/tokens.hpp"

namespace jcprof::rewriter {
namespace {

using Strings = std::vector<std::string>;

std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

/// Beside the importer, else the first of the name.
std::optional<std::string> imported(const FoundTree& tree, const std::string& importer,
                                    const std::string& name) {
  std::string beside =
      (std::filesystem::path(folder_of(importer)) / name).lexically_normal().generic_string();
  if (tree.texts.contains(beside)) return beside;
  for (const auto& [path, text] : tree.texts)
    if (path.ends_with("/" + name)) return path;
  return std::nullopt;
}

/// The folders of what an EDL file's #include names.
Strings included_folders(const FoundTree& tree, const std::string& edl, const std::string& text) {
  std::set<std::string> folders;
  for (const EdlToken& token : edl_tokens(edl, text))
    for (const std::string& path : tree.paths)
      if (directive_name(token) == "include" &&
          token.text.find(std::string(name_of_file(path)) + '"') != std::string::npos)
        folders.insert(folder_of(path));
  return {folders.begin(), folders.end()};
}

/// Those that no other imports; those of tests and examples last.
std::vector<Edl> main_edls(const FoundTree& tree) {
  const auto find = [&](const std::string& importer, const std::string& name) {
    return imported(tree, importer, name);
  };
  const auto read = [&](const std::string& path) {
    const std::string& text = tree.texts.at(path);
    return preprocessed_edl(
        {.root = tree.root, .search = included_folders(tree, path, text), .compiler = tree.compiler}, path,
        text);
  };
  std::vector<Edl> edls;
  std::set<std::string> parts;
  for (const auto& [path, text] : tree.texts) {
    if (!path.ends_with(".edl") || is_made_or_foreign(path) || text.find("enclave") == std::string::npos)
      continue;
    edls.push_back(link_edl(path, find, read));
    for (const EdlFile& file : edls.back().imported) parts.insert(file.path);
  }
  std::erase_if(edls, [&](const Edl& edl) { return parts.contains(edl.main.path); });
  std::ranges::stable_partition(edls, [](const Edl& edl) { return !is_aside(edl.main.path); });
  return edls;
}

/// The file that defines a function; empty: none does.
std::string definer(const FoundTree& tree, const std::string& function, const Strings& except) {
  for (const auto& [path, text] : tree.texts) {
    const bool is_possible = is_c_source(path) && !is_made_or_foreign(path) &&
                             std::ranges::find(except, std::string(name_of_file(path))) == except.end();
    if (is_possible && defines_function(text, function)) return path;
  }
  return "";
}

/// Files that the SDK's tool makes of the EDL.
Strings edge_names(const EnclaveFacts& facts) {
  Strings names;
  for (const char* ending : {"_t.c", "_t.h", "_u.c", "_u.h"}) names.push_back(facts.name + ending);
  return names;
}

/// True where there is an ecall to profile.
bool find_ecalls(const FoundTree& tree, const Edl& edl, EnclaveFacts& facts, std::set<std::string>& trusted) {
  const Strings made = edge_names(facts);
  for (const EdlFunction& ecall : edl.ecalls) {
    const std::string source = definer(tree, ecall.name, made);
    if (source.empty()) continue;
    trusted.insert(source);
    if (!ecall.is_public) continue;
    const bool is_wanted = tree.wanted_entry.empty() || ecall.name == tree.wanted_entry;
    if (facts.source.empty() && is_wanted) {
      facts.entry = ecall;
      facts.source = source;
    } else {
      facts.others.push_back(fmt::format("{} ({})", ecall.name, source));
    }
  }
  return !facts.source.empty();
}

void find_searched(const FoundTree& tree, const Edl& edl, EnclaveFacts& facts) {
  std::set<std::string> folders;
  for (const EdlFile& file : edl.imported) folders.insert(folder_of(file.path));
  for (const std::string& folder : included_folders(tree, edl.main.path, edl.main.text))
    folders.insert(folder);
  folders.erase(folder_of(edl.main.path));
  facts.searched.assign(folders.begin(), folders.end());
}

/// Adds the files that lie beside and below those with ocalls: they may call each other. Another program's
/// main stays out.
void add_program(const FoundTree& tree, const EnclaveFacts& facts, std::set<std::string>& files) {
  const Strings made = edge_names(facts);
  std::set<std::string> folders;
  for (const std::string& file : files)
    if (const std::string folder = folder_of(file);
        !folder.empty() && !facts.source.starts_with(folder + "/"))
      folders.insert(folder + "/");
  for (const auto& [path, text] : tree.texts) {
    const bool is_beside = std::ranges::any_of(
        folders, [&path = path](const std::string& folder) { return path.starts_with(folder); });
    const bool is_made = std::ranges::find(made, std::string(name_of_file(path))) != made.end();
    if (is_beside && is_c_source(path) && !is_made && !is_made_or_foreign(path) && !defines_main(text))
      files.insert(path);
  }
}

void find_outside(const FoundTree& tree, const Edl& edl, EnclaveFacts& facts) {
  std::set<std::string> files;
  for (const EdlFunction& ocall : edl.ocalls)
    if (const std::string file = definer(tree, ocall.name, edge_names(facts)); !file.empty())
      files.insert(file);
  add_program(tree, facts, files);
  facts.outside.assign(files.begin(), files.end());
  static const std::regex variable(
      R"((?:^|\n)[ \t]{0,9}(?:extern[ \t]{1,9})?sgx_enclave_id_t[ \t]{1,9}(\w{1,99})[ \t]{0,9}[=;])");
  std::smatch match;
  for (const std::string& file : facts.outside)
    if (std::regex_search(tree.texts.at(file), match, variable)) facts.id = match[1].str();
}

/// A glob for each kind of file in the folders of `trusted`; the files one by one where one of them is not
/// trusted.
void find_sources(const FoundTree& tree, const std::set<std::string>& trusted, EnclaveFacts& facts) {
  const Strings made = edge_names(facts);
  std::set<std::string> folders;
  for (const std::string& path : trusted) folders.insert(folder_of(path));
  std::map<std::string, Strings> of_glob;
  std::set<std::string> torn;
  for (const std::string& path : tree.paths) {
    const std::string folder = folder_of(path);
    if ((!is_c_source(path) && !is_c_header(path)) || !folders.contains(folder)) continue;
    const std::string glob = path_in(folder, "*") + path.substr(path.rfind('.'));
    const bool is_ours = std::ranges::find(made, std::string(name_of_file(path))) == made.end() &&
                         std::ranges::find(facts.outside, path) == facts.outside.end() &&
                         !(tree.texts.contains(path) && defines_main(tree.texts.at(path)));
    if (!is_ours) torn.insert(glob);
    if (is_ours) of_glob[glob].push_back(path);
    if (is_ours && is_c_source(path)) facts.units.push_back(path);
  }
  for (const auto& [glob, paths] : of_glob)
    if (torn.contains(glob))
      facts.globs.insert(facts.globs.end(), paths.begin(), paths.end());
    else
      facts.globs.push_back(glob);
}

void find_includes(const FoundTree& tree, const Edl& edl, EnclaveFacts& facts) {
  std::set<std::string> folders;
  for (const std::string& path : tree.paths) {
    const std::string folder = folder_of(path);
    const bool is_common = name_of_file(folder) == "include" || name_of_file(folder) == "Include";
    const bool is_of_edl =
        std::ranges::find(edl.includes, std::string(name_of_file(path))) != edl.includes.end();
    if (is_c_header(path) && !is_made_or_foreign(path) && (is_common || is_of_edl)) folders.insert(folder);
  }
  for (const std::string& folder : folders) facts.includes.push_back(folder.empty() ? "." : folder);
}

/// The makefile nearest to the EDL that builds with the SDK, and the signed enclave that it names.
void find_make(const FoundTree& tree, EnclaveFacts& facts) {
  static const std::regex signed_name(R"([\w./-]{1,200}\.signed\.so)");
  for (std::string folder = folder_of(facts.edl);; folder = folder_of(folder)) {
    for (const char* name : {"GNUmakefile", "makefile", "Makefile"}) {
      const auto makefile = tree.texts.find(path_in(folder, name));
      if (makefile == tree.texts.end() || makefile->second.find("edger8r") == std::string::npos) continue;
      facts.make = folder;
      facts.built_enclave = "enclave.signed.so";
      const std::string& text = makefile->second;
      for (std::sregex_iterator i(text.begin(), text.end(), signed_name); i != std::sregex_iterator(); ++i) {
        if (i == std::sregex_iterator(text.begin(), text.end(), signed_name)) facts.built_enclave = i->str();
        // Of several the one that is called like the EDL.
        if (lower(i->str()).find(lower(facts.name)) != std::string::npos) {
          facts.built_enclave = i->str();
          break;
        }
      }
      return;
    }
    if (folder.empty()) return;
  }
}

void find_built(const FoundTree& tree, EnclaveFacts& facts) {
  std::set<std::string> globs;
  const Strings made = edge_names(facts);
  for (const std::string& path : tree.paths) {
    for (const char* suffix : {".o", ".so"})
      if (path.ends_with(suffix)) globs.insert("**/*" + std::string(suffix));
    const std::string name(name_of_file(path));
    if (std::ranges::find(made, name) != made.end()) globs.insert("**/" + name);
  }
  facts.built.assign(globs.begin(), globs.end());
}

}  // namespace

std::optional<EnclaveFacts> find_enclave(const FoundTree& tree) {
  const std::vector<Edl> edls = main_edls(tree);
  for (const Edl& edl : edls) {
    EnclaveFacts facts{.edl = edl.main.path, .name = edge_name(edl.main), .is_open = is_open_enclave(edl)};
    std::set<std::string> trusted;
    if (!find_ecalls(tree, edl, facts, trusted)) continue;
    facts.is_alone =
        std::ranges::count_if(edls, [&](const Edl& other) {
          return std::ranges::find(other.ecalls, facts.entry.name, &EdlFunction::name) != other.ecalls.end();
        }) == 1;
    find_searched(tree, edl, facts);
    find_outside(tree, edl, facts);
    find_sources(tree, trusted, facts);
    find_includes(tree, edl, facts);
    find_built(tree, facts);
    find_make(tree, facts);
    const auto makefile = tree.texts.find("Makefile");
    facts.makes_bridge =
        makefile != tree.texts.end() && makefile->second.find("bridge.so") != std::string::npos;
    return facts;
  }
  return std::nullopt;
}

}  // namespace jcprof::rewriter
