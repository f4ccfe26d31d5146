// SPDX-License-Identifier: Apache-2.0
#include "src/core/install_hint.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace jcprof {
namespace {

struct Package {
  std::string_view program;
  std::string_view package;
};

constexpr auto known = std::to_array<Package>({{"cc", "gcc"},
                                               {"gcc", "gcc"},
                                               {"c++", "g++"},
                                               {"g++", "g++"},
                                               {"clang", "clang"},
                                               {"clang++", "clang"},
                                               {"make", "make"},
                                               {"cmake", "cmake"},
                                               {"ninja", "ninja-build"},
                                               {"meson", "meson"},
                                               {"ant", "ant"},
                                               {"mvn", "maven"},
                                               {"gradle", "gradle"},
                                               {"javac", "default-jdk-headless"},
                                               {"java", "default-jre-headless"}});

/// Of a cross compiler and its tools, whose names begin with a machine's: `aarch64-linux-gnu-gcc`.
std::string cross_package(std::string_view program) {
  const std::size_t dash = program.rfind('-');
  const std::string_view machine = program.substr(0, dash);
  if (dash == std::string_view::npos || std::ranges::count(machine, '-') == 0) return "";
  const std::string_view tool = program.substr(dash + 1);
  if (tool == "gcc" || tool == "g++") return fmt::format("{}-{}", tool, machine);
  constexpr auto binutils =
      std::to_array<std::string_view>({"ar", "as", "ld", "nm", "objcopy", "objdump", "ranlib", "strip"});
  return std::ranges::find(binutils, tool) == binutils.end() ? "" : fmt::format("binutils-{}", machine);
}

}  // namespace

std::string way_to_install(std::string_view program) {
  const auto found = std::ranges::find(known, program, &Package::program);
  const std::string package = found == known.end() ? cross_package(program) : std::string(found->package);
  return package.empty() ? "install it" : fmt::format("install it (Debian: {})", package);
}

}  // namespace jcprof
