// SPDX-License-Identifier: Apache-2.0
#include "programs/doctor_try.hpp"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <memory>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/inputs.hpp"
#include "harness/judgement.hpp"
#include "harness/survey.hpp"
#include "harness/transports.hpp"
#include "harness/warm_up_budget.hpp"
#include "programs/building.hpp"
#include "programs/built.hpp"
#include "programs/first_path.hpp"
#include "programs/output.hpp"
#include "programs/permission.hpp"
#include "programs/steps.hpp"
#include "programs/unfit.hpp"
#include "rewriter/c/runtime.hpp"
#include "rewriter/project_programs.hpp"
#include "src/core/file.hpp"
#include "src/core/shell_words.hpp"
#include "src/core/status_form.hpp"
#include "src/engine/statistics.hpp"

namespace jcprof::cli {
namespace {

using Clock = std::chrono::steady_clock;
using Findings = std::vector<Finding>;

// A look at the time of a command, not a measurement.
constexpr int looks = 5;
constexpr double least_rounds = 10;
// Less than this is lost in the time that it takes to start a program, or to reach the target.
constexpr double least_part = 0.05;
constexpr double patience_s = 600;
// A measurement with a zoom has about so many stops, and settles most lines in so many rounds.
constexpr double most_stops = 200;
constexpr double usual_rounds = 20;

std::string in_time(double seconds) {
  if (seconds < 1) return fmt::format("{:.0f} ms", 1000 * seconds);
  return seconds < 120 ? fmt::format("{:.0f} s", seconds) : fmt::format("{:.0f} min", seconds / 60);
}

/// jcprof profile does this, and does not measure.
std::string instead(const Project& project, const Fault& why) {
  return records_by_itself(project, wish_of(project)) ? "jcprof profile records one run of it by itself"
                                                      : why.hint;
}

/// Code that jcprof's stops do not suit may suit others.
std::string other_tool(const Project& project) {
  const std::string tool = tool_of_one_run(project);
  return tool.empty() ? "" : "; " + tool;
}

std::string state_of(const harness::TracedPath& path) {
  switch (path.state) {
    case harness::PathState::steady:
      return "the same each time";
    case harness::PathState::varying:
      return "not the same each time";
    case harness::PathState::cut:
      return "cut there";
  }
  return "";
}

class Trial {
 public:
  Trial(const Project& project, const CommonOptions& options)
      : project_(project), options_(options), folder_(open_output(project, options, "jcprof doctor")) {
    options_.quiet = true;
    options_.json = false;
  }

  Tried run() && {
    try {
      make();
      contact();
    } catch (const UserError& error) {
      if (error.faults().empty()) failed({.message = "jcprof gen failed, and has said why"});
      std::ranges::for_each(error.faults(), [this](const Fault& fault) { failed(fault); });
    }
    return {.findings = std::move(findings_), .contact = contact_};
  }

 private:
  void ok(std::string what) { findings_.push_back({Verdict::ok, step_, std::move(what)}); }
  void failed(Fault fault) {
    const std::string way_out = std::exchange(fault.hint, "");
    fault.place.source_line.clear();
    findings_.push_back({Verdict::failed, step_, render(fault), way_out});
  }

  void make() {
    step_ = "traps";
    make_tree({.common = options_}, folder_);
    map_ = read_trap_map(folder_.path() / "traps.json");
    ok(fmt::format("{} of them", map_.traps.size()));
    values_ = placeholders(project_, folder_.path());
    values_.emplace("reader", harness::reader_for(project_, ""));
    step_ = "build";
    build();
    step_ = "install";
    if (!project_.install.empty()) {
      hold_place(project_, {});
      run_steps("install", project_.install, values_, {.is_shown = false});
      ok(fmt::format("{} steps", project_.install.size()));
    }
    note_build(folder_.path());
  }

  void build() {
    if (project_.build.empty()) return;
    try {
      run_steps("build", project_.build, values_, {.is_shown = false});
    } catch (const UserError& error) {
      const std::string hint = hint_of_failed_build(error.faults().front().hint);
      make_tree({.common = options_}, folder_);
      throw UserError(Fault{.message = error.faults().front().message, .hint = hint});
    }
    ok(fmt::format("{} steps", project_.build.size()));
  }

  /// Builds the sources with the trap of the entry alone, then with jcprof's header switched off. Leaves that
  /// tree.
  std::string hint_of_failed_build(const std::string& own) {
    make_tree({.common = options_, .functions_only = true, .include = {""}}, folder_);
    if (builds())
      return "it does not fail without traps: leave the function that it names out by \"exclude\" in "
             "\"profile\", or choose a coarser \"level\"";
    const std::filesystem::path header = folder_.path() / "tree" / rewriter::c_runtime_file;
    if (exists(header)) {
      write_own_file(header, "#define JCPROF_OFF 1\n" + read_file(header));
      if (builds())
        return "it does not fail without jcprof's header: the compiler or the flags of \"build\" do not suit "
               "it; a macro of the build may have one of its names";
    }
    return own + "; it fails without traps too: correct \"build\" or the sources first";
  }

  bool builds() const {
    try {
      run_steps("build", project_.build, values_, {.is_shown = false});
      return true;
    } catch (const UserError&) {
      return false;
    }
  }

  void contact() {
    step_ = "target";
    std::unique_ptr<harness::Transport> transport =
        harness::make_transport(project_, map_, "", folder_.path());
    const harness::Description target = transport->describe();
    ok(fmt::format("{}{}", target.device.empty() ? target.transport : target.device,
                   target.simulated ? " (SIMULATED)" : ""));
    if (const std::vector<std::string>& hook = project_.session.exchange; !hook.empty()) {
      step_ = "exchange";
      ok(fmt::format("{} opened the channel", fmt::join(hook, " ")));
    }
    step_ = "trigger";
    if (project_.target == TargetKind::program) {
      transport.reset();  // a server that it started may hold a port, and the look starts one too
      if (is_shortened()) return;
      transport = harness::make_transport(project_, map_, "", folder_.path());
      transport->describe();
    }
    const std::vector<StoredInput> inputs = harness::give_inputs(project_, project_.measure.seed, *transport);
    const harness::Survey survey = harness::survey(map_, *transport, inputs);
    look_at(survey, *transport, target);
  }

  /// jcprof profile leaves out traps of such a path by itself, and builds again.
  bool is_shortened() {
    const ProfileWish wish = wish_of(project_);
    const PathLook look =
        look_at_path(project_, map_, folder_.path(),
                     {.depth = LookDepth::length, .is_patient = !is_recorded_if_long(project_, wish)});
    contact_.threads = look.contact.threads;
    const Shortening shorter = shortening(look, map_, project_.profile.level);
    if (look.path.state != harness::PathState::cut) return false;
    step_ = "path";
    const std::optional<Fault> lost = is_needed(shorter) && !look.contact.threads
                                          ? not_measured(shorter, project_, wish)
                                          : not_measured(look, FewerTraps::none, project_, wish);
    if (lost) findings_.push_back({Verdict::remark, step_, lost->message, instead(project_, *lost)});
    if (lost || !is_needed(shorter)) return lost.has_value();
    contact_ = {.events = static_cast<std::uint64_t>(events_aimed_at), .shot_s = look.contact.shot_s};
    // Without its head and the end of its line.
    std::string text = to_text(shorter).substr(std::string_view("path: ").size());
    text.pop_back();
    findings_.push_back({Verdict::remark, step_, std::move(text),
                         "jcprof profile does that by itself" + other_tool(project_)});
    return true;
  }

  void look_at(const harness::Survey& survey, harness::Transport& transport,
               const harness::Description& target) {
    const harness::TracedPath& path = survey.paths.front().path;
    const std::uint32_t input = survey.paths.front().inputs.front();
    const Clock::time_point begun = Clock::now();
    const std::optional<double> whole = median_time(transport, {.stop = {}, .input = input});
    const std::chrono::duration<double> shooting = Clock::now() - begun;
    if (!whole)
      throw environment_error(
          fmt::format("it was answered once, and none of {} times after that", looks),
          "look what it leaves behind: \"before_each\" and \"after_reset\" in \"session\" "
          "bring the target back to one state");
    ok(fmt::format("answered {} in {}", in_form(status_form(project_.target), survey.good.front().status),
                   harness::in_unit(*whole, target.unit)));
    step_ = "path";
    ok(fmt::format("{} events, {}", path.events.size(), state_of(path)));
    const bool is_prospect = contact_.threads && not_measured({.path = {}, .contact = contact_},
                                                              FewerTraps::none, project_, wish_of(project_));
    for (const Warning& warning : survey.warnings)
      if (warning.kind != WarningKind::threads || !is_prospect)
        findings_.push_back(
            {Verdict::remark, std::string(name_of(warning.kind)), warning.text, warning.advice});
    const std::optional<double> first = median_time(transport, {.stop = path.events.front(), .input = input});
    if (!first)
      findings_.push_back({Verdict::remark, "stops",
                           fmt::format("none of {} runs stopped at the first event of the path", looks),
                           "look how the code there ends, and what catches its exceptions"});
    contact_.events = path.events.size();
    contact_.shot_s = shooting.count() / looks;
    if (target.unit == ClockUnit::ns && first) {
      contact_.whole_ns = *whole;
      contact_.behind_ns = *whole - *first;
    }
    std::ranges::move(prospects(project_, contact_), std::back_inserter(findings_));
  }

  const Project& project_;
  CommonOptions options_;
  const OutputFolder folder_;
  Findings findings_;
  std::string step_;
  TrapMap map_;
  Placeholders values_;
  FirstContact contact_;
};

/// Nothing; else why the programs of the project are not run.
Findings refusal(const Project& project, const CommonOptions& options) {
  const bool yes = options.yes;
  const auto allowed = [&](const char* what) {
    return fmt::format("`jcprof doctor --yes {}` allows {}", shell_word(options.project), what);
  };
  // Programs that were allowed before are one thing, a card in a reader another.
  if (!yes && project.transport.starts_with("pcsc:"))
    return {{Verdict::remark, "trial",
             "not made: it installs on the card in the reader, and sends the trigger", allowed("it")}};
  std::vector<std::string> programs =
      rewriter::programs_of_generation(project, output_folder(project, options));
  std::ranges::move(programs_of_steps(project), std::back_inserter(programs));
  std::ranges::move(programs_of_run(project), std::back_inserter(programs));
  try {
    ask_about(project, programs, consent_of(yes));
  } catch (const UserError&) {
    return {{Verdict::remark, "trial", "not made: it runs the programs of the project",
             allowed("them") + " (docs/safety.md)"}};
  }
  return {};
}

}  // namespace

std::optional<double> median_time(harness::Transport& transport, const Shot& shot) {
  std::vector<double> ticks;
  const std::vector<Shot> shots(looks, shot);
  const Outcome asked = shot.stop.trap == run_to_end ? Outcome::ended : Outcome::stopped;
  transport.measure(shots, [&](const Shot&, const Sample& sample) {
    if (sample.outcome == asked) ticks.push_back(static_cast<double>(sample.ticks));
    return true;
  });
  if (ticks.empty()) return std::nullopt;
  return engine::median(std::move(ticks));
}

bool is_hidden(const FirstContact& contact) {
  return contact.whole_ns > 0 && contact.behind_ns < short_ns &&
         contact.behind_ns < least_part * contact.whole_ns;
}

Findings prospects(const Project& project, const FirstContact& contact) {
  Findings findings;
  const auto remark = [&](std::string what, std::string way_out) {
    findings.push_back({Verdict::remark, "prospect", std::move(what), std::move(way_out)});
  };
  if (const std::optional<Fault> fault =
          not_measured({.path = {}, .contact = contact}, FewerTraps::none, project, wish_of(project)))
    remark(fault->message, instead(project, *fault));
  else if (is_hidden(contact))
    remark(fmt::format("of {} only {} lie behind the entry: the way there hides them",
                       harness::in_unit(contact.whole_ns, ClockUnit::ns),
                       harness::in_unit(std::max(contact.behind_ns, 0.0), ClockUnit::ns)),
           "give the command more work" + other_tool(project));
  const bool is_timed_from_outside = project.target == TargetKind::program && !project.trigger.run.empty();
  if (is_timed_from_outside && project.trigger.clock == ProgramClock::wall)
    remark("the wall clock also counts what other programs take",
           "\"clock\": \"cpu\" in \"trigger\", where the program computes and does not wait");
  const double least = least_rounds * static_cast<double>(contact.events) * contact.shot_s;
  const bool is_long = least > patience_s;
  findings.push_back(
      {is_long ? Verdict::remark : Verdict::ok, "estimate",
       fmt::format("{:.0f} rounds, the least, of {} stops take {}; a long path is zoomed into and takes less",
                   least_rounds, contact.events, in_time(least)),
       is_long ? "a coarser \"level\", or fewer functions in \"include\" of \"profile\"" + other_tool(project)
               : ""});
  return findings;
}

double seconds_to_measure(const FirstContact& contact) {
  using harness::WarmUpBudget;
  constexpr auto warm_up = static_cast<double>(WarmUpBudget::least_shots);
  const double stops = std::min(static_cast<double>(contact.events) + 1, most_stops);
  return contact.shot_s * std::max(WarmUpBudget::parts * warm_up, warm_up + usual_rounds * stops);
}

Tried try_project(const Project& project, const CommonOptions& options) {
  Findings refused = refusal(project, options);
  return refused.empty() ? Trial(project, options).run() : Tried{.findings = std::move(refused)};
}

}  // namespace jcprof::cli
