// SPDX-License-Identifier: Apache-2.0
#include "bench/card.hpp"

#include <fmt/format.h>

#include "annotator/estimate/figures.hpp"
#include "harness/transports.hpp"
#include "rewriter/generate.hpp"
#include "src/core/error.hpp"
#include "src/core/process.hpp"

namespace jcprof::bench {
namespace {

using Clock = std::chrono::steady_clock;

void run_step(const Step& step, const Placeholders& values) {
  Command command{.argv = {}, .cwd = fill_in(step.cwd, values)};
  for (const std::string& argument : step.run) command.argv.push_back(fill_in(argument, values));
  const ProcessResult result = run_and_wait(command, {}, step.timeout);
  if (result.exit_status != 0)
    throw environment_error(
        fmt::format("\"{}\" failed with status {}\n{}", step.run.front(), result.exit_status, result.tail),
        "scripts/setup installs what building the examples needs");
}

}  // namespace

Card build_card(const cli::CommonOptions& options) {
  Card card{.project = read_project(options.project), .map = {}, .out = {}};
  card.out = cli::output_folder(card.project, options);
  card.map = rewriter::generate(card.project, card.out).map;
  for (const Step& step : card.project.build) run_step(step, cli::placeholders(card.project, card.out));
  return card;
}

std::unique_ptr<harness::Transport> start_simulator(const Card& card) {
  return harness::make_transport(card.project, card.map, "", card.out);
}

Recording record(const Card& card, harness::Transport& simulator, const harness::MeasureOptions& options) {
  Recording recording{.file = card.out / "profile.jcprof", .measured = {}};
  Store store(recording.file, OpenMode::fresh);
  harness::MeasureOptions settings = options;
  settings.figures = [&card](const std::vector<Event>& path, std::vector<std::size_t> positions) {
    return annotator::figures_of(card.map, path, std::move(positions));
  };
  const Clock::time_point start = Clock::now();
  recording.measured = harness::measure(card.project, card.map, simulator, store, settings);
  recording.time = Clock::now() - start;
  check(recording.measured.run.state == RunState::complete, "all rounds were measured");
  return recording;
}

std::vector<StoredSample> timed_samples(const Recording& recording) {
  const Store store(recording.file, OpenMode::read_only);
  std::vector<StoredSample> samples = store.samples(recording.measured.run.id);
  std::erase_if(samples, [](const StoredSample& sample) { return sample.round == 0; });
  for (const StoredSample& sample : samples)
    if (sample.outcome != Outcome::stopped && sample.outcome != Outcome::ended)
      throw environment_error(fmt::format("a shot of the rounds was {}", name_of(sample.outcome)),
                              "run it again on a quieter machine");
  return samples;
}

}  // namespace jcprof::bench
