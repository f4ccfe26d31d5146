// SPDX-License-Identifier: Apache-2.0
// report.html: one file that asks for nothing, and the data in it, the JSON of docs/report.md. Pure: the same
// input gives the same bytes.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "annotator/compare/comparison.hpp"
#include "annotator/estimate/estimates.hpp"
#include "annotator/report/files.hpp"

namespace jcprof::annotator {

/// An older profile, and what has changed since.
struct Against {
  const Profile& profile;
  Comparison comparison;
};

struct ReportSubject {
  const Profile& profile;
  const StoredRecording* recording = nullptr;  // of recorded runs
  std::vector<ReportSource> sources = {};
  const Against* against = nullptr;
};

/// Never more than `most_bytes`, but for some thousand that any report needs. What finds no room, coldest
/// first, is left out, and a warning says so.
std::string report_data(const ReportSubject& subject, std::size_t most_bytes);

/// The page that was compiled in, with the data: at most 10,000,000 bytes.
std::string report_html(const ReportSubject& subject);

}  // namespace jcprof::annotator
