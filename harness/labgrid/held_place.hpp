// SPDX-License-Identifier: Apache-2.0
// A place of a lab that is ours for a while. A process of its own keeps it and gives it back when we are
// gone, however that happens; labgrid itself would keep it for us for ever (docs/fleet.md). Starts no agent.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "src/core/lab_address.hpp"
#include "src/core/unique_fd.hpp"

namespace jcprof::harness {

class HeldPlace {
 public:
  using Tell = std::function<void(const std::string&)>;

  /// Waits until there is one, and tells whom for. With tags, the place of an earlier run is taken if it is
  /// free. UserError; Cancelled.
  HeldPlace(const LabAddress& address, const std::string& earlier_reader, const Tell& tell);
  /// Waits until it is released, for a while.
  ~HeldPlace();
  HeldPlace(const HeldPlace&) = delete;
  HeldPlace& operator=(const HeldPlace&) = delete;

  const std::string& name() const { return name_; }

 private:
  void start(const LabAddress& address, const std::string& filter);
  void wait_until_held(const std::string& wanted, const Tell& tell);
  /// The next line of the holder's. Nothing: it has ended, or said nothing in time.
  std::optional<std::string> line(std::chrono::milliseconds patience, int asked);

  pid_t holder_ = -1;
  UniqueFd input_;  // its end is the holder's sign that we are gone
  UniqueFd output_;
  std::string said_;  // of a line that is not complete
  std::string name_;
};

/// The environment of those whose place another process holds.
inline constexpr const char* held_place_variable = "JCPROF_PLACE";
/// Its value; empty: there is none.
std::string place_of_others();

/// The part of a run's reader that is the place of a lab.
std::string place_in(const std::string& reader);

/// The place of this process: held from the first call to the process's end, or by whoever started us. Its
/// name is in the environment as LG_PLACE from then on.
const std::string& place_of_process(const LabAddress& address, const std::string& earlier_reader = {});

}  // namespace jcprof::harness
