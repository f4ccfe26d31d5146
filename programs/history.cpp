// SPDX-License-Identifier: Apache-2.0
// jcprof history: shows what jcprof check measured over time, and where it changed.
#include <string>
#include <vector>

#include <fmt/format.h>

#include "annotator/check/history.hpp"
#include "annotator/check/history_texts.hpp"
#include "programs/table_style.hpp"
#include "programs/terminal.hpp"
#include "programs/verbs.hpp"
#include "src/core/file.hpp"
#include "src/core/history.hpp"

namespace jcprof::cli {

ExitCode history(const HistoryOptions& options) {
  const std::vector<annotator::HistorySeries> all = annotator::series_in(read_history(options.file));
  if (!options.html.empty()) write_file(options.html, annotator::to_html(all));
  fmt::print("{}", options.json
                       ? annotator::to_json(all)
                       : shown_on(Stream::out, annotator::to_text(all, table_style(options.colour))));
  return ExitCode::done;
}

}  // namespace jcprof::cli
