// SPDX-License-Identifier: Apache-2.0
// jcprof profile: gen, the project's build and install steps, run, annotate. Builds and runs again, once at
// most, where traps are better left out of what is cold (refine.hpp).
#include <algorithm>
#include <cstdio>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "annotator/estimate/estimates.hpp"
#include "annotator/estimate/run_data.hpp"
#include "harness/transports.hpp"
#include "programs/generation.hpp"
#include "programs/main_guard.hpp"
#include "programs/permission.hpp"
#include "programs/refine.hpp"
#include "programs/run_options.hpp"
#include "programs/steps.hpp"
#include "programs/verbs.hpp"
#include "rewriter/isolation.hpp"
#include "rewriter/project_programs.hpp"
#include "src/core/cancellation.hpp"
#include "src/core/store.hpp"

namespace jcprof::cli {
namespace {

namespace fs = std::filesystem;

struct ProfileOptions {
  CommonOptions common;
  bool dry_run = false;
  RefineWish refine = RefineWish::when_needed;
  std::vector<std::string> run_options;  // handed to jcprof-run as they are
};

/// What jcprof-run would refuse is refused before anything is built or installed.
RunOptions checked_run_options(const std::vector<std::string>& arguments) {
  CLI::App app;
  RunOptions options;
  add_run_options(app, options);
  app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));  // CLI11 wants them reversed
  return options;
}

/// One call: the project as its file has it, built in the scope asked for or in a narrower one.
class Profiling {
 public:
  explicit Profiling(const ProfileOptions& options)
      : options_(options),
        project_(read_project(options.common.project)),
        out_(opened()),
        arguments_{options.common.project, "-o", out_.string()},
        values_(placeholders(project_, out_)) {
    if (is_quiet()) arguments_.emplace_back("--quiet");
    run_arguments_ = arguments_;
    run_arguments_.insert(run_arguments_.end(), options.run_options.begin(), options.run_options.end());
    const RunOptions run_options = checked_run_options(run_arguments_);
    values_.emplace("reader", harness::reader_for(project_, run_options.transport));
  }

  ExitCode dry_run() {
    build_and_install();
    run_arguments_.emplace_back("--dry-run");
    return sibling_here("jcprof-run", run_arguments_);
  }

  ExitCode profile() {
    ask();
    const FirstScope scope = make_what_fits();
    const ExitCode measured = sibling_here("jcprof-run", run_arguments_);
    if (measured != ExitCode::done) return measured;
    if (options_.refine == RefineWish::never) return annotate();
    const annotator::Profile first = estimated();
    const std::optional<Refinement> refined = refinement(
        {.profile = first, .map = map_, .asked = project_.profile, .scope = scope}, options_.refine);
    if (!refined) {
      if (options_.refine == RefineWish::always) say("refine: there is no function to leave out\n");
      return annotate();
    }
    say(harmless(to_text(*refined)));
    return profile_again(*refined, first.trap_share);
  }

 private:
  /// A dry run writes nothing.
  fs::path opened() {
    if (options_.dry_run) return output_folder(project_, options_.common);
    folder_.emplace(OutputWish{.folder = output_folder(project_, options_.common),
                               .verb = "jcprof profile",
                               .project = project_.root});
    return folder_->path();
  }

  ExitCode sibling_here(const std::string& name, const std::vector<std::string>& arguments) const {
    return run_sibling(name, arguments, folder_ ? &*folder_ : nullptr);
  }

  bool is_quiet() const { return options_.common.quiet || options_.common.json; }
  void say(const std::string& text) const {
    if (!is_quiet()) fmt::print("{}", text);
  }

  /// Once, for all phases.
  void ask() {
    std::vector<std::string> programs = rewriter::programs_of_generation(project_);
    std::ranges::move(programs_of_steps(project_), std::back_inserter(programs));
    std::ranges::move(programs_of_run(project_), std::back_inserter(programs));
    ask_about(project_, programs, consent_of(options_.common.yes));
    arguments_.emplace_back("--yes");
    run_arguments_.emplace_back("--yes");
  }

  void build_and_install() const {
    const StepOptions how{.is_shown = !is_quiet() || options_.dry_run, .is_dry = options_.dry_run};
    run_steps("build", project_.build, values_, how);
    run_steps("install", project_.install, values_, how);
  }

  void make(const ProfileScope& scope) {
    Project narrowed = project_;
    narrowed.profile = scope;
    const rewriter::Generated generated = rewriter::generate_apart(narrowed, out_);
    map_ = generated.map;
    is_tight_ = generated.tight;
    say(to_text(generated, out_));
    build_and_install();
  }

  /// A tree that was said to be near the limits, and then is not built or installed, has too many traps.
  FirstScope make_what_fits() {
    try {
      make(project_.profile);
      return FirstScope::as_asked;
    } catch (const UserError& error) {
      if (!is_tight_ || project_.profile.level <= TrapLevel::function || options_.refine == RefineWish::never)
        throw;
      say(fmt::format("{}refine: so many traps cannot be built: functions only at first\n",
                      render(error.faults().front())));
    }
    ProfileScope coarse = project_.profile;
    coarse.level = TrapLevel::function;
    make(coarse);
    return FirstScope::functions_only;
  }

  ExitCode profile_again(const Refinement& refined, double traps_before) {
    try {
      make(refined.scope);
    } catch (const UserError&) {
      annotate();  // what was measured is good
      throw;
    }
    // The second run stands beside the first, in the same file.
    std::erase_if(run_arguments_, [](const std::string& a) { return a.starts_with("--fresh"); });
    const ExitCode measured = sibling_here("jcprof-run", run_arguments_);
    if (measured != ExitCode::done) return measured;
    const ExitCode code = annotate();
    say(fmt::format("refine: the traps took {:.1f} % of what was measured, now {:.1f} %\n",
                    100 * traps_before, 100 * estimated().trap_share));
    return code;
  }

  /// Of the newest run; kept with it in the profile.
  annotator::Profile estimated() const {
    Store store(out_ / "profile.jcprof", OpenMode::read_write);
    annotator::Profile profile = annotator::estimate(annotator::load_newest_run(store));
    store.replace_estimates(profile.run.id, annotator::stored(profile));
    store.close();
    return profile;
  }

  ExitCode annotate() const {
    std::vector<std::string> arguments = arguments_;
    if (options_.common.json) arguments.emplace_back("--json");
    return sibling_here("jcprof-annotate", arguments);
  }

  const ProfileOptions& options_;
  Project project_;
  std::optional<OutputFolder> folder_;
  fs::path out_;
  std::vector<std::string> arguments_;
  std::vector<std::string> run_arguments_;
  Placeholders values_;
  TrapMap map_;  // of the newest tree
  bool is_tight_ = false;
};

}  // namespace

Work profile_verb(CLI::App& verb) {
  const auto options = std::make_shared<ProfileOptions>();
  add_project_options(verb, options->common);
  verb.add_flag("--json", options->common.json, "print the estimates as JSON, as jcprof export does");
  verb.add_flag("--dry-run", options->dry_run, "print the commands of the project and stop");
  const auto wish = [options](RefineWish refine) { return [=] { options->refine = refine; }; };
  auto* refine = verb.add_flag_callback("--refine", wish(RefineWish::always),
                                        "build and measure again with traps only where it is hot (default: "
                                        "where traps take over a tenth of the time)");
  verb.add_flag_callback("--no-refine", wish(RefineWish::never), "build and measure once")->excludes(refine);
  verb.allow_extras();
  verb.footer("Other options are handed to jcprof-run: see jcprof run --help.");
  return [options, &verb] {
    catch_signals();
    options->run_options = verb.remaining();
    Profiling profiling(*options);
    return options->dry_run ? profiling.dry_run() : profiling.profile();
  };
}

}  // namespace jcprof::cli
