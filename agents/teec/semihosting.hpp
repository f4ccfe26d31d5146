// SPDX-License-Identifier: Apache-2.0
// Files of the host that a QEMU runs on, through AArch64 semihosting from user mode (QEMU:
// -semihosting-config enable=on,target=native,userspace=on). The machine stands still in each call, its clock
// too.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace jcprof::teec {

class HostFile {
 public:
  /// What is appended to is not emptied first: standard output may be a file.
  enum class Mode : std::uint8_t { read = 0, append = 8 };

  /// UserError (environment) where there is no such host.
  HostFile(std::string_view path, Mode mode);

  /// A line with its end, or as much of it as there is room for; less only at the end, where there is nothing
  /// more. Byte by byte: how much the host has ready at once would be seen in what runs here, and in its
  /// clock.
  std::size_t read_line(std::span<char> to) const;
  void write(std::string_view text) const;

 private:
  std::intptr_t handle_;
};

}  // namespace jcprof::teec
