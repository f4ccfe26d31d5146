// SPDX-License-Identifier: Apache-2.0
#include "src/core/install_hint.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "src/core/text.hpp"

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

/// "-12" of `gcc-12`; empty: the name has none.
std::string_view version_of(std::string_view program) {
  const std::size_t dash = program.find_last_not_of("0123456789");
  const bool is_version = dash != std::string_view::npos && program[dash] == '-' && dash + 1 < program.size();
  return is_version ? program.substr(dash) : "";
}

/// `aarch64-linux-gnu`, `arm-linux-gnueabihf`: a processor, then Linux with GNU's C library.
bool is_gnu_linux(std::string_view machine) {
  const std::size_t dash = machine.find('-');
  return dash != 0 && dash != std::string_view::npos && machine.substr(dash).starts_with("-linux-gnu") &&
         std::ranges::count(machine, '-') == 2;
}

/// Debian's package for a cross compiler or its tools. Their names begin with a machine's:
/// `aarch64-linux-gnu-gcc`. Empty: Debian has no compiler for that machine.
std::string cross_package(std::string_view program, std::string_view version) {
  const std::size_t dash = program.rfind('-');
  if (dash == std::string_view::npos) return "";
  const std::string_view tool = program.substr(dash + 1);
  std::string machine(program.substr(0, dash));
  // Debian has one package for C and C++ on bare metal.
  const bool is_bare = is_one_of(machine, {"arm-none-eabi", "riscv64-unknown-elf"});
  if (!is_bare && !is_gnu_linux(machine)) return "";
  std::ranges::replace(machine, '_', '-');
  if (is_one_of(tool, {"gcc", "g++"})) {
    if (is_bare) return version.empty() ? "gcc-" + machine : "";
    return fmt::format("{}{}-{}", tool, version, machine);
  }
  constexpr auto binutils = std::to_array<std::string_view>(
      {"ar", "as", "ld", "nm", "objcopy", "objdump", "ranlib", "readelf", "size", "strip"});
  return is_one_of(tool, binutils) && version.empty() ? "binutils-" + machine : "";
}

std::string package_of(std::string_view program) {
  const std::string_view version = version_of(program);
  const std::string_view name = program.substr(0, program.size() - version.size());
  const auto found = std::ranges::find(known, name, &Package::program);
  if (found == known.end()) return cross_package(name, version);
  if (version.empty()) return std::string(found->package);
  return is_one_of(name, {"gcc", "g++", "clang", "clang++"}) ? fmt::format("{}{}", found->package, version)
                                                             : "";
}

}  // namespace

std::string way_to_install(std::string_view program) {
  if (program.find('/') != std::string_view::npos) return "put it there, and make it executable";
  const std::string package = package_of(program);
  return package.empty() ? "install it" : fmt::format("install it (Debian: {})", package);
}

}  // namespace jcprof
