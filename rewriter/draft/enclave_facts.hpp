// SPDX-License-Identifier: Apache-2.0
// The facts of a source tree about its SGX enclave: the EDL, and the files that define its ecalls and ocalls.
// project_draft makes the project file of them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "rewriter/edl/model.hpp"
#include "rewriter/found_tree.hpp"

namespace jcprof::rewriter {

struct EnclaveFacts {
  std::string edl;                    // its path
  std::string name;                   // of the files that are made of it: "kv" of "enclave/kv.edl"
  bool is_alone = true;               // no other EDL declares the entry
  std::vector<std::string> searched;  // folders of imported EDL files that do not lie beside it
  EdlFunction entry;                  // the first public ecall that a source defines
  std::string source;                 // which one
  std::vector<std::string> others;    // further such ecalls, with their files: "ecall_put (enclave/kv.cpp)"
  std::vector<std::string> globs;  // trusted sources: the files that define ecalls, and what lies beside them
  std::vector<std::string> units;  // the C and C++ files among them
  std::vector<std::string> outside;   // files that define ocalls
  std::string id;                     // the variable in which they have the enclave's id; empty: none found
  std::vector<std::string> includes;  // folders of headers, of those that the EDL includes too
  std::vector<std::string> built;     // globs of what earlier builds have left in the tree
  bool makes_bridge = false;          // the Makefile knows bridge.so
  bool is_open = false;               // Open Enclave's dialect, for which no bridge is made
};

/// None where no EDL has a public ecall that a source defines. UserError for what should be EDL and is not.
std::optional<EnclaveFacts> find_enclave(const FoundTree& tree);

}  // namespace jcprof::rewriter
