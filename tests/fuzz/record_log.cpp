// SPDX-License-Identifier: Apache-2.0
// Any bytes as a log of record mode, behind a head that is one.
#include <string>

#include "annotator/record/recording.hpp"
#include "tests/annotator/log_builder.hpp"
#include "tests/annotator/trap_maps.hpp"
#include "tests/fuzz/fuzzing.hpp"

using namespace jcprof;
using namespace jcprof::annotator;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const TrapMap map = MapMaker()
                                 .trap(TrapKind::entry0, "p", 1)
                                 .trap(TrapKind::entry, "p", 1)
                                 .trap(TrapKind::before, "p", 2, 4)
                                 .trap(TrapKind::loop_body, "p", 3)
                                 .trap(TrapKind::after, "p", 4)
                                 .trap(TrapKind::entry, "f", 6)
                                 .trap(TrapKind::handler, "f", 7)
                                 .trap(TrapKind::returns, "f", 8)
                                 .trap(TrapKind::marker, "m", 9)
                                 .map();
  return fuzzing::survives([&] {
    const LogFile file(LogBuilder().bytes(std::nullopt) + std::string(fuzzing::text_of({data, size})));
    const RecordedRun run = analyze_log({.file = file.path(), .traps = map});
    std::uint32_t id = 0;
    for (const StoredCall& call : run.recording.calls)
      check(call.id == ++id && call.parent < id && call.symbol < run.recording.symbols.size(),
            "calls are numbered, parents first");
    for (const StoredMark& mark : run.recording.marks) check(mark.call <= id, "a mark's call is there");
  });
}
