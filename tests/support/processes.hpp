// SPDX-License-Identifier: Apache-2.0
// The processes of this machine, by what they were started as.
#pragma once

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>

#include <sys/types.h>

namespace jcprof::test {

/// Of all that run: arguments, each ended by a zero byte.
inline std::map<pid_t, std::string> command_lines() {
  std::map<pid_t, std::string> found;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const std::string name = entry.path().filename().string();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    std::ifstream stream(entry.path() / "cmdline", std::ios::binary);
    // A process that ends meanwhile cannot be read: the stream fails, where its iterator would throw.
    std::ostringstream words;
    words << stream.rdbuf();
    found[std::stoi(name)] = words.str();
  }
  return found;
}

}  // namespace jcprof::test
