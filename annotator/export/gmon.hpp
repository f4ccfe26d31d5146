// SPDX-License-Identifier: Apache-2.0
// gmon.out, what a program built with -pg leaves, of a recorded run: gprof reads it. Threads are summed; time
// is exclusive, arcs have exact counts.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "annotator/record/profile.hpp"

namespace jcprof::annotator {

/// The ELF file that gprof is to be given, as far as gmon.out depends on it.
struct Binary {
  std::filesystem::path file;
  std::string build_id;  // hex; empty: it has none
  std::size_t pointer_bytes = 8;
  std::uint64_t entry = 0;  // where it starts; 0: nowhere, it is a library
};

/// UserError when it is no ELF file, or one of another byte order.
Binary read_binary(const std::filesystem::path& file);

/// The functions in `binary`. Calls from elsewhere (of main, of a thread's function, out of a library) count
/// as made by its entry, as gprof drops calls without a caller. UserError when none of its functions was
/// recorded.
std::string to_gmon(const RecordedRun& recorded, const Binary& binary);

}  // namespace jcprof::annotator
