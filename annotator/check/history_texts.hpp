// SPDX-License-Identifier: Apache-2.0
// Series of a history as people and machines read them.
#pragma once

#include <string>
#include <vector>

#include "annotator/check/history.hpp"
#include "annotator/text_table.hpp"

namespace jcprof::annotator {

/// A table of each series, newest entries first.
std::string to_text(const std::vector<HistorySeries>& all, const TableStyle& style = {});
/// "format": "jcprof-history" (docs/formats.md).
std::string to_json(const std::vector<HistorySeries>& all);
/// One page that needs nothing else: a plot and a table of each series.
std::string to_html(const std::vector<HistorySeries>& all);

}  // namespace jcprof::annotator
