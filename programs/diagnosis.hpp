// SPDX-License-Identifier: Apache-2.0
// Findings of jcprof doctor, made of the facts that it has gathered. Pure: looks at nothing itself.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "src/core/error.hpp"

namespace jcprof::cli {

enum class Verdict : std::uint8_t { ok, missing, remark, failed };

struct Finding {
  Verdict verdict = Verdict::ok;
  std::string subject;
  std::string what;
  std::string way_out = {};  // how to get it; may be empty
};

struct ReaderFacts {
  std::string reader;
  std::string card;  // "gd60, ATR 3b00", "no card"
  bool usable = false;
};

struct MachineFacts {
  std::optional<std::vector<ReaderFacts>> readers;  // none: no daemon answers
  std::string javac;                                // "javac 17.0.15"; empty: not found
  std::string java;
  std::string cc;            // "cc (Debian 12.2.0-14) 12.2.0"
  bool release_8 = false;    // javac can compile for it
  double clock_step_ns = 0;  // the smallest that the clock showed
  double clock_read_ns = 0;  // what reading it costs
  std::string governor;      // of the CPU's frequency; empty: unknown
  unsigned cores = 1;
  double load = 0;  // average of the last minute
};

struct LostPath {
  std::string what;  // "class path"
  std::string key;   // in "compile"
  std::string path;
};

struct ProjectFacts {
  std::string file;
  std::string fault;  // what is wrong with it, as rendered; the rest is unknown then
  std::size_t sources = 0;
  bool is_applet = true;
  bool wants_reader = false;               // `pcsc:`
  std::vector<LostPath> lost_paths = {};   // that "compile" names and do not exist
  std::vector<std::string> lost_programs;  // of build, install, start, trigger and transport
  std::string lab = {};                    // what a `labgrid:` may mean in its lab; empty: it is another
  std::optional<Fault> lost_lab = {};      // why that means nothing
  std::string out;
  bool is_out_writable = false;
  std::uint64_t free_bytes = 0;
};

std::vector<Finding> diagnose(const MachineFacts& machine, const std::optional<ProjectFacts>& project);

std::string render(const std::vector<Finding>& findings);
std::string to_json(const std::vector<Finding>& findings);
bool is_complete(const std::vector<Finding>& findings);

}  // namespace jcprof::cli
