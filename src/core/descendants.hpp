// SPDX-License-Identifier: Apache-2.0
// The end of all that this process started, and of what that started in turn, whatever group or session it
// has gone to. Between fork and exec too: async-signal-safe.
#pragma once

#include <sys/types.h>

namespace jcprof {

/// Orphans below this process become its children from here on, so that none is lost sight of.
void adopt_orphans() noexcept;

/// The exit status as a shell has it: 128 and the signal where one ended it.
int shell_status(int wait_status) noexcept;

/// Kills all children and, as they become children then, all further descendants, and reaps them. Only a
/// process with one thread that adopts orphans sees all of them. `status` is written where `known` is reaped.
void end_descendants(pid_t known, volatile int& status) noexcept;

/// Kills and reaps those children that came here as orphans, and theirs in turn. Children that were forked
/// here and are no other program, as guards are, stay.
void end_strays() noexcept;

}  // namespace jcprof
