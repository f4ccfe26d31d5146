// SPDX-License-Identifier: Apache-2.0
// The project file that `jcprof init` writes: text made of facts, with a few words on each key. Pure; finds
// nothing out and knows no file system.
#pragma once

#include <string>

#include "rewriter/draft/applet_facts.hpp"
#include "rewriter/draft/enclave_facts.hpp"
#include "rewriter/draft/program_facts.hpp"
#include "rewriter/draft/ta_facts.hpp"

namespace jcprof::rewriter {

/// `name` is the project's.
std::string draft_project(const std::string& name, const AppletFacts& facts);
std::string draft_project(const std::string& name, const EnclaveFacts& facts);
std::string draft_project(const std::string& name, const ProgramFacts& facts);
std::string draft_project(const std::string& name, const TaFacts& facts, const std::string& dev_kit);

/// The applet's project file for a tree that has one, else the enclave's, the trusted application's, the
/// program's. UserError that says what was looked for where there is neither.
std::string draft_project(const FoundTree& tree);

}  // namespace jcprof::rewriter
