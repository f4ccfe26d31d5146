// SPDX-License-Identifier: Apache-2.0
#include "annotator/started.hpp"

#include <regex>

namespace jcprof::annotator {
namespace {

/// Days from 1970-01-01 to a date of the Gregorian calendar (Hinnant 2013, "days from civil").
std::int64_t days_to(std::int64_t year, unsigned month, unsigned day) {
  year -= month <= 2 ? 1 : 0;
  const std::int64_t era = (year >= 0 ? year : year - 399) / 400;
  const auto year_of_era = static_cast<unsigned>(year - era * 400);
  const unsigned day_of_year = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;
  const unsigned day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
  return era * 146097 + static_cast<std::int64_t>(day_of_era) - 719468;
}

}  // namespace

std::int64_t milliseconds_of(const std::string& started) {
  static const std::regex form(R"((\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,9}))?Z)");
  std::smatch match;
  if (started.size() > 40 || !std::regex_match(started, match, form)) return 0;
  const auto part = [&](std::size_t i) { return std::stoll(match[i].str()); };
  const std::string fraction = (match[7].str() + "000").substr(0, 3);
  const std::int64_t days = days_to(part(1), static_cast<unsigned>(part(2)), static_cast<unsigned>(part(3)));
  return (((days * 24 + part(4)) * 60 + part(5)) * 60 + part(6)) * 1000 + std::stoll(fraction);
}

}  // namespace jcprof::annotator
