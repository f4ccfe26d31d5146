// SPDX-License-Identifier: Apache-2.0
// examples/leak-pin, and what `jcprof leak` finds there.
#pragma once

#include <filesystem>
#include <string>

#include <nlohmann/json.hpp>

#include "tests/end_to_end/workplace.hpp"

namespace jcprof::test {

/// A copy of the example, with all that it needs beside it.
std::filesystem::path leak_pin(const Workplace& place);

/// The findings for one of its project files, by name without ".json". Fails the test where the exit status
/// is not that of the verdict.
nlohmann::json leak_of(const Workplace& place, const std::filesystem::path& example, const std::string& name);

/// "src/x.c: f" of each branch that depends on the class.
std::string branches_of(const nlohmann::json& findings);
/// "src/x.c: f" of each block that is confirmed.
std::string blocks_of(const nlohmann::json& findings);

}  // namespace jcprof::test
