// SPDX-License-Identifier: Apache-2.0
// Reads, strictly, the parts of a hello that the project file decides: trigger, session and options.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "src/core/error.hpp"

namespace jcprof::agents {

UserError mistake(std::string message, std::string hint = {});

/// Empty where there is none.
std::string text_of(const nlohmann::json& object, const char* key);
std::uint64_t natural(const nlohmann::json& object, const char* key, std::uint64_t otherwise,
                      std::uint64_t highest);
void refuse_others(const nlohmann::json& object, const std::string& where,
                   const std::vector<std::string>& known);

/// "10ms" in `object`, as the project file has it.
std::chrono::milliseconds duration(const nlohmann::json& object, const char* key,
                                   std::chrono::milliseconds otherwise);
std::chrono::milliseconds timeout_of(const nlohmann::json& session);

}  // namespace jcprof::agents
