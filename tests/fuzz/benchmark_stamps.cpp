// SPDX-License-Identifier: Apache-2.0
// Any bytes as a file of OP-TEE's timestamps.
#include <sstream>
#include <string>

#include "annotator/hops/hops.hpp"
#include "tests/fuzz/fuzzing.hpp"

using namespace jcprof;
using namespace jcprof::annotator;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzzing::survives([&] {
    std::istringstream text{std::string(fuzzing::text_of({data, size}))};
    HopTally tally;
    read_stamps("fuzz.ts", text, [&](const Stamp& stamp) { tally.take(stamp); });
    tally.finish();  // checks that no timestamp is lost
  });
}
