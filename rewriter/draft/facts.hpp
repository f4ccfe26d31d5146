// SPDX-License-Identifier: Apache-2.0
// The facts of a source tree about an applet, an enclave, a trusted application or a program in it, for the
// project file that project_draft makes of them. Nothing where the tree has no such thing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rewriter/draft/applet_commands.hpp"
#include "rewriter/draft/jar.hpp"
#include "rewriter/edl/model.hpp"
#include "rewriter/found_tree.hpp"

namespace jcprof::rewriter {

// --- Applets ---

struct AppletFacts {
  std::string entry;                      // "PinApplet.process"
  std::string class_name;                 // that is installed, qualified: "com.example.pin.PinApplet"
  std::string source;                     // the file that holds the entry
  std::vector<std::string> globs;         // of the files that the applet is made of
  std::vector<std::string> compiled;      // files that javac is named, the runtime's among them
  std::vector<std::string> source_roots;  // where javac looks for the others; empty: it is named all
  std::vector<std::string> others;  // further applets, with their files: "Other.process (src/Other.java)"
  std::string aid;                  // in hex; empty: none found
  std::string aid_from;             // the file that says it
  AppletCommands commands;
  std::string encoding;  // of the sources, as javac calls it: UTF-8, or one in which any byte is a character
  AppletJars jars;
  std::vector<std::string> properties;  // of the simulator, for java: "-Dcom.licel.jcardsim…=1"
  std::string builder;                  // the build file that makes the applet; empty: none
  std::optional<CardKit> kit = {};      // that makes the CAP file: one package that uses the card's API alone
  bool uses_int = false;                // asked for where there is a kit: the converter wants to be told
};

/// UserError where the tree's `wanted_entry` is none of its applets'.
std::optional<AppletFacts> find_applet(const FoundTree& tree);

// --- Enclaves ---

/// Another enclave of the same application.
struct EnclaveBeside {
  std::string edl;
  std::string name;
  std::vector<std::string> searched;
};

struct EnclaveFacts {
  std::string edl;                    // its path
  std::string name;                   // of the files that are made of it: "kv" of "enclave/kv.edl"
  bool is_alone = true;               // no other EDL declares the entry
  std::vector<std::string> searched;  // folders of imported EDL files that do not lie beside it
  EdlFunction entry;                  // the first public ecall that a source defines
  std::string source;                 // which one
  std::vector<std::string> others;    // further such ecalls, with their files: "ecall_put (enclave/kv.cpp)"
  std::vector<std::string> globs;  // trusted sources: the files that define ecalls, and what lies beside them
  std::vector<std::string> units;  // the C and C++ files among them
  std::vector<std::string> outside;   // files that define ocalls, and those of the same program
  std::vector<EnclaveBeside> beside;  // whose untrusted side these include
  std::string id;                     // the variable in which they have the enclave's id; empty: none found
  std::vector<std::string> includes;  // folders of headers, of those that the EDL includes too
  std::vector<std::string> built;     // globs of what earlier builds have left in the tree
  bool makes_bridge = false;          // the Makefile knows bridge.so
  std::optional<std::string> make = {};  // the folder of the makefile that builds the enclave, with the SDK
  std::string built_enclave = {};        // that this one makes, signed, from its folder
  bool is_open = false;                  // Open Enclave's dialect, for which no bridge is made
};

/// None where no EDL has a public ecall that a source defines. UserError for what should be EDL and is not.
std::optional<EnclaveFacts> find_enclave(const FoundTree& tree);

// --- Trusted applications for OP-TEE ---

struct TaCommand {
  std::string name;  // "TA_HELLO_CMD_INC"
  std::uint64_t id = 0;
};

struct TaFacts {
  std::string source;                    // the file that defines the entry
  std::vector<std::string> others = {};  // further applications, with their files: "crypt (ta/crypt/entry.c)"
  std::string folder;                    // of the makefile; empty: the root
  std::vector<std::string> globs = {};   // sources and headers below it, and what sub.mk names elsewhere
  std::string uuid;                      // empty: not found
  std::vector<TaCommand> commands = {};  // that the entry has a `case` for, in its order
  std::vector<std::string> parameters = {};  // that the first of them wants, as the project file has them
  bool makes_sources = false;                // the build makes some of the sources
};

/// The tree's `wanted_ta`, or the build file's first. UserError where there is no such one, and where its
/// build files name what lies outside of the tree.
std::optional<TaFacts> find_ta(const FoundTree& tree);

// --- Programs in C and C++ ---

enum class Builder : std::uint8_t { cmake, meson, make, compiler };

struct ProgramFacts {
  std::string source;                       // the file that holds main
  std::string taken = {};                   // the program, as others would name it
  std::vector<std::string> others;          // further programs, or the files that hold their main
  std::vector<std::string> globs;           // sources and headers, without those of other programs
  std::vector<std::string> units;           // the C and C++ files among them
  std::vector<std::string> includes;        // folders of headers
  std::vector<std::string> compile = {};    // compiler and flags of all units, as the makefile has them
  std::vector<std::string> libraries = {};  // that are linked then
  std::vector<MadeHeader> made = {};        // headers that "prepare" has make make in a copy
  std::vector<std::string> copied = {};     // files and folders of the root, for that
  std::string database;                     // path of compile_commands.json; empty: none
  std::vector<std::string> built;           // globs of what earlier builds have left in the tree
  Builder builder = Builder::compiler;
  bool has_configure = false;        // a script ./configure goes ahead of make
  bool is_told = false;              // the build system has said what the program is made of
  std::vector<std::string> options;  // of CMake, without which it fails; of configure, as it was run here
  bool is_test = false;              // there are tests only
  bool makes_sources = false;        // the build makes what the sources include
  std::string target;                // what the builder calls the program; empty: not found, all is built
  std::string program;               // the built program, below the build folder or the tree
  bool is_in_tree = false;           // below the tree
  std::string asked_in;              // the folder in which make is asked for the target, when all is built
};

std::optional<ProgramFacts> find_program(const FoundTree& tree);

}  // namespace jcprof::rewriter
