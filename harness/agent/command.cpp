// SPDX-License-Identifier: Apache-2.0
#include "harness/agent/command.hpp"

#include <fmt/format.h>

#include "src/core/error.hpp"
#include "src/core/shell_words.hpp"

namespace jcprof::harness {

std::vector<std::string> agent_argv(std::string_view text, const Placeholders& values) {
  auto [argv, open_quote] = split_command(text);
  if (open_quote)
    throw UserError(Fault{.message = fmt::format("a quote in \"{}\" is not closed", text),
                          .hint = "jcprof splits the command at blanks; quote by '…', \"…\" or \\"});
  if (argv.empty())
    throw UserError(Fault{.message = "\"agent:\" needs the command of the agent behind it",
                          .hint = "such as \"agent:python3 {project}/agent.py\""});
  for (std::string& argument : argv) argument = fill_in(argument, values);
  return argv;
}

}  // namespace jcprof::harness
