// SPDX-License-Identifier: Apache-2.0
// The parts of a Java Card applet's tree beside the traps: the classes PM and PMC, and the APDU and status
// word by which they are reached.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "rewriter/source_model.hpp"
#include "src/core/project.hpp"
#include "src/core/trap_map.hpp"

namespace jcprof::rewriter {

/// Names of the runtime's classes in this tree.
struct RuntimeNames {
  std::string pm = "PM";
  std::string pmc = "PMC";
  bool operator==(const RuntimeNames&) const = default;
};

/// An INS and a stop status word that no source names (as a number or as the low byte of one), but for the
/// numbers of tables where those leave none free.
CardArming choose_arming(const std::vector<SourceModel>& models);

/// PM and PMC, or names beside them where the sources use those for something else; `taken` says which files
/// there are already beside the entry's source, by stem.
RuntimeNames choose_names(const std::vector<SourceModel>& models, const std::set<std::string>& taken);

/// The runtime's source, in `package` (empty: the default package). `named` are constants that the sources
/// take for the ancestor's: "PM.TRAP_x", "PMC.PERF_START".
std::string pm_source(const std::string& package, const RuntimeNames& names,
                      const std::set<std::string>& named);

/// The constants of one build: trap numbers, arming, build digest. Traps that are `named` and not in `map`
/// never stop.
std::string pmc_source(const std::string& package, const RuntimeNames& names, const TrapMap& map,
                       const std::set<std::string>& named);

/// The values of a Java slot's placeholders.
Placeholders values_of(const RuntimeNames& names);

/// An old runtime's file is kept under its name with this behind it.
inline constexpr std::string_view original_suffix = ".jcprof-original";

}  // namespace jcprof::rewriter
