// SPDX-License-Identifier: Apache-2.0
// The text round a C or C++ entry function that is reached in process: its definition gets another name, and
// a wrapper of the old one sets the root that a stop goes back to. Pure text: offsets and line numbers are
// the front end's.
#pragma once

#include <string>
#include <vector>

namespace jcprof::rewriter {

/// What a wrapper must know of the function. Types are as clang spells them: "int (*)(void *)" is one, so a
/// name cannot just follow. Only functions that can be wrapped come here: no members, no templates, no names
/// with "::".
struct EntrySignature {
  std::string name;                     // "handle"
  std::string result;                   // "void", "struct answer *"
  std::vector<std::string> parameters;  // "const char *"
  bool is_static = false;
  bool is_cpp = false;
  bool variadic = false;
  bool old_style = false;    // defined as in K&R: no prototype, and so must the wrapper be
  bool c_linkage = false;    // in C++: extern "C", by whatever declaration
  bool is_noexcept = false;  // in C++
  bool is_inline = false;
};

/// Whole lines, each ending in "\n"; no #line.
struct EntryWrapper {
  std::string before;  // in front of the definition
  std::string behind;  // behind its closing brace
};

/// Why there can be no wrapper, as what follows `"f" cannot be the entry: `; empty: there can.
std::string why_no_wrapper(const EntrySignature& signature);

/// A check fails where there can be none.
EntryWrapper entry_wrapper(const EntrySignature& signature);

}  // namespace jcprof::rewriter
