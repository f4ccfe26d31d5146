// SPDX-License-Identifier: Apache-2.0
// Who owns what runs, against an interpreter that knows: it runs random programs and notes, at each trap, the
// call and the line that are at work from there on.
#include <map>
#include <optional>
#include <random>
#include <utility>

#include <fmt/format.h>
#include <catch2/catch.hpp>

#include "annotator/estimate/attribution.hpp"
#include "annotator/record/thread_walk.hpp"
#include "tests/annotator/trap_maps.hpp"

namespace jcprof::annotator {
namespace {

enum class Form { plain, call, branch, loop, attempt, leave, raise };

struct Statement;

/// The body of a branch, a loop or a `try`, or one of its clauses.
struct Section {
  std::vector<Statement> body;
  std::uint32_t end = 0;  // trap at its end
};

struct Statement {
  Form form = Form::plain;
  std::uint32_t trap = 0;  // in front of it
  std::size_t line = 0;
  std::size_t callee = 0;
  bool returns_call = false;
  std::uint32_t returned = 0;  // of a return whose value is a call: the trap behind that; in C++ 0 where the
                               // function's exit comes later
  Section part = {};
  std::optional<Section> caught = {};
  std::optional<Section> finally = {};
};

struct Function {
  std::optional<std::size_t> super = {};  // a constructor: runs another one before its entry
  std::uint32_t entry = 0;
  std::uint32_t exit = 0;
  std::size_t line = 0;
  std::size_t exit_line = 0;
  std::vector<Statement> body = {};
  std::uint32_t end = 0;  // of C++, where it destroys something: the trap at its closing brace; its exit is
                          // passed however it is left
  std::optional<std::size_t> destroyed = {};  // the destructor that runs then
};

enum class Language { java, cpp };

/// Programs of three functions that call each other and themselves.
class Program {
 public:
  Program(unsigned seed, Language language) : random_(seed), is_cpp_(language == Language::cpp) {
    map.language = is_cpp_ ? "c++" : "java";
    for (std::size_t f = 0; f < 3; ++f) functions.push_back(make_function());
  }

  std::vector<Function> functions;
  TrapMap map;

 private:
  bool happens(unsigned per_cent) { return random_() % 100 < per_cent; }

  std::uint32_t trap(TrapKind kind, std::size_t line) {
    const auto id = static_cast<std::uint32_t>(map.traps.size()) + 1;
    map.traps.push_back({.id = TrapId{id},
                         .kind = kind,
                         .function = name(),
                         .path = "A.java",
                         .line = line,
                         .offset = ++offset_,
                         .end_line = line,
                         .end_offset = ++offset_});
    return id;
  }
  std::string name() const { return fmt::format("f{}", functions.size()); }

  Function make_function() {
    Function function{.line = ++line_};
    if (functions.size() == 1 && happens(40)) function.super = functions.size() + 1;
    function.entry = trap(TrapKind::entry, function.line);
    is_late_ = is_cpp_ && happens(60);
    function.body = make_body(0, TrapKind::before);
    function.exit_line = ++line_;
    if (is_late_) function.end = trap(TrapKind::after, function.exit_line);
    if (is_late_ && happens(70)) function.destroyed = random_() % 3;
    function.exit = trap(TrapKind::exit, function.exit_line);
    return function;
  }

  std::vector<Statement> make_body(int depth, TrapKind first) {
    std::vector<Statement> body;
    const auto count = 1 + random_() % 3;
    for (unsigned i = 0; i < count; ++i)
      body.push_back(make_statement(depth, i == 0 ? first : TrapKind::before));
    return body;
  }

  /// Its last trap ends the statement too, as far as that has come.
  Section make_part(int depth, TrapKind first, std::uint32_t statement) {
    Section part{.body = make_body(depth + 1, first)};
    part.end = trap(TrapKind::after, ++line_);
    map.traps[statement - 1].end_offset = map.traps[part.end - 1].end_offset;
    return part;
  }

  Statement make_statement(int depth, TrapKind kind) {
    constexpr std::array<Form, 9> forms{Form::plain,  Form::plain,   Form::call,    Form::call, Form::loop,
                                        Form::branch, Form::attempt, Form::attempt, Form::leave};
    Statement made{.form = happens(5) ? Form::raise : forms[random_() % forms.size()]};
    // No trap shows that a `finally` has begun if it begins with a return.
    if (std::exchange(begins_finally_, false) && made.form == Form::leave) made.form = Form::plain;
    const bool has_parts = made.form == Form::loop || made.form == Form::branch || made.form == Form::attempt;
    if (has_parts && depth == 3) made.form = Form::plain;
    made.line = ++line_;
    made.callee = random_() % 3;
    made.returns_call = made.form == Form::leave && happens(30);
    const bool is_return = made.form == Form::leave && !made.returns_call && !is_late_;
    made.trap = trap(is_return ? TrapKind::returns : kind, made.line);
    if (made.returns_call && !is_late_) {
      made.returned = trap(TrapKind::returns, made.line);
      map.traps[made.returned - 1].offset = map.traps[made.trap - 1].offset;
      map.traps[made.returned - 1].end_offset = map.traps[made.trap - 1].end_offset;
    }
    if (!has_parts || depth == 3) return made;
    made.part = make_part(depth, made.form == Form::loop ? TrapKind::loop_body : TrapKind::before, made.trap);
    if (made.form != Form::attempt) return made;
    const bool has_catch = is_cpp_ || happens(60);
    if (has_catch) made.caught = make_part(depth, TrapKind::handler, made.trap);
    begins_finally_ = !is_cpp_ && (!has_catch || happens(40));
    if (begins_finally_) made.finally = make_part(depth, TrapKind::handler, made.trap);
    return made;
  }

  std::mt19937 random_;
  bool is_cpp_;
  bool is_late_ = false;  // the function that is being made destroys something
  std::size_t line_ = 0;
  std::size_t offset_ = 0;
  bool begins_finally_ = false;
};

/// "f1:12" for each trap that was passed: who is at work from there on.
/// Behind the return of an applet's entry its answer is on the way.
constexpr const char* nobody = "nobody";

struct Run {
  std::vector<std::uint32_t> traps;
  std::vector<std::string> owners;
};

class Interpreter {
 public:
  Interpreter(const Program& program, unsigned seed) : program_(program), random_(seed) {}

  Run run() {
    try {
      const bool has_answer = call(0) == Outcome::on && program_.map.language == "java";
      if (has_answer) run_.owners.back() = nobody;
    } catch (const Terminated&) {
    }
    return run_;
  }

 private:
  enum class Outcome { on, left, raised };
  struct Terminated {};  // an exception left a destructor
  static constexpr std::size_t most_traps = 300;

  bool is_tired() const { return run_.traps.size() > most_traps; }

  void pass(std::uint32_t trap, std::size_t function, std::size_t line) {
    run_.traps.push_back(trap);
    run_.owners.push_back(fmt::format("f{}:{}", function, line));
    at_work_ = run_.owners.back();
    is_shown_ = true;
  }
  /// The caller's statement is at work again.
  void come_back(const std::string& caller) {
    if (!caller.empty()) run_.owners.back() = caller;
    at_work_ = caller;
  }

  Outcome call(std::size_t number, const std::string& caller = "") {
    const Function& function = program_.functions[number];
    if (function.super && call(*function.super, caller) == Outcome::raised) return Outcome::raised;
    pass(function.entry, number, function.line);
    const Outcome outcome = run_body(function.body, number);
    if (function.end != 0) return destroy(function, number, outcome, caller);
    if (outcome == Outcome::raised) {
      is_shown_ = false;
      return Outcome::raised;
    }
    if (outcome == Outcome::on) pass(function.exit, number, function.exit_line);
    come_back(caller);
    return Outcome::on;
  }

  /// C++: what the function destroys is its own, and an exception passes its exit too.
  Outcome destroy(const Function& function, std::size_t number, Outcome outcome, const std::string& caller) {
    if (outcome == Outcome::on) pass(function.end, number, function.exit_line);
    // Traps do not show that an exception left calls without an exit.
    if (function.destroyed && !is_tired() && is_shown_) {
      const bool is_terminated = call(*function.destroyed, std::string(at_work_)) == Outcome::raised;
      if (is_terminated) throw Terminated{};
    }
    pass(function.exit, number, function.exit_line);
    come_back(caller);
    return outcome == Outcome::raised ? outcome : Outcome::on;
  }

  Outcome run_body(const std::vector<Statement>& body, std::size_t function) {
    for (const Statement& statement : body)
      if (const Outcome outcome = run_statement(statement, function); outcome != Outcome::on) return outcome;
    return Outcome::on;
  }

  Outcome run_statement(const Statement& statement, std::size_t function) {
    pass(statement.trap, function, statement.line);
    const std::string own = run_.owners.back();
    switch (statement.form) {
      case Form::plain:
        return Outcome::on;
      case Form::call:
        return is_tired() ? Outcome::on : call(statement.callee, own);
      case Form::leave:
        return leave(statement, function, own);
      case Form::raise:
        return Outcome::raised;
      case Form::branch:
        return random_() % 2 == 0 ? Outcome::on : run_part(statement.part, statement, function);
      case Form::attempt:
        return attempt(statement, function);
      case Form::loop:
        break;
    }
    for (auto passes = random_() % 4; passes > 0 && !is_tired(); --passes)
      if (const Outcome outcome = run_part(statement.part, statement, function); outcome != Outcome::on)
        return outcome;
    return Outcome::on;
  }

  Outcome leave(const Statement& statement, std::size_t function, const std::string& own) {
    if (statement.returns_call && !is_tired() && call(statement.callee, own) == Outcome::raised)
      return Outcome::raised;
    if (statement.returned != 0) pass(statement.returned, function, statement.line);
    return Outcome::left;
  }

  Outcome attempt(const Statement& statement, std::size_t function) {
    Outcome outcome = run_part(statement.part, statement, function);
    if (outcome == Outcome::raised && statement.caught)
      outcome = run_part(*statement.caught, statement, function);
    if (!statement.finally) return outcome;
    // A `finally` that is left otherwise than by its end has the last word.
    const Outcome last = run_part(*statement.finally, statement, function);
    return last == Outcome::on ? outcome : last;
  }

  /// After its end the statement is at work again.
  Outcome run_part(const Section& part, const Statement& statement, std::size_t function) {
    const Outcome outcome = run_body(part.body, function);
    if (outcome == Outcome::on) pass(part.end, function, statement.line);
    return outcome;
  }

  const Program& program_;
  std::mt19937 random_;
  Run run_;
  std::string at_work_;   // owner in the innermost call
  bool is_shown_ = true;  // false: an exception left calls that traps still show
};

std::vector<std::string> attributed(const TrapMap& map, const std::vector<std::uint32_t>& traps) {
  const Attribution result = attribute(map, path_of(traps));
  std::vector<std::string> owners;
  for (const Block& block : result.blocks)
    owners.push_back(block.is_between() ? nobody
                                        : fmt::format("{}:{}", result.functions[block.function].name,
                                                      result.lines[block.line].line));
  return owners;
}

/// Ticks of each line, as record mode has them of a thread with one tick from each trap to the next.
std::map<std::size_t, std::uint64_t> recorded(const TrapMap& map, const std::vector<std::uint32_t>& traps) {
  Walk walk{.traps = table_of(map)};
  walk.lines.lines.resize(walk.traps.lines.size());
  walk.lines.hits.resize(walk.traps.traps.size());
  std::vector<std::uint64_t> words;
  for (const std::uint32_t trap : traps)
    words.push_back((words.size() + 1) << 24U | std::uint64_t{trap} << 2U | JCPROF_LOG_LINE);
  ThreadWalk thread(walk, {});
  thread.take({}, words);
  thread.finish();
  std::map<std::size_t, std::uint64_t> ticks;
  for (std::size_t i = 0; i < walk.lines.lines.size(); ++i)
    if (walk.lines.lines[i].ticks > 0) ticks[walk.traps.lines[i].line] = walk.lines.lines[i].ticks;
  return ticks;
}

/// The same of the interpreter; the last trap has no end.
std::map<std::size_t, std::uint64_t> ticks_of(const Run& run) {
  std::map<std::size_t, std::uint64_t> ticks;
  for (std::size_t i = 0; i + 1 < run.owners.size(); ++i)
    ++ticks[std::stoul(run.owners[i].substr(run.owners[i].find(':') + 1))];
  return ticks;
}

}  // namespace

TEST_CASE("each tick of a recording of random programs belongs to the line that was at work") {
  for (const Language language : {Language::java, Language::cpp})
    for (unsigned seed = 1; seed <= 1000; ++seed) {
      const Program program(seed, language);
      const Run run = Interpreter(program, seed).run();
      CAPTURE(program.map.language, seed, run.traps);
      REQUIRE(recorded(program.map, run.traps) == ticks_of(run));
    }
}

TEST_CASE("each block of random programs belongs to the call and the line that were at work") {
  for (const Language language : {Language::java, Language::cpp}) {
    std::size_t deep = 0;
    for (unsigned seed = 1; seed <= 1000; ++seed) {
      const Program program(seed, language);
      const Run run = Interpreter(program, seed).run();
      deep += run.traps.size() > 50 ? 1 : 0;
      CAPTURE(program.map.language, seed, run.traps);
      REQUIRE(attributed(program.map, run.traps) == run.owners);
    }
    CHECK(deep > 200);  // programs that do something
  }
}

TEST_CASE("a line was passed as often as its statements, not as often as its function") {
  const TrapMap map = MapMaker()
                          .trap(TrapKind::entry, "f", 1)
                          .trap(TrapKind::before, "f", 1)
                          .trap(TrapKind::exit, "f", 2)
                          .map();
  CHECK(hits_of_lines(table_of(map), std::vector<std::uint64_t>{5, 3, 5}) ==
        std::vector<std::uint64_t>{3, 5});
}

}  // namespace jcprof::annotator
