// SPDX-License-Identifier: Apache-2.0
// Any bytes as an EDL file: refused, or taking our import out again gives the same bytes.
#include "rewriter/edits.hpp"
#include "rewriter/edl/edit.hpp"
#include "rewriter/edl/files.hpp"
#include "tests/fuzz/fuzzing.hpp"

using namespace jcprof;
using namespace jcprof::rewriter;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzzing::survives([&] {
    const std::string source(fuzzing::text_of({data, size}));
    // Imports of one letter are this very text again.
    const auto find = [](const std::string&, const std::string& name) {
      return name.size() == 1 ? std::optional(name) : std::nullopt;
    };
    const Edl edl = link_edl("a.edl", find, [&](const std::string&) { return source; });
    check(strip("a.edl", edit_edl(edl, {"a.edl"}).text) == source,
          "taking the import out gives the original bytes");
  });
}
