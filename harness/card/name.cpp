// SPDX-License-Identifier: Apache-2.0
#include "harness/card/name.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <filesystem>

#include "src/core/file.hpp"
#include "src/core/hex.hpp"
#include "src/core/text.hpp"

namespace jcprof::harness {
namespace {

namespace fs = std::filesystem;

/// "3b 9f [0-3]. .*" as the list has it, against "3B9F1A". Lists may come from anywhere: as a glob a pattern
/// takes no time worth speaking of, as a regular expression it could take hours.
bool fits(std::string_view pattern, std::string_view atr) {
  std::string glob;
  for (const char c : pattern) {
    if (c == '*' && glob.ends_with('?')) glob.pop_back();
    if (c != ' ') glob += c == '.' ? '?' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  }
  return glob_matches(glob, atr);
}

std::vector<fs::path> lists() {
  std::vector<fs::path> files;
  const char* const cache = std::getenv("XDG_CACHE_HOME");
  const char* const home = std::getenv("HOME");
  if (cache != nullptr) files.push_back(fs::path(cache) / "smartcard_list.txt");
  if (home != nullptr) {
    files.push_back(fs::path(home) / ".cache/smartcard_list.txt");
    files.push_back(fs::path(home) / ".smartcard_list.txt");
  }
  files.emplace_back("/usr/share/pcsc/smartcard_list.txt");
  return files;
}

}  // namespace

std::optional<std::string> find_card_name(const Bytes& atr, std::string_view list) {
  std::string digits = to_hex(atr);
  std::ranges::transform(digits, digits.begin(),
                         [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  std::optional<std::string> name;
  bool is_next = false;
  while (!list.empty()) {
    std::string_view line = list.substr(0, list.find('\n'));
    list.remove_prefix(std::min(line.size() + 1, list.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty() || line.starts_with('#')) continue;
    if (!line.starts_with('\t')) {
      is_next = fits(line, digits);
    } else if (is_next) {
      name = std::string(line.substr(1));
      is_next = false;
    }
  }
  return name;
}

std::string name_of_card(const Bytes& atr) {
  for (const fs::path& file : lists()) {
    std::error_code gone;
    if (!fs::is_regular_file(file, gone)) continue;
    if (const std::optional<std::string> name = find_card_name(atr, read_file(file))) return *name;
  }
  return "card " + to_hex(atr);
}

}  // namespace jcprof::harness
