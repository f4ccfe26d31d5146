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
  if (std::filesystem::is_directory(file, error)) errno = EISDIR;
  std::ifstream stream(file, std::ios::binary);
  if (!stream || errno == EISDIR) throw cannot("read", file, ExitCode::user_mistake);
  const std::uintmax_t size = std::filesystem::file_size(file, error);
  if (!error && size > largest_file)
    throw UserError(
        Fault{.message = fmt::format("too large: {} bytes", size), .place = {.file = file.string()}},
        ExitCode::user_mistake);
  return {std::istreambuf_iterator<char>(stream), {}};
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
