// SPDX-License-Identifier: Apache-2.0
// Writes the body of one method as legal Java, statement by statement. Internal to java_nesting.cpp
// (expressions, methods, classes), java_nesting_statements.cpp and java_nesting_compounds.cpp.
#pragma once

#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "tests/rewriter/java_nesting.hpp"

namespace jcprof::rewriter::nesting {

/// The digits of Shape::pick, the lowest first.
class Picks {
 public:
  explicit Picks(std::uint64_t pick) : left_(pick) {}
  std::size_t of(std::size_t choices) {
    const std::size_t digit = left_ % choices;
    left_ /= choices;
    return digit;
  }
  bool yes() { return of(2) == 1; }

 private:
  std::uint64_t left_;
};

/// How code can be left (JLS 14.22), and whether it can throw the checked exception (11.2).
struct Flow {
  bool completes = true;
  std::set<int> breaks;     // Target::id of what reachable breaks leave
  std::set<int> continues;  // and of the loops that continues go on with
  bool throws_checked = false;
};

/// What leaves `from` leaves `to`, which holds it.
void add_exits(Flow& to, const Flow& from);

struct Code {
  std::string text = {};
  Flow flow = {};
  int statements = 1;  // as Java counts them; only one that is no declaration can do without braces
  bool declares = false;
  bool open_if = false;    // an else that follows would be taken for its own
  std::string setup = {};  // declarations that must stand in front
};

enum class Type : std::uint8_t { of_short, of_void, of_byte, of_boolean, of_int, of_array, of_object };

struct Method {
  std::string name;
  Type type = Type::of_short;
};

/// Running numbers of one class, so that no name or step stands twice.
struct Numbers {
  int step = 0;
  int name = 0;
  int target = 0;
};

std::string_view java_type(Type type);

class MethodWriter {
 public:
  MethodWriter(Type type, const std::vector<Method>& methods, Numbers& numbers)
      : type_(type), methods_(methods), numbers_(numbers) {}

  /// The method's block, ending as the type demands.
  std::string block(const Body& shapes, std::string_view first = "");
  /// The same for what can be called again and again: it returns when the fuel is spent.
  std::string recursive_block(const Body& shapes);

 private:
  /// What a break or continue can aim at.
  struct Target {
    int id = 0;
    std::string label = {};  // empty: none
    bool is_loop = false;
    bool is_switch = false;
  };
  struct Caught {
    std::string name;
    bool is_checked = false;
  };

  Code sequence(const Body& shapes);
  Code statement(const Shape& shape);
  Code step();
  Code assign(Picks picks);
  Code declare(Picks picks);
  Code call(Picks picks);
  Code leave(Picks picks);
  Code throw_something(Picks& picks);
  Code jump(Picks picks);
  Code when(const Shape& shape);
  Code loop(const Shape& shape);
  Code loop_form(const Shape& shape, Picks& picks, const Target& target);
  Code labelled(const Shape& shape);
  Code choose(const Shape& shape);
  Code attempt(const Shape& shape);
  std::string catch_clauses(const Shape& shape, Picks& picks, Flow& flow, std::size_t count);
  Code nested_class(const Shape& shape);
  Code assigned_late(const Shape& shape);

  /// A part of a statement, in braces unless it can and shall do without.
  enum class Braces : std::uint8_t { always, where_needed, where_needed_before_else };
  Code part(const Body& shapes, Braces braces);
  /// Conditional in half of the cases, so that what follows is reachable.
  Code maybe_under_condition(Code code, Picks& picks);
  enum class End : std::uint8_t { reachable, other };
  /// Marks an end that can be reached, where a trap is to stand.
  std::string braced(const std::string& text, End end) const {
    return fmt::format("{{\n{}{}}}", text, end == End::reachable ? fmt::format("{}\n", reachable_end) : "");
  }
  static End end_of(const Flow& flow) { return flow.completes ? End::reachable : End::other; }

  std::string condition(Picks& picks) const;       // any
  std::string loop_condition(Picks& picks) const;  // not constant, false when the fuel is spent
  std::string constant_true(Picks& picks) const;
  std::string short_value(Picks& picks, Flow& flow) const;
  std::string value(Type type, Picks& picks, Flow& flow) const;
  std::string default_return() const;
  std::string fresh(std::string_view stem) { return std::string(stem) + std::to_string(++numbers_.name); }
  Target target(std::string label);

  Type type_;
  const std::vector<Method>& methods_;
  Numbers& numbers_;
  std::vector<Target> targets_;
  std::vector<std::string> variables_;  // shorts that have a value
  std::vector<Caught> caught_;
};

}  // namespace jcprof::rewriter::nesting
