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

void spin_in_virtual_time(const fs::path& source, const std::string& from) {
  replace_in(source, from, "  pass_time(units * INT64_C(100000000));\n");
  write_file(source, "#include \"" JCPROF_SOURCE_DIR "/tests/support/virtual_time.h\"\n" + read_file(source));
}

void check_known_work(const json& profile, const fs::path& source, const std::vector<KnownLine>& known) {
  for (const KnownLine& line : known) {
    const json estimate = line_with(profile, source, line.part);
    INFO(estimate << " should have the share " << line.share);
    const double half = half_width(estimate["share"]);
    CHECK(half < 0.06);
    CHECK(std::abs(estimate["share"]["value"].get<double>() - line.share) <= std::max(0.03, 2 * half));
    CHECK(estimate["hits"] == line.hits);
  }
}

}  // namespace jcprof::test
