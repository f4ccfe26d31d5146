// SPDX-License-Identifier: Apache-2.0
#include "agents/say.hpp"

#include <cerrno>
#include <cstdlib>

#include <fmt/format.h>
#include <unistd.h>

#include "src/core/error.hpp"
#include "src/core/text.hpp"

namespace jcprof::agents {

void say(const std::string& line) {
  const std::string text = line + "\n";
  for (std::size_t written = 0; written < text.size();) {
    const ssize_t size = ::write(STDOUT_FILENO, text.data() + written, text.size() - written);
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) std::exit(static_cast<int>(ExitCode::environment));
    written += static_cast<std::size_t>(size);
  }
}

bool is_about_program(int argc, char** argv, std::string_view help) {
  const std::string_view word = argc == 2 ? argv[1] : "";
  if (is_one_of(word, {"-h", "--help"}))
    fmt::print("{}", help);
  else if (word == "--version")
    fmt::print("jcprof " JCPROF_VERSION "\n");
  else
    return false;
  return true;
}

}  // namespace jcprof::agents
