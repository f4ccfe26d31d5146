// SPDX-License-Identifier: Apache-2.0
#include "annotator/estimate/attribution.hpp"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <utility>

#include "annotator/estimate/ownership.hpp"
#include "annotator/estimate/trap_table.hpp"
#include "src/core/error.hpp"

namespace jcprof::annotator {
namespace {

/// The data that attribution keeps with a call and with a begun statement.
struct Call {
  std::size_t invocation = 0;
  std::uint32_t guards_below = 0;  // of the calls that led here
};
struct Begun {
  std::size_t at = 0;                   // event
  std::optional<std::size_t> run = {};  // index into loop_runs once it is known to be a loop
};

/// Index into a list of the result, by number in the table. `add` is called for a new one.
using Indices = std::unordered_map<std::size_t, std::uint32_t>;
template <class Add>
std::uint32_t place_in(Indices& places, std::size_t number, const Add& add) {
  const auto [place, is_new] = places.try_emplace(number, static_cast<std::uint32_t>(places.size()));
  if (is_new) add();
  return place->second;
}

/// The account of one path. Time is the number of events that were passed.
class PathAccount {
 public:
  static constexpr bool keeps_outermost = true;
  using Machine = Ownership<PathAccount, Call, Begun>;

  PathAccount(const TrapMap& map, const std::vector<Event>& path)
      : table_(table_of(map)), path_(path), machine_(*this), under_way_(table_.functions.size()) {}

  Attribution walk() {
    for (const Event& event : path_) {
      const TrapPlace& trap = place_of(event);
      machine_.step(trap);
      const Call& call = machine_.frames().back().data;
      result_.unwinding.push_back({.frames = static_cast<std::uint32_t>(machine_.frames().size() - 1),
                                   .guards = call.guards_below + trap.guards});
    }
    machine_.pass();
    while (!machine_.frames().empty()) machine_.leave();
    count_hits();
    return std::move(result_);
  }

  // ---- as Ownership asks it

  bool is_on_top() const { return true; }
  /// An applet's process() is called by the card only. In C the trigger is one command, and the entry may
  /// call itself or another one.
  bool begins_command(const TrapPlace& entry0) const { return entry0.has_commands; }
  void own(const Machine::Owner* owner) {
    if (owner == nullptr) return own_nothing();
    const TrapPlace& trap = owner->trap();
    const TrapTable::Place& place = table_.lines[trap.line];
    const std::uint32_t line = place_in(lines_, trap.line, [&] {
      result_.lines.push_back(
          {.path = place.path, .line = place.line, .function = table_.functions[trap.function].function});
    });
    const std::uint32_t function = result_.invocations[owner->frame.data.invocation].function;
    result_.blocks.push_back({.line = line, .function = function});
  }
  bool enter(const TrapPlace& trap, Call& call) {
    const TrapTable::Place& place = table_.functions[trap.function];
    const std::uint32_t function = place_in(functions_, trap.function, [&] {
      result_.functions.push_back({.name = place.function, .path = place.path, .line = place.line});
    });
    ++result_.functions[function].calls;
    call.invocation = result_.invocations.size();
    if (!machine_.frames().empty()) {
      const Machine::Frame& caller = machine_.frames().back();
      call.guards_below = caller.data.guards_below + caller.last->guards;
    }
    result_.invocations.push_back(
        {.function = function, .begin = now(), .end = now(), .outermost = under_way_[function]++ == 0});
    return true;
  }
  void pop() { machine_.leave(); }
  void left(const Machine::Frame& frame) {
    Invocation& invocation = result_.invocations[frame.data.invocation];
    invocation.end = now();
    --under_way_[invocation.function];
  }
  void begin(Machine::Statement& begun, Machine::Statement* outer) {
    begun.data.at = now();
    if (begun.trap->kind == TrapKind::loop_body && outer != nullptr) pass_loop(*outer);
  }
  void end(const Machine::Statement& ended, const Machine::Statement* /*outer*/) {
    if (!ended.data.run) return;
    LoopRun& run = result_.loop_runs[*ended.data.run];
    run.end = now();
    --loops_under_way_[run.loop];
  }
  void end_plain(const Machine::Frame& /*frame*/) {}

 private:
  std::size_t now() const { return result_.blocks.size(); }

  /// Before the first event there is no block.
  void own_nothing() {
    if (!result_.unwinding.empty())
      result_.blocks.push_back({.line = Block::nobody, .function = Block::nobody});
  }

  const TrapPlace& place_of(const Event& event) const {
    const std::size_t id = number(event.trap);
    check(id >= 1 && id <= table_.traps.size(), "a path's traps are in its trap map");
    return table_.traps[id - 1];
  }

  /// A body's first trap was passed: the statement that holds it is a loop.
  void pass_loop(Machine::Statement& statement) {
    if (!statement.data.run) {
      const std::uint32_t loop = loop_of(*statement.trap);
      ++result_.loops[loop].entries;
      statement.data.run = result_.loop_runs.size();
      result_.loop_runs.push_back({.loop = loop,
                                   .begin = statement.data.at,
                                   .end = statement.data.at,
                                   .outermost = loops_under_way_[loop]++ == 0});
    }
    ++result_.loops[result_.loop_runs[*statement.data.run].loop].passes;
  }

  std::uint32_t loop_of(const TrapPlace& trap) {
    return place_in(loops_, static_cast<std::size_t>(&trap - table_.traps.data()), [&] {
      const TrapTable::Place& place = table_.lines[trap.line];
      result_.loops.push_back(
          {.path = place.path, .line = place.line, .function = table_.functions[trap.function].function});
      loops_under_way_.push_back(0);
    });
  }

  void count_hits() {
    std::vector<std::uint64_t> passed(table_.traps.size());
    for (const Event& event : path_) ++passed[number(event.trap) - 1];
    std::vector<std::uint64_t> hits = hits_of_lines(table_, passed);
    for (const auto& [line, owned] : lines_) result_.lines[owned].hits = hits[line];
    if (!path_.empty()) list_unreached(hits);  // without a trace nothing is known to be unreached
  }

  void list_unreached(std::vector<std::uint64_t>& hits) {
    for (const TrapPlace& trap : table_.traps) {
      // Nobody asks about closing braces.
      const bool is_end = trap.kind == TrapKind::after || trap.kind == TrapKind::exit;
      if (is_end || hits[trap.line]++ > 0) continue;  // each line once
      const TrapTable::Place& place = table_.lines[trap.line];
      result_.unreached.push_back(
          {.path = place.path, .line = place.line, .function = table_.functions[trap.function].function});
    }
  }

  const TrapTable table_;
  const std::vector<Event>& path_;
  Machine machine_;
  Attribution result_;
  Indices lines_, functions_, loops_;
  std::vector<std::size_t> under_way_;        // calls of each function
  std::vector<std::size_t> loops_under_way_;  // runs of each loop
};

}  // namespace

Attribution attribute(const TrapMap& map, const std::vector<Event>& path) {
  return PathAccount(map, path).walk();
}

}  // namespace jcprof::annotator
