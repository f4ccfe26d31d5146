// SPDX-License-Identifier: Apache-2.0
// Hops as a table and as JSON: counts, averages, extremes and quantiles, for each core and over all.
#pragma once

#include <string>

#include "annotator/hops/hops.hpp"
#include "annotator/text_table.hpp"

namespace jcprof::annotator {

/// Facts that are shown beside the numbers.
struct HopSource {
  std::string file;
  FileEnd end = FileEnd::whole;
  double hz = 0;  // cycles a second; 0: no times are shown
};

std::string to_text(const Hops& hops, const HopSource& source, const TableStyle& style = {});

/// `{"format": "jcprof-hops", "version": 1, …}`
std::string to_json(const Hops& hops, const HopSource& source);

}  // namespace jcprof::annotator
