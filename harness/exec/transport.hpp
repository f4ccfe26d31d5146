// SPDX-License-Identifier: Apache-2.0
// The Transport for plain programs: one is started per shot, told by its environment where to stop, and says
// by a file where it did (docs/c.md, "Environment of an exec: program").
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "harness/device.hpp"
#include "harness/transport.hpp"
#include "src/core/project.hpp"

namespace jcprof::harness {

struct ExecSetup {
  Session session;
  Trigger trigger;
  Placeholders placeholders;       // without {input}
  std::string device;              // its name; empty: that of the processor
  std::size_t traps = 0;           // ids go up to this
  std::uint32_t build = 0;         // which a program must be of; one made by hand says 0
  std::filesystem::path logs;      // output of the program and the scripts goes there
  std::filesystem::path log = {};  // of a recording, for a program whose traps record; empty: they stop
};

/// Starts nothing yet. `started` is the device program of the project, or null.
std::unique_ptr<Transport> make_exec_transport(const ExecSetup& setup, std::unique_ptr<Device> started);

}  // namespace jcprof::harness
