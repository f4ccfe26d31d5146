// SPDX-License-Identifier: Apache-2.0
#include "harness/record/drain.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <utility>

#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "src/core/hex.hpp"
#include "src/core/unique_fd.hpp"

namespace jcprof::harness {
namespace {

// An entry is written within microseconds; who has not done it by then was killed meanwhile.
constexpr std::uint32_t patient_rounds = 100;

/// The note of an ELF file by which a linker tells one build of it from another, in hex; empty of what cannot
/// be read, is no ELF file or has none.
std::string build_id_of(const std::filesystem::path& file) {
  struct EndElf {
    void operator()(Elf* elf) const { elf_end(elf); }
  };
  const UniqueFd fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat status{};
  if (fd.get() < 0 || ::fstat(fd.get(), &status) != 0 || !S_ISREG(status.st_mode)) return "";
  elf_version(EV_CURRENT);
  const std::unique_ptr<Elf, EndElf> elf(elf_begin(fd.get(), ELF_C_READ, nullptr));
  const void* id = nullptr;
  const ssize_t size = elf ? dwelf_elf_gnu_build_id(elf.get(), &id) : 0;
  if (size <= 0) return "";
  return to_hex({static_cast<const unsigned char*>(id), static_cast<std::size_t>(size)});
}

}  // namespace

Drainer::Drainer(const LogMemory& memory, LogWriter& writer, std::filesystem::path proc)
    : memory_(memory),
      writer_(writer),
      proc_(std::move(proc)),
      watch_(proc_),
      was_put_off_(memory.chunks()),
      is_noted_(memory.chunks()),
      is_done_(memory.chunks()),
      is_written_(memory.functions().size()) {}

std::vector<Drainer::Waiting> Drainer::waiting(Which which, Round& round) {
  std::vector<Waiting> found;
  for (std::uint32_t i = 0; i < memory_.chunks(); ++i) {
    const LogChunk chunk = memory_.chunk(i);
    const std::uint32_t state = load(chunk.head.state);
    if (is_done_[i]) continue;
    if (state == JCPROF_LOG_FREE) {
      ++round.free;
      continue;
    }
    // The head of a chunk that was just taken is whole once there is a record behind it.
    const bool is_left = state == JCPROF_LOG_FULL || state == JCPROF_LOG_LEFT;
    if (!is_noted_[i] && (is_left || load(chunk.words.front()) != 0)) {
      watch_.note(chunk.head);
      is_noted_[i] = true;
    }
    if (is_left || which == Which::all)
      found.push_back({.thread = chunk.head.thread, .number = chunk.head.number, .index = i});
  }
  std::ranges::sort(found);
  return found;
}

Drainer::Round Drainer::round() {
  Round round;
  const std::vector<Waiting> full = waiting(Which::full, round);
  if (!full.empty() && !entries() && ++rounds_without_entry_ < patient_rounds) return round;
  rounds_without_entry_ = 0;
  for (const Waiting& chunk : full) {
    // A thread leaves a chunk before it takes the next one, but we may have looked at that one first.
    // A chunk that comes before one of the last round is there in this one, or never comes.
    const auto last = taken_.find(chunk.thread);
    const bool is_next = chunk.number == (last == taken_.end() ? 1 : last->second + 1);
    if (!is_next && !was_put_off_[chunk.index]) {
      was_put_off_[chunk.index] = true;
      continue;
    }
    take(chunk);
    give_back(chunk.index);
    ++round.drained;
  }
  return round;
}

void Drainer::take(const Waiting& chunk) {
  const LogChunk content = memory_.chunk(chunk.index);
  if (!has_attached_) {
    // A recording that is cut short has this head, which knows the program.
    has_attached_ = true;
    writer_.head(memory_.head());
  }
  writer_.chunk(content.head, content.words);
  taken_[chunk.thread] = chunk.number;
}

void Drainer::give_back(std::uint32_t index) {
  const LogChunk content = memory_.chunk(index);
  was_put_off_[index] = false;
  is_noted_[index] = false;
  is_done_[index] = load(content.head.state) == JCPROF_LOG_LEFT;
  if (is_done_[index]) return;
  std::ranges::fill(content.words, 0);
  const std::span<jcprof_log_u32> head(&content.head.state, sizeof content.head / sizeof(jcprof_log_u32));
  std::ranges::fill(head.subspan(1), 0U);
  store(content.head.state, JCPROF_LOG_FREE);
}

bool Drainer::entries() {
  const std::span<const std::byte> all = memory_.entries();
  const std::size_t used = load(memory_.head().entries_used);
  const std::size_t asked = std::min(used, all.size());
  while (asked - entries_done_ >= sizeof(jcprof_log_entry)) {
    const auto& entry = reinterpret_cast<const jcprof_log_entry&>(all[entries_done_]);
    if (load(entry.kind) == 0) return used > all.size();  // an entry without room there is never written
    const std::size_t bytes = entry.bytes;
    if (bytes < sizeof entry || bytes % sizeof(jcprof_log_u64) != 0 || bytes > asked - entries_done_) break;
    writer_.entry(all.subspan(entries_done_, bytes));
    if (entry.kind == JCPROF_LOG_MODULE)
      build_id(all.subspan(entries_done_ + sizeof entry, bytes - sizeof entry));
    entries_done_ += bytes;
  }
  return true;
}

/// Now, while the file is the one that runs.
void Drainer::build_id(std::span<const std::byte> module) {
  const auto* name = reinterpret_cast<const char*>(module.data());
  const std::string id = build_id_of(std::string(name, ::strnlen(name, module.size())));
  if (id.empty()) return;
  jcprof_log_entry entry{.kind = JCPROF_LOG_BUILD_ID, .bytes = 0, .a = 0, .b = 0, .c = 0};
  std::vector<std::byte> said(sizeof entry + (id.size() / 8 + 1) * 8);
  entry.bytes = static_cast<std::uint32_t>(said.size());
  std::memcpy(said.data(), &entry, sizeof entry);
  std::memcpy(said.data() + sizeof entry, id.data(), id.size());
  writer_.entry(said);
}

std::vector<jcprof_log_function> Drainer::functions() {
  std::vector<jcprof_log_function> found;
  const std::span<jcprof_log_u64> table = memory_.functions();
  for (std::size_t slot = 0; slot < table.size(); ++slot) {
    const std::uint64_t address = load(table[slot]);
    if (address == 0 || is_written_[slot]) continue;
    is_written_[slot] = true;
    found.push_back({.id = slot + 1, .address = address});
  }
  entries();  // a function's module was entered before the function
  writer_.functions(found);
  return found;
}

void Drainer::leave_out(std::vector<jcprof_log_function> functions) {
  for (jcprof_log_function& function : functions) {
    if (load(memory_.head().leaves_out) != 0)
      std::atomic_ref(memory_.functions()[function.id - 1]) |= JCPROF_LOG_LEFT_OUT;
    function.address |= JCPROF_LOG_LEFT_OUT;
  }
  writer_.functions(functions);
}

void Drainer::threads() {
  entries();
  for (const jcprof_log_thread& thread : watch_.look()) writer_.thread(thread);
}

void Drainer::reclaim() {
  for (std::uint32_t i = 0; i < memory_.chunks(); ++i) {
    jcprof_log_chunk& head = memory_.chunk(i).head;
    if (!is_noted_[i] || load(head.state) != JCPROF_LOG_TAKEN) continue;
    if (head.tid == 0 || thread_exists(proc_, head.process, head.tid)) continue;
    std::uint32_t taken = JCPROF_LOG_TAKEN;
    std::atomic_ref(head.state).compare_exchange_strong(taken, JCPROF_LOG_FULL);
  }
}

std::vector<jcprof_log_function> Drainer::finish() {
  Round round;
  const std::vector<Waiting> all = waiting(Which::all, round);
  entries();
  threads();
  for (const Waiting& chunk : all) take(chunk);
  return functions();
}

std::set<std::uint32_t> Drainer::others_alive(std::uint32_t process) const {
  std::set<std::uint32_t> alive;
  for (std::uint32_t i = 0; i < memory_.chunks(); ++i) {
    const jcprof_log_chunk& head = memory_.chunk(i).head;
    if (load(head.state) == JCPROF_LOG_TAKEN && head.tid != 0 && head.process != process &&
        thread_exists(proc_, head.process, head.tid))
      alive.insert(head.process);
  }
  return alive;
}

}  // namespace jcprof::harness
