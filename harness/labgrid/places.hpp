// SPDX-License-Identifier: Apache-2.0
// The places of a lab, as labgrid-client lists them. Acquires none.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "src/core/error.hpp"
#include "src/core/lab_address.hpp"

namespace jcprof::harness {

struct LabPlace {
  std::string name;
  std::vector<std::string> aliases = {};
  std::vector<std::string> tags = {};  // "board=imx8"
  std::string holder = {};             // "HOST/USER"; empty: it is free
};

/// Of `labgrid-client -v places`.
std::vector<LabPlace> read_places(std::string_view text);
/// All that an address may mean. UserError where there is none.
std::vector<LabPlace> places_at(const LabAddress& address, const std::vector<LabPlace>& all);

/// Asks the coordinator. UserError where there is no client, or no coordinator.
std::vector<LabPlace> places_of_lab();

/// The end of what labgrid-client said, without its names for itself.
std::string cause_in(std::string_view said);
/// An error with that cause.
UserError lab_error(const std::string& doing, std::string_view said);

}  // namespace jcprof::harness
