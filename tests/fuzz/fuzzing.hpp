// SPDX-License-Identifier: Apache-2.0
// What the fuzz targets share. A UserError is the answer that bad input should get; all else that is thrown,
// a failed check and what the sanitizers see end the program.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "src/core/error.hpp"

namespace jcprof::fuzzing {

using Input = std::span<const std::uint8_t>;

inline std::string_view text_of(Input input) {
  return {reinterpret_cast<const char*>(input.data()), input.size()};
}

/// Takes `size` bytes off the front, or as many as there are.
inline Input take(Input& input, std::size_t size) {
  const Input head = input.first(size < input.size() ? size : input.size());
  input = input.subspan(head.size());
  return head;
}

/// One byte off the front, 0 at the end.
inline std::uint8_t take_byte(Input& input) {
  const Input head = take(input, 1);
  return head.empty() ? std::uint8_t{0} : head[0];
}

template <class Work>
int survives(Work work) {
  try {
    work();
  } catch (const UserError&) {
    return 0;
  }
  return 0;
}

}  // namespace jcprof::fuzzing

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
