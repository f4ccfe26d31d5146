// SPDX-License-Identifier: Apache-2.0
// The sources that a report names, numbered in the order in which they are first named: lines come first and
// hottest first, so that number 0 is the hottest.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace jcprof::annotator {

/// A source as the report shows it.
struct ReportSource {
  std::string path;
  std::optional<std::string> text;
  std::string why;  // there is none
};

class ReportFiles {
 public:
  static constexpr int unknown = -1;

  /// Names take at most so many bytes; the files of those beyond are unknown.
  explicit ReportFiles(std::size_t most_bytes) : left_(most_bytes) {}

  int index(const std::string& path);

  struct Texts {
    std::string json;
    std::size_t left_out = 0;  // found no room
  };
  /// All that were named, with the texts of the first that fit into so many bytes. Files that are named for
  /// the first time after that are unknown.
  Texts texts(const std::vector<ReportSource>& sources, std::size_t most_bytes);

 private:
  std::size_t left_;
  std::map<std::string, int> numbers_;
  std::vector<std::string> paths_;
};

}  // namespace jcprof::annotator
