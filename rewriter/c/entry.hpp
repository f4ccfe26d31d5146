// SPDX-License-Identifier: Apache-2.0
// The text round a C or C++ entry function that is reached in process: its definition gets another name, and
// a wrapper of the old one sets the root that a stop goes back to. Pure text: offsets and line numbers are
// the front end's.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace jcprof::rewriter {

/// A stop below the wrapper goes back to:
enum class RootKind : std::uint8_t {
  entry,   // it, where it is armed
  nested,  // it, where its thread runs an armed one
  ta,      // it, where its session armed; our own command never gets as far as the body
};

/// The properties of a function that its wrapper hangs on. Types are as clang spells them: "int (*)(void *)"
/// is one, so a name cannot just follow.
struct EntrySignature {
  std::string name;                     // "handle"
  std::string result;                   // "void", "struct answer *"
  std::vector<std::string> parameters;  // "const char *"
  bool is_static = false;
  bool is_cpp = false;
  bool variadic = false;
  bool old_style = false;    // defined as in K&R: no prototype, and so must the wrapper be
  bool c_linkage = false;    // in C++: extern "C", by whatever declaration
  bool is_declared = false;  // in front of its definition too
  bool is_noexcept = false;  // in C++
  bool is_inline = false;
  std::string visibility;  // "default": where the definition has that attribute
  RootKind root = RootKind::entry;
};

/// Whole lines, each ending in "\n"; no #line.
struct EntryWrapper {
  std::string before;   // in front of the definition
  std::string at_body;  // in front of its opening brace
  std::string behind;   // behind its closing brace
};

/// Why there can be no wrapper, as what follows `"f" cannot be the entry: `; empty: there can.
std::string why_no_wrapper(const EntrySignature& signature);

/// The function is neither member nor template, and its name stands without "::". A check fails where there
/// can be no wrapper.
EntryWrapper entry_wrapper(const EntrySignature& signature);

}  // namespace jcprof::rewriter
