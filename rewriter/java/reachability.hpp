// SPDX-License-Identifier: Apache-2.0
// Says whether a statement can complete normally, by the Java Language Specification: 14.22 "Unreachable
// Statements", and 16.1 for constant expressions as far as one text shows them. The rest is `maybe`.
#pragma once

#include <string_view>
#include <unordered_map>
#include <vector>

#include "rewriter/java/syntax.hpp"

namespace jcprof::rewriter {

enum class Completes : std::uint8_t { no, maybe, yes };

struct JavaReachability {
  struct Declared {
    NodeIndex scope = no_node;
    bool maybe_constant = false;
  };

  explicit JavaReachability(const JavaSyntax& syntax);

  Completes statement(NodeIndex statement) const;
  /// Statements in a row: a block's, a switch group's. Empty: yes.
  Completes sequence(const std::vector<NodeIndex>& statements) const;

  const JavaSyntax& syntax;
  std::unordered_map<std::string_view, std::vector<Declared>> variables;  // declared in the file
};

}  // namespace jcprof::rewriter
