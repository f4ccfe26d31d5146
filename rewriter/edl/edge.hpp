// SPDX-License-Identifier: Apache-2.0
// The untrusted side of an enclave, made of its EDL: the bridge by which the agent makes ecalls, and what the
// SDK's tool would make where there is no SDK (docs/sgx.md, "The bridge", "Host build"). Text only.
#pragma once

#include <string>
#include <vector>

#include "rewriter/edl/edit.hpp"
#include "rewriter/edl/model.hpp"

namespace jcprof::rewriter {

struct EdgeFile {
  std::string path;  // below edge/: "host/kv_t.h"
  std::string text;
};

/// The name of an EDL's edge files: "kv" of "enclave/kv.edl".
std::string edge_name(const EdlFile& main);

/// host/: NAME_t.h, NAME_t.c, NAME_u.h, NAME_u.c, sgx_error.h, sgx_eid.h, sgx_urts.h.
std::vector<EdgeFile> host_files(const EdlEdit& edit);

/// bridge.c for `entries`, names of ecalls. Throws UserError for one that the EDL has not, or that is not
/// public.
EdgeFile bridge_file(const EdlEdit& edit, const std::vector<std::string>& entries);

/// A sentence for each of the same entries that has parameters which the bridge leaves empty.
std::vector<std::string> bridge_notes(const EdlEdit& edit, const std::vector<std::string>& entries);

}  // namespace jcprof::rewriter
