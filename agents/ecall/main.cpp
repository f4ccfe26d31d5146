// SPDX-License-Identifier: Apache-2.0
// jcprof-agent-ecall: the agent protocol on standard input and output, in front of an enclave.
#include <iostream>
#include <string>

#include <fmt/format.h>

#include "agents/ecall/hello.hpp"
#include "agents/say.hpp"
#include "programs/main_guard.hpp"

namespace {

using namespace jcprof;

constexpr const char* help =
    R"(Makes ecalls through a bridge, and stops and times them for jcprof (docs/sgx.md).

Usage: jcprof-agent-ecall [OPTIONS] BRIDGE

Positionals:
  BRIDGE                    the shared object that is built from edge/bridge.c

Options:
  -h,--help                 print this help
  --version                 print the version

jcprof starts it: "transport": "agent:jcprof-agent-ecall {tree}/bridge.so".
)";

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
  return cli::guarded([&] {
    if (agents::is_about_program(argc, argv, help)) return ExitCode::done;
    if (argc != 2)
      throw UserError(Fault{.message = "one BRIDGE is required",
                            .hint = "`jcprof-agent-ecall --help` shows how it is called"});
    return serve(argv[1]);
  });
}
