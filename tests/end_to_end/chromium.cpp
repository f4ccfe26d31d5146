// SPDX-License-Identifier: Apache-2.0
#include "tests/end_to_end/chromium.hpp"

#include <catch2/catch.hpp>

namespace jcprof::test {

void chromium_finds_no_fault(const Workplace& place, const std::vector<std::filesystem::path>& folders) {
  std::vector<std::string> argv{"env", "JCPROF_CACHE=" JCPROF_CACHE, JCPROF_NODE,
                                JCPROF_SOURCE_DIR "/tests/page/check-reports.mjs"};
  for (const std::filesystem::path& folder : folders) argv.push_back((folder / "report.html").string());
  argv.insert(argv.end(), {"--screenshots", (place / "shots").string()});
  const Said said = place.run(argv);
  INFO(said.out << said.err);
  CHECK(said.status == 0);
  // Its "SKIPPED:" would have ctest call the whole case skipped, also where something else of it has failed.
  if (said.out.starts_with("SKIPPED:")) WARN("not looked at in a browser:" + said.out.substr(8));
}

}  // namespace jcprof::test
