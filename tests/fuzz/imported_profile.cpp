// SPDX-License-Identifier: Apache-2.0
// Any bytes as profiles of other tools.
#include <string>

#include "annotator/import/formats.hpp"
#include "annotator/record/profile.hpp"
#include "tests/fuzz/fuzzing.hpp"

using namespace jcprof;
using namespace jcprof::annotator;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzzing::text_of({data, size});
  fuzzing::survives([&] { recorded_profile(read_callgrind("fuzz.cg", text)); });
  fuzzing::survives([&] { recorded_profile(read_optee_ftrace("fuzz.txt", text)); });
  return fuzzing::survives([&] { read_jcprofiler("fuzz.csv", text); });
}
