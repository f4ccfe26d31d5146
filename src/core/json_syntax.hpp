// SPDX-License-Identifier: Apache-2.0
// Says in our words why a text is no JSON, from the text itself and from how far the parser came.
#pragma once

#include <string_view>
#include <vector>

#include "src/core/json_text.hpp"

namespace jcprof {

/// Where a parser gave up.
struct JsonStop {
  std::size_t position = 0;           // bytes read, with the one that was too much; past the end: the end
  std::size_t previous_end = 0;       // of the last token that was a key or a value, or a part of one
  std::vector<const JsonNode*> open;  // the lists and objects that are not closed, outermost first
};

void add_syntax_fault(std::string_view text, const JsonStop& stop, JsonFaults& faults);

bool is_json_blank(char c);
/// Digits, signs, point and exponent.
bool is_in_json_number(char c);

}  // namespace jcprof
