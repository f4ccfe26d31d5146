// SPDX-License-Identifier: Apache-2.0
#include "harness/record/build_id.hpp"

#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <memory>

#include "src/core/hex.hpp"
#include "src/core/unique_fd.hpp"

namespace jcprof::harness {

std::string build_id_of(const std::filesystem::path& file) {
  struct EndElf {
    void operator()(Elf* elf) const { elf_end(elf); }
  };
  const UniqueFd fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat status{};
  if (fd.get() < 0 || ::fstat(fd.get(), &status) != 0 || !S_ISREG(status.st_mode)) return "";
  elf_version(EV_CURRENT);
  const std::unique_ptr<Elf, EndElf> elf(elf_begin(fd.get(), ELF_C_READ, nullptr));
  const void* id = nullptr;
  const ssize_t size = elf ? dwelf_elf_gnu_build_id(elf.get(), &id) : 0;
  if (size <= 0) return "";
  return to_hex({static_cast<const unsigned char*>(id), static_cast<std::size_t>(size)});
}

}  // namespace jcprof::harness
