// SPDX-License-Identifier: Apache-2.0
// What jcprof-agent-teec makes of a hello: a session with the TA that the trigger names.
#pragma once

#include <functional>
#include <memory>

#include "agents/service.hpp"
#include "agents/teec/stopwatch.hpp"
#include "agents/teec/tee.hpp"
#include "agents/teec/wishes.hpp"

namespace jcprof::teec {

/// What is said on the command line.
struct Place {
  std::string device;
  bool is_simulated = false;
  Counts counts = Counts::ns;
};

using MakeTee = std::function<std::shared_ptr<Tee>(const Uuid& ta, Counts counts)>;

/// UserError when there is no such TA, or it is not the instrumented one.
agents::Greeting greet(const AgentGreeting& greeting, const Place& place, const MakeTee& make_tee);

}  // namespace jcprof::teec
