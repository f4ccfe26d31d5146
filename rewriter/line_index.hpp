// SPDX-License-Identifier: Apache-2.0
// Byte offset → line, without counting from the start each time. Knows no columns of characters: a line's
// start is a byte offset too.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <vector>

namespace jcprof::rewriter {

class LineIndex {
 public:
  explicit LineIndex(std::string_view text) {
    for (std::size_t end = text.find('\n'); end != std::string_view::npos; end = text.find('\n', end + 1))
      starts_.push_back(end + 1);
  }

  /// From 1.
  std::size_t line(std::size_t offset) const {
    return static_cast<std::size_t>(std::ranges::upper_bound(starts_, offset) - starts_.begin());
  }
  std::size_t start_of(std::size_t line) const { return starts_[line - 1]; }

 private:
  std::vector<std::size_t> starts_{0};
};

}  // namespace jcprof::rewriter
