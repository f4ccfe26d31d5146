// SPDX-License-Identifier: Apache-2.0
#include "programs/main_guard.hpp"

#include <csignal>
#include <cstdio>
#include <new>
#include <system_error>

#include <fmt/format.h>

#include "src/core/cancellation.hpp"
#include "src/core/error_json.hpp"
#include "src/core/process.hpp"

namespace jcprof::cli {

namespace {

int ended_by(const UserError& error, ErrorForm form) {
  constexpr auto replace = nlohmann::json::error_handler_t::replace;
  if (form == ErrorForm::json)
    fmt::print(stderr, "{}\n", in_json(error).dump(2, ' ', false, replace));
  else if (!error.faults().empty())
    fmt::print(stderr, "{}\n", error.what());
  return static_cast<int>(error.exit_code());
}

}  // namespace

int guarded(const std::function<ExitCode()>& work, ErrorForm form) {
  // A limit on the size of files is an error where we write, and not our death.
  std::signal(SIGXFSZ, SIG_IGN);
  try {
    const ExitCode code = work();
    if (std::fflush(stdout) != 0) throw environment_error("cannot write to standard output");
    return static_cast<int>(code);
  } catch (const Cancelled& cancelled) {
    return ended_by(UserError(Fault{.message = "ended by " + signal_in_words(cancelled.signal())},
                              exit_code_of(cancelled.signal())),
                    form);
  } catch (const UserError& error) {
    return ended_by(error, form);
  } catch (const std::system_error& error) {  // also of files, of threads, and of output that has no room
    return ended_by(environment_error(error.what()), form);
  } catch (const std::bad_alloc&) {
    return ended_by(environment_error("out of memory"), form);
  }
}

}  // namespace jcprof::cli
