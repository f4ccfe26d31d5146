// SPDX-License-Identifier: Apache-2.0
// How the status of a command is written in project files and messages: "6A82" of a card, "1" of a program,
// "FFFF0006" of trusted applications and enclaves. Knows nothing of what a status means.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "src/core/project.hpp"

namespace jcprof {

enum class StatusForm : std::uint8_t { word, decimal, code };
StatusForm status_form(TargetKind target);

std::string in_form(StatusForm form, std::uint32_t status);
std::uint32_t success_of(StatusForm form);

/// What is wrong with alternatives like "9000|63C?", in words for a person; empty: nothing.
std::string fault_of_status(std::string_view alternative, StatusForm form);
/// How such alternatives are written, as a hint.
std::string_view example_of(StatusForm form);
/// Whether a status is one of the alternatives; `?` is any digit.
bool is_among(std::uint32_t status, std::string_view alternatives, StatusForm form);

}  // namespace jcprof
