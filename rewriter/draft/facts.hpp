// SPDX-License-Identifier: Apache-2.0
// The facts of a source tree about an applet, an enclave, a trusted application or a program in it, for the
// project file that project_draft makes of them. Nothing where the tree has no such thing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rewriter/edl/model.hpp"
#include "rewriter/found_tree.hpp"

namespace jcprof::rewriter {

// --- Applets ---

struct Instruction {
  std::string name;   // "INS_VERIFY"
  std::string value;  // two hexadecimal digits
};

struct AppletFacts {
  std::string package;                       // "com.example.pin"; empty: none
  std::string entry;                         // "PinApplet.process"
  std::string source;                        // the file that holds it
  std::vector<std::string> package_sources;  // all Java files of its folder
  std::optional<std::string>
      source_root;  // of the package's folders, where they are as its name says; "." for the root
  std::vector<std::string>
      others;            // entries of further applets, with their files: "Other.process (src/Other.java)"
  std::string aid;       // in hex; empty: none found
  std::string aid_from;  // the file that says it
  std::string cla;       // two hexadecimal digits; empty: none found
  std::vector<Instruction> instructions;
  std::string encoding;  // of the sources, as javac calls it: UTF-8, or one in which any byte is a character
  std::vector<std::string> api_jars;  // in the tree
  std::string simulator;              // jCardSim's jar, in the tree or outside; empty: none found
  std::string builder;                // "build.xml" or "build.gradle", …; empty: none
};

std::optional<AppletFacts> find_applet(const FoundTree& tree);

/// "0xA0:0x00:0x01", "a0 00 01", "A00001" → "A00001"; empty for what is no AID of 5 to 16 bytes.
std::string normal_aid(std::string_view text);

// --- Enclaves ---

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
  std::vector<std::string> outside;   // files that define ocalls
  std::string id;                     // the variable in which they have the enclave's id; empty: none found
  std::vector<std::string> includes;  // folders of headers, of those that the EDL includes too
  std::vector<std::string> built;     // globs of what earlier builds have left in the tree
  bool makes_bridge = false;          // the Makefile knows bridge.so
  bool is_open = false;               // Open Enclave's dialect, for which no bridge is made
};

/// None where no EDL has a public ecall that a source defines. UserError for what should be EDL and is not.
std::optional<EnclaveFacts> find_enclave(const FoundTree& tree);

// --- Trusted applications for OP-TEE ---

struct TaCommand {
  std::string name;  // "TA_HELLO_CMD_INC"
  std::uint64_t id = 0;
};

struct TaFacts {
  std::string source;               // the file that defines the entry
  std::vector<std::string> others;  // further files that do
  std::string folder;               // of the makefile; empty: the root
  std::vector<std::string> globs;   // sources and headers below it
  std::string uuid;                 // empty: not found
  std::vector<TaCommand> commands;  // that the entry has a `case` for, in its order
};

std::optional<TaFacts> find_ta(const FoundTree& tree);

// --- Programs in C and C++ ---

enum class Builder : std::uint8_t { cmake, meson, make, compiler };

struct ProgramFacts {
  std::string source;                 // the file that holds main
  std::vector<std::string> others;    // further files that hold one
  std::vector<std::string> globs;     // sources and headers, without those of `others`
  std::vector<std::string> units;     // the C and C++ files among them
  std::vector<std::string> includes;  // folders of headers that are named "include"
  std::string database;               // path of compile_commands.json; empty: none
  std::vector<std::string> built;     // globs of what earlier builds have left in the tree
  Builder builder = Builder::compiler;
  bool has_configure = false;  // a script ./configure goes ahead of make
  std::string target;          // what the builder calls the program; empty: not found, all is built
  std::string program;         // the built program, below the build folder; in the tree for make
};

std::optional<ProgramFacts> find_program(const FoundTree& tree);

}  // namespace jcprof::rewriter
