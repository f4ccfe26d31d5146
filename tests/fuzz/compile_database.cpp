// SPDX-License-Identifier: Apache-2.0
// Any bytes as compile_commands.json.
#include "rewriter/c/compile_database.hpp"
#include "tests/fuzz/fuzzing.hpp"

using namespace jcprof;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzzing::survives([&] {
    (void)rewriter::parse_compile_database("compile_commands.json", fuzzing::text_of({data, size}),
                                           "/project");
  });
}
