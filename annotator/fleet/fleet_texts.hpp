// SPDX-License-Identifier: Apache-2.0
// A fleet as people and machines read it.
#pragma once

#include <string>

#include "annotator/fleet/fleet.hpp"
#include "annotator/text_table.hpp"

namespace jcprof::annotator {

/// Tables for a terminal: the devices, where they differ, the lines, and a map of lines and devices.
std::string to_text(const FleetReport& report, const TableStyle& style = {});
/// For a pull request; below 60 KB.
std::string to_markdown(const FleetReport& report);
/// "format": "jcprof-fleet-report" (docs/formats.md).
std::string to_json(const FleetReport& report);

}  // namespace jcprof::annotator
