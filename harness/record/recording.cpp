// SPDX-License-Identifier: Apache-2.0
#include "harness/record/recording.hpp"

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include "harness/clock.hpp"
#include "harness/record/drain_thread.hpp"
#include "harness/record/warnings.hpp"
#include "src/core/error.hpp"

namespace jcprof::harness {
namespace {

/// The folder that what lies in `folder` was moved to, if it is there. Many folders are not removed in no
/// time, but are moved so.
std::filesystem::path set_aside(const std::filesystem::path& folder) {
  std::filesystem::path aside = folder.string() + ".old";
  std::error_code failed;
  if (!std::filesystem::exists(folder, failed)) return aside;
  // A recorder that was killed may have left some there.
  std::filesystem::create_directories(aside, failed);
  std::filesystem::rename(folder, aside / std::to_string(now_ns()), failed);
  std::error_code ignored;
  if (failed) std::filesystem::remove_all(folder, ignored);
  return aside;
}

RecordClock usable(RecordClock clock) {
  if (clock == RecordClock::counted || has_counter()) return clock;
  throw UserError(Fault{.message = "this processor has no counter that programs may read",
                        .hint = "use --clock counted"});
}

}  // namespace

struct Recording::State {
  explicit State(const LogOptions& options)
      : options(options),
        memory(options.memory, usable(options.clock)),
        room(std::make_shared<LogRoom>(options.most_bytes)),
        writer(options.file, room),
        apart(options.clock),
        clock_thread(memory.head().now, options.clock, apart.processor()) {}

  bool has_programs() const { return !options.programs.empty() && is_of_target(options.clock); }

  LogOptions options;
  LogMemory memory;
  std::shared_ptr<LogRoom> room;
  LogWriter writer;
  SetApart apart;
  ClockThread clock_thread;
  jcprof_log_pair begun = pair_of(memory, options.clock);  // so that the shortest program has two
  std::optional<DrainThread> drain;
  std::optional<Programs> programs;
  std::jthread remover;  // of the programs of an earlier recording
};

Recording::Recording(const LogOptions& options) : state_(std::make_unique<State>(options)) {
  if (state_->has_programs()) store(state_->memory.head().offered, state_->memory.number());
}

Recording::~Recording() = default;

const std::filesystem::path& Recording::memory() const {
  return state_->memory.file();
}

void Recording::begin() {
  State& state = *state_;
  const LogOptions& options = state.options;
  state.writer.begin(state.memory.head());
  state.writer.pair(state.begun);
  state.drain.emplace(state.memory, state.writer,
                      DrainOptions{.clock = options.clock,
                                   .left_out = options.left_out ? options.left_out(options.file) : LeftOut(),
                                   .begun = static_cast<std::int64_t>(state.begun.ns)});
  if (options.programs.empty()) return;
  const std::filesystem::path earlier = set_aside(options.programs);
  // Programs wait for a log now.
  if (state.has_programs())
    state.programs.emplace(state.memory, state.room,
                           ProgramsOptions{.folder = options.programs,
                                           .memory = options.memory,
                                           .clock = options.clock,
                                           .left_out = options.left_out});
  state.remover = std::jthread([earlier] {
    std::error_code unheard;
    std::filesystem::remove_all(earlier, unheard);
  });
}

void Recording::pause(bool is_wanted) {
  state_->drain->pause(is_wanted);
  if (state_->programs) state_->programs->pause(is_wanted);
}

RecordProgress Recording::progress() const {
  const RecordProgress first = state_->drain->progress();
  return state_->programs ? state_->programs->with_theirs(first) : first;
}

void Recording::stop() {
  if (state_->programs) state_->programs->finish();
  state_->drain->finish();
}

Recorded Recording::end(int status, std::uint32_t process, const OwnCost& cost) {
  const jcprof_log_head& head = state_->memory.head();
  state_->writer.end(head, static_cast<std::uint32_t>(status), cost);
  Recorded recorded{.status = status,
                    .log = state_->writer.written(),
                    .threads = head.threads,
                    .time = state_->drain->progress().time,
                    .clock = state_->drain->health()};
  std::set<std::uint32_t> left = state_->drain->drainer().others_alive(process);
  if (state_->programs && !state_->programs->logs().empty()) {
    left.insert(state_->programs->left().begin(), state_->programs->left().end());
    left.erase(process);
    recorded.programs = state_->programs->logs();
    recorded.programs.insert(recorded.programs.begin(), {.facts = facts_of(state_->memory),
                                                         .file = state_->options.file,
                                                         .log = recorded.log,
                                                         .threads = recorded.threads,
                                                         .time = recorded.time});
  }
  std::optional<Warning> failure = state_->programs ? state_->programs->failure() : std::nullopt;
  recorded.warnings = record_warnings({.clock = state_->options.clock,
                                       .health = recorded.clock,
                                       .log = recorded.log,
                                       .attached = head.attached,
                                       .is_unfit = head.unfit != 0,
                                       .is_misplaced = head.misplaced != 0,
                                       .others = left.size()});
  if (failure) recorded.warnings.push_back(std::move(*failure));
  return recorded;
}

}  // namespace jcprof::harness
