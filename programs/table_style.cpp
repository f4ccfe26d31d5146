// SPDX-License-Identifier: Apache-2.0
#include "programs/table_style.hpp"

#include "programs/terminal.hpp"

namespace jcprof::cli {

annotator::TableStyle table_style(ColourWish colour) {
  annotator::TableStyle style;
  if (is_coloured(Stream::out, colour)) style.colour = annotator::Colour::always;
  if (const auto width = width_of(Stream::out)) style.width = *width;
  return style;
}

}  // namespace jcprof::cli
