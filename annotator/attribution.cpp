// SPDX-License-Identifier: Apache-2.0
#include "annotator/attribution.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>

#include "src/core/error.hpp"

namespace jcprof::annotator {
namespace {

using LineKey = std::pair<std::string, std::size_t>;

/// The traps that stand for a statement, whose range is the statement's.
bool stands_for_statement(TrapKind kind) {
  return kind == TrapKind::before || kind == TrapKind::loop_body || kind == TrapKind::handler ||
         kind == TrapKind::returns;
}

bool is_inside(const Trap& trap, const Trap& statement) {
  return trap.path == statement.path && statement.offset < trap.offset &&
         trap.end_offset <= statement.end_offset;
}

/// A statement that was begun, by its trap.
struct Statement {
  const Trap* trap = nullptr;
  std::size_t begun_at = 0;             // event
  std::optional<std::size_t> run = {};  // index into loop_runs once it is known to be a loop
};

/// A call under way.
struct Frame {
  std::uint32_t function = 0;
  std::size_t invocation = 0;
  std::uint32_t guards_below = 0;         // of the calls that led here
  const Trap* last = nullptr;             // that was passed in it
  Block current = {};                     // who owns what runs in this frame now
  std::vector<Statement> enclosing = {};  // outermost first
  bool leaving = false;                   // its return or exit was passed, at event left_at
  std::size_t left_at = 0;
};

class Walker {
 public:
  Walker(const TrapMap& map, const std::vector<Event>& path) : map_(map), path_(path) {
    result_.blocks.resize(path.size());
    result_.unwinding.resize(path.size());
  }

  Attribution walk() {
    for (std::size_t i = 0; i < path_.size(); ++i) {
      const Trap& trap = trap_of(i);
      const std::size_t before = frames_.empty() ? none : frames_.back().invocation;
      const bool was_leaving = !frames_.empty() && frames_.back().leaving;
      settle_frames(i, trap);
      if (!was_leaving && before == frames_.back().invocation) settle_marker(i, trap);
      frames_.back().last = &trap;
      result_.unwinding[i] = {.frames = static_cast<std::uint32_t>(frames_.size() - 1),
                              .guards = frames_.back().guards_below + trap.guards};
      result_.blocks[i] = frames_.back().current = owner(i, trap);
      if (frames_.back().leaving && frames_.size() > 1) {
        result_.blocks[i] = frames_[frames_.size() - 2].current;
      }
    }
    while (!frames_.empty()) pop(path_.size());
    drop_lines_without_blocks();
    count_hits();
    return std::move(result_);
  }

 private:
  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  const Trap& trap_of(std::size_t i) const {
    const std::size_t id = number(path_[i].trap);
    check(id >= 1 && id <= map_.traps.size(), "a path's traps are in its trap map");
    return map_.traps[id - 1];
  }

  // ---- frames

  /// Makes the top frame the one in which event i happens.
  void settle_frames(std::size_t i, const Trap& trap) {
    if (trap.kind == TrapKind::entry0) {
      // A new command: whatever was under way was left by an exception that nobody caught.
      while (!frames_.empty()) pop(i);
      push(i, trap);
    } else if (trap.kind == TrapKind::entry) {
      const bool continues_entry0 =
          i > 0 && trap_of(i - 1).kind == TrapKind::entry0 && trap_of(i - 1).function == trap.function;
      if (continues_entry0) return;
      if (!frames_.empty() && frames_.back().leaving) pop(i);
      push(i, trap);
    } else {
      settle_leaving(i, trap);
      unwind_to(i, trap);
    }
  }

  /// After a return the frame is gone, unless a `finally` of it still runs.
  void settle_leaving(std::size_t i, const Trap& trap) {
    if (frames_.empty() || !frames_.back().leaving) return;
    Frame& top = frames_.back();
    const bool is_ours = name_of_function(top) == trap.function;
    const bool below_fits = std::any_of(frames_.begin(), frames_.end() - 1, [&](const Frame& frame) {
      return name_of_function(frame) == trap.function;
    });
    if (!is_ours || (below_fits && trap.kind != TrapKind::handler)) {
      pop(i);
      return;
    }
    top.leaving = false;
    result_.blocks[top.left_at] = top.current;
  }

  /// Frames that cannot have passed this trap were left by an exception.
  void unwind_to(std::size_t i, const Trap& trap) {
    std::size_t depth = frames_.size();
    while (depth > 0 && name_of_function(frames_[depth - 1]) != trap.function) --depth;
    if (depth == 0) {
      push(i, trap);  // a function without an entry trap: only markers are in it
      return;
    }
    if (trap.kind == TrapKind::handler) depth = catching(trap, depth);
    while (frames_.size() > depth) pop(i);
  }

  /// With recursion several frames fit a handler: the innermost that is inside its `try` caught.
  std::size_t catching(const Trap& trap, std::size_t innermost) const {
    for (std::size_t depth = innermost; depth > 0; --depth) {
      const Frame& frame = frames_[depth - 1];
      if (name_of_function(frame) != trap.function) continue;
      if (std::ranges::any_of(frame.enclosing, [&](const Statement& s) { return is_inside(trap, *s.trap); }))
        return depth;
    }
    return innermost;
  }

  void push(std::size_t i, const Trap& trap) {
    const std::uint32_t function = function_of(trap);
    under_way_.resize(result_.functions.size());
    const bool outermost = under_way_[function]++ == 0;
    ++result_.functions[function].calls;
    const bool is_first = frames_.empty();
    frames_.push_back(
        {.function = function,
         .invocation = result_.invocations.size(),
         .guards_below = is_first ? 0 : frames_.back().guards_below + frames_.back().last->guards});
    result_.invocations.push_back({.function = function, .begin = i, .end = i, .outermost = outermost});
  }

  void pop(std::size_t i) {
    Frame& top = frames_.back();
    // What runs after its return belongs to the caller; where there is none it is the function's own.
    const bool has_caller = frames_.size() > 1;
    const std::size_t end = top.leaving && has_caller ? top.left_at : i;
    result_.invocations[top.invocation].end = end;
    while (!top.enclosing.empty()) end_statement(top, end);
    --under_way_[top.function];
    frames_.pop_back();
  }

  const std::string& name_of_function(const Frame& frame) const {
    return result_.functions[frame.function].name;
  }

  // ---- owners

  /// Who owns what runs after event i, as seen by its own frame.
  Block owner(std::size_t i, const Trap& trap) {
    Frame& frame = frames_.back();
    leave_statements(frame, trap, i);
    if (stands_for_statement(trap.kind)) begin_statement(frame, trap, i);
    if (trap.kind == TrapKind::returns || trap.kind == TrapKind::exit) {
      frame.leaving = true;
      frame.left_at = i;
    }
    const Trap* line = trap.kind == TrapKind::after ? enclosing_statement(frame, trap, i) : &trap;
    return {.line = line_of(*line), .function = frame.function};
  }

  void begin_statement(Frame& frame, const Trap& trap, std::size_t i) {
    if (trap.kind == TrapKind::loop_body && !frame.enclosing.empty()) pass_loop(frame.enclosing.back());
    frame.enclosing.push_back({.trap = &trap, .begun_at = i});
  }

  /// Keeps on the stack of begun statements those that hold what happens now.
  void leave_statements(Frame& frame, const Trap& trap, std::size_t i) {
    while (!frame.enclosing.empty() && !is_inside(trap, *frame.enclosing.back().trap))
      end_statement(frame, i);
  }

  /// The statement whose block ends at `trap`, as far as its own trap was passed in this frame. A block
  /// without braces is the innermost statement that ends there.
  const Trap* enclosing_statement(Frame& frame, const Trap& trap, std::size_t i) {
    std::vector<Statement>& begun = frame.enclosing;
    const bool has_brace = trap.end_offset > trap.offset;
    if (!has_brace && !begun.empty() && begun.back().trap->end_offset == trap.offset) end_statement(frame, i);
    return begun.empty() ? &trap : begun.back().trap;
  }

  void end_statement(Frame& frame, std::size_t i) {
    if (const std::optional<std::size_t> run = frame.enclosing.back().run) {
      result_.loop_runs[*run].end = i;
      --loops_under_way_[result_.loop_runs[*run].loop];
    }
    frame.enclosing.pop_back();
  }

  // ---- loops

  /// A body's first trap was passed: the statement that holds it is a loop.
  void pass_loop(Statement& statement) {
    if (!statement.run) {
      const std::uint32_t loop = loop_of(*statement.trap);
      ++result_.loops[loop].entries;
      statement.run = result_.loop_runs.size();
      result_.loop_runs.push_back({.loop = loop,
                                   .begin = statement.begun_at,
                                   .end = statement.begun_at,
                                   .outermost = loops_under_way_[loop]++ == 0});
    }
    ++result_.loops[result_.loop_runs[*statement.run].loop].passes;
  }

  std::uint32_t loop_of(const Trap& trap) {
    const auto [place, is_new] =
        loop_index_.try_emplace(&trap, static_cast<std::uint32_t>(result_.loops.size()));
    if (is_new) {
      result_.loops.push_back({.path = trap.path, .line = trap.line, .function = trap.function});
      loops_under_way_.push_back(0);
    }
    return place->second;
  }

  /// The ancestor's form: what runs up to a marker is shown at that marker.
  void settle_marker(std::size_t i, const Trap& trap) {
    if (i == 0 || trap.kind != TrapKind::marker) return;
    const TrapKind previous = trap_of(i - 1).kind;
    if (previous != TrapKind::entry && previous != TrapKind::marker) return;
    result_.blocks[i - 1].line = line_of(trap);
  }

  // ---- names to indices; each trap is looked up by name once

  std::uint32_t line_of(const Trap& trap) {
    const auto known = line_of_trap_.find(&trap);
    if (known != line_of_trap_.end()) return known->second;
    const auto [place, is_new] = line_index_.try_emplace(LineKey{trap.path, trap.line},
                                                         static_cast<std::uint32_t>(result_.lines.size()));
    if (is_new) result_.lines.push_back({.path = trap.path, .line = trap.line, .function = trap.function});
    line_of_trap_.emplace(&trap, place->second);
    return place->second;
  }

  std::uint32_t function_of(const Trap& trap) {
    const auto [place, is_new] =
        function_index_.try_emplace(trap.function, static_cast<std::uint32_t>(result_.functions.size()));
    if (is_new) {
      const auto first = std::ranges::find(map_.traps, trap.function, &Trap::function);
      result_.functions.push_back({.name = trap.function, .path = first->path, .line = first->line});
    }
    return place->second;
  }

  /// A line can lose its only block to a marker.
  void drop_lines_without_blocks() {
    std::vector<std::uint32_t> renumbered(result_.lines.size(), 0);
    for (const Block& block : result_.blocks) renumbered[block.line] = 1;
    std::vector<OwnedLine> kept;
    for (std::size_t i = 0; i < renumbered.size(); ++i) {
      if (renumbered[i] == 0) continue;
      renumbered[i] = static_cast<std::uint32_t>(kept.size());
      kept.push_back(std::move(result_.lines[i]));
    }
    for (Block& block : result_.blocks) block.line = renumbered[block.line];
    result_.lines = std::move(kept);
  }

  // ---- hits

  void count_hits() {
    std::vector<std::uint64_t> passed(map_.traps.size());
    for (const Event& event : path_) ++passed[number(event.trap) - 1];
    std::map<LineKey, std::uint64_t> any;
    std::map<LineKey, std::uint64_t> statements;
    for (std::size_t i = 0; i < passed.size(); ++i) {
      const Trap& trap = map_.traps[i];
      const LineKey key{trap.path, trap.line};
      any[key] = std::max(any[key], passed[i]);
      if (stands_for_statement(trap.kind)) statements[key] = std::max(statements[key], passed[i]);
    }
    for (OwnedLine& line : result_.lines) {
      const LineKey key{line.path, line.line};
      const auto statement = statements.find(key);
      line.hits = statement != statements.end() && statement->second > 0 ? statement->second : any[key];
    }
    if (path_.empty()) return;  // without a trace nothing is known to be unreached
    std::set<LineKey> said;
    for (const Trap& trap : map_.traps) {
      const LineKey key{trap.path, trap.line};
      // Closing braces are not lines that a reader asks about.
      const bool is_end = trap.kind == TrapKind::after || trap.kind == TrapKind::exit;
      if (!is_end && any[key] == 0 && said.insert(key).second)
        result_.unreached.push_back({.path = trap.path, .line = trap.line, .function = trap.function});
    }
  }

  const TrapMap& map_;
  const std::vector<Event>& path_;
  Attribution result_;
  std::vector<Frame> frames_;
  std::vector<std::size_t> under_way_;        // calls of each function
  std::vector<std::size_t> loops_under_way_;  // runs of each loop
  std::unordered_map<const Trap*, std::uint32_t> loop_index_;
  std::map<LineKey, std::uint32_t> line_index_;
  std::unordered_map<const Trap*, std::uint32_t> line_of_trap_;
  std::map<std::string, std::uint32_t, std::less<>> function_index_;
};

}  // namespace

Attribution attribute(const TrapMap& map, const std::vector<Event>& path) {
  return Walker(map, path).walk();
}

}  // namespace jcprof::annotator
