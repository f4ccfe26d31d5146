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

namespace {

constexpr double widest_half = 0.06;

}  // namespace

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
    CHECK(half < widest_half);
    CHECK(std::abs(estimate["share"]["value"].get<double>() - line.share) <= std::max(0.03, 2 * half));
    CHECK(estimate["hits"] == line.hits);
  }
}

void check_known_work_by_a_real_clock(const json& profile, const fs::path& source,
                                      const std::vector<KnownLine>& known) {
  JCPROF_NEEDS_A_QUIET_MACHINE(profile);
  for (const KnownLine& line : known) {
    const double half = half_width(line_with(profile, source, line.part)["share"]);
    if (half < widest_half) continue;
    WARN("SKIPPED: this machine is too busy: " << line.part << " is known to " << 100 * half
                                               << " points only");
    return;
  }
  check_known_work(profile, source, known);
}

}  // namespace jcprof::test
