// SPDX-License-Identifier: Apache-2.0
#include "programs/without_traps.hpp"

#include <utility>
#include <vector>

#include <fmt/format.h>

#include "annotator/estimate/quantity.hpp"
#include "programs/building.hpp"
#include "programs/first_path.hpp"
#include "programs/output.hpp"
#include "programs/steps.hpp"
#include "src/core/store.hpp"
#include "src/core/trap_map.hpp"

namespace jcprof::cli {
namespace {

constexpr double much_longer = 1.25;
// Five runs of a command as short as that differ by as much.
constexpr double doubt_of_look_ns = 200e3;

}  // namespace

GenOptions without_traps(const CommonOptions& common) {
  return {.common = {.project = common.project, .quiet = true, .yes = true},
          .functions_only = true,
          .include = {""}};
}

std::optional<Warning> longer_with_traps(double usual_ns, double shown_ns, double doubt_ns,
                                         std::string_view shown_by) {
  if (shown_ns < much_longer * usual_ns + doubt_ns) return std::nullopt;
  return Warning{
      .kind = WarningKind::changed,
      .text = fmt::format("without traps the program takes {}, and {} shows {} that are no cost of traps: "
                          "between traps the compiler optimises less, mostly in loops",
                          annotator::upper_bound(usual_ns, ClockUnit::ns), shown_by,
                          annotator::upper_bound(shown_ns, ClockUnit::ns)),
      .advice = "compare with \"level\": \"function\", or with perf; \"exclude\" leaves a function as it is"};
}

std::optional<Warning> changed_by_traps(const FirstContact& plain, const annotator::Profile& measured) {
  if (plain.whole_ns == 0 || measured.run.unit != ClockUnit::ns) return std::nullopt;
  const double shown = measured.total.ticks.low - measured.entry.ticks.high;
  return longer_with_traps(plain.behind_ns, shown, doubt_of_look_ns, "the profile");
}

void compare_without_traps(const Project& project, const OutputFolder& folder, const CommonOptions& common,
                           const annotator::Profile& measured) {
  if (!project.install.empty()) return;
  try {
    const OutputFolder plain({.folder = folder.path() / "plain", .verb = "jcprof profile"});
    make_tree(without_traps(common), plain);
    build_and_install(project, values_of_steps(project, plain.path(), {}), {.is_shown = false});
    const TrapMap map = read_trap_map(plain.path() / "traps.json");
    const FirstContact contact = look_at_path(project, map, plain.path(), {}).contact;
    Store store(folder.path() / "profile.jcprof", OpenMode::read_write);
    std::vector<Warning> warnings = store.warnings(measured.run.id);
    std::erase_if(warnings, [](const Warning& one) { return one.kind == WarningKind::changed; });
    if (std::optional<Warning> changed = changed_by_traps(contact, measured))
      warnings.push_back(std::move(*changed));
    store.replace_warnings(measured.run.id, warnings);
    store.close();
  } catch (const UserError& error) {
    if (!common.quiet)
      fmt::print("traps: the build without them failed, so jcprof cannot say what they change: {}\n",
                 harmless(error.what()));
  }
}

}  // namespace jcprof::cli
