// SPDX-License-Identifier: Apache-2.0
// Remembers the traps that were taken out because the tree does not compile with them, and says so: one note
// a function and reason.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "rewriter/language.hpp"

namespace jcprof::rewriter {

class TakenOut {
 public:
  /// `models` must outlive it.
  explicit TakenOut(const std::vector<SourceModel>& models) : models_(models) {}

  void add(const Refusal& refusal, const Trap& trap);
  std::vector<std::string> notes() const;
  /// Those of them that stood for a statement that coverage counts.
  std::vector<LeftAlonePlace> statements() const { return statements_; }

 private:
  struct Key {
    std::size_t file = 0;
    std::uint32_t function = 0;
    std::string reason;
    auto operator<=>(const Key&) const = default;
  };
  struct Taken {
    std::size_t count = 0;
    Trap first = {};
    std::string what = {};
    std::string left = {};
  };

  std::string note(const Key& key, const Taken& taken) const;

  const std::vector<SourceModel>& models_;
  std::map<Key, Taken> taken_;
  std::vector<LeftAlonePlace> statements_;
};

}  // namespace jcprof::rewriter
