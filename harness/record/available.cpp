// SPDX-License-Identifier: Apache-2.0
#include "harness/record/available.hpp"

#include <algorithm>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>

namespace jcprof::harness {
namespace {

namespace fs = std::filesystem;

/// Files of a control group. Version 2 has one tree, version 1 has one for each controller.
struct GroupFiles {
  const char* limit;
  const char* used;
  std::string_view idle, active;  // bytes of files in memory, by memory.stat: they count as used
};
constexpr GroupFiles version_1{.limit = "memory.limit_in_bytes",
                               .used = "memory.usage_in_bytes",
                               .idle = "total_inactive_file",
                               .active = "total_active_file"};
constexpr GroupFiles version_2{
    .limit = "memory.max", .used = "memory.current", .idle = "inactive_file", .active = "active_file"};

/// Nothing where it is no number ("max"), or is not told.
std::optional<std::uint64_t> number_in(const fs::path& file) {
  std::ifstream text(file);
  std::uint64_t number = 0;
  return text >> number ? std::optional(number) : std::nullopt;
}

std::uint64_t in_files(const fs::path& group, const GroupFiles& names) {
  std::ifstream text(group / "memory.stat");
  std::string name;
  std::uint64_t sum = 0;
  for (std::uint64_t bytes = 0; text >> name >> bytes;)
    if (name == names.idle || name == names.active) sum += bytes;
  return sum;
}

std::uint64_t left_in(const fs::path& group, const GroupFiles& names) {
  const std::optional<std::uint64_t> limit = number_in(group / names.limit);
  const std::optional<std::uint64_t> used = number_in(group / names.used);
  if (!limit || !used) return UINT64_MAX;
  const std::uint64_t kept = *used - std::min(*used, in_files(group, names));
  return *limit - std::min(*limit, kept);
}

/// A group has the limits of those above it too. Inside a container the groups above the mounted one have no
/// folders.
std::uint64_t least_left(const fs::path& tree, fs::path group, const GroupFiles& names) {
  std::uint64_t least = left_in(tree, names);
  for (; !group.empty(); group = group.parent_path()) least = std::min(least, left_in(tree / group, names));
  return least;
}

std::uint64_t left_in_groups(const MemoryTold& told) {
  std::ifstream text(told.proc / "self/cgroup");
  std::uint64_t least = UINT64_MAX;
  // "4:memory:/a/group", "0::/a/group"
  for (std::string line; std::getline(text, line);) {
    const std::size_t first = line.find(':');
    const std::size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const fs::path group = fs::path(line.substr(second + 1)).relative_path();
    if (controllers.empty())
      least = std::min(least, least_left(told.cgroups, group, version_2));
    else if (("," + controllers + ",").find(",memory,") != std::string::npos)
      least = std::min(least, least_left(told.cgroups / controllers, group, version_1));
  }
  return least;
}

std::uint64_t left_in_system(const fs::path& proc) {
  std::ifstream text(proc / "meminfo");
  std::string name;
  for (std::uint64_t kilobytes = 0; text >> name >> kilobytes; text.ignore(100, '\n'))
    if (name == "MemAvailable:") return kilobytes * 1024;
  return UINT64_MAX;
}

}  // namespace

std::uint64_t available_memory(const MemoryTold& told) {
  return std::min(left_in_system(told.proc), left_in_groups(told));
}

}  // namespace jcprof::harness
