// SPDX-License-Identifier: Apache-2.0
// How tables of the annotator look on standard output.
#pragma once

#include "annotator/text_table.hpp"
#include "programs/options.hpp"

namespace jcprof::cli {

/// As wide as the terminal; without one the usual width.
annotator::TableStyle table_style(ColourWish colour);

}  // namespace jcprof::cli
