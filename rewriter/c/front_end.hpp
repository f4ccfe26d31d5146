// SPDX-License-Identifier: Apache-2.0
// C and C++ sources → SourceModels, one a file: every unit is parsed with libclang, and the units' views of a
// file are put together. docs/c.md says why sites are where they are. Decides nothing: the plan chooses the
// sites.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "rewriter/source_model.hpp"

namespace jcprof::rewriter {

/// One entry of the compile database.
struct CompileUnit {
  std::string path;              // the main file, absolute
  std::filesystem::path folder;  // what relative names in `arguments` start from
  std::vector<std::string>
      arguments;  // the compiler, then its flags, without the file, -c, -o and dependency output
  std::vector<std::string> dropped = {};  // flags that are not handed to compilers: safe_flags.hpp
  bool inlines = false;                   // a gcc that judges it has to try whether traps can be inlined
};

/// How the entry is begun: docs/c.md, "How a target stops".
enum class Reach {
  program,     // it is told by its environment what to stop at
  in_process,  // a wrapper round it is told
  enclave,     // the same, and others have wrappers too: docs/sgx.md
  ta,          // a wrapper serves a command of ours besides: docs/optee.md
};

/// The ways into the sources from outside.
struct CEntering {
  Reach reach = Reach::program;
  std::set<std::string> entries = {};  // as the project names them; of an enclave, ecalls
  std::set<std::string> nested = {};   // an enclave's ecalls that are made while another runs
};

struct CSourceModels {
  std::vector<SourceModel> models = {};  // one for each source
  // For each unit, the sources that it reads, and the other files.
  std::vector<std::vector<std::size_t>> seen = {};
  std::vector<std::vector<std::string>> others = {};
};

/// `paths` are sources, headers too, relative to `root`; the models come in their order, with slots whose
/// text holds `{id}` (the number of the trap that wants it) and `{runtime}` (what to include from there).
/// Throws UnreadableSources with all that clang finds wrong in any unit. The same input gives the same
/// models, however many processors there are.
CSourceModels read_c(const std::filesystem::path& root, const std::vector<std::string>& paths,
                     const std::vector<CompileUnit>& units, const CEntering& entering);

}  // namespace jcprof::rewriter
