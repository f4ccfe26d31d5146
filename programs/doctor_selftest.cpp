// SPDX-License-Identifier: Apache-2.0
#include "programs/doctor_selftest.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <memory>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "harness/inputs.hpp"
#include "harness/judgement.hpp"
#include "harness/transports.hpp"
#include "programs/output.hpp"
#include "programs/permission.hpp"
#include "programs/verbs.hpp"

namespace jcprof::cli {
namespace {

namespace fs = std::filesystem;
using harness::Selftest;
using harness::SelftestBlock;

constexpr std::array<std::string_view, 4> block_names{"1x", "2x", "4x", "known extra"};

long count_off(const Selftest& test) {
  return std::ranges::count(test.blocks, true, &SelftestBlock::is_off);
}

std::string device_of(const harness::Description& device) {
  std::string text = device.device.empty() ? device.transport : device.device;
  if (!device.reader.empty()) text += fmt::format(" in \"{}\"", device.reader);
  for (const std::string& part : {device.protocol, device.agent})
    if (!part.empty()) text += ", " + part;
  return text + (device.simulated ? " (SIMULATED)" : "");
}

std::string clock_of(const Selftest& test) {
  if (test.grid > 0)
    return fmt::format("answers come on a grid of {}", harness::in_unit(test.grid, test.device.unit));
  if (test.clock.method == Method::coarse)
    return fmt::format("the clock is coarse: {}", harness::in_unit(test.clock.tick, test.device.unit));
  return fmt::format("the clock is {}", name_of(test.clock.method));
}

std::string row_of(const SelftestBlock& block, std::string_view name, ClockUnit unit) {
  const std::string found =
      fmt::format("{:.3f} ({:.3f} to {:.3f})", block.ratio.value, block.ratio.low, block.ratio.high);
  const bool is_first = name == block_names.front();
  return fmt::format("{:<11} {:>9} {:>6.4g}  {:<24} {:>8}  {}{}\n", name, block.passes, block.truth,
                     is_first ? "1" : found, is_first ? "" : fmt::format("{:+.1f} %", 100 * block.error),
                     harness::in_unit(block.ticks.value, unit), block.is_off ? "  OFF" : "");
}

nlohmann::ordered_json json_of(const SelftestBlock& block, std::string_view name) {
  return {{"block", name},
          {"passes", block.passes},
          {"truth", block.truth},
          {"ratio", block.ratio.value},
          {"low", block.ratio.low},
          {"high", block.ratio.high},
          {"error_percent", 100 * block.error},
          {"ticks", block.ticks.value},
          {"ticks_low", block.ticks.low},
          {"ticks_high", block.ticks.high},
          {"off", block.is_off}};
}

}  // namespace

std::string render(const Selftest& test) {
  const auto in_unit = [&](double ticks) { return harness::in_unit(ticks, test.device.unit); };
  std::string text = fmt::format("{}, loop \"{}\"\n", harmless(device_of(test.device)), name_of(test.loop));
  text += fmt::format("{:<11} {:>9} {:>6}  {:<24} {:>8}  {}\n", "block", "passes", "truth", "found", "error",
                      "time");
  for (std::size_t b = 0; b < test.blocks.size(); ++b)
    text += row_of(test.blocks[b], block_names.at(b), test.device.unit);
  text += fmt::format("{} shots ({} commands), sigma {}; {}\n", test.shots, test.commands,
                      in_unit(test.sigma), clock_of(test));
  text += fmt::format("resolves {:.2g} % of a command of {}: {}\n", 100 * test.least_share,
                      in_unit(test.whole), in_unit(test.least_ticks));
  for (const Warning& warning : test.warnings)
    text += fmt::format("warning: {}\n", harmless(to_text(warning)));
  if (!test.complete) text += "ended early: intervals are wider than they could be\n";
  const long off = count_off(test);
  return text + (off == 0 ? "no ratio is off by more than the interval and 5 %\n"
                          : fmt::format("{} of {} off by more than the interval and 5 %\n", off,
                                        test.blocks.size()));
}

std::string to_json(const Selftest& test) {
  nlohmann::ordered_json blocks = nlohmann::ordered_json::array();
  for (std::size_t b = 0; b < test.blocks.size(); ++b)
    blocks.push_back(json_of(test.blocks[b], block_names.at(b)));
  const harness::Description& device = test.device;
  const nlohmann::ordered_json all{{"transport", device.transport},
                                   {"device", device.device},
                                   {"reader", device.reader},
                                   {"protocol", device.protocol},
                                   {"agent", device.agent},
                                   {"simulated", device.simulated},
                                   {"unit", name_of(device.unit)},
                                   {"loop", name_of(test.loop)},
                                   {"blocks", blocks},
                                   {"complete", test.complete},
                                   {"shots", test.shots},
                                   {"commands", test.commands},
                                   {"sigma", test.sigma},
                                   {"clock", name_of(test.clock.method)},
                                   {"tick", test.clock.tick},
                                   {"grid", test.grid},
                                   {"command_ticks", test.whole},
                                   {"least_ticks", test.least_ticks},
                                   {"least_share", test.least_share},
                                   {"warnings", in_json(test.warnings)}};
  return printed(all);
}

ExitCode doctor_selftest(const DoctorOptions& asked) {
  const CommonOptions& options = asked.common;
  const Project project = read_project(options.project.empty() ? "." : options.project);
  const fs::path out = output_folder(project, options);
  if (!fs::exists(out / "traps.json"))
    throw UserError(Fault{.message = fmt::format("there is no \"{}\"", (out / "traps.json").string()),
                          .hint = "a target that carries no traps cannot be tested: run `jcprof gen` first, "
                                  "or `jcprof profile`, which does it all"});
  const TrapMap map = read_trap_map(out / "traps.json");
  ask_about(project, programs_of_run(project), consent_of(options.yes));
  const OutputFolder folder = open_output(project, options, "jcprof doctor");
  const std::unique_ptr<harness::Transport> target =
      harness::make_transport(project, map, asked.transport, folder.path());
  harness::give_inputs(project, project.measure.seed, *target);
  harness::SelftestSettings settings{.seed = project.measure.seed};
  // A command that takes longer than the time-out would be taken for a hang.
  settings.longest = std::min<std::chrono::nanoseconds>(settings.longest, project.session.timeout / 4);
  const Selftest test = harness::selftest(*target, settings);
  fmt::print("{}", options.json ? to_json(test) : render(test));
  return count_off(test) == 0 ? ExitCode::done : ExitCode::check_failed;
}

}  // namespace jcprof::cli
