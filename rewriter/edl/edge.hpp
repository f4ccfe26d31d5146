// SPDX-License-Identifier: Apache-2.0
// The untrusted side of an enclave, made of its EDL: the bridge by which the agent makes ecalls, and what the
// SDK's tool would make where there is no SDK (docs/sgx.md, "The bridge", "Host build"). Text only.
#pragma once

#include <set>
#include <string>
#include <string_view>
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

/// host/NAME_u.h of another enclave of the application. There is none in a host build: its ecalls say so.
EdgeFile host_file_beside(const Edl& edl);

/// What a C source includes of headers that are made of an EDL, as it names them: "../enclave/kv_t.h".
std::set<std::string> edge_headers_in(std::string_view source);

/// Headers that lead to those of `files`, where sources that name a folder with them look, from host/.
std::vector<EdgeFile> leading_headers(const std::set<std::string>& included,
                                      const std::vector<EdgeFile>& files);

/// bridge.c for `entries`, names of ecalls. Throws UserError for one that the EDL has not, or that is not
/// public.
EdgeFile bridge_file(const EdlEdit& edit, const std::vector<std::string>& entries);

/// A sentence for each of the same entries that has parameters which the bridge leaves empty.
std::vector<std::string> bridge_notes(const EdlEdit& edit, const std::vector<std::string>& entries);

}  // namespace jcprof::rewriter
