// SPDX-License-Identifier: Apache-2.0
// Any bytes as traps.json; what is accepted must come back from its own text.
#include "src/core/trap_map.hpp"
#include "tests/fuzz/fuzzing.hpp"

using namespace jcprof;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzzing::survives([&] {
    const TrapMap map = parse_trap_map("traps.json", fuzzing::text_of({data, size}));
    const std::string text = write_trap_map(map);
    check(write_trap_map(parse_trap_map("traps.json", text)) == text, "a trap map's text says all of it");
  });
}
