// SPDX-License-Identifier: Apache-2.0
#include "harness/exec/transport.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/awake.hpp"
#include "harness/clock.hpp"
#include "harness/exec/report.hpp"
#include "harness/exec/streams.hpp"
#include "harness/exec/timed_run.hpp"
#include "harness/right_answer.hpp"
#include "src/core/cancellation.hpp"
#include "src/core/error.hpp"
#include "src/core/hex.hpp"
#include "src/core/process.hpp"

namespace jcprof::harness {
namespace {

// The steps in which wait4 tells processor time.
constexpr double cpu_resolution_ns = 1000;

/// Environment variables of one run, beside JCPROF_REPORT.
using Variables = std::vector<std::pair<std::string_view, std::string>>;

Variables arming(Event stop) {
  if (stop.trap == run_to_end) return {};
  return {{"JCPROF_TRAP", std::to_string(number(stop.trap))}, {"JCPROF_HIT", std::to_string(stop.hit)}};
}

class ExecTransport final : public Transport {
 public:
  ExecTransport(const ExecSetup& setup, std::unique_ptr<Device> started)
      : setup_(setup),
        started_(std::move(started)),
        environment_(own_environment()),
        streams_(setup.logs / "exec.log"),
        right_{.form = StatusForm::decimal, .expect = setup.trigger.expect} {
    // jcprof itself may run under jcprof.
    for (const std::string_view name :
         {"JCPROF_TRAP", "JCPROF_HIT", "JCPROF_TRACE", "JCPROF_REPORT", "JCPROF_CALIBRATE"})
      remove_variable(environment_, name);
    if (!records()) {
      if (setup_.trigger.clock == ProgramClock::wall) awake_.emplace();
      return;
    }
    remove_variable(environment_, "JCPROF_RECORD");
    environment_.push_back(fmt::format("JCPROF_RECORD={}", setup_.log.string()));
  }

  Description describe() override {
    return {.transport = "exec",
            .agent = "jcprof/" JCPROF_VERSION,
            .device = setup_.device.empty() ? name_of_processor() : setup_.device,
            .unit = ClockUnit::ns,
            .resolution = setup_.trigger.clock == ProgramClock::cpu ? cpu_resolution_ns : 1};
  }

  void set_inputs(std::vector<Bytes> inputs) override { inputs_ = std::move(inputs); }

  void measure(std::span<const Shot> shots, const ShotSink& sink) override {
    for (const Shot& shot : shots) {
      const Sample sample = shoot(shot);
      const bool goes_on = sink(shot, sample);
      judge_status(shot, sample);
      if (!goes_on) return;
    }
  }

  TraceWindow trace(std::uint32_t input, std::uint64_t from, std::uint32_t count) override;
  std::optional<CalibrationTime> calibrate(CalibrationKind kind, std::uint64_t passes) override;
  bool is_right(std::uint32_t status) const override { return right_.accepts(status); }

 private:
  /// A run and its report.
  struct Answer {
    TimedRun run;
    std::optional<ExecReport> report;
  };

  bool records() const { return !setup_.log.empty(); }
  Placeholders values_for(std::uint32_t input) const;
  void make_ready();
  void run_script(const std::string& name, const Script& script, const Placeholders& values) const;
  void run_step(const std::string& where, const RunStep& step, const Placeholders& values) const;
  Answer run(std::uint32_t input, ExecReportFile& file, const Variables& variables, std::int64_t delay_ns);
  Answer run_between_scripts(std::uint32_t input, ExecReportFile& file, const Variables& variables,
                             std::int64_t delay_ns);
  Sample shoot(const Shot& shot);
  void judge_status(const Shot& shot, const Sample& sample);
  Sample judged(const Answer& answer, Event asked);
  Sample judged_end(const Answer& answer) const;
  void check_build(const Answer& answer);
  std::string last_words() const;
  Ticks ticks_of(const TimedRun& run) const {
    return setup_.trigger.clock == ProgramClock::cpu ? run.cpu_ns : run.wall_ns;
  }

  std::optional<AwakeProcessors> awake_;  // the wait for the end is no time of the program
  ExecSetup setup_;
  std::unique_ptr<Device> started_;
  Environment environment_;
  ExecStreams streams_;
  ExecReportFile report_;
  ExecReportFile trace_;
  std::vector<Bytes> inputs_{Bytes{}};
  bool had_once_ = false;
  bool was_reached_ = false;  // by a run that got as far as the entry
  RightAnswer right_;
  std::set<std::uint32_t> were_right_;  // inputs that a whole run answered as the project wants it
};

Placeholders ExecTransport::values_for(std::uint32_t input) const {
  Placeholders values = setup_.placeholders;
  values["input"] = to_hex(inputs_.at(input));
  return values;
}

void ExecTransport::make_ready() {
  const bool was_running = started_ == nullptr || !started_->has_ended();
  if (had_once_ && was_running) return;
  if (!was_running) started_->start();
  run_script("once", setup_.session.once, setup_.placeholders);
  had_once_ = true;
}

void ExecTransport::run_script(const std::string& name, const Script& script,
                               const Placeholders& values) const {
  for (std::size_t i = 0; i < script.size(); ++i) {
    if (const auto* wait = std::get_if<WaitStep>(&script[i])) cancellation().sleep_for(wait->time);
    if (const auto* step = std::get_if<RunStep>(&script[i]))
      run_step(fmt::format("step {} of \"{}\"", i + 1, name), *step, values);
  }
}

void ExecTransport::run_step(const std::string& where, const RunStep& step,
                             const Placeholders& values) const {
  Command command{.argv = {}, .cwd = fill_in(setup_.trigger.cwd, values)};
  for (const std::string& argument : step.run) command.argv.push_back(fill_in(argument, values));
  const std::filesystem::path log = setup_.logs / "session.log";
  const ProcessResult result =
      run_and_wait(command, {.file = log, .start = LogStart::go_on}, setup_.session.timeout);
  if (result.exit_status == 0 && !result.timed_out) return;
  const std::string what = result.timed_out
                               ? fmt::format("did not end in {} ms", setup_.session.timeout.count())
                               : fmt::format("failed with status {}", result.exit_status);
  throw UserError(
      Fault{.message = fmt::format("{} {}: {}\n{}", where, what, fmt::join(command.argv, " "), result.tail),
            .hint = fmt::format("its output is in {}", log.string())},
      ExitCode::check_failed);
}

ExecTransport::Answer ExecTransport::run(std::uint32_t input, ExecReportFile& file,
                                         const Variables& variables, std::int64_t delay_ns) {
  const Placeholders values = values_for(input);
  ProgramCall call{.cwd = fill_in(setup_.trigger.cwd, values)};
  for (const std::string& argument : setup_.trigger.run) call.argv.push_back(fill_in(argument, values));
  call.program = path_of_program(call.argv.front(), call.cwd);
  call.tells_threads =
      std::ranges::find(variables, "JCPROF_TRAP", &Variables::value_type::first) == variables.end();
  Environment environment = environment_;
  for (const auto& [name, value] : variables) environment.push_back(fmt::format("{}={}", name, value));
  if (setup_.trigger.input == "{input}")
    streams_.give(inputs_.at(input));
  else if (!setup_.trigger.input.empty())
    streams_.give(call.cwd / fill_in(setup_.trigger.input, values));
  const ProgramStreams streams = streams_.open();
  pause(delay_ns);
  Answer answer{.run = run_timed(call, environment, streams, setup_.session.timeout)};
  streams_.keep();
  answer.report = file.read();
  check_build(answer);
  return answer;
}

ExecTransport::Answer ExecTransport::run_between_scripts(std::uint32_t input, ExecReportFile& file,
                                                         const Variables& variables, std::int64_t delay_ns) {
  make_ready();
  const Placeholders values = values_for(input);
  run_script("before_each", setup_.session.before_each, values);
  Answer answer = run(input, file, variables, delay_ns);
  if (answer.run.end == ProgramEnd::exited) run_script("after_each", setup_.session.after_each, values);
  return answer;
}

Sample ExecTransport::shoot(const Shot& shot) {
  report_.reset();
  Variables variables = arming(shot.stop);
  variables.emplace_back("JCPROF_REPORT", report_.file().string());
  return judged(run_between_scripts(shot.input, report_, variables, shot.delay_ns), shot.stop);
}

/// Ends the run where the first whole run of an input ends with another status than the project wants.
void ExecTransport::judge_status(const Shot& shot, const Sample& sample) {
  if (!sample.status || were_right_.contains(shot.input)) return;
  if (right_.accepts(*sample.status)) {
    if (shot.stop.trap == run_to_end) were_right_.insert(shot.input);
    return;
  }
  const Placeholders values = values_for(shot.input);
  std::string sent = "the program";
  for (const std::string& argument : setup_.trigger.run) sent += " " + fill_in(argument, values);
  throw wrong_answer(
      right_,
      {.sent = sent,
       .status = *sample.status,
       .account = last_words(),
       .remedy = "run it by hand, twice: give it the arguments, \"stdin\" and \"cwd\" that it lacks, and "
                 "undo in \"before_each\" of \"session\" what its first run leaves behind"});
}

/// The program that answers is the one that jcprof-gen wrote.
void ExecTransport::check_build(const Answer& answer) {
  // A program that records says nothing of itself: what it did stands in the log.
  if (records() || !answer.report || answer.run.end != ProgramEnd::exited) return;
  const std::optional<std::uint32_t>& build = answer.report->build;
  if (build && *build != 0 && *build != setup_.build)
    throw UserError(Fault{.message = fmt::format("the program is build {:08x}, traps.json is of build {:08x}",
                                                 *build, setup_.build),
                          .hint = "build what jcprof-gen wrote last: \"jcprof profile\" does all of it"});
  was_reached_ |= build.has_value();
  if (was_reached_) return;
  const std::string words = last_words();
  throw UserError(Fault{
      .message = fmt::format("the program ended with status {} and did not get as far as the entry{}",
                             answer.run.code, words),
      .hint = "is it built from jcprof-out/tree, and does \"trigger\" make it run what \"entry\" names? "
              "without jcprof_tree.h, or with -DJCPROF_OFF, there are no traps in it"});
}

/// The last line of its standard error, to be put behind a sentence.
std::string ExecTransport::last_words() const {
  const std::string line = streams_.last_error_line();
  return line.empty() ? "" : fmt::format("; it said \"{}\"", line);
}

Sample ExecTransport::judged(const Answer& answer, Event asked) {
  Sample sample = judged_end(answer);
  if (sample.outcome != Outcome::ended || answer.report->stopped.trap == run_to_end) return sample;
  const Event reached = answer.report->stopped;
  if (number(reached.trap) > setup_.traps || reached.hit == 0)
    return {.outcome = Outcome::lost,
            .why = fmt::format("it says that it stopped at {}, and traps.json has {} traps",
                               in_words(reached), setup_.traps)};
  sample = {.outcome = Outcome::stopped, .ticks = sample.ticks, .reached = reached};
  mark_if_elsewhere(asked, sample);
  return sample;
}

/// Without regard to stops.
Sample ExecTransport::judged_end(const Answer& answer) const {
  const auto lost = [](std::string why) { return Sample{.outcome = Outcome::lost, .why = std::move(why)}; };
  switch (answer.run.end) {
    case ProgramEnd::timed_out:
      return {
          .outcome = Outcome::timed_out,
          .why = fmt::format("it did not end within {} ms{}", setup_.session.timeout.count(), last_words())};
    case ProgramEnd::flooded:
      return lost(fmt::format("it wrote more than {} MiB", ProgramStreams{}.most_bytes >> 20));
    case ProgramEnd::signalled:
      return lost(fmt::format("it was ended by {}{}", name_of_signal(answer.run.code), last_words()));
    case ProgramEnd::exited:
      break;
  }
  if (!answer.report) return lost("it damaged the file that JCPROF_REPORT names");
  if (!answer.report->build && !records())
    return lost(fmt::format("it ended with status {} before the entry{}", answer.run.code, last_words()));
  return {.outcome = Outcome::ended,
          .ticks = ticks_of(answer.run),
          .status = static_cast<std::uint32_t>(answer.run.code),
          .reply = streams_.reply(),
          .other_threads = answer.run.other_threads};
}

TraceWindow ExecTransport::trace(std::uint32_t input, std::uint64_t from, std::uint32_t count) {
  trace_.reset(from, count);
  const Answer answer = run_between_scripts(input, trace_, {{"JCPROF_TRACE", trace_.file().string()}}, 0);
  TraceWindow window{.end = judged(answer, {})};
  if (window.end.outcome != Outcome::ended) return window;
  const ExecReport& report = *answer.report;
  const std::uint64_t behind = report.events - std::min(report.events, from);
  window.traps = trace_.events(std::min<std::uint64_t>(behind, count));
  window.more = behind > window.traps.size();
  window.before = {.signature = report.signature_before};
  window.run = WholeRun{.events = report.events, .digest = {.signature = report.signature}};
  const auto is_unknown = [this](TrapId trap) { return trap == run_to_end || number(trap) > setup_.traps; };
  const auto unknown = std::ranges::find_if(window.traps, is_unknown);
  if (unknown == window.traps.end()) return window;
  return {.end = {.outcome = Outcome::lost,
                  .why = fmt::format("it traced trap {}, and traps.json has {}", number(*unknown),
                                     setup_.traps)}};
}

std::optional<CalibrationTime> ExecTransport::calibrate(CalibrationKind kind, std::uint64_t passes) {
  // A stop is _exit, from however deep: nothing unwinds.
  if (kind > CalibrationKind::counting) return std::nullopt;
  std::string why;
  for (int attempt = 0; attempt < calibration_attempts; ++attempt) {
    report_.reset();
    const Answer answer =
        run_between_scripts(0, report_,
                            {{"JCPROF_CALIBRATE", fmt::format("{}:{}", name_of(kind), passes)},
                             {"JCPROF_REPORT", report_.file().string()}},
                            0);
    const Sample sample = judged_end(answer);
    if (sample.outcome == Outcome::ended && answer.report->passes == 0) return std::nullopt;
    if (sample.outcome == Outcome::ended)
      return CalibrationTime{.kind = kind, .passes = answer.report->passes, .ticks = sample.ticks};
    why = sample.why;
  }
  throw environment_error(
      fmt::format("the program was lost in a calibration ({} of {} passes): {}", name_of(kind), passes, why),
      "a larger \"timeout\" in \"session\" of jcprof.json may help");
}

}  // namespace

std::unique_ptr<Transport> make_exec_transport(const ExecSetup& setup, std::unique_ptr<Device> started) {
  return std::make_unique<ExecTransport>(setup, std::move(started));
}

}  // namespace jcprof::harness
