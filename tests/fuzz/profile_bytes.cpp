// SPDX-License-Identifier: Apache-2.0
// A profile in which some bytes are others. The input is a list of changes: where (3 bytes) and what (1
// byte).
#include "src/core/file.hpp"
#include "tests/fuzz/profile.hpp"

using namespace jcprof;
using namespace jcprof::fuzzing;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::string seed = (write_profile(), read_file(profile_file()));
  std::string bytes = seed;
  for (Input changes{data, size}; changes.size() >= 4;) {
    const Input change = take(changes, 4);
    bytes[(change[0] << 16U | change[1] << 8U | change[2]) % bytes.size()] = static_cast<char>(change[3]);
  }
  write_file(profile_file(), bytes);
  read_profile();
  return 0;
}
