// SPDX-License-Identifier: Apache-2.0
// What the build files of a tree say about its applets: ant, gradle, Maven, NetBeans, and the converter's
// options in files, scripts and makefiles. Read, never run.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rewriter/found_tree.hpp"

namespace jcprof::rewriter {

struct BuiltApplet {
  std::string class_name;  // qualified where the file says so
  std::string aid;         // in hex; empty: none that could be read
};

/// What one build file says.
struct AppletBuild {
  std::string file;                     // its path
  std::vector<BuiltApplet> applets;     // those that the default build makes, in its order
  std::vector<std::string> simulators;  // versions of jCardSim that it names: "3.0.6.0"
};

/// The build files that say something, those nearest to the root first and those of tests and examples last.
std::vector<AppletBuild> find_applet_builds(const FoundTree& tree);

/// "0xA0:0x00:0x01", "//aid/A000000062/01", "a0 00 01", "A00001" → "A00001"; empty for what is no AID of 5 to
/// 16 bytes.
std::string normal_aid(std::string_view text);

// One for each kind of file; nothing where it is none, or says nothing. Each in a source of its own.

std::optional<AppletBuild> read_ant(const FoundTree& tree, const std::string& path);
std::optional<AppletBuild> read_gradle(const FoundTree& tree, const std::string& path);
/// Maven's, and what NetBeans has of an applet.
std::optional<AppletBuild> read_other_xml(const FoundTree& tree, const std::string& path);
/// `-applet AID CLASS`, as the converter takes it.
std::optional<AppletBuild> read_options(const FoundTree& tree, const std::string& path);

/// The applets in options of the converter.
std::vector<BuiltApplet> applets_in_options(const std::string& options);

/// A path that a file in `folder` names, from the tree's root; empty: it leads out of the tree.
std::string path_from(const std::string& folder, std::string named);

}  // namespace jcprof::rewriter
