// SPDX-License-Identifier: Apache-2.0
#include "programs/main_guard.hpp"

#include <csignal>
#include <cstdio>
#include <new>
#include <system_error>

#include <fmt/format.h>

#include "src/core/cancellation.hpp"
#include "src/core/process.hpp"

namespace jcprof::cli {

int guarded(const std::function<ExitCode()>& work) {
  // A limit on the size of files is an error where we write, and not our death.
  std::signal(SIGXFSZ, SIG_IGN);
  try {
    const ExitCode code = work();
    if (std::fflush(stdout) != 0) throw environment_error("cannot write to standard output");
    return static_cast<int>(code);
  } catch (const Cancelled& cancelled) {
    fmt::print(stderr, "ended by {}\n", signal_in_words(cancelled.signal()));
    return static_cast<int>(exit_code_of(cancelled.signal()));
  } catch (const UserError& error) {
    if (!error.faults().empty()) fmt::print(stderr, "{}\n", error.what());
    return static_cast<int>(error.exit_code());
  } catch (const std::system_error& error) {  // also of files, of threads, and of output that has no room
    fmt::print(stderr, "{}\n", harmless(error.what()));
    return static_cast<int>(ExitCode::environment);
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "out of memory\n");
    return static_cast<int>(ExitCode::environment);
  }
}

}  // namespace jcprof::cli
