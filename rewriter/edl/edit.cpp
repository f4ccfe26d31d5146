// SPDX-License-Identifier: Apache-2.0
#include "rewriter/edl/edit.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "rewriter/edits.hpp"
#include "rewriter/edl/text.hpp"
#include "rewriter/found_tree.hpp"
#include "rewriter/templates.hpp"
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

bool declares_ours(const EdlFile& file) {
  return std::ranges::any_of(file.items.trusted, [](const EdlFunction& function) {
    return function.name == usual_function && function.parameters.size() == 2 && function.is_public;
  });
}

/// The import that somebody has written by hand.
struct OwnImport {
  std::string path;
  bool is_there = false;  // else it is for us to write
};

std::optional<OwnImport> own_import(const Edl& edl) {
  for (const EdlFile* const file : files_of(edl))
    for (const EdlImport& import : file->items.imports) {
      if (name_of_file(import.file) != usual_file) continue;
      if (import.path.empty()) return OwnImport{.path = beside(file->path, import.file)};
      const auto found = std::ranges::find(edl.imported, import.path, &EdlFile::path);
      if (found != edl.imported.end() && declares_ours(*found))
        return OwnImport{.path = import.path, .is_there = true};
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

/// Whether an EDL file is called so, or any of them, in whatever branch of #if, imports one of that name.
bool is_named(const Edl& edl, const std::string& name) {
  return std::ranges::any_of(files_of(edl), [&](const EdlFile* file) {
    return name_of_file(file->path) == name || file->text.find(name + "\"") != std::string::npos;
  });
}

std::string import_text(const std::string& function) {
  std::string text(jcprof_edl_template);
  for (std::size_t at = 0; (at = text.find(usual_function, at)) != std::string::npos; at += function.size())
    text.replace(at, usual_function.size(), function);
  return fmt::format("/* {}. Do not edit. */\n{}", generated_mark, text);
}

void refuse_hidden_ends(const EdlFile& main) {
  std::vector<Fault> faults;
  for (const Place& place : main.hidden_ends)
    faults.push_back({.message = "jcprof cannot tell which brace closes the enclave block: a macro or an "
                                 "included file has a part in this line",
                      .place = place,
                      .hint = fmt::format("write that brace in {}, on a line of its own: jcprof puts its "
                                          "import in front of it",
                                          main.path)});
  if (!faults.empty()) throw UserError(faults);
}

void import_function(EdlEdit& edit) {
  const std::string text = import_text(edit.function);
  EdlFunction ours = parse_edl(std::string(usual_file), text, text).items.trusted.front();
  if (std::ranges::find(edit.edl.ecalls, ours.name, &EdlFunction::name) == edit.edl.ecalls.end())
    edit.edl.ecalls.push_back(std::move(ours));
}

}  // namespace

EdlEdit edit_edl(const Edl& edl, const std::vector<std::string>& files, std::vector<std::string> texts) {
  refuse_instrumented(edl);
  EdlEdit edit{.text = edl.main.text,
               .function = std::string(usual_function),
               .import_path = {},
               .import_text = {},
               .edl = edl};
  if (const std::optional<OwnImport> own = own_import(edl)) {
    edit.import_path = own->path;
    if (!own->is_there) {
      edit.import_text = import_text(edit.function);
      std::erase_if(edit.edl.not_found,
                    [](const std::string& file) { return name_of_file(file) == usual_file; });
    }
    import_function(edit);
    return edit;
  }
  refuse_hidden_ends(edl.main);
  for (const EdlFile* const file : files_of(edl)) texts.push_back(file->text);
  edit.function = free_name(usual_function, "", [&](const std::string& name) {
    return std::ranges::any_of(texts,
                               [&](const std::string& text) { return text.find(name) != std::string::npos; });
  });
  const std::string file = free_name("jcprof", ".edl", [&](const std::string& name) {
    return is_named(edl, name) || std::ranges::find(files, beside(edl.main.path, name)) != files.end();
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
