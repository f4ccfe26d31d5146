// SPDX-License-Identifier: Apache-2.0
// JSON with places: a tree that remembers where in the text each key and value stands, so that a fault can be
// shown with its line and a caret. What the values mean is for others; writing whole documents too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "src/core/error.hpp"

namespace jcprof {

enum class JsonKind : std::uint8_t { null, boolean, number, string, array, object };
/// With its article: "a string".
std::string_view name_of(JsonKind kind);

struct JsonMember;

struct JsonNode {
  JsonKind kind = JsonKind::null;
  bool boolean = false;
  double number = 0;
  std::optional<std::uint64_t> natural;  // the number, where it is a whole one from 0 that fits
  std::string text;                      // of a string; of a number, as it was written
  std::vector<JsonNode> elements;
  std::vector<JsonMember> members;  // in the order of the text; of equal keys the first
  std::size_t offset = 0;           // of the first byte in the text
  std::size_t end = 0;              // one past the last
};

struct JsonMember {
  std::string key;
  std::size_t key_offset = 0;
  JsonNode value;
};

/// The faults of one text, gathered so that all of them can be reported together.
class JsonFaults {
 public:
  /// `text` must outlive this object. `file` is how messages call it.
  JsonFaults(std::string file, std::string_view text);

  void add(std::size_t offset, std::string message, std::string hint = {});
  void add(const JsonNode& at, std::string message, std::string hint = {});
  /// At the `index`-th byte of a string; at its start where escapes make the byte unknown.
  void add_inside(const JsonNode& string, std::size_t index, std::string message, std::string hint = {});

  /// The line, from 1, that holds byte `offset`.
  std::size_t line_of(std::size_t offset) const;
  /// UserError with all faults in the order of the text, if there are any.
  void throw_if_any() const;

 private:
  struct Located {
    std::size_t offset;
    Fault fault;
  };
  std::string file_;
  std::string_view text_;
  std::vector<Located> faults_;
};

/// Deep enough for every document of ours, shallow enough for functions that call themselves.
constexpr std::size_t deepest_json = 64;

/// Reads one document: RFC 8259 with // and /* */ comments, a UTF-8 byte order mark is skipped, at most
/// `deepest_json` levels deep. A key that occurs twice is added to `faults`; what is not JSON throws at once.
JsonNode parse_json(std::string_view text, JsonFaults& faults);

/// A line of others that needs no places: discarded where it is no JSON, or more than `deepest_json` levels
/// deep.
nlohmann::json parse_line(std::string_view text);

/// The string as JSON writes it, with quotes; what is not UTF-8 becomes U+FFFD.
std::string json_string(std::string_view text);

/// The value on one line without blanks or comments; numbers as they were written.
std::string compact(const JsonNode& node);

}  // namespace jcprof
