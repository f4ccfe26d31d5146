// SPDX-License-Identifier: Apache-2.0
// What an EDL file says, as plain values: the functions into an enclave and out of it, with what they need of
// C. Says nothing about how the file was written, but for where our import goes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace jcprof::rewriter {

enum class EdlDirection : std::uint8_t { none, in, out, in_out };

struct EdlParameter {
  std::string type;  // as C writes it: "const char*"
  std::string name;
  std::vector<std::string> dimensions;  // of an array: {"16"}
  EdlDirection direction = EdlDirection::none;
  std::string size;   // of [size=n]; empty: none
  std::string count;  // of [count=n]; empty: none
  bool user_check = false;
  bool string = false;
  bool wstring = false;
  bool isptr = false;  // the type is a pointer's name
  bool isary = false;  // the type is an array's name
  bool operator==(const EdlParameter&) const = default;
};

struct EdlFunction {
  std::string result;  // as C writes it
  std::string name;
  std::vector<EdlParameter> parameters = {};
  bool is_public = false;                 // trusted: may be called from outside of an ocall
  std::vector<std::string> allowed = {};  // untrusted: ecalls that may be made while it runs
  std::string file = {};                  // path of the one that declares it
  std::size_t offset = 0;                 // of its name in there
  bool operator==(const EdlFunction&) const = default;
};

struct EdlImport {
  std::string file;                     // as it stands there
  std::vector<std::string> names = {};  // empty: all
  std::size_t offset = 0;
  bool operator==(const EdlImport&) const = default;
};

/// A struct, union or enum.
struct EdlDeclaration {
  std::string name;  // "struct point"
  std::string text;  // with its braces, without the last ";"
  bool operator==(const EdlDeclaration&) const = default;
};

/// What one way through the #if groups of a file declares.
struct EdlItems {
  std::vector<std::string> includes;  // "x.h"
  std::vector<EdlImport> imports;
  std::vector<EdlDeclaration> declarations;
  std::vector<EdlFunction> trusted;
  std::vector<EdlFunction> untrusted;
};

struct EdlFile {
  std::string path;
  std::string text;
  EdlItems items;                 // what holds where the file's own #defines are all that is defined
  EdlItems all;                   // of every branch of its #if groups, each thing once
  std::vector<std::size_t> ends;  // of each enclave block: the offset of its closing brace
};

/// A file with what it imports.
struct Edl {
  EdlFile main;
  std::vector<EdlFile> imported;       // each once, in the order in which they are named
  std::vector<std::string> not_found;  // imports of them, as they stand there

  /// The trusted and untrusted functions of all files, in the order that numbers them: own ones, then those
  /// of each import in turn. Only what imports name; each name once.
  std::vector<EdlFunction> ecalls;
  std::vector<EdlFunction> ocalls;
  std::vector<std::string> includes;
  std::vector<EdlDeclaration> declarations;
};

}  // namespace jcprof::rewriter
