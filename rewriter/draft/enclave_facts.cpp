// SPDX-License-Identifier: Apache-2.0
#include "rewriter/draft/facts.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>
#include <regex>
#include <set>

#include <fmt/format.h>

#include "rewriter/draft/main_scan.hpp"
#include "rewriter/draft/makefile.hpp"
#include "rewriter/draft/text.hpp"
#include "rewriter/edl/edge.hpp"
#include "rewriter/edl/files.hpp"
#include "rewriter/edl/tokens.hpp"
#include "src/core/text.hpp"

namespace jcprof::rewriter {
namespace {

using Strings = std::vector<std::string>;

/// Beside the importer, else the first of the name.
std::optional<std::string> imported(const FoundTree& tree, const std::string& importer,
                                    const std::string& name) {
  std::string beside = tree_path(folder_of(importer), name);
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

/// Those that the SDK's tool has to search besides that of the EDL.
Strings searched_folders(const FoundTree& tree, const Edl& edl) {
  std::set<std::string> folders;
  for (const EdlFile& file : edl.imported) folders.insert(folder_of(file.path));
  for (const std::string& folder : included_folders(tree, edl.main.path, edl.main.text))
    folders.insert(folder);
  folders.erase(folder_of(edl.main.path));
  return {folders.begin(), folders.end()};
}

void find_beside(const FoundTree& tree, const std::vector<Edl>& edls, EnclaveFacts& facts) {
  for (const Edl& edl : edls) {
    const std::string name = edge_name(edl.main);
    const bool is_used =
        name != facts.name && std::ranges::any_of(facts.outside, [&](const std::string& file) {
          return std::ranges::any_of(edge_headers_in(tree.texts.at(file)), [&](const std::string& header) {
            return name_of_file(header) == name + "_u.h";
          });
        });
    if (is_used && std::ranges::find(facts.beside, name, &EnclaveBeside::name) == facts.beside.end())
      facts.beside.push_back({edl.main.path, name, searched_folders(tree, edl)});
  }
}

/// Adds the files that lie beside and below those with ocalls: they may call each other. Another program's
/// main stays out, and so do tests and files that have a trusted one beside or above them, nearer than one
/// with ocalls.
void add_program(const FoundTree& tree, const std::set<std::string>& trusted, const Strings& made,
                 std::set<std::string>& files) {
  // The length of the longest folder of one of them that the path lies in; -1: in none.
  const auto nearest = [](const std::set<std::string>& others, const std::string& path) {
    std::ptrdiff_t longest = -1;
    for (const std::string& other : others)
      if (const std::string folder = path_in(folder_of(other), ""); path.starts_with(folder))
        longest = std::max(longest, std::ssize(folder));
    return longest;
  };
  std::set<std::string> begun = files;
  std::erase_if(begun, [&](const std::string& file) {
    const std::string folder = path_in(folder_of(file), "");
    return folder.empty() ||
           std::ranges::any_of(trusted, [&](const std::string& other) { return other.starts_with(folder); });
  });
  for (const auto& [path, text] : tree.texts) {
    const bool is_made = std::ranges::find(made, std::string(name_of_file(path))) != made.end();
    if (nearest(begun, path) > nearest(trusted, path) && is_c_source(path) && !is_made && !is_aside(path) &&
        !is_made_or_foreign(path) && !defines_main(text))
      files.insert(path);
  }
}

void find_outside(const FoundTree& tree, const Edl& edl, const std::set<std::string>& trusted,
                  EnclaveFacts& facts) {
  std::set<std::string> files;
  for (const EdlFunction& ocall : edl.ocalls)
    if (const std::string file = definer(tree, ocall.name, edge_names(facts)); !file.empty())
      files.insert(file);
  add_program(tree, trusted, edge_names(facts), files);
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

/// Those that a makefile names as words of their own, their variables replaced, and that make may be asked
/// for below its folder.
Strings signed_enclaves(const Makefile& makefile, const std::string& text) {
  static const std::regex form(
      R"((?:^|[\s=:"'])((?:\$\([\w.-]{1,100}\)|\$\{[\w.-]{1,100}\}|[\w./+-]){1,100}\.signed\.so)(?![\w.-]))");
  const std::string said = without_comments(text);
  Strings names;
  for (std::sregex_iterator i(said.begin(), said.end(), form); i != std::sregex_iterator(); ++i) {
    const std::string name = makefile.expanded((*i)[1].str());
    if (name.find_first_of("$%(){} \t") == std::string::npos && name.find("..") == std::string::npos &&
        !starts_with_one_of(name, {"/", "-"}) && !name_of_file(name).starts_with('.'))
      names.push_back(name);
  }
  return names;
}

/// The makefile nearest to the EDL that builds with the SDK, and the signed enclave that it names: of several
/// the one that is called like the EDL.
void find_make(const FoundTree& tree, EnclaveFacts& facts) {
  for (std::string folder = folder_of(facts.edl);; folder = folder_of(folder)) {
    for (const char* name : makefile_names) {
      const auto makefile = tree.texts.find(path_in(folder, name));
      if (makefile == tree.texts.end() || makefile->second.find("edger8r") == std::string::npos) continue;
      facts.make = folder;
      const Strings named = signed_enclaves(Makefile(tree, folder), makefile->second);
      const auto own = std::ranges::find_if(named, [&](const std::string& one) {
        return draft::lower(one).find(draft::lower(facts.name)) != std::string::npos;
      });
      facts.built_enclave = own != named.end() ? *own : named.empty() ? "enclave.signed.so" : named.front();
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
    facts.searched = searched_folders(tree, edl);
    find_outside(tree, edl, trusted, facts);
    find_beside(tree, edls, facts);
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
