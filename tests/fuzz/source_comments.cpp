// SPDX-License-Identifier: Apache-2.0
// Any bytes as a source to annotate: comments come off again, and writing them twice is writing them once.
#include "annotator/source_comments.hpp"
#include "tests/fuzz/fuzzing.hpp"

using namespace jcprof;
using namespace jcprof::annotator;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzzing::survives([&] {
    const std::string_view source = fuzzing::text_of({data, size});
    const std::string plain = without_comments(source);
    check(without_comments(plain) == plain, "all comments of ours are taken out at once");
    const std::vector<LineComment> comments{{2, "// 40.2 ms ±0.3 (31.4 %) ×1 (gd60, 2017-07-25 21:10 UTC)"},
                                            {3, "// not reached (gd60, 2017-07-25 21:10 UTC)"}};
    for (const char* language : {"java", "c++"}) {
      const std::string once = annotate_text(source, language, comments).text;
      check(without_comments(once) == plain, "comments come off again");
      check(annotate_text(once, language, comments).text == once, "a comment is written once");
    }
  });
}
