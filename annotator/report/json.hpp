// SPDX-License-Identifier: Apache-2.0
// Values as the report's JSON has them: short, and harmless within a <script>, whatever bytes names consist
// of.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "annotator/estimate/estimates.hpp"

namespace jcprof::annotator {

/// Seven significant digits, more than any interval carries; null where it is not finite.
std::string json_number(double value);
std::string json(const Interval& interval);
/// An estimate's ticks, without ends where it is single.
std::string json_ticks(const Estimate& estimate);
/// "ticks", "share" and "resolved".
std::string json(const Estimate& estimate);

/// With quotes. `<`, `>`, `&`, U+2028 and U+2029 are escapes, so that it ends no script; what is not UTF-8 is
/// U+FFFD.
std::string json_text(std::string_view text);
/// The same of a name or sentence: of an endless one the beginning.
std::string json_name(std::string_view name);

/// A list that takes items as long as they fit into so many bytes; behind the first that did not it takes
/// none.
class BoundedList {
 public:
  explicit BoundedList(std::size_t most_bytes) : most_bytes_(most_bytes) {}

  /// False where it found no room.
  bool add(std::string_view item);
  std::size_t left_out() const { return left_out_; }
  std::size_t bytes() const { return items_.size() + 2; }
  std::string text() const { return "[" + items_ + "]"; }

 private:
  std::size_t most_bytes_;
  std::string items_;
  std::size_t left_out_ = 0;
};

}  // namespace jcprof::annotator
