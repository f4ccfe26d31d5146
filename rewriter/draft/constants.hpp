// SPDX-License-Identifier: Apache-2.0
// Numbers that C sources give names to, as their texts say.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rewriter/c/text.hpp"
#include "rewriter/draft/facts.hpp"

namespace jcprof::rewriter::draft {

/// That token is one of these words.
bool stands_at(const CText& text, std::size_t i, std::initializer_list<std::string_view> words);

/// The first of these words from there on, or the end.
std::size_t next_of(const CText& text, std::size_t i, std::initializer_list<std::string_view> words);

/// Those of the folder first: other applications may have their own of the same name.
class Constants {
 public:
  /// `tree` must outlive this.
  Constants(const FoundTree& tree, const std::string& folder);

  const std::vector<CText>& texts() const { return texts_; }

  /// The text of a macro without parameters; empty: not defined.
  std::string macro(const std::string& name) const;

  /// The value of a macro or an enumerator; nothing: not defined, or no plain number.
  std::optional<std::uint64_t> value(const std::string& name, int depth = 0) const;

 private:
  std::vector<CText> texts_;
};

}  // namespace jcprof::rewriter::draft
