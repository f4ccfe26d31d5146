// SPDX-License-Identifier: Apache-2.0
// What stands in a record.jcplog, read in the plainest way; the test fails where it is not laid out as
// templates/jcprof_log.h says.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "templates/jcprof_log.h"

namespace jcprof::test {

struct LoggedThread {
  std::vector<std::uint64_t> words;
  std::vector<std::uint32_t> numbers;  // of its chunks, as they come
  std::set<std::uint32_t> tids;        // that they name
  std::uint64_t events = 0;
  std::uint64_t lost = 0;
};

struct LogFile {
  jcprof_log_head head{};  // the last one
  std::string blocks;      // "HCEPFTE.": a letter each, "." the end
  std::map<std::uint32_t, LoggedThread> threads;
  std::vector<jcprof_log_entry> entries;
  std::vector<jcprof_log_pair> pairs;
  std::map<std::uint64_t, std::uint64_t> functions;
  std::map<std::uint32_t, jcprof_log_thread> looks;
  std::optional<jcprof_log_end> end;
  std::uint64_t events = 0;
  std::uint64_t lost = 0;  // of chunks
};

/// A block that is cut at the end of the file counts as not there.
LogFile read_log(const std::filesystem::path& file);

}  // namespace jcprof::test
