// SPDX-License-Identifier: Apache-2.0
// The devices of a fleet, with their newest runs, as a person names the fleet.
#pragma once

#include <deque>
#include <filesystem>
#include <string>
#include <vector>

#include "annotator/fleet/fleet.hpp"
#include "annotator/record/profile.hpp"

namespace jcprof::cli {

/// A fleet.json, or a folder that holds one.
bool is_fleet(const std::filesystem::path& given);

class FleetSide {
 public:
  /// `given`: a fleet.json, its folder, a project that has one, or a folder with a folder for each device. A
  /// device without a sound profile is left out. UserError where there is no fleet.
  explicit FleetSide(const std::filesystem::path& given);

  /// Valid as long as this is.
  std::vector<annotator::Member> members() const;
  const std::vector<annotator::LeftOut>& left_out() const { return left_out_; }
  /// The map of a member.
  const TrapMap& map_of(const annotator::Member& member) const;

 private:
  struct Device {
    std::string name;
    std::string group;
    annotator::NewestRun run;
  };
  void add(const std::string& name, const std::string& group, const std::filesystem::path& profile);

  std::filesystem::path root_;  // of the sources of the first device
  std::deque<Device> devices_;
  std::vector<annotator::LeftOut> left_out_;
};

}  // namespace jcprof::cli
