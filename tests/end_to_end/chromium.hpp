// SPDX-License-Identifier: Apache-2.0
// What a browser says of reports.
#pragma once

#include <filesystem>
#include <vector>

#include "tests/end_to_end/workplace.hpp"

namespace jcprof::test {

/// Clicks through folder/report.html in both colour schemes; fails the test where one is at fault. Takes
/// screenshots to `shots` in the place. Warns and passes where there is no Chromium.
void chromium_finds_no_fault(const Workplace& place, const std::vector<std::filesystem::path>& folders);

}  // namespace jcprof::test
