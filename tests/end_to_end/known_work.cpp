// SPDX-License-Identifier: Apache-2.0
#include "tests/end_to_end/known_work.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>

#include <catch2/catch.hpp>

#include "src/core/file.hpp"
#include "tests/end_to_end/profiled.hpp"

namespace jcprof::test {

namespace fs = std::filesystem;
using nlohmann::json;

json line_with(const json& profile, const fs::path& source, const std::string& part) {
  std::istringstream text(read_file(source));
  std::size_t number = 0;
  for (std::string line; std::getline(text, line);) {
    ++number;
    if (line.find(part) == std::string::npos) continue;
    for (const json& estimate : profile["lines"])
      if (estimate["line"] == number) return estimate;
  }
  FAIL("no estimate for " << part);
  return {};
}

namespace {

bool is_right(const json& line, const KnownLine& known) {
  const json& share = line["share"];
  const double allowed = std::max(0.03, 2 * half_width(share));
  return half_width(share) < 0.06 && std::abs(share["value"].get<double>() - known.share) <= allowed;
}

}  // namespace

json check_known_work(const Workplace& place, const fs::path& project_file, const fs::path& source,
                      const std::vector<KnownLine>& known) {
  const ProfileCall call{.project = project_file,
                         .out = project_file.parent_path() / "out" / project_file.stem(),
                         .rounds = 60,
                         .most_repeats = 8,
                         .max_time = "90s"};
  const json found = profiled(place, call, [&](const json& profile) {
    return std::ranges::all_of(
        known, [&](const KnownLine& line) { return is_right(line_with(profile, source, line.part), line); });
  });
  for (const KnownLine& line : known) {
    const json estimate = line_with(found, source, line.part);
    INFO(estimate << " should have the share " << line.share);
    CHECK(is_right(estimate, line));
    CHECK(estimate["hits"] == line.hits);
  }
  return found;
}

}  // namespace jcprof::test
