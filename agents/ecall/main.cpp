// SPDX-License-Identifier: Apache-2.0
// jcprof-agent-ecall: the agent protocol on standard input and output, in front of an enclave.
#include <cstdlib>
#include <iostream>
#include <string>

#include <fmt/format.h>
#include <unistd.h>

#include "agents/ecall/hello.hpp"
#include "agents/say.hpp"
#include "programs/main_guard.hpp"

namespace {

using namespace jcprof;

ExitCode serve(const std::string& bridge) {
  agents::Service service(
      [&](const AgentGreeting& greeting, const auto&) { return ecall::greet(bridge, greeting); },
      agents::say);
  for (std::string line; std::getline(std::cin, line);)
    if (!service.serve(line)) break;
  const std::string account = service.account();
  if (!account.empty()) fmt::print(stderr, "jcprof-agent-ecall: {}\n", account);
  return ExitCode::done;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Makes ecalls through a bridge, and stops and times them for jcprof (docs/sgx.md).",
               "jcprof-agent-ecall"};
  std::string bridge;
  app.add_option("BRIDGE", bridge, "the shared object built from edge/bridge.c")->required();
  return jcprof::cli::guarded_main(app, argc, argv, [&] { return serve(bridge); });
}
