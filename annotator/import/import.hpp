// SPDX-License-Identifier: Apache-2.0
// Reads profiles of other tools; docs/import.md. Each format has a file of its own here.
#pragma once

#include <filesystem>
#include <string>
#include <variant>
#include <vector>

#include "annotator/estimate/run_data.hpp"
#include "annotator/record/recording.hpp"

namespace jcprof::annotator {

struct ForeignFile {
  std::filesystem::path path;
  std::filesystem::path elf = {};  // the program, for formats that hold addresses; empty: not given
};

/// A recording, or rounds of stops.
using Imported = std::variant<RecordedRun, RunData>;

/// UserError with file and line where no format fits, or the file breaks its own.
Imported import_profile(const ForeignFile& file);

/// Adds a complete run to `store` and returns its id.
std::int64_t store_imported(Store& store, const Imported& imported);

const std::vector<Warning>& warnings_of(const Imported& imported);

}  // namespace jcprof::annotator
