// SPDX-License-Identifier: Apache-2.0
// Ctrl-C as a value: the first signal asks for an orderly end, the second ends at once.
#pragma once

#include <atomic>

namespace jcprof::cli {

/// Catches SIGINT, SIGTERM and SIGHUP from here on; true once one has come.
const std::atomic<bool>& interruption();

}  // namespace jcprof::cli
