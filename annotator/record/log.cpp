// SPDX-License-Identifier: Apache-2.0
#include "annotator/record/log.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "src/core/error.hpp"

namespace jcprof::annotator {
namespace {

constexpr std::string_view magic = JCPROF_LOG_MAGIC;
// Larger than the recorder's by far, and small enough to be held in memory.
constexpr std::uint32_t most_block_bytes = 64U << 20U;
constexpr std::size_t most_pairs = 1U << 15U;
constexpr std::size_t most_entries = 1U << 18U;  // modules, names, pauses together
constexpr std::size_t most_threads = 1U << 18U;
constexpr std::uint64_t no_end = std::numeric_limits<std::uint64_t>::max();

/// Less than `bytes` at the end of the file.
std::size_t read_at(int fd, const std::filesystem::path& file, std::uint64_t at, std::span<std::byte> to) {
  std::size_t done = 0;
  while (done < to.size()) {
    const ssize_t got = ::pread(fd, to.data() + done, to.size() - done, static_cast<off_t>(at + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0)
      throw environment_error(fmt::format("{}: cannot be read: {}", file.string(), strerror(errno)));
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  return done;
}

template <class Value>
std::span<std::byte> bytes_of(Value& value) {
  return std::as_writable_bytes(std::span(&value, 1));
}

template <class Value>
Value value_at(std::span<const std::byte> bytes, std::size_t at = 0) {
  Value value;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

/// Takes up blocks, each as it comes; false where one makes no sense.
class FactReader {
 public:
  explicit FactReader(LogFacts& facts) : facts_(facts) {}

  bool take(std::uint32_t kind, std::span<const std::byte> body) {
    switch (kind) {
      case JCPROF_LOG_BLOCK_CHUNK:
        return take_as<jcprof_log_chunk>(body, [&](const jcprof_log_chunk& chunk) { take_chunk(chunk); });
      case JCPROF_LOG_BLOCK_HEAD:
        return take_as<jcprof_log_head>(body, [&](const jcprof_log_head& head) { facts_.head = head; });
      case JCPROF_LOG_BLOCK_ENTRY:
        return take_entry(body);
      case JCPROF_LOG_BLOCK_PAIR:
        return take_as<jcprof_log_pair>(body, [&](const jcprof_log_pair& pair) { take_pair(pair); });
      case JCPROF_LOG_BLOCK_FUNCTIONS:
        return take_functions(body);
      case JCPROF_LOG_BLOCK_THREAD:
        return take_as<jcprof_log_thread>(body,
                                          [&](const jcprof_log_thread& thread) { take_thread(thread); });
      case JCPROF_LOG_BLOCK_END:
        return take_end(body);
      default:
        return false;
    }
  }

  /// Target and recorder each pause and resume by themselves, and are written when they are seen: it is on
  /// while neither is off. A clock that only the target has tells nothing of the recorder's.
  void put_pauses() {
    if (facts_.head.clock_hz != 0) leave_out_outside();
    std::ranges::stable_sort(switches_, {}, &Switch::tick);
    std::array<bool, 2> off{};
    for (const Switch& change : switches_) {
      const bool was_off = off[0] || off[1];
      off[change.is_outside ? 1 : 0] = change.is_pause;
      const bool is_off = off[0] || off[1];
      if (!was_off && is_off) facts_.pauses.push_back({.begin = change.tick, .end = no_end});
      if (was_off && !is_off) facts_.pauses.back().end = change.tick;
    }
  }

 private:
  struct Switch {
    std::uint64_t tick = 0;
    bool is_pause = false;
    bool is_outside = false;
  };

  void leave_out_outside() {
    if (std::erase_if(switches_, [](const Switch& s) { return s.is_outside; }) == 0) return;
    facts_.warnings.push_back({.kind = WarningKind::other,
                               .text = "the recording was paused from outside, and the program has a clock "
                                       "of its own, so calls that were open then include the pause",
                               .advice = "pause in the program, with JCPROF_PAUSE() and JCPROF_RESUME()"});
  }

  template <class Value, class Use>
  bool take_as(std::span<const std::byte> body, Use use) {
    if (body.size() < sizeof(Value)) return false;
    use(value_at<Value>(body));
    return true;
  }

  bool take_entry(std::span<const std::byte> body) {
    if (body.size() < sizeof(jcprof_log_entry)) return false;
    if (++entries_ > most_entries) {
      if (entries_ == most_entries + 1)
        facts_.warnings.push_back(
            {.kind = WarningKind::lost,
             .text = fmt::format("jcprof leaves out modules, names of marks and pauses beyond the first {}",
                                 most_entries)});
      return true;
    }
    const auto entry = value_at<jcprof_log_entry>(body);
    const auto* text = reinterpret_cast<const char*>(body.data()) + sizeof entry;
    const std::size_t room = body.size() - sizeof entry;
    std::string name(text, ::strnlen(text, room));
    switch (entry.kind) {
      case JCPROF_LOG_MODULE:
        if (entry.a < entry.b)
          facts_.modules.push_back(
              {.begin = entry.a, .end = entry.b, .offset = entry.c, .file = std::move(name)});
        return true;
      case JCPROF_LOG_BUILD_ID:
        if (!facts_.modules.empty()) facts_.modules.back().build_id = std::move(name);
        return true;
      case JCPROF_LOG_NAME:
        facts_.mark_names[static_cast<std::uint32_t>(entry.a)] = std::move(name);
        return true;
      case JCPROF_LOG_PAUSE:
      case JCPROF_LOG_RESUME:
        switches_.push_back({.tick = entry.a,
                             .is_pause = entry.kind == JCPROF_LOG_PAUSE,
                             .is_outside = entry.b == JCPROF_LOG_OUTSIDE});
        return true;
      default:
        return false;
    }
  }

  /// Older recorders tell less.
  bool take_end(std::span<const std::byte> body) {
    jcprof_log_end end{};
    if (body.size() < offsetof(jcprof_log_end, event_ps)) return false;
    std::memcpy(&end, body.data(), std::min(body.size(), sizeof end));
    facts_.end = end;
    return true;
  }

  void take_chunk(const jcprof_log_chunk& chunk) {
    facts_.words += chunk.used;
    if (chunk.number > 1 && chunk.left_ns != 0 && chunk.base_ns > chunk.left_ns)
      facts_.changing_ns += chunk.base_ns - chunk.left_ns;
  }

  void take_thread(const jcprof_log_thread& thread) {
    if (facts_.threads.size() < most_threads || facts_.threads.contains(thread.thread))
      facts_.threads[thread.thread] = thread;
  }

  void take_pair(const jcprof_log_pair& pair) {
    if (pairs_++ % stride_ != 0) return;
    std::vector<jcprof_log_pair>& pairs = facts_.pairs;
    if (pairs.size() == most_pairs) {
      for (std::size_t i = 0; 2 * i < pairs.size(); ++i) pairs[i] = pairs[2 * i];
      pairs.resize(most_pairs / 2);
      stride_ *= 2;
    }
    pairs.push_back(pair);
  }

  bool take_functions(std::span<const std::byte> body) {
    for (std::size_t at = 0; at + sizeof(jcprof_log_function) <= body.size();
         at += sizeof(jcprof_log_function)) {
      const auto function = value_at<jcprof_log_function>(body, at);
      if (function.id == 0 || function.id > JCPROF_LOG_ID_MOST) return false;
      if (function.id >= facts_.functions.size()) facts_.functions.resize(function.id + 1);
      facts_.functions[function.id] = function.address & ~JCPROF_LOG_LEFT_OUT;
      if ((function.address & JCPROF_LOG_LEFT_OUT) == 0) continue;
      facts_.is_left_out.resize(std::max(facts_.is_left_out.size(), function.id + 1));
      facts_.is_left_out[function.id] = true;
    }
    return true;
  }

  LogFacts& facts_;
  std::size_t entries_ = 0;
  std::vector<Switch> switches_;
  std::uint64_t pairs_ = 0;
  std::uint64_t stride_ = 1;
};

[[noreturn]] void refuse(const std::filesystem::path& file, std::string message, std::string hint) {
  throw UserError(
      Fault{.message = std::move(message), .place = {.file = file.string()}, .hint = std::move(hint)});
}

UniqueFd open_log(const std::filesystem::path& file, std::uint64_t& bytes) {
  UniqueFd fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat status{};
  if (fd.get() < 0 || ::fstat(fd.get(), &status) != 0)
    refuse(file, fmt::format("cannot be read: {}", strerror(errno)), "`jcprof record` writes logs");
  if (!S_ISREG(status.st_mode)) refuse(file, "not a plain file", "a log is read twice: save it first");
  bytes = static_cast<std::uint64_t>(status.st_size);
  return fd;
}

void check_head(const std::filesystem::path& file, const jcprof_log_block& block,
                const jcprof_log_head& head) {
  if (block.kind != JCPROF_LOG_BLOCK_HEAD || std::string_view(head.magic, sizeof head.magic) != magic)
    refuse(file, "not a log of record mode", "`jcprof record` writes them, as record.jcplog");
  if (head.version > JCPROF_LOG_VERSION)
    refuse(file,
           fmt::format("written by a newer jcprof (log {}; this one reads {})", head.version,
                       JCPROF_LOG_VERSION),
           "use that jcprof, or record again");
}

}  // namespace

RecordLog::RecordLog(const std::filesystem::path& file) : file_(file) {
  std::uint64_t size = 0;
  fd_ = open_log(file, size);
  jcprof_log_block block{};
  jcprof_log_head head{};
  read_at(fd_.get(), file, 0, bytes_of(block));
  read_at(fd_.get(), file, sizeof block, bytes_of(head));
  check_head(file, block, head);
  FactReader facts(facts_);
  std::vector<std::byte> body;
  const char* why = nullptr;
  while (why == nullptr && good_ < size) {
    const bool is_whole = size - good_ >= sizeof block &&
                          read_at(fd_.get(), file, good_, bytes_of(block)) == sizeof block &&
                          block.bytes <= size - good_ - sizeof block;
    if (!is_whole) {
      why = "its last block is cut off";
    } else if (block.bytes > most_block_bytes || block.bytes % 8 != 0) {
      why = "a block's size makes no sense";
    } else if (block.kind == JCPROF_LOG_BLOCK_CHUNK && block.bytes < sizeof(jcprof_log_chunk)) {
      why = "a chunk without a head";
    } else {
      // The head of a chunk is a fact.
      body.resize(block.kind == JCPROF_LOG_BLOCK_CHUNK ? sizeof(jcprof_log_chunk) : block.bytes);
      const bool is_there = read_at(fd_.get(), file, good_ + sizeof block, body) == body.size();
      if (!is_there || !facts.take(block.kind, body)) why = "a block makes no sense";
    }
    if (why == nullptr) good_ += sizeof block + block.bytes;
  }
  facts.put_pauses();
  std::error_code ignored;
  facts_.written = std::filesystem::last_write_time(file, ignored);
  if (why != nullptr)
    facts_.warnings.push_back({.kind = WarningKind::lost,
                               .text = fmt::format("{}: {}, at byte {} of {}; jcprof leaves out the rest",
                                                   file.filename().string(), why, good_, size)});
  else if (!facts_.end)
    facts_.warnings.push_back(
        {.kind = WarningKind::lost,
         .text = fmt::format("{}: there is no end, as if the recorder was killed; what came later is missing",
                             file.filename().string()),
         .advice = "record again"});
}

void RecordLog::read_chunks(const ChunkSink& sink) const {
  std::vector<std::uint64_t> words;
  jcprof_log_block block{};
  for (std::uint64_t at = 0; at < good_; at += sizeof block + block.bytes) {
    if (read_at(fd_.get(), file_, at, bytes_of(block)) != sizeof block) return;
    if (block.kind != JCPROF_LOG_BLOCK_CHUNK || block.bytes > most_block_bytes) continue;
    words.resize(block.bytes / sizeof(std::uint64_t));
    const std::span<std::byte> body = std::as_writable_bytes(std::span(words));
    if (read_at(fd_.get(), file_, at + sizeof block, body) != body.size()) return;
    const auto chunk = value_at<jcprof_log_chunk>(body);
    const std::size_t head = sizeof chunk / sizeof(std::uint64_t);
    sink(chunk, std::span(words).subspan(head, std::min<std::size_t>(chunk.used, words.size() - head)));
  }
}

}  // namespace jcprof::annotator
