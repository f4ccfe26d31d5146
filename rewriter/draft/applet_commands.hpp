// SPDX-License-Identifier: Apache-2.0
// The commands that an applet's sources say it has: what is compared with CLA and INS, and constants that are
// called so. A guess for a first trigger; the card decides.
#pragma once

#include <string>
#include <vector>

#include "rewriter/source_model.hpp"

namespace jcprof::rewriter {

struct Instruction {
  std::string name;         // "INS_VERIFY"; a number as the source writes it
  std::string value;        // two hexadecimal digits
  bool takes_data = false;  // what it leads to reads the data of the command
};

struct AppletCommands {
  std::string cla;  // two hexadecimal digits; empty: none found
  std::vector<Instruction> instructions;
};

/// `models`: the applet's files, the entry's first. `others` tell constants and methods that these use.
AppletCommands find_applet_commands(const std::vector<const SourceModel*>& models,
                                    const std::vector<const SourceModel*>& others = {});

}  // namespace jcprof::rewriter
