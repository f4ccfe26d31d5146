// SPDX-License-Identifier: Apache-2.0
#include "src/cli/interruption.hpp"

#include <csignal>

namespace jcprof::cli {
namespace {

// A signal handler reaches nothing but statics.
std::atomic<bool> interrupted{false};
static_assert(std::atomic<bool>::is_always_lock_free);

extern "C" void note_signal(int) {
  interrupted = true;
}

}  // namespace

const std::atomic<bool>& interruption() {
  struct sigaction action = {};
  action.sa_handler = note_signal;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaction(signal, &action, nullptr);
  return interrupted;
}

}  // namespace jcprof::cli
