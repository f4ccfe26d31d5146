// SPDX-License-Identifier: Apache-2.0
#include "harness/record/threads.hpp"

#include <cstring>
#include <fstream>
#include <string>

#include <fmt/format.h>

namespace jcprof::harness {
namespace {

namespace fs = std::filesystem;

fs::path folder_of(const fs::path& proc, std::uint32_t process, std::uint32_t tid) {
  return proc / fmt::format("{}/task/{}", process, tid);
}

bool is_same(const jcprof_log_thread& left, const jcprof_log_thread& right) {
  return std::memcmp(&left, &right, sizeof left) == 0;
}

}  // namespace

bool thread_exists(const fs::path& proc, std::uint32_t process, std::uint32_t tid) {
  std::error_code error;
  return fs::exists(folder_of(proc, process, tid), error);
}

void ThreadWatch::note(const jcprof_log_chunk& chunk) {
  if (chunk.tid == 0) return;
  threads_.try_emplace(chunk.thread,
                       Seen{.process = chunk.process, .known = {.thread = chunk.thread, .tid = chunk.tid}});
}

std::vector<jcprof_log_thread> ThreadWatch::look() {
  std::vector<jcprof_log_thread> changed;
  for (auto next = threads_.begin(); next != threads_.end();) {
    auto& [process, known] = next->second;
    const fs::path folder = folder_of(proc_, process, known.tid);
    std::string name;
    if (!std::getline(std::ifstream(folder / "comm"), name)) {
      next = threads_.erase(next);
      continue;
    }
    jcprof_log_thread now = known;
    name.resize(sizeof now.name - 1);
    std::memcpy(now.name, name.c_str(), sizeof now.name);
    std::ifstream(folder / "schedstat") >> now.running_ns >> now.waiting_ns;
    if (!is_same(now, known)) changed.push_back(now);
    known = now;
    ++next;
  }
  return changed;
}

}  // namespace jcprof::harness
