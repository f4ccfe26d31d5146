// SPDX-License-Identifier: Apache-2.0
// The import of jcprof.edl into an enclave's EDL, an insertion like those into sources: text to text. What
// the function that it declares does is the runtime's affair.
#pragma once

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

/// `files` are the project's, by path; our function is called like nothing in the EDL and in `texts`, those
/// of the sources. Throws UserError where the file was instrumented before, and where there is no place for
/// the import.
EdlEdit edit_edl(const Edl& edl, const std::vector<std::string>& files, std::vector<std::string> texts = {});

}  // namespace jcprof::rewriter
