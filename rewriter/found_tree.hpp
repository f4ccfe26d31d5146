// SPDX-License-Identifier: Apache-2.0
// A source tree as `jcprof init` sees it: the paths of its files, and the texts of those that say something
// about how it is built. A value; what is read and from where is the caller's.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace jcprof::rewriter {

/// A header that only make makes: its path, and the folder in which a compiler looks for it.
struct MadeHeader {
  std::string path;
  std::string folder;
};

/// A program that the build makes, as the build system says.
struct FoundProgram {
  std::string name;  // of its target
  std::string path;  // of the file, below the folder that is built in, or the root of the sources
  std::vector<std::string>
      units;  // the C and C++ files that it is made of, those of the project's libraries too
  bool is_test = false;
  bool makes_sources = false;  // the build makes files that these include, or some of them
  std::string folder = {};     // of the makefile that makes it
  bool is_asked_for = false;   // make alone does not make it
  // For make's programs alone:
  std::string compiler = {};              // that links it, as the makefile calls it
  bool is_in_container = false;           // that compiler
  std::vector<std::string> compile = {};  // compiler and flags, if all units have the same, in the root
  std::vector<std::string> libraries = {};
  std::vector<MadeHeader> made = {};  // that its units include
  bool is_without_make = false;       // it is to be compiled by cc
  bool is_among_sources = false;      // the build file wants it there, wherever it is built
};

/// A Java Card kit whose converter runs on the Java of today, and what loads a CAP file onto a card.
struct CardKit {
  std::string folder;
  std::string api;      // the jar of the oldest API that it converts for
  std::string target;   // the version of that, as its converter takes it; empty: it knows one only
  std::string exports;  // folder of the API's export files; empty: its converter has them
  int release = 8;      // of class files, the newest that its converter reads
  std::vector<std::string> loader = {"gp"};
};

struct FoundTree {
  std::string name;                          // the folder's
  std::vector<std::string> paths;            // all files, relative, sorted
  std::map<std::string, std::string> texts;  // of those that is_telling()
  /// The classes in each jar, by its path: relative in the tree, absolute outside.
  std::map<std::string, std::set<std::string>> jars = {};
  std::vector<FoundProgram> programs = {};      // in the order of the build file; empty: it was not asked
  std::vector<std::string> build_options = {};  // with which it said so
  std::string wanted_entry = {};                // of the user; empty: any
  std::string wanted_ta = {};                   // the same, of a trusted application
  std::string dev_kit = {};                     // of OP-TEE, outside of the tree; the same
  std::string sdk = {};                         // of SGX, outside of the tree; the same
  bool is_sgx_hardware = false;                 // SGX_MODE asks for it
  std::optional<CardKit> card_kit = {};         // of Java Card, outside of the tree
  std::string compiler = {};                    // of C, outside of the tree; the same
  std::filesystem::path root = {};              // where the tree lies, for that compiler
};

/// Java, C and C++ sources, headers, EDL, and the files of build systems.
bool is_telling(std::string_view path);

bool is_c_source(std::string_view path);  // a unit of C or C++
bool is_cpp_source(std::string_view path);
bool is_c_header(std::string_view path);

/// Lies in a folder that builds write to, or in the source of somebody else.
bool is_made_or_foreign(std::string_view path);
/// Belongs to a framework for tests and benchmarks, whose folder is right below one of made or foreign files.
bool is_of_test_framework(std::string_view path);
/// Lies in a folder of tests or examples.
bool is_aside(std::string_view path);

/// "src/a.c" → "src"; empty for a file of the root.
std::string folder_of(std::string_view path);
/// "src", "a.c" → "src/a.c"; "a.c" in the root.
std::string path_in(const std::string& folder, std::string_view name);
/// "a", "../b/" → "b"; empty: the root of the tree. A path that begins with ".." leads out of it.
std::string tree_path(const std::string& folder, const std::string& path);
bool leads_out_of_tree(const std::string& path);
/// "src/a.c" → "a.c"
std::string_view name_of_file(std::string_view path);
/// "src/a.c" → "a"
std::string_view stem_of(std::string_view path);

}  // namespace jcprof::rewriter
