// SPDX-License-Identifier: Apache-2.0
// The parts of an SGX enclave besides its sources: its EDL file, the ecalls that enter it by that, and the
// files that its untrusted side is built of (docs/sgx.md). Reads no C and no C++.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "rewriter/c/front_end.hpp"
#include "rewriter/edl/edge.hpp"
#include "rewriter/edl/edit.hpp"
#include "src/core/error.hpp"
#include "src/core/project.hpp"

namespace jcprof::rewriter {

struct Enclave {
  EdlEdit edit;
  CEntering entering;
  std::vector<EdgeFile> beside = {};   // of other enclaves, for files that include them
  std::set<std::string> headers = {};  // that are made of an EDL, as the project's files include them
};

/// `files`: the project's. A name that `sources` use is not taken for one of ours; `out` is the output
/// folder. UserError where it is not known which EDL it is, for one with faults, and for entries that are
/// none of its ecalls.
Enclave read_enclave(const Project& project, const std::vector<std::string>& files,
                     const std::vector<std::string>& sources, const std::filesystem::path& out);

/// bridge.c for the project's entries, what it includes, and host/, in `folder`. UserError for an entry that
/// the host cannot call.
void write_edge(const Enclave& enclave, const Project& project, const std::filesystem::path& folder);

/// By which the sources find what write_edge() wrote and what the SDK has, behind all that they find by
/// themselves.
std::vector<std::string> enclave_flags(const Enclave& enclave, const Project& project,
                                       const std::filesystem::path& edge);

/// The EDL with our import, and what that imports.
void write_edl(const Enclave& enclave, const std::filesystem::path& tree);

/// Imports of its EDL that were not found: the sources miss what they declare.
std::vector<Fault> imports_not_found(const Enclave& enclave);

/// For a person: imports that were not found, and ecalls that could be made while another runs and of which
/// `models` have no wrapper.
std::vector<std::string> notes_on(const Enclave& enclave, const std::vector<SourceModel>& models);

}  // namespace jcprof::rewriter
