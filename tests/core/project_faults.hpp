// SPDX-License-Identifier: Apache-2.0
// What a person sees of a faulty project file.
#pragma once

#include <string>
#include <string_view>

#include "src/core/project.hpp"
#include "tests/core/fault_text.hpp"

namespace jcprof::test {

inline std::string faults_of(std::string_view text) {
  return fault_text([&] { parse_project("p/jcprof.json", text); });
}

/// A good project, line 3 of which is the section under test; `apdu` is that of its trigger.
inline std::string with(const std::string& section, const std::string& apdu = "B0310000") {
  return faults_of(
      "{\"format\": \"jcprof-project\", \"version\": 1, \"target\": \"applet\",\n"
      "\"sources\": [\"*.java\"], \"entry\": \"A.process\", \"trigger\": {\"apdu\": \"" +
      apdu + "\"},\n" + section + "\n}");
}

}  // namespace jcprof::test
