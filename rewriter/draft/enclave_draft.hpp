// SPDX-License-Identifier: Apache-2.0
// The project file of an enclave: text made of facts.
#pragma once

#include <string>

#include "rewriter/draft/facts.hpp"

namespace jcprof::rewriter::draft {

std::string enclave_project(const FoundTree& tree, const EnclaveFacts& facts);

}  // namespace jcprof::rewriter::draft
