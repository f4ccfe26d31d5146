// SPDX-License-Identifier: Apache-2.0
// Any bytes as a Java source: refused, or taking the traps out again gives the same bytes.
#include "rewriter/edits.hpp"
#include "rewriter/java/front_end.hpp"
#include "rewriter/java/runtime.hpp"
#include "rewriter/plan.hpp"
#include "tests/fuzz/fuzzing.hpp"

using namespace jcprof;
using namespace jcprof::rewriter;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzzing::survives([&] {
    const std::string source(fuzzing::text_of({data, size}));
    const std::vector<SourceModel> models{read_java("A.java", source)};
    if (models[0].functions.empty()) return;
    const TrapPlan plan = plan_traps(models, {.entry = {models[0].functions[0].name}});
    const std::string written = rewritten_source(models[0], plan.files[0], values_of(RuntimeNames{})).text;
    check(strip("A.java", written) == source, "taking the traps out gives the original bytes");
  });
}
