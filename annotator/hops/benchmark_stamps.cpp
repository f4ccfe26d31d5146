// SPDX-License-Identifier: Apache-2.0
#include "annotator/hops/benchmark_stamps.hpp"

#include <algorithm>
#include <array>
#include <bitset>
#include <new>
#include <optional>

#include <fmt/format.h>
#include <yaml.h>

#include "src/core/error.hpp"
#include "src/core/name_table.hpp"
#include "src/core/text.hpp"

namespace jcprof::annotator {
namespace {

constexpr NameTable<Component, 5> components{{{Component::libteec, "libteec"},
                                              {Component::kmodule, "kmodule"},
                                              {Component::core, "core"},
                                              {Component::libutee, "libutee"},
                                              {Component::other, "-"}}};

constexpr const char* no_timestamp = "this is no timestamp";
constexpr std::array<std::string_view, 4> fields{"core", "counter", "address", "component"};

struct YamlEvent {
  yaml_event_type_t type = YAML_NO_EVENT;
  std::string text = {};     // of a scalar
  std::size_t line = 0;      // from 1
  bool is_implicit = false;  // of a document's end: no "..."
};

/// libyaml's events, one at a time.
class YamlEvents {
 public:
  YamlEvents(std::string file, std::istream& text) : file_(std::move(file)), text_(text) {
    if (yaml_parser_initialize(&parser_) == 0) throw std::bad_alloc();
    yaml_parser_set_input(&parser_, read_some, this);
  }
  ~YamlEvents() { yaml_parser_delete(&parser_); }
  YamlEvents(const YamlEvents&) = delete;
  YamlEvents& operator=(const YamlEvents&) = delete;

  /// Nullopt where the text ends before it is complete.
  std::optional<YamlEvent> next();

  [[noreturn]] void refuse(std::size_t line, std::string message) const {
    throw UserError(Fault{.message = std::move(message),
                          .place = {.file = file_, .line = line},
                          .hint = "jcprof reads the output of optee_benchmark: \"timestamps:\", a list of "
                                  "core, counter, address, component"});
  }

 private:
  static int read_some(void* self, unsigned char* buffer, std::size_t size, std::size_t* got) {
    auto& events = *static_cast<YamlEvents*>(self);
    events.text_.read(reinterpret_cast<char*>(buffer), static_cast<std::streamsize>(size));
    *got = static_cast<std::size_t>(events.text_.gcount());
    events.read_ += *got;
    return events.text_.bad() ? 0 : 1;
  }

  std::string file_;
  std::istream& text_;
  std::size_t read_ = 0;  // bytes
  yaml_parser_t parser_ = {};
};

std::optional<YamlEvent> YamlEvents::next() {
  yaml_event_t event;
  if (yaml_parser_parse(&parser_, &event) == 0) {
    // The framework writes ASCII, so characters are bytes.
    if (parser_.eof == 1 && parser_.problem_mark.index == read_) return std::nullopt;
    const bool is_place_known = parser_.error != YAML_READER_ERROR;
    const std::size_t line = is_place_known ? parser_.problem_mark.line : parser_.mark.line;
    refuse(line + 1, fmt::format("this is no YAML: {}",
                                 parser_.problem == nullptr ? "it cannot be read" : parser_.problem));
  }
  YamlEvent result{.type = event.type, .line = event.start_mark.line + 1};
  if (event.type == YAML_SCALAR_EVENT)
    result.text.assign(reinterpret_cast<const char*>(event.data.scalar.value), event.data.scalar.length);
  if (event.type == YAML_DOCUMENT_END_EVENT) result.is_implicit = event.data.document_end.implicit == 1;
  yaml_event_delete(&event);
  return result;
}

/// Decimal, or hexadecimal behind "0x".
std::optional<std::uint64_t> number_in(std::string_view text) {
  const bool is_hex = text.starts_with("0x");
  if (is_hex) text.remove_prefix(2);
  return whole_number<std::uint64_t>(text, is_hex ? 16 : 10);
}

/// A fault that is forgiven at the end of a file that was cut off.
struct StampDoubt {
  std::size_t line = 0;
  std::string message;
};

class StampParser {
 public:
  StampParser(const std::string& file, std::istream& text, std::function<void(const Stamp&)> take)
      : events_(file, text), take_(std::move(take)) {}

  FileEnd read() {
    if (!begin()) return FileEnd::cut_off;
    while (const std::optional<YamlEvent> event = events_.next()) {
      if (event->type == YAML_SEQUENCE_END_EVENT) return end();
      if (doubt_) events_.refuse(doubt_->line, doubt_->message);
      const bool is_begun = event->type == YAML_SCALAR_EVENT;  // what "- co" would be
      if (!is_begun && event->type != YAML_MAPPING_START_EVENT) events_.refuse(event->line, no_timestamp);
      if (is_begun)
        doubt_ = StampDoubt{event->line, no_timestamp};
      else if (!read_stamp(event->line))
        break;
    }
    return FileEnd::cut_off;
  }

 private:
  /// Up to the first timestamp.
  bool begin() {
    for (const yaml_event_type_t type :
         {YAML_STREAM_START_EVENT, YAML_DOCUMENT_START_EVENT, YAML_MAPPING_START_EVENT, YAML_SCALAR_EVENT,
          YAML_SEQUENCE_START_EVENT}) {
      const std::optional<YamlEvent> event = events_.next();
      if (!event) return false;
      const bool is_key = type == YAML_SCALAR_EVENT;
      if (event->type != type || (is_key && event->text != "timestamps"))
        events_.refuse(event->line, "this is no list of timestamps");
    }
    return true;
  }

  /// Behind the last timestamp.
  FileEnd end() {
    std::optional<YamlEvent> event = events_.next();
    if (event && event->type == YAML_MAPPING_END_EVENT) event = events_.next();
    if (!event) return FileEnd::cut_off;
    if (event->type != YAML_DOCUMENT_END_EVENT)
      events_.refuse(event->line, "something follows the timestamps");
    if (event->is_implicit) return FileEnd::cut_off;
    if (doubt_) events_.refuse(doubt_->line, doubt_->message);
    event = events_.next();
    if (!event || event->type != YAML_STREAM_END_EVENT)
      events_.refuse(event ? event->line : 0, "something follows the timestamps");
    return FileEnd::whole;
  }

  /// False where the file ends in it.
  bool read_stamp(std::size_t line) {
    Stamp stamp;
    std::bitset<fields.size()> seen;
    while (true) {
      const std::optional<YamlEvent> key = events_.next();
      if (!key) return false;
      if (key->type == YAML_MAPPING_END_EVENT) break;
      const std::optional<YamlEvent> value = events_.next();
      if (!value) return false;
      if (key->type != YAML_SCALAR_EVENT || value->type != YAML_SCALAR_EVENT)
        events_.refuse(key->line, "this is no field of a timestamp");
      const auto field = std::ranges::find(fields, key->text);
      if (field == fields.end()) continue;  // newer frameworks may say more
      seen.set(static_cast<std::size_t>(field - fields.begin()));
      if (!take_field(stamp, *field, value->text))
        doubt_ = StampDoubt{value->line, fmt::format("\"{}\" cannot be \"{}\"", *field, value->text)};
    }
    if (!seen.all() && !doubt_)
      doubt_ = StampDoubt{line, "a timestamp has core, counter, address and component"};
    if (!doubt_) take_(stamp);
    return true;
  }

  static bool take_field(Stamp& stamp, std::string_view field, std::string_view value) {
    if (field == "component") {
      stamp.component = value_in(components, value).value_or(Component::other);
      return !value.empty();
    }
    const std::optional<std::uint64_t> number = number_in(value);
    if (!number || (field == "core" && *number >= most_cores)) return false;
    if (field == "core")
      stamp.core = static_cast<std::uint32_t>(*number);
    else
      (field == "counter" ? stamp.counter : stamp.address) = *number;
    return true;
  }

  YamlEvents events_;
  std::function<void(const Stamp&)> take_;
  std::optional<StampDoubt> doubt_;  // about the last timestamp
};

}  // namespace

std::string_view name_of(Component component) {
  return name_in(components, component);
}

FileEnd read_stamps(const std::string& file, std::istream& text,
                    const std::function<void(const Stamp&)>& take) {
  bool is_empty = true;
  const FileEnd end = StampParser(file, text, [&](const Stamp& stamp) {
                        is_empty = false;
                        take(stamp);
                      }).read();
  if (is_empty)
    throw UserError(Fault{.message = "the file has no timestamps",
                          .place = {.file = file},
                          .hint = "was all of OP-TEE built with CFG_TEE_BENCHMARK=y?"});
  return end;
}

}  // namespace jcprof::annotator
