// SPDX-License-Identifier: Apache-2.0
// jcprof profile: gen, the project's build and install steps, run, annotate. Builds and runs again, once at
// most, where traps are better left out of what is cold (refine.hpp).
#include <algorithm>
#include <functional>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "annotator/estimate/estimates.hpp"
#include "annotator/estimate/run_data.hpp"
#include "programs/building.hpp"
#include "programs/built.hpp"
#include "programs/first_path.hpp"
#include "programs/output.hpp"
#include "programs/permission.hpp"
#include "programs/record_fewer.hpp"
#include "programs/record_project.hpp"
#include "programs/refine.hpp"
#include "programs/steps.hpp"
#include "programs/unfit.hpp"
#include "programs/verbs.hpp"
#include "programs/without_traps.hpp"
#include "src/core/cancellation.hpp"
#include "src/core/file.hpp"
#include "src/core/store.hpp"
#include "src/core/trap_map.hpp"

namespace jcprof::cli {
namespace {

/// One call: the project as its file has it, and the options of each phase.
struct Profiling {
  const Project& project;
  const OutputFolder& folder;
  Placeholders values;
  GenOptions gen;
  RunOptions run;
  AnnotateOptions annotate;
  RefineWish refine;
  std::vector<LeftOutFunction> left_out = {};  // so far
  bool is_long = false;                        // the path was cut, at least before traps were left out
};

void say(const Profiling& all, const std::string& text) {
  if (!all.run.common.quiet) fmt::print("{}", text);
}

void build(const Profiling& all) {
  build_and_install(
      all.project, all.values, {.is_shown = !all.run.common.quiet},
      {.transport = all.run.transport,
       .resumed = all.run.fresh ? std::filesystem::path() : all.folder.path() / "profile.jcprof"});
}

/// A tree that was said to be near the limits, and then is not built or installed, has too many traps.
FirstScope make_what_fits(const Profiling& all) {
  const bool is_tight = make_tree(all.gen, all.folder) == done_but_tight;
  try {
    build(all);
    return FirstScope::as_asked;
  } catch (const UserError& error) {
    if (!is_tight || all.project.profile.level <= TrapLevel::function || all.refine == RefineWish::never)
      throw;
    say(all, fmt::format(
                 "{}refine: the build fails with so many traps; jcprof begins with traps at functions only\n",
                 render(error.faults().front())));
  }
  GenOptions coarse = all.gen;
  coarse.functions_only = true;
  make_tree(coarse, all.folder);
  build(all);
  return FirstScope::functions_only;
}

// Each of them builds again.
constexpr int most_shortenings = 3;

/// The tree keeps in mind what it was made without, for whoever measures it.
void note_left_out(const Profiling& all) {
  const std::filesystem::path file = all.folder.path() / "traps.json";
  TrapMap map = read_trap_map(file);
  map.left_out = all.left_out;
  write_own_file(file, write_trap_map(map));
}

void make_again(const Profiling& all, const GenOptions& gen) {
  make_tree(gen, all.folder);
  if (!all.left_out.empty()) note_left_out(all);
  build(all);
}

/// The next tree is made without these.
void leave_out(const Shortening& shorter, Profiling& all) {
  GenOptions& gen = all.gen;
  gen.functions_only = gen.functions_only || shorter.functions_only;
  for (const auto* traps : {&shorter.coarse, &shorter.unsteady})
    std::ranges::transform(*traps, std::back_inserter(gen.without), &Trap::key);
  for (const LeftOutFunction& one : shorter.left_out) {
    gen.exclude.push_back(pattern_of(one.function));
    all.left_out.push_back(one);
  }
  std::ranges::stable_sort(all.left_out, std::greater{}, &LeftOutFunction::calls);
}

/// A call that asks for so many rounds or shots gets them.
ProfileWish wish_of_call(const Profiling& all) {
  ProfileWish wish = wish_of(all.project);
  wish.transport = all.run.transport;
  wish.asks_for_shots = wish.asks_for_shots || all.run.rounds || all.run.max_shots;
  wish.asks_for_time = all.run.max_time_ms.has_value();
  return wish;
}

/// If the path is too long to be measured, or varies, builds with fewer traps. Where functions would have to
/// go that a recording shows, or the command is not worth a run, nothing is built and the reason returned.
std::optional<Fault> shorten_path(Profiling& all) {
  if (all.project.target != TargetKind::program || all.refine == RefineWish::never) return std::nullopt;
  const ProfileWish wish = wish_of_call(all);
  const LookOptions how{.transport = wish.transport, .is_patient = !is_recorded_if_long(all.project, wish)};
  const auto judged = [&](const PathLook& look, FewerTraps fewer) {
    return not_measured(look, fewer, all.project, wish);
  };
  StepsPerPass known;
  for (int i = 0;; ++i) {
    const TrapMap map = read_trap_map(all.folder.path() / "traps.json");
    const PathLook look = look_at_path(all.project, map, all.folder.path(), how);
    all.is_long = all.is_long || look.path.state == harness::PathState::cut;
    const TrapLevel level = all.gen.functions_only ? TrapLevel::function : all.project.profile.level;
    const Shortening shorter = shortening(look, map, level, std::move(known));
    if (!is_needed(shorter)) return judged(look, FewerTraps::none);
    // Fewer traps show no other thread.
    if (look.contact.threads)
      if (const std::optional<Fault> fault = judged(look, FewerTraps::none)) return fault;
    if (const std::optional<Fault> fault = not_measured(shorter, all.project, wish)) return fault;
    // A run takes as long without the traps that make the path vary.
    if (!shorter.unsteady.empty() && records_by_itself(all.project, wish))
      if (const std::optional<Fault> fault = judged(steadied(look, shorter), FewerTraps::none)) return fault;
    if (i == most_shortenings) return judged(look, FewerTraps::untried);
    say(all, harmless(to_text(shorter)));
    leave_out(shorter, all);
    known = shorter.steps;
    make_again(all, all.gen);
  }
}

/// Once a recording was tried, no advice to record.
Fault without_hint(Fault fault) {
  fault.hint.clear();
  return fault;
}

/// One run, in a folder of its own, tells what stops do not.
ExitCode record_instead(const Profiling& all, const Fault& why) {
  if (!records_by_itself(all.project, wish_of_call(all))) throw UserError(why, ExitCode::check_failed);
  say(all, harmless(fmt::format("record: {}. jcprof records one run of it instead\n", why.message)));
  const OutputFolder folder(
      {.folder = all.folder.path() / record_folder, .verb = "jcprof profile", .project = all.project.root});
  RecordOptions options{
      .project = all.project.file.string(),
      .quiet = all.run.common.quiet,
      .yes = true,
      .note = fmt::format("jcprof profile recorded one run, with the first input: {}", why.message),
      .functions_only = all.is_long && all.project.profile.level > TrapLevel::function,
      .tells_profile = false};
  try {
    options.plain = runs_without_traps(all.project, folder, options);
    record_project_in(folder, all.project, options);
  } catch (const UserError& error) {
    std::vector<Fault> faults{without_hint(why)};
    std::ranges::copy(error.faults(), std::back_inserter(faults));
    throw UserError(faults, ExitCode::check_failed);
  }
  // Without one, it has been said why.
  if (!std::filesystem::exists(folder.path() / "profile.jcprof"))
    throw UserError(without_hint(why), ExitCode::check_failed);
  try {
    record_with_fewer_traps(all.project, folder, options);
  } catch (const Cancelled&) {
    annotate_in(folder, all.project, all.annotate);  // what was recorded is good
    throw;
  }
  return annotate_in(folder, all.project, all.annotate);
}

/// Estimates of the newest run, which are stored with it.
annotator::Profile estimated(const Profiling& all) {
  Store store(all.folder.path() / "profile.jcprof", OpenMode::read_write);
  annotator::Profile profile = annotator::estimate(annotator::load_newest_run(store));
  store.replace_estimates(profile.run.id, annotator::stored(profile));
  store.close();
  return profile;
}

ExitCode annotate(const Profiling& all) {
  return annotate_in(all.folder, all.project, all.annotate);
}

/// A profile that is unreliable somewhere is shown all the same.
bool is_done(ExitCode measured) {
  return measured == ExitCode::done || measured == ExitCode::unreliable;
}

/// Says if the traps changed what stops measured, and annotates.
ExitCode annotate_measured(const Profiling& all, const annotator::Profile& measured) {
  if (records_by_itself(all.project, wish_of_call(all)) && cancellation().signal() == 0)
    compare_without_traps(all.project, all.folder, all.run.common, measured);
  return annotate(all);
}

ExitCode profile_again(const Profiling& all, const Refinement& refined, double traps_before) {
  GenOptions narrowed = all.gen;
  narrowed.include = refined.scope.include;
  narrowed.include.emplace_back();  // there may be no other
  try {
    make_again(all, narrowed);
  } catch (const UserError&) {
    annotate(all);  // what was measured is good
    throw;
  }
  // The second run stands beside the first, in the same file.
  RunOptions second = all.run;
  second.fresh = false;
  if (const ExitCode measured = run_in(all.folder, all.project, second); !is_done(measured)) return measured;
  const annotator::Profile refined_one = estimated(all);
  if (const std::optional<Fault> fault = unfit(refined_one, all.project);
      fault && !wish_of_call(all).asks_for_shots)
    throw UserError(*fault, ExitCode::check_failed);
  const ExitCode code = annotate_measured(all, refined_one);
  say(all, fmt::format("refine: the traps took {:.1f} % of the time, now {:.1f} %\n", 100 * traps_before,
                       100 * refined_one.trap_share));
  return code;
}

/// A recording may fail: what was measured is there.
ExitCode record_what_noise_hides(Profiling& all, const Fault& noise) {
  try {
    return record_instead(all, noise);
  } catch (const UserError& error) {
    for (const Fault& fault : error.faults()) say(all, harmless(render(fault)) + "\n");
    return annotate(all);
  }
}

ExitCode profile_in(Profiling& all) {
  const FirstScope scope = make_what_fits(all);
  if (all.run.memory) return run_in(all.folder, all.project, all.run);
  if (const std::optional<Fault> better = shorten_path(all)) return record_instead(all, *better);
  if (const ExitCode measured = run_in(all.folder, all.project, all.run); !is_done(measured)) return measured;
  const annotator::Profile first = estimated(all);
  if (!wish_of_call(all).asks_for_shots && cancellation().signal() == 0) {
    const std::optional<Fault> fault = unfit(first, all.project);
    if (fault && all.run.max_time_ms) throw UserError(*fault, ExitCode::check_failed);
    if (fault) return record_instead(all, *fault);
    const std::optional<Fault> noise = hidden_by_noise(first, all.project);
    if (noise && !all.run.max_time_ms && records_by_itself(all.project, wish_of_call(all)))
      return record_what_noise_hides(all, *noise);
    if (noise) say(all, harmless(render(*noise)) + "\n");
  }
  if (all.refine == RefineWish::never) return annotate_measured(all, first);
  const TrapMap map = read_trap_map(all.folder.path() / "traps.json");
  const std::optional<Refinement> refined =
      refinement({.profile = first, .map = map, .asked = all.project.profile, .scope = scope}, all.refine);
  if (!refined) {
    if (all.refine == RefineWish::always) say(all, "refine: no function can be left out\n");
    return annotate_measured(all, first);
  }
  say(all, harmless(to_text(*refined)));
  return profile_again(all, *refined, first.trap_share);
}

}  // namespace

ExitCode profile(const ProfileOptions& options) {
  catch_signals();
  const CommonOptions& common = options.run.common;
  const Project project = read_project(common.project);
  if (options.run.dry_run) {
    const Placeholders values =
        values_of_steps(project, output_folder(project, common), options.run.transport);
    const StepOptions how{.is_shown = true, .is_dry = true};
    run_steps("prepare", project.compile.prepare, values, how);
    build_and_install(project, values, how);
    return run(options.run);
  }
  const OutputFolder folder = open_output(project, common, "jcprof profile");
  Profiling all{.project = project,
                .folder = folder,
                .values = values_of_steps(project, folder.path(), options.run.transport),
                .gen = {.common = common, .tells_if_tight = true},
                .run = options.run,
                .annotate = {.common = common},
                .refine = options.refine};
  for (CommonOptions* phase : {&all.gen.common, &all.run.common}) {
    phase->quiet = common.quiet || common.json;
    phase->json = false;
  }
  // Nothing is annotated behind memory mode, so it prints the result itself.
  all.run.common.json = common.json && all.run.memory;
  // jcprof gen remembers what was allowed, and asks about compilers that "prepare" steps bring.
  all.run.common.yes = true;
  all.run.is_new_build = true;
  ask_about_all(project, folder.path(), common.yes);
  if (!options.run.devices.empty()) {
    std::vector<ListedDevice> devices = read_devices(options.run.devices);
    ask_about(project, programs_of_devices(devices), consent_of(common.yes));
    make_tree(all.gen, folder);
    run_steps("build", project.build, all.values, {.is_shown = !all.run.common.quiet});
    note_build(folder.path());
    all.run.common = common;
    return run_devices_in(folder, project, all.run, std::move(devices));
  }
  const ExitCode code = profile_in(all);
  // Annotating does not look whether a signal asks for the end.
  const int signal = cancellation().signal();
  return signal == 0 ? code : exit_code_of(signal);
}

}  // namespace jcprof::cli
