// SPDX-License-Identifier: Apache-2.0
// The trap map of a function `f` of one file "a.c", with one trap a line, as if jcprof gen had been there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include <fmt/format.h>

#include "src/core/file.hpp"
#include "src/core/trap_map.hpp"

namespace jcprof::test {

/// `length`: bytes of a line with its newline.
inline TrapMap traps_at_lines(const std::string& source, std::uint32_t lines, std::size_t length) {
  TrapMap map{.language = "c", .sources = {{.path = "a.c", .sha256 = sha256(source)}}};
  for (std::uint32_t id = 1; id <= lines; ++id)
    map.traps.push_back({.id = TrapId{id},
                         .key = std::to_string(id),
                         .name = fmt::format("TRAP_{}", id),
                         .kind = TrapKind::before,
                         .function = "f",
                         .path = "a.c",
                         .line = id,
                         .column = 1,
                         .offset = length * (id - 1),
                         .end_line = id,
                         .end_offset = length * id - 1});
  return map;
}

}  // namespace jcprof::test
