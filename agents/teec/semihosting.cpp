// SPDX-License-Identifier: Apache-2.0
#include "agents/teec/semihosting.hpp"

#include <array>

#include <fmt/format.h>

#include "src/core/error.hpp"

namespace jcprof::teec {
namespace {

// Semihosting for AArch32 and AArch64 (Arm, 2.0): operations, and blocks of arguments.
enum class Operation : std::uint32_t { open = 1, write = 5, read = 6 };
using Arguments = std::array<std::uintptr_t, 3>;

#if defined(__aarch64__)
std::intptr_t ask(Operation operation, const Arguments& arguments) {
  register std::uint64_t x0 __asm__("x0") = static_cast<std::uint32_t>(operation);
  register const void* x1 __asm__("x1") = arguments.data();
  __asm__ volatile("hlt #0xf000" : "+r"(x0) : "r"(x1) : "memory");
  return static_cast<std::intptr_t>(x0);
}
#else
std::intptr_t ask(Operation, const Arguments&) {
  throw UserError(Fault{.message = "there is semihosting on AArch64 only"});
}
#endif

std::uintptr_t address(const void* memory) {
  return reinterpret_cast<std::uintptr_t>(memory);
}

}  // namespace

HostFile::HostFile(std::string_view path, Mode mode)
    : handle_(ask(Operation::open, {address(path.data()), static_cast<std::uintptr_t>(mode), path.size()})) {
  if (handle_ < 0) throw environment_error(fmt::format("the host does not open \"{}\"", path));
}

std::size_t HostFile::read_line(std::span<char> to) const {
  const auto handle = static_cast<std::uintptr_t>(handle_);
  std::size_t size = 0;
  while (size < to.size() && ask(Operation::read, {handle, address(&to[size]), 1}) == 0)
    if (to[size++] == '\n') break;
  return size;
}

void HostFile::write(std::string_view text) const {
  const auto handle = static_cast<std::uintptr_t>(handle_);
  while (!text.empty()) {
    const auto left =
        static_cast<std::size_t>(ask(Operation::write, {handle, address(text.data()), text.size()}));
    if (left >= text.size()) throw environment_error("the host takes no more answers");
    text.remove_prefix(text.size() - left);
  }
}

}  // namespace jcprof::teec
