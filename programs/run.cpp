// SPDX-License-Identifier: Apache-2.0
// jcprof-run: measures, and stores what it measured.
#include <chrono>
#include <cstdio>
#include <memory>
#include <string>

#include <fmt/format.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include "annotator/estimate/estimates.hpp"
#include "annotator/estimate/run_data.hpp"
#include "harness/measure.hpp"
#include "harness/transports.hpp"
#include "programs/main_guard.hpp"
#include "programs/permission.hpp"
#include "programs/run_options.hpp"
#include "programs/sources.hpp"

namespace jcprof::cli {
namespace {

namespace fs = std::filesystem;

std::string left_of(const harness::Progress& progress) {
  std::string text;
  if (progress.blocks > 0 && progress.expected > 0)
    text += fmt::format(", {} of {} blocks settled", progress.settled, progress.blocks);
  if (progress.left) text += fmt::format(", {} s left", progress.left->count());
  if (progress.drift > 0.01) text += fmt::format(", speed off by {:.0f} %", 100 * progress.drift);
  if (progress.lost > 0) text += fmt::format(", {} lost", progress.lost);
  return text;
}

void print_progress(const harness::Progress& progress) {
  const std::string all = progress.expected == 0 ? "" : fmt::format(" of about {}", progress.expected);
  fmt::print(stderr, "\r\x1b[K{}: {} shots{}{}", progress.phase, progress.shots, all, left_of(progress));
}

void print_plan(const harness::Plan& plan, bool is_quiet) {
  const std::string start = ::isatty(STDERR_FILENO) == 1 ? "\r\x1b[K" : "";
  if (is_quiet) return;
  if (!plan.out_of_reach.empty())
    fmt::print(stderr, "{}warning: precision: it would take {}, and {}\n", start, to_text(plan),
               plan.out_of_reach);
  else if (plan.rounds > 0)
    fmt::print(stderr, "{}plan: {}\n", start, to_text(plan));
}

harness::MeasureOptions measure_options(const Project& project, const RunOptions& options) {
  constexpr double per_cent = 0.01;
  harness::MeasureOptions result = harness::options_for(project);
  result.rounds = options.rounds;
  if (options.absolute_points) result.precision.absolute = per_cent * *options.absolute_points;
  if (options.relative_percent) result.precision.relative = per_cent * *options.relative_percent;
  if (options.zoom_percent) result.zoom = per_cent * *options.zoom_percent;
  if (options.no_zoom) result.zoom = std::nullopt;
  if (options.seed) result.seed = *options.seed;
  if (options.max_shots) result.max_shots = options.max_shots;
  if (options.max_time_ms) result.max_time = std::chrono::milliseconds(*options.max_time_ms);
  result.plan = [is_quiet = options.common.quiet](const harness::Plan& plan) { print_plan(plan, is_quiet); };
  if (!options.common.quiet && ::isatty(STDERR_FILENO) == 1) result.progress = print_progress;
  return result;
}

std::string filled(const std::vector<std::string>& argv, const Placeholders& values) {
  std::string line;
  for (const std::string& argument : argv) line += " " + fill_in(argument, values);
  return harmless(line);
}

/// What is known at the run only stands there in capitals.
void print_commands(const Project& project, const fs::path& out) {
  Placeholders values = placeholders(project, out);
  values.emplace("port", "PORT");
  values.emplace("reader", "READER");
  values.emplace("input", "INPUT");
  values.emplace("seed", std::to_string(project.measure.seed));
  if (project.start) fmt::print("start:{}\n", filled(project.start->run, values));
  const Trigger& trigger = project.trigger;
  if (trigger.run.empty()) return;
  const std::string input = trigger.input.empty() ? "" : " <" + filled({trigger.input}, values);
  fmt::print("trigger:{}{} (in{})\n", filled(trigger.run, values), input, filled({trigger.cwd}, values));
}

void print_result(const harness::Measured& measured, const RunOptions& options, const fs::path& profile) {
  const std::string state = measured.run.state == RunState::interrupted ? "interrupted" : "complete";
  if (options.common.json) {
    nlohmann::ordered_json warnings = nlohmann::ordered_json::array();
    for (const Warning& warning : measured.warnings)
      warnings.push_back(
          {{"kind", name_of(warning.kind)}, {"text", warning.text}, {"advice", warning.advice}});
    const nlohmann::ordered_json result{{"state", state},
                                        {"shots", measured.shots},
                                        {"continued", measured.continued},
                                        {"device", measured.run.device},
                                        {"simulated", measured.run.simulated},
                                        {"profile", profile.string()},
                                        {"warnings", warnings}};
    fmt::print("{}\n", result.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
    return;
  }
  if (options.common.quiet) return;
  for (const Warning& warning : measured.warnings)
    fmt::print(stderr, "warning: {}\n", harmless(to_text(warning)));
  fmt::print("{}{} shots on {}{}: {}\n",
             measured.run.state == RunState::interrupted ? "interrupted after " : "", measured.shots,
             harmless(measured.run.device), measured.run.simulated ? " (SIMULATED)" : "", profile.string());
  if (measured.run.state == RunState::interrupted)
    fmt::print("jcprof run goes on where this stopped, jcprof annotate shows what there is\n");
}

/// What the looks know goes into the profile at once, for whoever asks it meanwhile, or after a power cut; as
/// often as it costs next to nothing.
class EstimateWriter {
 public:
  explicit EstimateWriter(Store& store) : store_(store) {}

  void write_now_and_then() {
    if (Clock::now() - written_ >= rest_per_work * took_) write();
  }

  void write() {
    if (!store_.last_run()) return;
    const Clock::time_point begun = Clock::now();
    const annotator::Profile profile = annotator::estimate(annotator::load_newest_run(store_));
    store_.replace_estimates(profile.run.id, annotator::stored(profile));
    written_ = Clock::now();
    took_ = written_ - begun;
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr int rest_per_work = 500;

  Store& store_;
  Clock::time_point written_;
  Clock::duration took_{0};
};

ExitCode run(const RunOptions& options) {
  const Project project = read_project(options.common.project);
  if (options.dry_run) {
    print_commands(project, output_folder(project, options.common));
    return ExitCode::done;
  }
  const fs::path traps = output_folder(project, options.common) / "traps.json";
  if (!fs::exists(traps))
    throw UserError(Fault{.message = fmt::format("there is no \"{}\"", traps.string()),
                          .hint = "run jcprof gen first, or jcprof profile, which does it all"});
  const OutputFolder folder = open_output(project, options.common, "jcprof run");
  const fs::path& out = folder.path();
  const TrapMap map = read_trap_map(out / "traps.json");
  unchanged_sources(project, map);
  ask_about(project, programs_of_run(project), consent_of(options.common.yes));

  harness::MeasureOptions settings = measure_options(project, options);
  catch_signals();
  const std::unique_ptr<harness::Transport> transport =
      harness::make_transport(project, map, options.transport, out);
  const fs::path profile = out / "profile.jcprof";
  Store store(profile, options.fresh ? OpenMode::fresh : OpenMode::read_write);
  EstimateWriter estimates(store);
  settings.look = [&estimates] { estimates.write_now_and_then(); };
  const harness::Measured measured = harness::measure(project, map, *transport, store, settings);
  estimates.write();
  store.close();
  if (!options.common.quiet && ::isatty(STDERR_FILENO) == 1) fmt::print(stderr, "\r\x1b[K");
  print_result(measured, options, profile);
  const int signal = cancellation().signal();
  return signal == 0 ? ExitCode::done : exit_code_of(signal);
}

}  // namespace
}  // namespace jcprof::cli

int main(int argc, char** argv) {
  CLI::App app{"Measures the command of a project, one stop at a time.", "jcprof-run"};
  jcprof::cli::RunOptions options;
  add_run_options(app, options);
  return jcprof::cli::guarded_main(app, argc, argv, [&] { return jcprof::cli::run(options); });
}
