// SPDX-License-Identifier: Apache-2.0
// The findings of a search for leaks in words and as JSON. Pure.
#pragma once

#include <optional>
#include <string>

#include <nlohmann/json.hpp>

#include "annotator/text_table.hpp"
#include "src/core/trap_map.hpp"
#include "src/engine/leak_run.hpp"

namespace jcprof::annotator {

/// Worst first.
enum class LeakVerdict : std::uint8_t {
  leak,        // a path or a time depends on the class
  unresolved,  // too few shots to tell
  none         // no evidence
};
std::string_view name_of(LeakVerdict verdict);

/// The worst of all classes. A class that is unresolved beside a leak does not matter.
LeakVerdict verdict_of(const engine::LeakRun& run);

/// The verdict, the differences along the path, and the times of both classes.
std::string leak_text(const engine::LeakRun& run, const TrapMap& map, const TableStyle& style);

/// {"format": "jcprof-leak", …}
nlohmann::ordered_json leak_json(const engine::LeakRun& run, const TrapMap& map);

}  // namespace jcprof::annotator
