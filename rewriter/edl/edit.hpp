// SPDX-License-Identifier: Apache-2.0
// The import of jcprof.edl into an enclave's EDL, an insertion like those into sources: text to text. What
// the function that it declares does is the runtime's affair.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "rewriter/edl/model.hpp"

namespace jcprof::rewriter {

struct EdlEdit {
  std::string text;         // of the main file, with the import
  std::string function;     // our ecall: "jcprof_enclave", or a name beside it
  std::string import_path;  // "enclave/jcprof.edl", or a name beside it; as `main.path`
  std::string import_text;  // what it is to hold; empty: it is there already and stays
  Edl edl;                  // as the SDK's tool will see it: our ecall behind all others
};

/// Words of a text that our ecall might be called as well.
std::set<std::string> words_like_ours(const std::string& text);

/// `files` are the project's, by path; `words` are names that the function must not have beside those of the
/// EDL: of functions in the sources, say. Throws UserError where the file was instrumented before, and where
/// there is no place for the import.
EdlEdit edit_edl(const Edl& edl, const std::vector<std::string>& files, std::set<std::string> words = {});

}  // namespace jcprof::rewriter
