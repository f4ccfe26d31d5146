// SPDX-License-Identifier: Apache-2.0
#include "rewriter/c/enclave.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "rewriter/c/compile_database.hpp"
#include "rewriter/edl/edge.hpp"
#include "rewriter/edl/files.hpp"
#include "rewriter/found_tree.hpp"
#include "rewriter/project_tree.hpp"
#include "rewriter/templates.hpp"
#include "src/core/error.hpp"
#include "src/core/file.hpp"
#include "src/core/text.hpp"

namespace jcprof::rewriter {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> names_of(const std::vector<EdlFunction>& functions) {
  std::vector<std::string> names;
  for (const EdlFunction& function : functions) names.push_back(function.name);
  return names;
}

const EdlFunction* find(const std::vector<EdlFunction>& functions, const std::string& name) {
  const auto found = std::ranges::find(functions, name, &EdlFunction::name);
  return found == functions.end() ? nullptr : &*found;
}

bool is_ecall(const Edl& edl, const std::string& name) {
  return find(edl.ecalls, name) != nullptr;
}

/// The compiler, and those of its flags that are the preprocessor's.
EdlSettings edl_settings(const Project& project, const fs::path& out) {
  EdlSettings settings{.root = project.root, .search = project.compile.edl_search};
  if (!project.compile.compiler.empty()) settings.compiler = project.compile.compiler;
  constexpr auto heads =
      std::to_array<std::string_view>({"-D", "-U", "-I", "-isystem", "-iquote", "-idirafter"});
  const std::vector<std::string> flags = compile_flags(project, out);
  for (auto flag = flags.begin(); flag != flags.end(); ++flag) {
    if (!starts_with_one_of(*flag, heads)) continue;
    settings.flags.push_back(*flag);
    const bool has_value_behind = is_one_of(*flag, heads) && flag + 1 != flags.end();
    if (has_value_behind) settings.flags.push_back(*++flag);
  }
  return settings;
}

// --- The EDL ---

std::string named_edl(const Project& project, const std::vector<std::string>& files) {
  const std::string path = fs::path(project.compile.edl).lexically_normal().generic_string();
  if (std::ranges::find(files, path) != files.end()) return path;
  std::vector<std::string> others;
  std::ranges::copy_if(files, std::back_inserter(others),
                       [](const std::string& file) { return file.ends_with(".edl"); });
  throw UserError(Fault{.message = fmt::format("there is no EDL file \"{}\"", project.compile.edl),
                        .place = place_in_project(project, project.compile.edl),
                        .hint = did_you_mean(path, others)});
}

/// Those that declare an entry, without those that another of them imports.
std::vector<Edl> declaring(const std::vector<Edl>& all, const std::vector<std::string>& entries) {
  std::vector<Edl> found;
  std::ranges::copy_if(all, std::back_inserter(found), [&](const Edl& edl) {
    return std::ranges::any_of(entries, [&](const std::string& entry) { return is_ecall(edl, entry); });
  });
  const std::vector<Edl> candidates = found;
  std::erase_if(found, [&](const Edl& edl) {
    return std::ranges::any_of(candidates, [&](const Edl& other) {
      return std::ranges::find(other.imported, edl.main.path, &EdlFile::path) != other.imported.end();
    });
  });
  return found;
}

Edl found_edl(const Project& project, const std::vector<std::string>& files, const EdlSettings& settings) {
  std::vector<Edl> all;
  std::vector<std::string> ecalls;
  for (const std::string& file : files) {
    if (!file.ends_with(".edl")) continue;
    all.push_back(read_edl(settings, file));
    std::ranges::copy(names_of(all.back().ecalls), std::back_inserter(ecalls));
  }
  const std::vector<Edl> found = declaring(all, project.entry);
  if (found.size() == 1) return found.front();
  if (found.empty() && all.size() == 1) return all.front();  // what it has instead is said of the entry
  const std::string& entry = project.entry.front();
  Fault fault{.message = {}, .place = place_in_project(project, entry)};
  if (all.empty())
    fault.message = "there is no EDL file in the project's folder";
  else if (found.empty())
    fault.message = fmt::format("no EDL file of the project declares the entry \"{}\"", entry);
  else
    fault.message =
        fmt::format("\"{}\" and \"{}\" both declare an entry", found[0].main.path, found[1].main.path);
  fault.hint = found.empty() && !all.empty() ? did_you_mean(entry, ecalls) : "name it in \"compile.edl\"";
  throw UserError(fault);
}

// --- Entries ---

Fault no_ecall(const Edl& edl, const std::string& entry) {
  if (const EdlFunction* ocall = find(edl.ocalls, entry); ocall != nullptr)
    return {
        .message = fmt::format("\"{}\" cannot be the entry: it is an ocall, which the enclave calls", entry),
        .place = ocall->place,
        .hint = "name a function of a \"trusted\" block"};
  const std::vector<std::string> names = names_of(edl.ecalls);
  const EdlFunction* near = find(edl.ecalls, nearest(entry, names));
  return {.message = fmt::format("the entry \"{}\" is no ecall of {}", entry, edl.main.path),
          .place = near == nullptr ? Place{.file = edl.main.path} : near->place,
          .hint = near != nullptr ? did_you_mean(entry, names)
                  : names.empty() ? "there is none: a \"trusted\" block declares them"
                                  : fmt::format("it has {}", fmt::join(names, ", "))};
}

void check_entries(const Edl& edl, const std::vector<std::string>& entries) {
  std::vector<Fault> faults;
  for (const std::string& entry : entries)
    if (!is_ecall(edl, entry)) faults.push_back(no_ecall(edl, entry));
  if (!faults.empty()) throw UserError(faults);
}

std::set<std::string> nested_ecalls(const Edl& edl) {
  std::set<std::string> nested;
  for (const EdlFunction& ocall : edl.ocalls) nested.insert(ocall.allowed.begin(), ocall.allowed.end());
  // Its EDL does not say which ecalls an ocall may make.
  if (is_open_enclave(edl))
    for (const EdlFunction& ecall : edl.ecalls) nested.insert(ecall.name);
  return nested;
}

// --- What its files include ---

std::set<std::string> included_headers(const Project& project, const std::vector<std::string>& files) {
  std::set<std::string> headers;
  for (const std::string& file : files)
    if ((is_c_source(file) || is_c_header(file)) && fs::is_regular_file(project.root / file))
      headers.merge(edge_headers_in(read_file(project.root / file)));
  return headers;
}

/// The untrusted side of other enclaves, for what includes it. An EDL with faults is none of this one's.
std::vector<EdgeFile> sides_beside(const EdlSettings& settings, const std::vector<std::string>& files,
                                   const std::string& own, const std::set<std::string>& headers) {
  std::map<std::string, EdgeFile> sides;
  for (const std::string& file : files) {
    const std::string name(stem_of(file));
    const bool is_wanted = std::ranges::any_of(
        headers, [&](const std::string& header) { return name_of_file(header) == name + "_u.h"; });
    if (!file.ends_with(".edl") || name == own || !is_wanted || sides.contains(name)) continue;
    try {
      if (const Edl edl = read_edl(settings, file); !is_open_enclave(edl))
        sides.emplace(name, host_file_beside(edl));
    } catch (const UserError&) {
      continue;
    }
  }
  std::vector<EdgeFile> all;
  for (auto& [name, side] : sides) all.push_back(std::move(side));
  return all;
}

}  // namespace

Enclave read_enclave(const Project& project, const std::vector<std::string>& files,
                     const std::vector<std::string>& sources, const fs::path& out) {
  const EdlSettings settings = edl_settings(project, out);
  const Edl edl = project.compile.edl.empty() ? found_edl(project, files, settings)
                                              : read_edl(settings, named_edl(project, files));
  check_entries(edl, project.entry);
  std::vector<std::string> texts;
  for (const std::string& source : sources) texts.push_back(read_file(project.root / source));
  std::set<std::string> headers = included_headers(project, files);
  std::vector<EdgeFile> beside = sides_beside(settings, files, edge_name(edl.main), headers);
  return {.edit = edit_edl(edl, files, std::move(texts)),
          .entering = {.reach = Reach::enclave,
                       .entries = {project.entry.begin(), project.entry.end()},
                       .nested = nested_ecalls(edl)},
          .beside = std::move(beside),
          .headers = std::move(headers)};
}

void write_edge(const Enclave& enclave, const Project& project, const fs::path& folder) {
  std::vector<EdgeFile> files = host_files(enclave.edit);
  std::ranges::copy(enclave.beside, std::back_inserter(files));
  std::ranges::move(leading_headers(enclave.headers, files), std::back_inserter(files));
  if (!is_open_enclave(enclave.edit.edl)) files.push_back(bridge_file(enclave.edit, project.entry));
  files.push_back({.path = "jcprof_plugin.h", .text = std::string(plugin_template)});
  for (const EdgeFile& file : files) {
    write_own_file(folder / file.path, file.text);
  }
}

std::vector<std::string> enclave_flags(const Enclave& enclave, const Project& project, const fs::path& edge) {
  std::vector<std::string> flags;
  const auto add = [&](const fs::path& folder) {
    flags.emplace_back("-idirafter");
    flags.push_back(fs::absolute(folder).lexically_normal().string());
  };
  if (const std::optional<fs::path> sdk = sdk_headers()) add(*sdk);
  add(edge / "host");
  // The SDK's tool would put the result there, and what the EDL includes is found beside it.
  add(project.root / folder_of(enclave.edit.edl.main.path));
  return flags;
}

void write_edl(const Enclave& enclave, const fs::path& tree) {
  write_own_file(tree / enclave.edit.edl.main.path, enclave.edit.text);
  if (!enclave.edit.import_text.empty())
    write_own_file(tree / enclave.edit.import_path, enclave.edit.import_text);
}

std::vector<Fault> imports_not_found(const Enclave& enclave) {
  std::vector<Fault> faults;
  for (const std::string& name : enclave.edit.edl.not_found)
    faults.push_back(
        {.message = fmt::format("the import \"{}\" was not found: what it declares is not known", name),
         .place = {.file = enclave.edit.edl.main.path},
         .hint = "\"edl_search\" in \"compile\" names the folders of imports"});
  return faults;
}

std::vector<std::string> notes_on(const Enclave& enclave, const std::vector<SourceModel>& models) {
  std::vector<std::string> notes;
  for (const Fault& fault : imports_not_found(enclave))
    notes.push_back(fmt::format("{}: {}", fault.place.file, fault.message));
  if (!is_open_enclave(enclave.edit.edl))
    for (const std::string& note :
         bridge_notes(enclave.edit, {enclave.entering.entries.begin(), enclave.entering.entries.end()}))
      notes.push_back(note + "; docs/sgx.md, \"The bridge\", says how you fill it in");
  for (const std::string& name : enclave.entering.nested) {
    const std::string mark = fmt::format("#define {0} jcprof_body_{0}\n", name);
    const bool has_root = std::ranges::any_of(models, [&](const SourceModel& model) {
      return std::ranges::any_of(model.slots,
                                 [&](const Slot& slot) { return slot.text.find(mark) != std::string::npos; });
    });
    if (!has_root && is_ecall(enclave.edit.edl, name) && name != enclave.edit.function)
      notes.push_back(
          fmt::format("jcprof cannot wrap {}, or it is not among the sources: a stop while an ocall calls it "
                      "may end the process",
                      name));
  }
  return notes;
}

}  // namespace jcprof::rewriter
