// SPDX-License-Identifier: Apache-2.0
// Builds bridges/shop.c with one fault or another, and has shots made through it as jcprof makes them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "harness/agent/transport.hpp"
#include "tests/core/temporary_folder.hpp"

namespace jcprof::test {

/// A folder with a bridge in it, and the log of agents that were started on it.
class Shop {
 public:
  /// `definitions` such as "FAULT=LEAK"; compiled as C++ where it is to throw.
  explicit Shop(const std::vector<std::string>& definitions = {});

  std::string bridge() const { return (folder_ / "bridge.so").string(); }
  /// An agent on it whose clock goes with what the ecall spends; timeout "2s", as shots that hang are to be
  /// waited for.
  std::unique_ptr<harness::Transport> agent() const;
  /// What an agent that ended says that it has been through.
  std::string account() const;
  /// Of that, the number before `what`.
  int count_of(const std::string& what) const;
  const TemporaryFolder& folder() const { return folder_; }

 private:
  TemporaryFolder folder_;
};

/// Every event of the path, and the whole command, for so many rounds: what came that was not right, each
/// once, in words.
std::vector<std::string> wrong_answers(harness::Transport& agent, int rounds);

}  // namespace jcprof::test
