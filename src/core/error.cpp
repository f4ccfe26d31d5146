// SPDX-License-Identifier: Apache-2.0
#include "src/core/error.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include <fmt/format.h>

#include "src/core/text.hpp"

namespace jcprof {
namespace {

std::string joined(const std::vector<Fault>& faults) {
  std::string text;
  for (const Fault& fault : faults) text += (text.empty() ? "" : "\n") + render(fault);
  return text;
}

/// What stands under a source line up to the caret: tabs kept, so that the caret lands in the right column.
std::string padding_to(const std::string& line, std::size_t column) {
  std::string padding;
  std::size_t bytes = 0;
  for (const Character& character : characters_of(line)) {
    if (bytes + 1 >= column) break;
    padding += character.bytes == "\t" ? '\t' : ' ';
    bytes += character.bytes.size();
  }
  return padding;
}

}  // namespace

std::string harmless(std::string_view text) {
  std::string result;
  for (const Character& character : characters_of(text)) {
    const bool is_kept = is_plain(character) || character.bytes == "\t" || character.bytes == "\n";
    result += is_kept ? character.bytes : std::string_view("?");
  }
  return result;
}

std::string render(const Fault& fault) {
  const Place& place = fault.place;
  std::string text;
  if (!place.file.empty()) text += harmless(place.file);
  if (place.line > 0) text += fmt::format(":{}", place.line);
  text += (text.empty() ? "" : ": ") + harmless(fault.message);
  text.erase(text.find_last_not_of('\n') + 1);  // a message may end with the output of a program
  if (!place.source_line.empty()) {
    const std::string number = std::to_string(place.line);
    const std::string gutter(number.size(), ' ');
    text += fmt::format("\n  {} | {}", number, harmless(place.source_line));
    if (place.column > 0)
      text += fmt::format("\n  {} | {}^", gutter, padding_to(place.source_line, place.column));
  }
  if (!fault.hint.empty()) text += "\nhint: " + harmless(fault.hint);
  return text;
}

UserError::UserError(Fault fault, ExitCode code) : UserError(std::vector<Fault>{std::move(fault)}, code) {}

UserError::UserError(std::vector<Fault> faults, ExitCode code)
    : std::runtime_error(joined(faults)), faults_(std::move(faults)), code_(code) {}

UserError environment_error(std::string message, std::string hint) {
  return {Fault{.message = std::move(message), .hint = std::move(hint)}, ExitCode::environment};
}

void check(bool condition, std::string_view what, std::source_location where) {
  if (condition) return;
  std::fputs(fmt::format("{}:{}: jcprof is wrong here: {}\nThis is a fault of jcprof, please report it.\n",
                         where.file_name(), where.line(), what)
                 .c_str(),
             stderr);
  std::abort();
}

Place place_at(const std::string& file, std::string_view text, std::size_t offset) {
  offset = std::min(offset, text.size());
  const std::string_view before = text.substr(0, offset);
  const std::size_t start =
      before.find_last_of('\n') == std::string_view::npos ? 0 : before.find_last_of('\n') + 1;
  std::string_view line = text.substr(start, text.find('\n', start) - start);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return {.file = file,
          .line = static_cast<std::size_t>(std::ranges::count(before, '\n')) + 1,
          .column = offset - start + 1,
          .source_line = std::string(beginning_of(line, 200))};
}

}  // namespace jcprof
