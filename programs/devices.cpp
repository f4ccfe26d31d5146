// SPDX-License-Identifier: Apache-2.0
// jcprof run --devices: one process a device, each with a profile of its own, and a file that lists them.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "harness/labgrid/held_place.hpp"
#include "programs/building.hpp"
#include "programs/device_list.hpp"
#include "programs/measuring.hpp"
#include "programs/output.hpp"
#include "programs/permission.hpp"
#include "programs/steps.hpp"
#include "programs/terminal.hpp"
#include "programs/verbs.hpp"
#include "src/core/cancellation.hpp"
#include "src/core/file.hpp"
#include "src/core/lab_address.hpp"
#include "src/core/process.hpp"
#include "src/core/text.hpp"

namespace jcprof::cli {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

constexpr milliseconds between_looks{200};
constexpr milliseconds between_looks_at_a_process{50};
// All that jcprof itself has after a signal (src/core/cancellation.cpp), in which a device commits its shot.
constexpr milliseconds patience_at_the_end{600};
constexpr std::size_t usual_width = 80;
constexpr int ended_by_signal = 128;  // and its number
constexpr int last_signal = 64;

fs::path folder_of(const fs::path& out, const std::string& device) {
  return out / devices_folder / device;
}

/// The options of a call, for the process of one device.
std::vector<std::string> words_for(const ListedDevice& device, const RunOptions& options,
                                   const Project& project, const fs::path& out) {
  std::vector<std::string> words{own_executable().string(),
                                 "run",
                                 project.file.string(),
                                 "--out",
                                 out.string(),
                                 "--as-device",
                                 device.name,
                                 "--transport",
                                 device.transport,
                                 "--quiet",
                                 "--yes"};
  const auto add = [&](const char* name, const auto& value) {
    if (value) words.insert(words.end(), {name, fmt::format("{}", *value)});
  };
  add("--rounds", options.rounds);
  add("--absolute", options.absolute_points);
  add("--relative", options.relative_percent);
  add("--zoom", options.zoom_percent);
  add("--max-shots", options.max_shots);
  if (options.max_time_ms)
    words.insert(words.end(), {"--max-time", fmt::format("{}ms", *options.max_time_ms)});
  add("--seed", options.seed);
  if (options.no_zoom) words.emplace_back("--no-zoom");
  if (options.fresh) words.emplace_back("--fresh");
  if (options.is_new_build) words.emplace_back("--installs");
  return words;
}

/// The last line of progress, or all that is none.
std::pair<std::string, std::string> parted(const std::string& said) {
  std::string progress, rest;
  for (std::string_view line : lines_of(said))
    if (line.starts_with(device_progress))
      progress = line.substr(device_progress.size());
    else
      rest += std::string(line) + "\n";
  if (!rest.empty()) rest.pop_back();
  return {progress, rest};
}

/// A device while its process runs.
struct Shown {
  std::string progress = "begins";
  bool is_over = false;
  bool was_told = false;
};

class FleetRun {
 public:
  FleetRun(const Project& project, const fs::path& out, std::vector<ListedDevice> devices,
           const RunOptions& options)
      : project_(project), out_(out), options_(options), shown_(devices.size()) {
    fleet_.project = project.name;
    for (ListedDevice& device : devices) {
      FleetDevice one{.device = std::move(device)};
      one.run = last_run(folder_of(out, one.device.name) / "profile.jcprof");
      fleet_.devices.push_back(std::move(one));
    }
    open_own_folder(out / devices_folder);
    write();
  }

  ExitCode measure() {
    {
      std::vector<std::jthread> threads;
      for (std::size_t i = 0; i < shown_.size(); ++i) threads.emplace_back([this, i] { watch(i); });
      while (!tell()) std::this_thread::sleep_for(between_looks);
    }
    tell();
    if (options_.common.json) fmt::print("{}", printed(in_json(fleet_)));
    const int signal = cancellation().signal();
    if (signal != 0) return exit_code_of(signal);
    if (!unwritten_.empty())
      throw environment_error(fmt::format("{} is not up to date: {}", file().string(), unwritten_),
                              "the profiles of the devices are; the same command writes it again");
    for (const ExitCode code :
         {ExitCode::user_mistake, ExitCode::check_failed, ExitCode::environment, ExitCode::unreliable})
      if (std::ranges::any_of(fleet_.devices,
                              [code](const FleetDevice& one) { return code_of(one) == code; }))
        return code;
    return ExitCode::done;
  }

 private:
  static ExitCode code_of(const FleetDevice& one) {
    const auto code = static_cast<ExitCode>(one.exit.value_or(static_cast<int>(ExitCode::environment)));
    const bool is_known = code == ExitCode::done || code == ExitCode::user_mistake ||
                          code == ExitCode::check_failed || code == ExitCode::unreliable;
    return is_known ? code : ExitCode::environment;
  }

  fs::path file() const { return out_ / devices_folder / fleet_file; }
  void write() { write_own_file(file(), printed(in_json(fleet_))); }

  /// The process of one device, to its end.
  void watch(std::size_t index) {
    std::string said;
    int status = static_cast<int>(ExitCode::environment);
    try {
      const ListedDevice& device = fleet_.devices[index].device;
      const fs::path folder = folder_of(out_, device.name);
      {
        const OutputFolder made({.folder = folder, .verb = "jcprof run", .project = {}});
        open_own_folder(folder / "logs");
      }
      Command command{.argv = words_for(device, options_, project_, out_), .cwd = fs::current_path()};
      // Ours, so that a process that is killed loses no place.
      std::optional<harness::HeldPlace> place;
      if (const std::optional<LabAddress> lab = lab_address_of(device.transport)) {
        place.emplace(*lab, earlier_reader(index), [&](const std::string& text) { note(index, text); });
        command.environment = {{harness::held_place_variable, place->name()}};
        const std::scoped_lock lock(mutex_);
        fleet_.devices[index].place = place->name();
      }
      BackgroundProcess process(command, {.file = folder / "logs/run.log"});
      while (!process.ended(between_looks_at_a_process)) {
        const auto [progress, rest] = parted(process.tail());
        const std::scoped_lock lock(mutex_);
        if (!progress.empty()) shown_[index].progress = progress;
        if (cancellation().is_asked()) break;
      }
      if (!process.ended()) process.stop(patience_at_the_end);
      status = process.ended(patience_at_the_end).value_or(status);
      said = process.tail();
    } catch (const Cancelled& cancelled) {
      status = ended_by_signal + cancelled.signal();
    } catch (const std::exception& error) {
      said = error.what();
    }
    said = parted(said).second;
    if (status > ended_by_signal && status <= ended_by_signal + last_signal)
      said = fmt::format("ended by {}{}{}", signal_in_words(status - ended_by_signal),
                         said.empty() ? "" : "\n", said);
    end(index, status, std::move(said));
  }

  std::string earlier_reader(std::size_t index) {
    const std::scoped_lock lock(mutex_);
    const std::optional<RunInfo>& run = fleet_.devices[index].run;
    return run ? run->reader : "";
  }

  /// The reason why it waits.
  void note(std::size_t index, const std::string& text) {
    const std::scoped_lock lock(mutex_);
    shown_[index].progress = text;
    if (!options_.common.quiet && !options_.common.json && !rewrites_lines(Stream::err))
      fmt::print("{}\n", harmless(line_of(index)));
  }

  void end(std::size_t index, int status, std::string said) {
    const std::scoped_lock lock(mutex_);
    FleetDevice& one = fleet_.devices[index];
    one.exit = status;
    try {
      one.run = last_run(folder_of(out_, one.device.name) / "profile.jcprof");
    } catch (const std::exception& error) {
      said += fmt::format("{}{}", said.empty() ? "" : "\n", error.what());
    }
    const ExitCode code = code_of(one);
    const bool is_done = code == ExitCode::done || code == ExitCode::unreliable;
    const bool was_ended = cancellation().is_asked() && status > ended_by_signal;
    one.state = is_done ? DeviceState::complete : was_ended ? DeviceState::interrupted : DeviceState::failed;
    if (!is_done) one.error = std::move(said);
    shown_[index].is_over = true;
    try {
      write();
      unwritten_.clear();
    } catch (const std::exception& error) {
      unwritten_ = error.what();
    }
  }

  /// True once all devices are over and told.
  bool tell() {
    const std::scoped_lock lock(mutex_);
    const bool is_over = std::ranges::all_of(shown_, &Shown::is_over);
    const bool is_told = !options_.common.quiet && !options_.common.json;
    if (is_told && rewrites_lines(Stream::err)) {
      if (std::exchange(was_drawn_, true)) fmt::print(stderr, "\x1b[{}A", shown_.size());
      for (std::size_t i = 0; i < shown_.size(); ++i)
        fmt::print(stderr, "\x1b[K{}\n",
                   beginning_of(line_of(i), width_of(Stream::err).value_or(usual_width)));
    } else if (is_told) {
      for (std::size_t i = 0; i < shown_.size(); ++i)
        if (shown_[i].is_over && !std::exchange(shown_[i].was_told, true)) fmt::print("{}\n", line_of(i));
      std::fflush(stdout);
    }
    if (is_over && is_told && !std::exchange(was_ended_, true)) tell_end();
    return is_over;
  }

  std::string line_of(std::size_t index) const {
    const FleetDevice& one = fleet_.devices[index];
    if (!shown_[index].is_over) return fmt::format("{}: {}", one.device.name, shown_[index].progress);
    if (one.state == DeviceState::failed)
      return harmless(
          fmt::format("{}: failed: {}", one.device.name, one.error.substr(0, one.error.find('\n'))));
    const std::string on = one.run && !one.run->device.empty() ? " on " + one.run->device : "";
    const std::string what = one.exit == static_cast<int>(ExitCode::unreliable)
                                 ? "complete, unreliable"
                                 : std::string(name_of(one.state));
    return harmless(fmt::format("{}: {}{}{}: {}", one.device.name, what, on,
                                one.run && one.run->simulated ? " (SIMULATED)" : "",
                                (folder_of(out_, one.device.name) / "profile.jcprof").string()));
  }

  void tell_end() const {
    const auto in_state = [this](DeviceState state) {
      return std::ranges::count(fleet_.devices, state, &FleetDevice::state);
    };
    const auto failed = in_state(DeviceState::failed);
    const auto resumable = failed + in_state(DeviceState::interrupted);
    fmt::print(
        "{} of {} devices are complete{}: {}\n", in_state(DeviceState::complete), fleet_.devices.size(),
        resumable > 0 ? "; the same command, without --fresh, resumes the others" : "", file().string());
    for (const FleetDevice& one : fleet_.devices)
      if (one.state == DeviceState::failed)
        fmt::print(stderr, "{}: {}\n", one.device.name, harmless(one.error));
  }

  const Project& project_;
  const fs::path& out_;
  const RunOptions& options_;
  std::mutex mutex_;  // of all below
  Fleet fleet_;
  std::vector<Shown> shown_;
  std::string unwritten_;  // why the file is not as we know it
  bool was_drawn_ = false;
  bool was_ended_ = false;
};

}  // namespace

void print_devices(const std::vector<ListedDevice>& devices) {
  for (const ListedDevice& device : devices) fmt::print("device {}: {}\n", device.name, device.transport);
}

std::vector<std::string> programs_of_devices(const std::vector<ListedDevice>& devices) {
  std::vector<std::string> programs;
  for (const ListedDevice& device : devices)
    if (is_by_agent(device.transport))
      programs.push_back(fmt::format("device {}: {}", device.name, device.transport));
  return programs;
}

ExitCode run_devices_in(const OutputFolder& folder, const Project& project, const RunOptions& options,
                        std::vector<ListedDevice> devices) {
  const auto is_in_lab = [](const ListedDevice& device) {
    return lab_address_of(device.transport).has_value();
  };
  if (!harness::place_of_others().empty() && std::ranges::any_of(devices, is_in_lab))
    throw UserError(
        Fault{.message = fmt::format("{} names one place, and each device takes a place of its own",
                                     harness::held_place_variable),
              .hint = "unset it; --transport measures at that place alone"});
  refuse_changed_sources(project, read_trap_map(folder.path() / "traps.json"));
  catch_signals();
  return FleetRun(project, folder.path(), std::move(devices), options).measure();
}

ExitCode run_devices(const RunOptions& options) {
  const Project project = read_project(options.common.project);
  std::vector<ListedDevice> devices = read_devices(options.devices);
  std::vector<std::string> programs = programs_of_run(project);
  std::ranges::move(programs_of_devices(devices), std::back_inserter(programs));
  refuse_unbuilt(output_folder(project, options.common));
  const OutputFolder folder = open_output(project, options.common, "jcprof run");
  ask_about(project, programs, consent_of(options.common.yes));
  return run_devices_in(folder, project, options, std::move(devices));
}

ExitCode run_as_device(const RunOptions& options) {
  const Project project = read_project(options.common.project);
  const fs::path out = output_folder(project, options.common);  // which the jcprof that started us holds
  const OutputFolder own({.folder = folder_of(out, options.as_device), .verb = "jcprof run", .project = {}});
  const TrapMap map = read_trap_map(out / "traps.json");
  catch_signals();
  ::setenv("JCPROF_DEVICE", options.as_device.c_str(), 1);
  const fs::path logs = own.path() / "logs";
  RunOptions asked = options;
  asked.is_new_build = options.installs;
  if (options.installs)
    run_steps("install", project.install, values_of_steps(project, out, options.transport),
              {.is_shown = false, .logs = logs});
  const RunResult result = measure(
      {.project = project, .map = map, .out = out, .profile = own.path() / "profile.jcprof", .logs = logs},
      asked);
  const int signal = cancellation().signal();
  if (signal != 0) return exit_code_of(signal);
  if (result.unfit) throw UserError(*result.unfit, ExitCode::check_failed);
  return result.is_unreliable ? ExitCode::unreliable : ExitCode::done;
}

}  // namespace jcprof::cli
