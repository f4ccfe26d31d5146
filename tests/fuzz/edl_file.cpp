// SPDX-License-Identifier: Apache-2.0
// Any bytes as an EDL file, and as what the preprocessor makes of one: refused, or taking our import out
// again gives the same bytes.
#include "rewriter/edits.hpp"
#include "rewriter/edl/edit.hpp"
#include "rewriter/edl/files.hpp"
#include "tests/fuzz/fuzzing.hpp"

using namespace jcprof;
using namespace jcprof::rewriter;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzzing::survives([&] {
    // What is preprocessed stands behind a zero byte; without one it is the text itself.
    const std::string bytes(fuzzing::text_of({data, size}));
    const std::size_t zero = bytes.find('\0');
    const std::string source = bytes.substr(0, zero);
    const EdlText text{source, zero == std::string::npos ? source : bytes.substr(zero + 1)};
    // Imports of one letter are this very text again.
    const auto find = [](const std::string&, const std::string& name) {
      return name.size() == 1 ? std::optional(name) : std::nullopt;
    };
    const Edl edl = link_edl("a.edl", find, [&](const std::string&) { return text; });
    check(strip("a.edl", edit_edl(edl, {"a.edl"}).text) == source,
          "taking the import out gives the original bytes");
  });
}
