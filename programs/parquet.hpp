// SPDX-License-Identifier: Apache-2.0
// Profiles as Parquet files in folders named as Hive names them (docs/fleet.md). DuckDB's program writes the
// files.
#pragma once

#include <filesystem>
#include <vector>

namespace jcprof::cli {

/// A file a table and profile, and `views.sql`. UserError (environment) without DuckDB.
void write_parquet(const std::vector<std::filesystem::path>& profiles, const std::filesystem::path& folder);

}  // namespace jcprof::cli
