// SPDX-License-Identifier: Apache-2.0
// When a run began, as a number and for a person.
#pragma once

#include <cstdint>
#include <string>

namespace jcprof::annotator {

/// Milliseconds since 1970 of "2026-01-02T03:04:05.678Z", as RunInfo::started has it; 0 of anything else.
std::int64_t milliseconds_of(const std::string& started);

/// "2026-01-02 03:04 UTC" of the same; "no date" of anything else.
std::string date_of(const std::string& started);

}  // namespace jcprof::annotator
