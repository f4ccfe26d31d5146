// SPDX-License-Identifier: Apache-2.0
// jcprof annotate --show: an existing profile on the terminal, without writing anything.
#pragma once

#include <filesystem>
#include <string>

#include "annotator/estimate/estimates.hpp"
#include "annotator/text_table.hpp"

namespace jcprof::cli {

struct ShowWish {
  std::string place;  // FILE[:LINE], or empty
  bool json = false;
  annotator::TableStyle style = {};  // of a terminal, unless it is piped
  bool is_piped = true;
};

/// Text for standard output. UserError for places that the profile does not know, and for sources that are
/// gone or changed.
std::string shown(const annotator::Profile& profile, const std::filesystem::path& root, const ShowWish& wish);

}  // namespace jcprof::cli
