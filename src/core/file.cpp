// SPDX-License-Identifier: Apache-2.0
#include "src/core/file.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>

#include <fmt/format.h>
#include <sha256.h>
#include <unistd.h>

#include "src/core/error.hpp"

namespace jcprof {
namespace {

constexpr std::uintmax_t largest_file = std::uintmax_t{256} << 20;

UserError cannot(std::string_view what, const std::filesystem::path& file, ExitCode code) {
  return {Fault{.message = fmt::format("cannot {}: {}", what, std::strerror(errno)),
                .place = {.file = file.string()}},
          code};
}

}  // namespace

std::string read_file(const std::filesystem::path& file) {
  std::error_code error;
  if (std::filesystem::is_directory(file, error)) {
    errno = EISDIR;
    throw cannot("read", file, ExitCode::user_mistake);
  }
  errno = 0;
  std::ifstream stream(file, std::ios::binary);
  if (!stream) throw cannot("read", file, ExitCode::user_mistake);
  // Bounded while reading: devices and pipes do not say how much is coming.
  std::string content;
  std::string block(std::size_t{1} << 16, '\0');
  while (stream.read(block.data(), static_cast<std::streamsize>(block.size())) || stream.gcount() > 0) {
    content.append(block, 0, static_cast<std::size_t>(stream.gcount()));
    if (content.size() <= largest_file) continue;
    throw UserError(Fault{.message = fmt::format("larger than {} bytes", largest_file),
                          .place = {.file = file.string()}});
  }
  return content;
}

void write_file(const std::filesystem::path& file, std::string_view content) {
  std::error_code error;
  if (file.has_parent_path()) std::filesystem::create_directories(file.parent_path(), error);
  const std::filesystem::path beside = file.string() + fmt::format(".part{}", ::getpid());
  {
    std::ofstream stream(beside, std::ios::binary | std::ios::trunc);
    stream.write(content.data(), static_cast<std::streamsize>(content.size()));
    stream.flush();
    if (!stream) {
      const UserError failure = cannot("write", file, ExitCode::environment);
      std::filesystem::remove(beside, error);
      throw failure;
    }
  }
  std::filesystem::rename(beside, file, error);
  if (error) {
    errno = error.value();
    throw cannot("write", file, ExitCode::environment);
  }
}

std::string sha256(std::string_view content) {
  // libmd writes the digest as hex itself.
  std::string digest(SHA256_DIGEST_STRING_LENGTH, '\0');
  SHA256Data(reinterpret_cast<const std::uint8_t*>(content.data()), content.size(), digest.data());
  digest.resize(SHA256_DIGEST_STRING_LENGTH - 1);
  return digest;
}

}  // namespace jcprof
