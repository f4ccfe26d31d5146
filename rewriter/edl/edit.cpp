// SPDX-License-Identifier: Apache-2.0
#include "rewriter/edl/edit.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "rewriter/edge_templates.hpp"
#include "rewriter/edits.hpp"
#include "rewriter/edl/text.hpp"
#include "rewriter/found_tree.hpp"
#include "src/core/error.hpp"

namespace jcprof::rewriter {
namespace {

constexpr std::string_view usual_file = "jcprof.edl";
constexpr std::string_view usual_function = "jcprof_enclave";

std::vector<const EdlFile*> files_of(const Edl& edl) {
  std::vector<const EdlFile*> files{&edl.main};
  for (const EdlFile& file : edl.imported) files.push_back(&file);
  return files;
}

void refuse_instrumented(const Edl& edl) {
  std::vector<Fault> faults;
  for (const EdlFile* const file : files_of(edl))
    if (carries_traps(file->text))
      faults.push_back({.message = "the EDL carries jcprof's import already",
                        .place = place_at(file->path, file->text, file->text.find(span_begin)),
                        .hint = "take it out with: jcprof strip " + file->path});
  if (!faults.empty()) throw UserError(faults);
}

std::string beside(const std::string& path, std::string_view name) {
  const std::string folder = folder_of(path);
  return (folder.empty() ? "" : folder + "/") + std::string(name);
}

bool is_ours(const EdlFunction& function) {
  return function.name == usual_function && function.parameters.size() == 2 && function.is_public;
}

/// The import that somebody has written by hand: what declares it, and what it names.
struct OwnImport {
  std::string path;
  const EdlFile* file = nullptr;  // null: it is for us to write
};

std::optional<OwnImport> own_import(const Edl& edl) {
  for (const EdlFile* const file : files_of(edl))
    for (const EdlImport& import : file->items.imports) {
      if (name_of_file(import.file) != usual_file) continue;
      const std::string path = beside(file->path, import.file);
      const auto found = std::ranges::find(edl.imported, path, &EdlFile::path);
      if (found == edl.imported.end()) return OwnImport{.path = path};
      if (std::ranges::any_of(found->items.trusted, is_ours)) return OwnImport{.path = path, .file = &*found};
    }
  return std::nullopt;
}

/// "name", "name_2", …: the first that is not taken.
template <class IsTaken>
std::string free_name(std::string_view stem, std::string_view suffix, IsTaken is_taken) {
  std::string name = fmt::format("{}{}", stem, suffix);
  for (int i = 2; is_taken(name); ++i) name = fmt::format("{}_{}{}", stem, i, suffix);
  return name;
}

std::set<std::string> names_in(const Edl& edl) {
  std::set<std::string> names;
  for (const EdlFile* const file : files_of(edl)) {
    for (const EdlFunction& function : file->all.trusted) names.insert(function.name);
    for (const EdlFunction& function : file->all.untrusted) names.insert(function.name);
  }
  return names;
}

/// As imported: the file that does so may name it by another folder.
bool is_imported(const Edl& edl, const std::string& name) {
  return std::ranges::any_of(files_of(edl), [&](const EdlFile* file) {
    return name_of_file(file->path) == name ||
           std::ranges::any_of(file->all.imports,
                               [&](const EdlImport& import) { return name_of_file(import.file) == name; });
  });
}

std::string import_text(const std::string& function) {
  std::string text(jcprof_edl_template);
  for (std::size_t at = 0; (at = text.find(usual_function, at)) != std::string::npos; at += function.size())
    text.replace(at, usual_function.size(), function);
  return fmt::format("/* {}. Do not edit. */\n{}", generated_mark, text);
}

void import_function(EdlEdit& edit) {
  EdlFunction ours = parse_edl(std::string(usual_file), import_text(edit.function)).items.trusted.front();
  const auto is_there = [&](const EdlFunction& function) { return function.name == ours.name; };
  if (std::ranges::none_of(edit.edl.ecalls, is_there)) edit.edl.ecalls.push_back(std::move(ours));
}

}  // namespace

EdlEdit edit_edl(const Edl& edl, const std::vector<std::string>& files, const std::set<std::string>& words) {
  refuse_instrumented(edl);
  EdlEdit edit{.text = edl.main.text,
               .function = std::string(usual_function),
               .import_path = {},
               .import_text = {},
               .edl = edl};
  if (const std::optional<OwnImport> own = own_import(edl)) {
    edit.import_path = own->path;
    if (own->file == nullptr) {
      edit.import_text = import_text(edit.function);
      std::erase_if(edit.edl.not_found,
                    [](const std::string& file) { return name_of_file(file) == usual_file; });
    }
    import_function(edit);
    return edit;
  }
  const std::set<std::string> names = names_in(edl);
  edit.function = free_name(usual_function, "", [&](const std::string& name) {
    return names.contains(name) || words.contains(name);
  });
  const std::string file = free_name("jcprof", ".edl", [&](const std::string& name) {
    return is_imported(edl, name) || std::ranges::find(files, beside(edl.main.path, name)) != files.end();
  });
  edit.import_path = beside(edl.main.path, file);
  edit.import_text = import_text(edit.function);
  std::vector<Edit> edits;
  for (const std::size_t end : edl.main.ends)
    edits.push_back(
        {.offset = end, .text = fmt::format("{}from \"{}\" import *;{}", span_begin, file, span_end)});
  edit.text = apply_edits(edl.main.text, edits);
  import_function(edit);
  return edit;
}

}  // namespace jcprof::rewriter
