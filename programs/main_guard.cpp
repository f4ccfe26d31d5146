// SPDX-License-Identifier: Apache-2.0
#include "programs/main_guard.hpp"

#include <csignal>
#include <cstdio>

#include <fmt/format.h>

#include "src/core/cancellation.hpp"
#include "src/core/process.hpp"

namespace jcprof::cli {

namespace fs = std::filesystem;

void add_project_options(CLI::App& app, CommonOptions& options) {
  app.add_option("PROJECT", options.project, "jcprof.json, or a folder that holds one")->required();
  app.add_option("-o,--out", options.out, "output folder (default: jcprof-out beside the project file)")
      ->type_name("DIR");
  app.add_flag("-q,--quiet", options.quiet, "print errors only");
  add_consent(app, options.yes);
}

void add_consent(CLI::App& app, bool& yes) {
  app.add_flag("--yes", yes, "run the programs that the project names without asking")->envname("JCPROF_YES");
}

fs::path output_folder(const Project& project, const CommonOptions& options) {
  return fs::absolute(options.out.empty() ? project.root / "jcprof-out" : fs::path(options.out))
      .lexically_normal();
}

OutputFolder open_output(const Project& project, const CommonOptions& options, const std::string& verb) {
  return OutputFolder({.folder = output_folder(project, options), .verb = verb, .project = project.root});
}

Placeholders placeholders(const Project& project, const fs::path& out) {
  return {{"tree", (out / "tree").string()}, {"out", out.string()}, {"project", project.root.string()}};
}

int guarded_main(CLI::App& app, int argc, char** argv, const std::function<ExitCode()>& work) {
  app.set_version_flag("--version", "jcprof " JCPROF_VERSION);
  for (CLI::App* verb : app.get_subcommands({}))
    verb->set_version_flag("--version", "jcprof " JCPROF_VERSION);
  // A limit on the size of files is an error where we write, and not our death.
  std::signal(SIGXFSZ, SIG_IGN);
  try {
    app.parse(argc, argv);
    const ExitCode code = work();
    if (std::fflush(stdout) != 0) throw environment_error("cannot write to standard output");
    return static_cast<int>(code);
  } catch (const Cancelled& cancelled) {
    fmt::print(stderr, "ended by {}\n", signal_in_words(cancelled.signal()));
    return static_cast<int>(exit_code_of(cancelled.signal()));
  } catch (const CLI::ParseError& error) {
    const int code = app.exit(error);  // prints help, version or the mistake
    return code == 0 ? 0 : static_cast<int>(ExitCode::user_mistake);
  } catch (const UserError& error) {
    fmt::print(stderr, "{}\n", error.what());
    return static_cast<int>(error.exit_code());
  } catch (const std::system_error& error) {  // also of files, of threads, and of output that has no room
    fmt::print(stderr, "{}\n", harmless(error.what()));
    return static_cast<int>(ExitCode::environment);
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "out of memory\n");
    return static_cast<int>(ExitCode::environment);
  }
}

fs::path sibling(const std::string& name) {
  return own_executable().parent_path() / name;
}

}  // namespace jcprof::cli
