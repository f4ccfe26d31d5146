// SPDX-License-Identifier: Apache-2.0
#include "programs/building.hpp"

#include <algorithm>
#include <iterator>
#include <vector>

#include "harness/transports.hpp"
#include "programs/built.hpp"
#include "programs/output.hpp"
#include "programs/permission.hpp"
#include "rewriter/project_programs.hpp"
#include "src/core/lab_address.hpp"

namespace jcprof::cli {

void ask_about_all(const Project& project, const std::filesystem::path& out, bool yes) {
  std::vector<std::string> programs = rewriter::programs_of_generation(project, out);
  std::ranges::move(programs_of_steps(project), std::back_inserter(programs));
  std::ranges::move(programs_of_run(project), std::back_inserter(programs));
  ask_about(project, programs, consent_of(yes));
}

Placeholders values_of_steps(const Project& project, const std::filesystem::path& out,
                             const std::string& transport) {
  Placeholders values = placeholders(project, out);
  values.emplace("reader", harness::reader_for(project, transport));
  return values;
}

void hold_place(const Project& project, const Target& target) {
  const std::string& uri = target.transport.empty() ? project.transport : target.transport;
  if (!lab_address_of(uri)) return;
  const std::optional<RunInfo> earlier = last_run(target.resumed);
  harness::hold_place(project, uri, earlier ? earlier->reader : "");
}

void build_and_install(const Project& project, const Placeholders& values, const StepOptions& options,
                       const Target& target) {
  run_steps("build", project.build, values, options);
  if (!options.is_dry) hold_place(project, target);
  run_steps("install", project.install, values, options);
  if (!options.is_dry) note_build(values.at("out"));
}

}  // namespace jcprof::cli
