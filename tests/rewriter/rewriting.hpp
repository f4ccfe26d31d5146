// SPDX-License-Identifier: Apache-2.0
// What the rewriter's tests share: one source in, its instrumented text out.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "rewriter/edits.hpp"
#include "rewriter/java/front_end.hpp"
#include "rewriter/java/runtime.hpp"
#include "rewriter/plan.hpp"
#include "src/core/error.hpp"

namespace jcprof::rewriter {

struct Rewritten {
  std::string text;
  std::vector<Trap> traps;
  std::vector<std::string> notes;
};

inline Rewritten rewrite(const std::string& path, const std::string& source, const TrapPolicy& policy) {
  std::vector<SourceModel> models{read_java(path, source)};
  settle_applets(models);
  const TrapPlan plan = plan_traps(models, policy);
  Rewritten result{.text = rewritten_source(models[0], plan.files[0], values_of(RuntimeNames{})).text,
                   .traps = {},
                   .notes = plan.notes};
  for (const PlannedTrap& planned : plan.files[0].traps) result.traps.push_back(planned.trap);
  return result;
}

/// An applet around the body of `short run(byte a, byte b)` and more members.
inline std::string applet(const std::string& members) {
  return "import javacard.framework.*;\npublic class A extends Applet {\n  byte[] memory;\n"
         "  public void process(APDU apdu) { run((byte) 1, (byte) 2); }\n" +
         members + "\n}\n";
}

}  // namespace jcprof::rewriter
