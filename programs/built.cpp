// SPDX-License-Identifier: Apache-2.0
#include "programs/built.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "src/core/error.hpp"
#include "src/core/file.hpp"

namespace jcprof::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* note = "build.sha256";

/// By their first name in the output folder.
bool is_of_jcprof(const std::string& name) {
  constexpr std::array<std::string_view, 12> own{"annotated",   "leak.json", "logs",       "memory",
                                                 "memory.json", "prepared",  "record",     "record.jcplog",
                                                 "report.html", "sessions",  "traps.json", note};
  return name.starts_with(".jcprof-") || name.starts_with("profile.jcprof") ||
         name.starts_with("leak.jcprof") || std::ranges::find(own, name) != own.end();
}

std::vector<fs::path> files_below(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    if (is_of_jcprof(entry.path().filename().string())) continue;
    if (entry.is_regular_file(error)) files.push_back(entry.path());
    if (entry.is_symlink(error) || !entry.is_directory(error)) continue;
    for (const fs::directory_entry& inner :
         fs::recursive_directory_iterator(entry.path(), fs::directory_options::skip_permission_denied, error))
      if (inner.is_regular_file(error)) files.push_back(inner.path());
  }
  std::ranges::sort(files);
  return files;
}

/// Of a file that is too large, or not to be read, its name counts alone.
std::string digest_of(const fs::path& file) {
  try {
    return sha256(read_file(file));
  } catch (const UserError&) {
    return "";
  }
}

}  // namespace

void note_build(const fs::path& out) {
  std::string digests;
  for (const fs::path& file : files_below(out))
    digests += file.lexically_relative(out).string() + "\n" + digest_of(file) + "\n";
  const std::string traps = jcprof::digest_of(read_trap_map(out / "traps.json"));
  write_own_file(out / note, traps + "\n" + sha256(digests) + "\n");
}

std::string noted_build(const fs::path& out, const TrapMap& map) {
  if (!why_unreadable(out / note).empty()) return "";
  const std::string text = read_file(out / note);
  const std::string traps = jcprof::digest_of(map) + "\n";
  return text.starts_with(traps) ? text.substr(traps.size(), text.find('\n', traps.size()) - traps.size())
                                 : "";
}

}  // namespace jcprof::cli
