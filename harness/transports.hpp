// SPDX-License-Identifier: Apache-2.0
// Makes a Transport of a URI. This is the one place that knows the schemes.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <utility>

#include "harness/agent/link.hpp"
#include "harness/transport.hpp"
#include "src/core/project.hpp"
#include "src/core/trap_map.hpp"

namespace jcprof::harness {

/// Where a build lies, and where logs of what runs go.
struct OutputPlaces {
  OutputPlaces(const std::filesystem::path& folder)
      : out(folder), logs(folder / "logs") {}  // NOLINT: the usual
  OutputPlaces(std::filesystem::path folder, std::filesystem::path other_logs)
      : out(std::move(folder)), logs(std::move(other_logs)) {}

  std::filesystem::path out;
  std::filesystem::path logs;
};

/// The value of {reader} in build and install steps: the reader of a `pcsc:` transport, by its whole name
/// where it is there; empty for other transports.
std::string reader_for(const Project& project, const std::string& uri);

/// Where the transport is `labgrid:`, waits for its place and holds it until this process ends. The programs
/// that are started from then on find it in LG_PLACE.
/// `earlier_reader`: that of an earlier run, whose place is preferred. Returns the place, empty for other
/// transports.
std::string hold_place(const Project& project, const std::string& uri,
                       const std::string& earlier_reader = {});

/// The way to start and greet an agent for this project; `command` is the text behind "agent:".
AgentSettings agent_settings(const Project& project, const TrapMap& map, const std::string& command,
                             const OutputPlaces& places);

/// Makes the transport to the project's agent, and starts nothing yet. UserError where its transport is
/// another.
std::unique_ptr<AgentLink> make_agent_link(const Project& project, const TrapMap& map,
                                           const std::filesystem::path& out_dir);

/// A program of `exec:` whose traps record: whole runs of it write into the memory of a recording, `log`.
std::unique_ptr<Transport> make_recorded_program(const Project& project, const TrapMap& map,
                                                 const std::filesystem::path& out_dir,
                                                 const std::filesystem::path& log);

/// `uri` as --transport gives it, empty: the project's. `places.out` holds tree/, `places.logs` gets
/// start.log. Listens, but starts and touches no target yet. UserError for a scheme that is unknown or not in
/// this version.
std::unique_ptr<Transport> make_transport(const Project& project, const TrapMap& map, const std::string& uri,
                                          const OutputPlaces& places);

}  // namespace jcprof::harness
