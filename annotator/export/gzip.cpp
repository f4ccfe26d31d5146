// SPDX-License-Identifier: Apache-2.0
#include "annotator/export/gzip.hpp"

#include <algorithm>
#include <array>
#include <memory>

#define ZLIB_CONST
#include <zlib.h>

#include "src/core/error.hpp"

namespace jcprof::annotator {

std::string gzip(std::string_view bytes) {
  constexpr int gzip_wrapper = 16;  // added to the bits of the window
  constexpr int memory_level = 8;   // zlib's own default
  z_stream stream{};
  check(deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, MAX_WBITS + gzip_wrapper, memory_level,
                     Z_DEFAULT_STRATEGY) == Z_OK,
        "zlib begins");
  const std::unique_ptr<z_stream, int (*)(z_stream*)> ends(&stream, deflateEnd);
  std::string packed;
  std::array<Bytef, 65536> room{};
  int status = Z_OK;
  while (status != Z_STREAM_END) {
    // A stream counts in 32 bits.
    const auto piece = static_cast<uInt>(std::min<std::size_t>(bytes.size(), 1U << 30U));
    stream.next_in = reinterpret_cast<const Bytef*>(bytes.data());
    stream.avail_in = piece;
    stream.next_out = room.data();
    stream.avail_out = static_cast<uInt>(room.size());
    status = deflate(&stream, piece == bytes.size() ? Z_FINISH : Z_NO_FLUSH);
    check(status == Z_OK || status == Z_STREAM_END, "zlib packs");
    bytes.remove_prefix(piece - stream.avail_in);
    packed.append(reinterpret_cast<const char*>(room.data()), room.size() - stream.avail_out);
  }
  return packed;
}

}  // namespace jcprof::annotator
