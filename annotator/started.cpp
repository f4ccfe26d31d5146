// SPDX-License-Identifier: Apache-2.0
#include "annotator/started.hpp"

#include <chrono>
#include <regex>

namespace jcprof::annotator {

std::int64_t milliseconds_of(const std::string& started) {
  static const std::regex form(R"((\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,9}))?Z)");
  std::smatch match;
  if (started.size() > 40 || !std::regex_match(started, match, form)) return 0;
  const auto part = [&](std::size_t i) { return std::stoll(match[i].str()); };
  const std::string fraction = (match[7].str() + "000").substr(0, 3);
  const auto date =
      std::chrono::year(static_cast<int>(part(1))) / static_cast<int>(part(2)) / static_cast<int>(part(3));
  if (!date.ok()) return 0;
  const std::int64_t days = std::chrono::sys_days(date).time_since_epoch().count();
  return (((days * 24 + part(4)) * 60 + part(5)) * 60 + part(6)) * 1000 + std::stoll(fraction);
}

std::string date_of(const std::string& started) {
  if (milliseconds_of(started) == 0) return "no date";
  return started.substr(0, 10) + ' ' + started.substr(11, 5) + " UTC";
}

}  // namespace jcprof::annotator
