// SPDX-License-Identifier: Apache-2.0
// Any bytes as jcprof.json.
#include "src/core/project.hpp"
#include "tests/fuzz/fuzzing.hpp"

using namespace jcprof;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzzing::survives(
      [&] { (void)parse_project("/project/jcprof.json", fuzzing::text_of({data, size})); });
}
