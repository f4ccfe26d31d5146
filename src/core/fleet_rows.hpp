// SPDX-License-Identifier: Apache-2.0
// The rows of a profile's newest run for databases that hold those of many profiles (docs/fleet.md). It knows
// the tables and their columns; which file formats there are is for others.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "src/core/sqlite.hpp"

namespace jcprof {

enum class FleetType : std::uint8_t { integer, real, text };

struct FleetColumn {
  std::string name;
  FleetType type = FleetType::text;
};

struct FleetTable {
  std::string name;                  // "lines"
  std::string view;                  // "line", as jcprof query calls it
  std::string select;                // the rows in a profile
  std::vector<FleetColumn> columns;  // the first are `profile` and `run_id`
};
std::vector<FleetTable> fleet_tables();

/// Which run the rows are of.
struct FleetRun {
  std::string id;  // when it began, and a digest of the profile's whole path
  std::string project;
  std::string build;  // that of traps.json as 8 digits; of a recording without traps the build-id; else empty
  std::string device;
};

/// The newest run, as it is now: who writes on is not seen.
class FleetProfile {
 public:
  /// UserError where there is no run, or it is not as it was stored.
  explicit FleetProfile(const std::filesystem::path& profile);

  const FleetRun& run() const { return run_; }
  /// The rows as objects of JSON, a line each: NULL is left out, infinity a string, what is not UTF-8 becomes
  /// U+FFFD.
  void each_row(const FleetTable& table, const std::function<void(std::string_view)>& take) const;

 private:
  std::string name_;  // as given
  sqlite::Database database_;
  sqlite::Atomically steadily_;
  std::int64_t number_ = 0;
  FleetRun run_;
};

}  // namespace jcprof
