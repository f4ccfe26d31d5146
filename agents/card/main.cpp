// SPDX-License-Identifier: Apache-2.0
// jcprof-agent-card: the agent protocol on standard input and output, in front of a card in a reader.
#include <iostream>
#include <string>

#include <fmt/format.h>

#include "agents/card/card_service.hpp"
#include "agents/say.hpp"
#include "programs/main_guard.hpp"
#include "src/core/cancellation.hpp"

namespace {

using namespace jcprof;

constexpr const char* help =
    R"(Measures a card in a reader of this computer, for a jcprof elsewhere (docs/fleet.md).

Usage: jcprof-agent-card [OPTIONS] READER

Positionals:
  READER                    pcsc:NAME, a reader of PC/SC, or vpcd:PORT, where a virtual card connects

Options:
  -h,--help                 print this help
  --version                 print the version

jcprof starts it: "transport": "agent:ssh HOST jcprof-agent-card pcsc:NAME".
)";

ExitCode serve(const std::string& reader) {
  catch_signals();
  card_agent::CardService service(
      [&](const AgentGreeting& greeting) { return card_agent::make_target(reader, greeting); }, agents::say);
  for (std::string line; std::getline(std::cin, line);) {
    if (!service.serve(line)) break;
    cancellation().check();
  }
  return ExitCode::done;
}

/// A shell between ssh and the agent may have split the name of a reader.
std::string joined(int argc, char** argv) {
  std::string reader = argv[1];
  for (int i = 2; i < argc; ++i) reader += fmt::format(" {}", argv[i]);
  return reader;
}

}  // namespace

int main(int argc, char** argv) {
  return cli::guarded([&] {
    if (agents::is_about_program(argc, argv, help)) return ExitCode::done;
    if (argc < 2 || std::string_view(argv[1]).starts_with('-'))
      throw UserError(Fault{.message = "one READER is required",
                            .hint = "`jcprof-agent-card --help` shows how it is called"});
    return serve(joined(argc, argv));
  });
}
