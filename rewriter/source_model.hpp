// SPDX-License-Identifier: Apache-2.0
// The knowledge of a front end about one source file: functions, sites where a trap can stand, and slots, the
// pieces of text that the chosen sites need. Language-neutral, and without a decision: the plan chooses, the
// edits insert.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "src/core/project.hpp"
#include "src/core/types.hpp"

namespace jcprof::rewriter {

struct Function {
  // "PinApplet.verify"; with its parameter types where it is overloaded; in C and C++ behind its file,
  // "pin.c:verify", where several files have one of that name
  std::string name;
  std::string simple_name;        // "verify"; what the names of its traps are made of
  std::string owner;              // "PinApplet"; put in front of simple_name where that alone is not unique
  std::string file = {};          // "pin.c", where that stands in front of its name
  std::size_t offset = 0;         // of its name in the source
  std::string why_not = {};       // not empty: no trap can stand in it, and why
  std::string why_no_entry = {};  // not empty: it cannot be the entry, and why
  std::string unseen = {};        // not empty: a part of it runs outside of its traps, and who has its time
  bool calls_itself = false;
  bool names_processor = false;  // by an attribute, `target`: it may be compiled for another than others
  std::size_t statements = 0;    // of C and C++: that do something and do not begin in a macro
  bool operator==(const Function&) const = default;
};

/// Bytes of a source, [begin, end).
struct ByteRange {
  std::size_t begin = 0;
  std::size_t end = 0;
};

/// The form of a trap of C and C++, for which `{trap}` stands in its slot while units are put together.
struct TrapForm {
  bool declares = false;  // it is a declaration: it may stand in front of others in C90, and in C++ too
  std::string kept = {};  // the scalar place that it names for the optimiser; empty: none
  bool operator==(const TrapForm&) const = default;
};

/// A place where a trap can stand.
struct Site {
  TrapKind kind = TrapKind::before;
  TrapLevel level = TrapLevel::statement;  // the coarsest level that asks for it; none: a marker
  std::uint32_t function = 0;              // index into SourceModel::functions
  std::size_t begin = 0;                   // what the trap stands for, in the original text
  std::size_t end = 0;
  std::uint32_t guards = 0;  // that a stop here passes on its way out of the function
  std::string marker_name;   // as the user named it, maybe at several places; empty: none given
  bool in_source = false;    // the user's text calls the trap itself, by marker_name
  TrapForm form = {};
  bool instead = false;  // stands only where no other of its kind stands in front of it in its function
  bool counts = false;   // it is the one in front of a statement that Function::statements counts
  bool operator==(const Site&) const = default;
};

/// A piece of text to insert before byte `at`. `{pm}`, `{pmc}` stand for the runtime's classes, `{name}`
/// for that of the one trap that wants it, `{id}` for its number, `{runtime}` for the C runtime's path from
/// here.
struct Slot {
  std::size_t at = 0;
  std::string text;
  std::vector<std::uint32_t> wanted_by;      // sites; inserted when one of them is chosen, always when empty
  std::optional<std::uint32_t> unless = {};  // a site: left out when it is chosen
  bool if_renamed = false;                   // only where the trap has another name than its marker
  bool operator==(const Slot&) const = default;
};

/// Something a user would expect a trap at that cannot have one. In C the reason names no place of its own,
/// so that equal ones can be counted.
struct LeftAlone {
  std::size_t offset = 0;
  std::string reason;
  std::size_t count = 1;  // statements; lines of code that no unit compiles
  bool operator==(const LeftAlone&) const = default;
};

/// The kind of a trap, and the coarsest level that asks for it.
struct Position {
  TrapKind kind = TrapKind::before;
  TrapLevel level = TrapLevel::statement;
};
inline constexpr Position ordinary{TrapKind::before, TrapLevel::statement};
inline constexpr Position first_of_block{TrapKind::before, TrapLevel::block};
inline constexpr Position end_of_block{TrapKind::after, TrapLevel::block};
inline constexpr Position in_loop{TrapKind::loop_body, TrapLevel::block};
inline constexpr Position at_handler{TrapKind::handler, TrapLevel::block};
inline constexpr Position at_entry0{TrapKind::entry0, TrapLevel::function};
inline constexpr Position at_entry{TrapKind::entry, TrapLevel::function};
inline constexpr Position at_exit{TrapKind::exit, TrapLevel::function};
inline constexpr Position at_return{TrapKind::returns, TrapLevel::function};
inline constexpr Position at_marker{TrapKind::marker, TrapLevel::none};

/// The trap's name, unless another marker has it already.
inline std::string name_of_marker(const std::string& marker) {
  return "TRAP_" + marker;
}

/// Longer lines are no markers: nobody writes them, and std::regex recurses over its text.
inline constexpr std::size_t longest_marker = 200;

/// Functions with the traps that may stand in them.
struct SourceParts {
  std::vector<Function> functions;
  std::vector<Site> sites;  // in file order
  std::vector<Slot> slots;  // in the order in which they stand in the output
  std::vector<LeftAlone> left_alone;
  bool operator==(const SourceParts&) const = default;
};

std::uint32_t add_site(SourceParts& parts, Site site);
void add_slot(SourceParts& parts, std::size_t at, std::string text, std::vector<std::uint32_t> wanted_by);
/// A brace at `at` for each of the sites, the last one's first.
void close_braces(SourceParts& parts, std::size_t at, const std::vector<std::uint32_t>& sites);
/// No site from `first` on is that of a statement.
bool has_only_markers(const SourceParts& parts, std::size_t first);

/// Functions of one name get their `parameters` ("(short,byte[])") behind it, and then a number.
void tell_namesakes_apart(std::vector<Function>& functions, const std::vector<std::string>& parameters);

/// All sources together decide which class is an applet: settle_applets().
struct ClassInfo {
  std::string name;        // "Outer.Inner"
  std::string superclass;  // as written, without type arguments; empty: none
  bool installs = false;   // has what the card calls to install an applet
  bool applet = false;     // what it was taken for
  std::vector<std::string> bases =
      {};  // qualified names of its superclasses, as far as the sources have them
};

struct SourceModel : SourceParts {
  std::string path;   // relative to the project's folder, '/' separated
  std::string text;   // the original bytes
  std::string scope;  // what shares one runtime: the package in Java
  std::vector<ClassInfo> classes;
  std::set<std::string> declared;  // types, variables and imports: what the runtime must not be called
  // "PMC.TRAP_x", "PM.PERF_START", "PM.set()": what the text itself names of the ancestor's classes, so ours
  // must have it.
  std::set<std::string> called_constants;
  bool is_old_runtime = false;  // the ancestor's PM or PMC, which ours takes the place of
  std::vector<std::uint32_t>
      literals;  // whole numbers of the text: what INS and status words must keep clear of
  std::vector<std::uint32_t> table_literals;  // those of arrays: more likely data than an INS
};

/// "com.example.Outer.Inner"
inline std::string qualified_name(const std::string& scope, const std::string& name) {
  return scope.empty() ? name : scope + "." + name;
}

}  // namespace jcprof::rewriter
