// SPDX-License-Identifier: Apache-2.0
// jcprof init: jcprof-gen drafts a project file, and the draft is tried. The file keeps what that told.
#include <algorithm>
#include <cmath>
#include <exception>
#include <filesystem>
#include <string>

#include <fmt/format.h>

#include "programs/doctor_try.hpp"
#include "programs/record_project.hpp"
#include "programs/steps.hpp"
#include "programs/verbs.hpp"
#include "rewriter/draft/text.hpp"
#include "src/core/cancellation.hpp"
#include "src/core/file.hpp"

namespace jcprof::cli {
namespace {

namespace fs = std::filesystem;

using rewriter::draft::drafted_time;
constexpr double drafted_time_s = 60;
constexpr double longest_time_s = 1800;

/// jcprof tries targets that it starts itself within seconds. A TA's machine takes minutes, and a card in a
/// reader is the user's.
bool is_tried(const Project& project) {
  switch (project.target) {
    case TargetKind::program:
      return is_started_anew(project);
    case TargetKind::applet:
      return project.start.has_value();
    case TargetKind::sgx_enclave:
      return true;
    case TargetKind::optee_ta:
      return false;
  }
  return false;
}

/// The file gets a longer "max_time" if that of the draft is too short for the command.
void keep_what_was_learned(const fs::path& file, const FirstContact& contact) {
  const double wanted_s = seconds_to_measure(contact);
  std::string text = read_file(file);
  const std::size_t at = text.find(drafted_time);
  if (wanted_s <= drafted_time_s || at == std::string::npos) return;
  const double minutes = std::ceil(std::min(wanted_s, longest_time_s) / 60);
  text.replace(at, drafted_time.size(), fmt::format(R"("max_time": "{:.0f}m")", minutes));
  write_file(file, text);
}

ExitCode try_draft(const fs::path& file, const InitOptions& options) {
  const Project project = read_project(file.string());
  if (!is_tried(project)) return ExitCode::done;
  Tried tried = try_project(project, {.project = options.folder, .quiet = true, .yes = options.yes});
  const ExitCode code = is_complete(tried.findings) ? ExitCode::done : ExitCode::check_failed;
  if (options.quiet)
    std::erase_if(tried.findings, [](const Finding& one) { return one.verdict != Verdict::failed; });
  if (!tried.findings.empty()) fmt::print("tried:\n{}", render(tried.findings));
  if (tried.contact.events > 0) keep_what_was_learned(file, tried.contact);
  return code;
}

}  // namespace

ExitCode init_and_try(const InitOptions& options) {
  catch_signals();
  const ExitCode drafted = draft_project(options);
  if (drafted != ExitCode::done || options.no_try) return drafted;
  const fs::path file = fs::canonical(options.folder) / "jcprof.json";
  // The draft is good, whatever keeps jcprof from trying it.
  const auto note = [](const std::exception& error) {
    fmt::print(stderr, "note: it was not tried: {}\n", harmless(error.what()));
  };
  try {
    return try_draft(file, options);
  } catch (const UserError& error) {
    note(error);
  } catch (const fs::filesystem_error& error) {
    note(error);
  }
  return ExitCode::done;
}

}  // namespace jcprof::cli
