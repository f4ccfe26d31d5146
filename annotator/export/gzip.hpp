// SPDX-License-Identifier: Apache-2.0
// Bytes as `gzip -n` packs them: without a time, so that the same bytes give the same.
#pragma once

#include <string>
#include <string_view>

namespace jcprof::annotator {

std::string gzip(std::string_view bytes);

}  // namespace jcprof::annotator
