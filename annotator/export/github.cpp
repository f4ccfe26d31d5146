// SPDX-License-Identifier: Apache-2.0
#include "annotator/export/github.hpp"

#include <fmt/format.h>

#include "src/core/text.hpp"

namespace jcprof::annotator {
namespace {

/// A property ends with a comma or a colon, the command with its line.
std::string escaped(std::string_view text, bool is_property) {
  std::string result;
  for (const char c : text) {
    const bool is_special = c == '%' || c == '\r' || c == '\n' || (is_property && (c == ':' || c == ','));
    result += is_special ? fmt::format("%{:02X}", static_cast<unsigned char>(c)) : std::string(1, c);
  }
  return result;
}

}  // namespace

std::string github_command(std::string_view level, std::string_view path, std::size_t line,
                           std::string_view title, std::string_view text) {
  const std::string place =
      path.empty() || line == 0 ? "" : fmt::format("file={},line={},", escaped(plain_line(path), true), line);
  return fmt::format("::{} {}title={}::{}\n", level, place, escaped(title, true), escaped(text, false));
}

}  // namespace jcprof::annotator
