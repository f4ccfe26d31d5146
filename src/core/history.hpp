// SPDX-License-Identifier: Apache-2.0
// A history file: what `jcprof check` measured of each budget's subject, one entry a check. docs/formats.md
// describes it. It judges nothing.
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

namespace jcprof {

/// One measured subject: "total", "own PinApplet.verify".
struct HistoryValue {
  std::string subject;
  std::string unit;  // "ns", "%"
  double value = 0;
  double low = -std::numeric_limits<double>::infinity();  // 95 %; infinite: not known
  double high = std::numeric_limits<double>::infinity();
  bool operator==(const HistoryValue&) const = default;
};

struct HistoryEntry {
  std::string started;  // ISO 8601, UTC
  std::string project;
  std::string device;
  bool simulated = false;
  std::uint32_t build = 0;
  std::string label;  // the user's; empty: none
  std::vector<HistoryValue> values = {};
  bool operator==(const HistoryEntry&) const = default;
};

/// Makes the file if there is none. An entry of the same start, project, device and build gets the new values
/// and label, and keeps what `entry` does not have. UserError for a file that is no history.
void add_to_history(const std::filesystem::path& file, const HistoryEntry& entry);

/// In the order of their starts. UserError as above.
std::vector<HistoryEntry> read_history(const std::filesystem::path& file);

}  // namespace jcprof
