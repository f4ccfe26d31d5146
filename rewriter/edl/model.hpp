// SPDX-License-Identifier: Apache-2.0
// What an EDL file says, as plain values: the functions into an enclave and out of it, with what they need of
// C. Says nothing about how the file was written, but for where our import goes.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "src/core/error.hpp"

namespace jcprof::rewriter {

struct EdlParameter {
  std::string type;  // as C writes it: "const char*"
  std::string name;
  std::vector<std::string> dimensions = {};            // of an array: {"16"}
  std::map<std::string, std::string> attributes = {};  // [in, size=n]: {{"in", ""}, {"size", "n"}}

  bool has(const std::string& attribute) const { return attributes.contains(attribute); }
  /// Of [size=n]: "n"; empty: it has none.
  std::string value_of(const std::string& attribute) const {
    return has(attribute) ? attributes.at(attribute) : "";
  }
};

struct EdlFunction {
  std::string result;  // as C writes it
  std::string name;
  std::vector<EdlParameter> parameters = {};
  bool is_public = false;                 // trusted: may be called from outside of an ocall
  std::vector<std::string> allowed = {};  // untrusted: ecalls that may be made while it runs
  Place place = {};                       // of its name
};

struct EdlImport {
  std::string file;                     // as it stands there
  std::vector<std::string> names = {};  // empty: all
  std::string path = {};                // of the file that it leads to; empty: there is none
};

/// A struct, union or enum.
struct EdlDeclaration {
  std::string name;  // "struct point"
  std::string text;  // with its braces, without the last ";"
  bool operator==(const EdlDeclaration&) const = default;
};

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
  EdlItems items;
  std::vector<std::size_t> ends;  // offsets of the braces that close an enclave block, in every branch of #if
  std::vector<Place> hidden_ends;  // of those that a macro or an included file brings
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
