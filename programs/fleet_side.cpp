// SPDX-License-Identifier: Apache-2.0
#include "programs/fleet_side.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "annotator/annotated_tree.hpp"
#include "programs/device_list.hpp"
#include "programs/output.hpp"
#include "src/core/error.hpp"
#include "src/core/store.hpp"

namespace jcprof::cli {
namespace {

namespace fs = std::filesystem;

std::string beginning_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

/// Empty: it has a sound profile.
std::string why_without(const FleetDevice& one) {
  switch (one.state) {
    case DeviceState::waiting:
      return "its measurement has not ended; the same `jcprof run --devices` resumes it";
    case DeviceState::interrupted:
      return "its measurement was interrupted; the same `jcprof run --devices` resumes it";
    case DeviceState::failed:
      return fmt::format("it failed: {}", beginning_line(one.error));
    case DeviceState::complete:
      break;
  }
  if (one.exit == static_cast<int>(ExitCode::unreliable))
    return "its profile is unreliable: measurements contradict each other";
  return "";
}

/// The fleet.json that is meant, if there is one.
fs::path fleet_file_of(const fs::path& given) {
  for (const fs::path& folder : {given, given / devices_folder})
    if (fs::exists(folder / fleet_file)) return folder / fleet_file;
  if (given.filename() == fleet_file) return given;
  const bool is_of_project = given.extension() == ".json" || fs::exists(given / "jcprof.json");
  return is_of_project ? output_folder(read_project(given), {}) / devices_folder / fleet_file : fs::path();
}

}  // namespace

bool is_fleet(const fs::path& given) {
  return given.filename() == fleet_file || fs::exists(given / fleet_file);
}

FleetSide::FleetSide(const fs::path& given) {
  const fs::path file = fleet_file_of(given);
  if (!file.empty()) {
    if (!fs::exists(file))
      throw UserError(Fault{.message = fmt::format("there is no \"{}\"", file.string()),
                            .hint = "`jcprof run --devices FILE` measures several devices, and writes it"});
    for (const FleetDevice& one : read_fleet(file).devices)
      if (const std::string why = why_without(one); !why.empty())
        left_out_.push_back({one.device.name, why});
      else
        add(one.device.name, one.device.group, file.parent_path() / one.device.name / "profile.jcprof");
    return;
  }
  for (const fs::path& folder : folders_with_profile(given))
    add(folder.filename().string(), "", folder / "profile.jcprof");
  if (devices_.empty() && left_out_.empty())
    throw UserError(Fault{.message = fmt::format("no fleet lies in \"{}\"", given.string()),
                          .hint = "name a fleet.json, its folder, its project, or a folder with a folder for "
                                  "each device, which holds profile.jcprof"});
}

void FleetSide::add(const std::string& name, const std::string& group, const fs::path& profile) {
  try {
    annotator::NewestRun run = annotator::newest_run(Store(existing(profile), OpenMode::read_only));
    // Devices that were measured from one tree have one root.
    const fs::path own = annotator::root_of_sources(run.profile);
    if (devices_.empty()) root_ = own;
    annotator::settle_sources(run, annotator::has_sources_below(run.profile, root_) ? root_ : own);
    devices_.push_back({name, group, std::move(run)});
  } catch (const UserError& error) {
    left_out_.push_back({name, beginning_line(error.what())});
  }
}

std::vector<annotator::Member> FleetSide::members() const {
  std::vector<annotator::Member> members;
  for (const Device& one : devices_) members.push_back({one.name, one.group, one.run.profile});
  return members;
}

const TrapMap& FleetSide::map_of(const annotator::Member& member) const {
  return std::ranges::find(devices_, member.name, &Device::name)->run.map;
}

}  // namespace jcprof::cli
