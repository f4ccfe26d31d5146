// SPDX-License-Identifier: Apache-2.0
// The project file of an enclave: text made of facts.
#pragma once

#include <string>

#include "rewriter/draft/facts.hpp"

namespace jcprof::rewriter::draft {

/// What the project does because there is no SDK; empty: there is one, or it would change nothing.
std::string enclave_without_sdk(const FoundTree& tree, const EnclaveFacts& facts);

std::string enclave_project(const FoundTree& tree, const EnclaveFacts& facts);

}  // namespace jcprof::rewriter::draft
