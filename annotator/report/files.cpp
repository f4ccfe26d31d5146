// SPDX-License-Identifier: Apache-2.0
#include "annotator/report/files.hpp"

#include <fmt/format.h>

#include "annotator/report/json.hpp"

namespace jcprof::annotator {
namespace {

// A file without its path and text takes no more, whatever the reason for which it has no text.
constexpr std::size_t row_bytes = 120;

}  // namespace

int ReportFiles::index(const std::string& path) {
  if (path.empty()) return unknown;
  if (const auto found = numbers_.find(path); found != numbers_.end()) return found->second;
  const std::size_t bytes = json_name(path).size() + row_bytes;
  if (bytes > left_) return unknown;
  left_ -= bytes;
  paths_.push_back(path);
  return numbers_[path] = static_cast<int>(paths_.size()) - 1;
}

ReportFiles::Texts ReportFiles::texts(const std::vector<ReportSource>& sources, std::size_t most_bytes) {
  left_ = 0;
  std::map<std::string, const ReportSource*> by_path;
  for (const ReportSource& source : sources) by_path.emplace(source.path, &source);
  Texts result;
  for (const std::string& path : paths_) {
    const auto found = by_path.find(path);
    std::string text = "null";
    std::string why = found == by_path.end() ? "not below the project's folder" : found->second->why;
    if (found != by_path.end() && found->second->text) {
      text = json_text(*found->second->text);
      if (text.size() <= most_bytes) {
        most_bytes -= text.size();
      } else {
        text = "null";
        why = "too large for the report";
        ++result.left_out;
      }
    }
    result.json += fmt::format(R"({}{{"path":{},"text":{},"why":{}}})", result.json.empty() ? "" : ",",
                               json_name(path), text, json_name(why));
  }
  result.json = "[" + result.json + "]";
  return result;
}

}  // namespace jcprof::annotator
