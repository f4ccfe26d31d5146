// SPDX-License-Identifier: Apache-2.0
#include "programs/show.hpp"

#include <algorithm>
#include <sstream>

#include "annotator/annotated_tree.hpp"
#include "annotator/export/exports.hpp"
#include "annotator/show/show.hpp"
#include "src/core/error.hpp"

namespace jcprof::cli {
namespace {

namespace fs = std::filesystem;

/// As it was measured.
std::string source_text(const annotator::Profile& profile, const fs::path& root, const std::string& path) {
  const auto source = std::ranges::find(profile.sources, path, &SourceDigest::path);
  return annotator::measured_text(source == profile.sources.end() ? SourceDigest{.path = path} : *source,
                                  root);
}

/// Empty where the source cannot be had: what was measured is shown all the same.
std::string line_text(const annotator::Profile& profile, const fs::path& root,
                      const annotator::ShownPlace& place) {
  try {
    std::istringstream text(source_text(profile, root, place.file));
    std::string line;
    for (std::size_t number = 0; number < place.line && std::getline(text, line);) ++number;
    if (line.ends_with('\r')) line.pop_back();
    return text ? line : "";
  } catch (const UserError&) {
    return "";
  }
}

}  // namespace

std::string shown(const annotator::Profile& profile, const fs::path& root, const ShowWish& wish) {
  if (wish.place.empty())
    return wish.json ? annotator::to_json(profile) : annotator::show_profile(profile, wish.style);
  annotator::ShownPlace place = annotator::shown_place(wish.place);
  place.file = annotator::path_meant(profile, place.file);
  if (place.line > 0) {
    if (wish.json) return annotator::line_json(profile, place);
    return annotator::show_line(profile, place, line_text(profile, root, place), wish.style);
  }
  if (wish.json) return annotator::to_json(annotator::only_of(profile, place.file));
  const annotator::ShownParts shown =
      wish.is_piped ? annotator::ShownParts::whole : annotator::ShownParts::hot_parts;
  return annotator::show_source(profile, place.file, source_text(profile, root, place.file), shown,
                                wish.style);
}

}  // namespace jcprof::cli
