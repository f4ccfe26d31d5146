// SPDX-License-Identifier: Apache-2.0
#include "rewriter/program_files.hpp"

#include <cstdlib>
#include <regex>
#include <sstream>

#include <unistd.h>

namespace jcprof::rewriter {

namespace fs = std::filesystem;

fs::path place_of_program(const std::string& program, const fs::path& folder) {
  if (program.find('/') != std::string::npos) return folder / program;
  const char* const path = std::getenv("PATH");
  std::istringstream places(path == nullptr ? "/bin:/usr/bin" : path);
  for (std::string place; std::getline(places, place, ':');)
    if (const fs::path file = folder / place / program; ::access(file.c_str(), X_OK) == 0) return file;
  return {};
}

bool lies_in(const fs::path& path, const fs::path& folder) {
  const fs::path relative = path.lexically_relative(folder);
  return !relative.empty() && *relative.begin() != "..";
}

bool is_compiler_name(std::string_view program) {
  static const std::regex name(
      R"((?:[A-Za-z0-9_.]+-)*(?:cc|c\+\+|gcc|g\+\+|clang|clang\+\+|icx|icpx|tcc)(?:-[0-9.]+)?)");
  return std::regex_match(program.begin(), program.end(), name);
}

fs::path file_of_program(const std::string& program, const fs::path& folder) {
  const fs::path file = place_of_program(program, folder);
  return ::access(file.c_str(), X_OK) == 0 ? file : fs::path();
}

}  // namespace jcprof::rewriter
