// SPDX-License-Identifier: Apache-2.0
// jcprof check: whether a profile keeps its budgets.
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "annotator/check/check.hpp"
#include "annotator/check/check_texts.hpp"
#include "programs/output.hpp"
#include "programs/side.hpp"
#include "programs/table_style.hpp"
#include "programs/terminal.hpp"
#include "programs/verbs.hpp"
#include "src/core/file.hpp"

namespace jcprof::cli {
namespace {

namespace fs = std::filesystem;
using annotator::Checked;
using annotator::Holding;

constexpr const char* usual_file = "jcprof-budget.json";

/// Those of --budgets, else of the file beside the project, and those of --budget.
std::vector<annotator::Budget> budgets_of(const CheckOptions& options) {
  const fs::path given(options.profile);
  const fs::path folder = fs::is_directory(given) ? given : given.parent_path();
  const fs::path file = options.budgets.empty() ? folder / usual_file : fs::path(options.budgets);
  std::vector<annotator::Budget> budgets;
  if (!options.budgets.empty() || fs::exists(file))
    budgets = annotator::parse_budgets(file.string(), read_file(file));
  for (const std::string& text : options.budget) budgets.push_back(annotator::parse_budget(text));
  return budgets;
}

std::string written(const std::vector<Checked>& checked, const RunInfo& run, const CheckOptions& options) {
  if (options.json) return annotator::to_json(checked, run);
  if (options.junit) return annotator::to_junit(checked, run);
  if (options.github) return annotator::to_github(checked);
  return shown_on(Stream::out, annotator::to_text(checked, run, table_style(options.colour)));
}

ExitCode code_for(Holding holding) {
  if (holding == Holding::broken) return ExitCode::check_failed;
  return holding == Holding::unresolved ? ExitCode::unreliable : ExitCode::done;
}

}  // namespace

ExitCode check(const CheckOptions& options) {
  const std::vector<annotator::Budget> budgets = budgets_of(options);
  if (budgets.empty() && !options.max_regression)
    throw UserError(
        Fault{.message = "there is no budget",
              .hint = fmt::format(
                  "name one, such as --budget 'total <= 40ms', or write {} beside the project", usual_file)});
  if (options.max_regression && options.against.empty())
    throw UserError(
        Fault{.message = "--max-regression compares with a baseline", .hint = "name it: --against BASE"});
  const Side side(options.profile);
  std::optional<annotator::Comparison> comparison;
  if (!options.against.empty())
    comparison = annotator::compare(Side(options.against, &side).compared(), side.compared());
  std::vector<std::vector<Checked>> sessions;
  for (const annotator::Compared& session : side.compared())
    sessions.push_back(annotator::check_budgets(budgets, session, comparison ? &*comparison : nullptr));
  std::vector<Checked> checked = annotator::worst_of(sessions);
  if (options.max_regression)
    for (Checked& one : annotator::check_regressions(*comparison, *options.max_regression / 100))
      checked.push_back(std::move(one));
  fmt::print("{}", written(checked, side.runs.front().profile.run, options));
  return code_for(annotator::holding_of(checked));
}

}  // namespace jcprof::cli
