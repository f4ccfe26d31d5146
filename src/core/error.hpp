// SPDX-License-Identifier: Apache-2.0
// The two kinds of failure. A UserError is somebody's mistake or a broken environment: it carries text for a
// person and is caught once, in cli::guarded_main. A failed check() is our own fault and ends the program.
#pragma once

#include <cstddef>
#include <source_location>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace jcprof {

/// Exit codes of every jcprof command (docs/formats.md, "Exit codes").
enum class ExitCode : int {
  done = 0,
  check_failed = 1,
  user_mistake = 2,
  environment = 3,
  unreliable = 4,  // done, and what was measured contradicts itself
  hung_up = 129,   // 128 and the signal that asked for the end
  interrupted = 130,
  terminated = 143
};

/// A place in a file that a person can open. Line and column count from 1; 0 means "the file as a whole".
struct Place {
  std::string file;
  std::size_t line = 0;
  std::size_t column = 0;        // in bytes
  std::string source_line = {};  // printed with a caret under `column` when not empty
};

/// One thing that is wrong, in a form that several of can be reported together.
struct Fault {
  std::string message;  // lower case, values in quotes
  Place place = {};
  std::string hint = {};  // a way out; may be empty
};

/// `file:line: message`, the source line with its caret, `hint: …`; control bytes made harmless.
std::string render(const Fault& fault);

class UserError : public std::runtime_error {
 public:
  UserError(Fault fault, ExitCode code = ExitCode::user_mistake);
  UserError(std::vector<Fault> faults, ExitCode code = ExitCode::user_mistake);

  const std::vector<Fault>& faults() const { return faults_; }
  ExitCode exit_code() const { return code_; }

 private:
  std::vector<Fault> faults_;
  ExitCode code_;
};

/// A UserError about the world rather than about what the user wrote: a missing tool, a dead target.
UserError environment_error(std::string message, std::string hint = {});

/// Always on. A false condition is a bug of jcprof: prints where, and aborts.
void check(bool condition, std::string_view what,
           std::source_location where = std::source_location::current());

/// Line, column and text of the line that holds byte `offset` of `text` (which is the content of `file`).
Place place_at(const std::string& file, std::string_view text, std::size_t offset);

/// Lines of text: what is not plain (src/core/text.hpp), but for tabs and newlines, becomes "?".
std::string harmless(std::string_view text);

}  // namespace jcprof
