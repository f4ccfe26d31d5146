// SPDX-License-Identifier: Apache-2.0
#include "rewriter/c/runtime.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "rewriter/edits.hpp"
#include "rewriter/templates.hpp"
#include "src/core/error.hpp"

namespace jcprof::rewriter {
namespace {

std::string_view switch_for(Reach reach) {
  switch (reach) {
    case Reach::program:
      return "JCPROF_PROGRAM";
    case Reach::in_process:
      return "JCPROF_IN_PROCESS";
    case Reach::enclave:
      return "JCPROF_ENCLAVE_BUILD";
    case Reach::ta:
      return "JCPROF_TA_BUILD";
  }
  return {};
}

/// `text` with what it includes by that name in it.
std::string with(std::string text, std::string_view name, std::string_view included) {
  const std::string line = fmt::format("#include \"{}\"\n", name);
  const std::size_t at = text.find(line);
  check(at != std::string::npos, "the runtime includes its parts by name");
  return text.replace(at, line.size(), included);
}

/// One file for a tree.
std::string whole_runtime() {
  const std::string record = with(std::string(jcprof_record_template), "jcprof_log.h", jcprof_log_template);
  return with(std::string(jcprof_template), "jcprof_record.h", record);
}

}  // namespace

std::string c_runtime_source(const TrapMap& map, Reach reach, TrapAction action) {
  // Defined here and not by the build, which knows nothing of traps.
  return fmt::format(
      "/* {}. Do not edit. */\n#ifndef __ASSEMBLER__\n#ifndef JCPROF\n#define JCPROF 1\n#endif\n#define "
      "JCPROF_BUILD "
      "0x{:08x}u\n#define {} "
      "1\n{}{}{}\n#endif\n",
      generated_mark, map.build, switch_for(reach),
      reach == Reach::ta ? fmt::format("#define JCPROF_COMMAND 0x{:08X}u\n", map.command) : "",
      action == TrapAction::record ? "#ifndef JCPROF_RECORD\n#define JCPROF_RECORD 1\n#endif\n" : "",
      whole_runtime());
}

std::string c_runtime_from(const std::string& path) {
  std::string up;
  for (auto i = std::ranges::count(path, '/'); i > 0; --i) up += "../";
  return up + std::string(c_runtime_file);
}

}  // namespace jcprof::rewriter
