// SPDX-License-Identifier: Apache-2.0
// How a survey names inputs and answers to people.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "harness/path.hpp"
#include "harness/shot_log.hpp"
#include "src/core/store.hpp"
#include "src/core/trap_map.hpp"
#include "src/core/warning.hpp"

namespace jcprof::harness {

/// "input 3 (a1b2)"
std::string name_of_input(const StoredInput& input);

/// No card has a status word that a program could end with.
std::string told(std::uint32_t status);
std::string told_of_many(std::uint32_t status);
std::string told(const GoodAnswer& answer, bool is_length_told = false);

GoodAnswer answer_of(const Sample& run);

Warning warning_of_varying(const StoredInput& input, const TracedPath& path);
Warning warning_of_cut(const TrapMap& map, const TracedPath& path);

/// Stops see the thread of the entry alone. Nothing where that is not the program's first thread, whose
/// others are counted, and where these take little of the processor's time.
std::optional<Warning> warning_of_threads(const TrapMap& map, double other_threads);

}  // namespace jcprof::harness
