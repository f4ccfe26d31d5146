// SPDX-License-Identifier: Apache-2.0
// jcprof diff: what changed between two versions, each measured in one session or several.
#include <string>

#include <fmt/format.h>

#include "annotator/compare/comparison.hpp"
#include "annotator/compare/difference_texts.hpp"
#include "programs/side.hpp"
#include "programs/table_style.hpp"
#include "programs/terminal.hpp"
#include "programs/verbs.hpp"

namespace jcprof::cli {
namespace {

std::string written(const annotator::Comparison& comparison, const DiffOptions& options) {
  if (options.json) return annotator::to_json(comparison);
  if (options.markdown) return annotator::to_markdown(comparison);
  if (options.github) return annotator::to_github(comparison);
  return shown_on(Stream::out, annotator::to_text(comparison, table_style(options.colour)));
}

ExitCode code_for(annotator::Verdict verdict, bool is_strict) {
  if (verdict == annotator::Verdict::slower) return ExitCode::check_failed;
  if (verdict == annotator::Verdict::unresolved && is_strict) return ExitCode::unreliable;
  return ExitCode::done;
}

}  // namespace

ExitCode diff(const DiffOptions& options) {
  const Side after(options.after, nullptr);
  const Side before(options.before, &after);
  const annotator::Comparison comparison = annotator::compare(before.compared(), after.compared());
  fmt::print("{}", written(comparison, options));
  return code_for(annotator::verdict_of(comparison), options.strict);
}

}  // namespace jcprof::cli
