// SPDX-License-Identifier: Apache-2.0
// The facts of a source tree about its Java Card applet: class, entry, AID, instructions, libraries.
// project_draft makes the project file of them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "rewriter/found_tree.hpp"

namespace jcprof::rewriter {

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

}  // namespace jcprof::rewriter
