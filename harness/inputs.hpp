// SPDX-License-Identifier: Apache-2.0
// The inputs a project names, as bytes: the same seed gives the same ones. Reads the input file, nothing
// else.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "harness/transport.hpp"
#include "src/core/project.hpp"
#include "src/core/store.hpp"

namespace jcprof::harness {

struct InputSettings {
  std::filesystem::path root = {};  // an input file's path is relative to it
  std::uint64_t seed = 1;
  std::uint32_t drawn = 16;  // how many distinct ones a pattern or a random source gives, if it has that many
};

/// At least one; without a spec the only input is empty. Classes come one after the other, in the order of
/// the project file; a split names its halves "low" and "high" (below the median of the property, or not).
/// UserError for text that is not hex, a pattern that is none, an empty file.
std::vector<StoredInput> make_inputs(const InputSpec& spec, const InputSettings& settings);

/// Makes the inputs of the project, and gives them to the target. `drawn`: see InputSettings.
std::vector<StoredInput> give_inputs(const Project& project, std::uint64_t seed, Transport& transport,
                                     std::uint32_t drawn = InputSettings{}.drawn);

}  // namespace jcprof::harness
