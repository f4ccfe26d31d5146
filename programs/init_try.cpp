// SPDX-License-Identifier: Apache-2.0
// jcprof init: jcprof-gen drafts a project file, and the draft is tried. What that tells goes into the file.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>

#include <fmt/format.h>

#include "programs/doctor_try.hpp"
#include "programs/steps.hpp"
#include "programs/verbs.hpp"
#include "src/core/cancellation.hpp"
#include "src/core/file.hpp"

namespace jcprof::cli {
namespace {

namespace fs = std::filesystem;

/// As the draft has it.
constexpr std::string_view drafted_time = R"("max_time": "1m")";
constexpr double drafted_time_s = 60;
constexpr double longest_time_s = 1800;
// A measurement with a zoom has about so many stops, and settles most lines in so many rounds.
constexpr double most_stops = 200;
constexpr double usual_rounds = 20;
constexpr double shots_of_warm_up = 60;

/// Starts of a TA's machine take minutes, and a card in a reader is not ours.
bool is_tried(const Project& project) {
  return project.target == TargetKind::program && project.transport.starts_with("exec:");
}

/// A longer "max_time", where the time that the draft has is too short for that command.
void keep_what_was_learned(const fs::path& file, const FirstContact& contact) {
  const double stops = std::min(static_cast<double>(contact.events) + 1, most_stops);
  const double wanted_s = contact.shot_s * (shots_of_warm_up + usual_rounds * stops);
  std::string text = read_file(file);
  const std::size_t at = text.find(drafted_time);
  if (wanted_s <= drafted_time_s || at == std::string::npos) return;
  const double minutes = std::ceil(std::min(wanted_s, longest_time_s) / 60);
  text.replace(at, drafted_time.size(), fmt::format(R"("max_time": "{:.0f}m")", minutes));
  write_file(file, text);
}

void try_draft(const fs::path& file, const InitOptions& options) {
  const Project project = read_project(file.string());
  if (!is_tried(project)) return;
  const Tried tried = try_project(project, {.project = file.string(), .quiet = true, .yes = options.yes});
  if (!options.quiet) fmt::print("tried:\n{}", render(tried.findings));
  if (tried.contact.events > 0) keep_what_was_learned(file, tried.contact);
}

}  // namespace

ExitCode init_and_try(const InitOptions& options) {
  catch_signals();
  const ExitCode drafted = draft_project(options);
  if (drafted != ExitCode::done || options.no_try) return drafted;
  const fs::path file = fs::canonical(options.folder) / "jcprof.json";
  try {
    try_draft(file, options);
  } catch (const UserError& error) {
    // The draft is good, whatever keeps jcprof from trying it.
    fmt::print(stderr, "note: it was not tried: {}\n", harmless(error.what()));
  }
  return ExitCode::done;
}

}  // namespace jcprof::cli
