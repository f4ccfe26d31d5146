// SPDX-License-Identifier: Apache-2.0
// Answers a hello whose session is not opened in time, and ends the agent: the call into the driver cannot be
// broken off.
#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>

#include "agents/service.hpp"

namespace jcprof::teec {

class Patience {
 public:
  /// Until it is destroyed, for 20 seconds or nearly the timeout of the session at most; then `refuse` gets
  /// the reason. `once` counts.
  Patience(const AgentGreeting& greeting, agents::Service::Refuse refuse);
  ~Patience();
  Patience(const Patience&) = delete;
  Patience& operator=(const Patience&) = delete;

 private:
  std::mutex mutex_;
  std::condition_variable over_;
  bool is_over_ = false;
  std::thread thread_;
};

}  // namespace jcprof::teec
