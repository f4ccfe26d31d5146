// SPDX-License-Identifier: Apache-2.0
#include "programs/table_style.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include "programs/terminal.hpp"

namespace jcprof::cli {

annotator::TableStyle table_style(ColourWish colour) {
  annotator::TableStyle style;
  if (is_coloured(Stream::out, colour)) style.colour = annotator::Colour::always;
  winsize size = {};
  if (is_terminal(Stream::out) && ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
    style.width = size.ws_col;
  return style;
}

}  // namespace jcprof::cli
