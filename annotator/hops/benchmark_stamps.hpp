// SPDX-License-Identifier: Apache-2.0
// The timestamps that OP-TEE's benchmark framework writes (a `.ts` file, YAML), one after the other. Knows
// nothing of calls.
#pragma once

#include <cstdint>
#include <functional>
#include <istream>
#include <string>
#include <string_view>

namespace jcprof::annotator {

/// The component that took a timestamp, in the order in which a call goes down.
enum class Component : std::uint8_t { libteec, kmodule, core, libutee, other };
std::string_view name_of(Component component);

struct Stamp {
  std::uint32_t core = 0;     // of the processor; each has a counter of its own
  std::uint64_t counter = 0;  // cycles, in steps of 64
  std::uint64_t address = 0;  // of the code that took it
  Component component = Component::other;
  bool operator==(const Stamp&) const = default;
};

enum class FileEnd : std::uint8_t {
  whole,
  cut_off  // whoever wrote it was ended: a timestamp that is not whole was left out
};

// More than OP-TEE runs on, and few enough to keep something for each.
inline constexpr std::uint32_t most_cores = 1024;

/// Hands over all timestamps in the order of `text`, which is the content of `file`, holding one at a time.
/// UserError with file and line for what is no such file, or has none.
FileEnd read_stamps(const std::string& file, std::istream& text,
                    const std::function<void(const Stamp&)>& take);

}  // namespace jcprof::annotator
