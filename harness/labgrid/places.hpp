// SPDX-License-Identifier: Apache-2.0
// The places of a lab, as labgrid-client lists them. Acquires none.
#pragma once

#include <string>
#include <string_view>
#include <utility>
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

/// `text` is that of `labgrid-client -v places`.
std::vector<LabPlace> read_places(std::string_view text);
/// LG_USERNAME, or our own name.
std::string lab_user();
/// All that an address may mean to this user, one at most for a name. UserError where there is none, or an
/// alias is of several.
std::vector<LabPlace> places_at(const LabAddress& address, const std::vector<LabPlace>& all,
                                const std::string& user);

/// For each labgrid-client of ours: the place is named by us, and no file is asked for it.
const std::vector<std::pair<std::string, std::string>>& client_environment();
/// Asks the coordinator. UserError where there is no client, or no coordinator.
std::vector<LabPlace> places_of_lab();

/// The end of what labgrid-client said, without its names for itself.
std::string cause_in(std::string_view said);
/// An error with that cause.
UserError lab_error(const std::string& doing, std::string_view said);

}  // namespace jcprof::harness
