// SPDX-License-Identifier: Apache-2.0
// jcprof: does all verbs but those on sources, which jcprof-gen does.
#include <cerrno>
#include <cstring>
#include <string>
#include <variant>

#include <fmt/format.h>
#include <unistd.h>

#include "programs/command_line.hpp"
#include "programs/main_guard.hpp"
#include "programs/verbs.hpp"
#include "src/core/process.hpp"

namespace {

using namespace jcprof;
using namespace jcprof::cli;

ExitCode become_gen(char** argv) {
  const std::string program = sibling("jcprof-gen").string();
  ::execv(program.c_str(), argv);
  throw environment_error(fmt::format("cannot run \"{}\": {}", program, std::strerror(errno)),
                          "install all of jcprof again: one of its files is missing");
}

/// Does the verb that is asked for; jcprof-gen gets the words as they are.
struct Work {
  char** argv;

  ExitCode operator()(ExitCode answered) const { return answered; }
  ExitCode operator()(const RunOptions& options) const { return run(options); }
  ExitCode operator()(const AnnotateOptions& options) const { return annotate(options); }
  ExitCode operator()(const ProfileOptions& options) const { return profile(options); }
  ExitCode operator()(const RecordOptions& options) const { return record(options); }
  ExitCode operator()(const ImportOptions& options) const { return import_profile(options); }
  ExitCode operator()(const ExportOptions& options) const { return export_profile(options); }
  ExitCode operator()(const QueryOptions& options) const { return query_profiles(options); }
  ExitCode operator()(const DiffOptions& options) const { return diff(options); }
  ExitCode operator()(const CheckOptions& options) const { return check(options); }
  ExitCode operator()(const FleetOptions& options) const { return fleet(options); }
  ExitCode operator()(const HistoryOptions& options) const { return history(options); }
  ExitCode operator()(const LeakOptions& options) const { return leak(options); }
  ExitCode operator()(const LayersOptions& options) const { return layers(options); }
  ExitCode operator()(const DoctorOptions& options) const { return doctor(options); }
  ExitCode operator()(const InitOptions& options) const { return init_and_try(options); }
  ExitCode operator()(const GenOptions& /*options*/) const { return become_gen(argv); }
  ExitCode operator()(const StripOptions& /*options*/) const { return become_gen(argv); }
};

}  // namespace

int main(int argc, char** argv) {
  return guarded([&] { return std::visit(Work{argv}, parse_command_line(argc, argv)); },
                 error_form(argc, argv));
}
