// SPDX-License-Identifier: Apache-2.0
#include "annotator/record/timeline.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <iterator>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "annotator/record/rows.hpp"
#include "annotator/record/walking.hpp"
#include "src/core/error.hpp"
#include "src/core/json_text.hpp"

namespace jcprof::annotator {
namespace {

using Out = std::back_insert_iterator<fmt::memory_buffer>;

/// Thread 0 is none: pauses are everybody's.
struct Moment {
  enum class Kind : std::uint8_t { call, mark, lost, paused, resumed };
  Kind kind = Kind::call;
  std::uint32_t thread = 0;
  std::uint32_t fiber = 0;  // 0: the thread's own stack
  std::uint32_t depth = 0;
  std::uint32_t id = 0;  // of a call: key; of a mark: that of its name
  double begin = 0;      // of the log's unit, from the first event on
  double end = 0;
  double inclusive = 0;  // as the profile counts it
  double exclusive = 0;
  std::uint64_t number = 0;  // a mark's payload, or events that were lost
};

std::uint64_t first_tick(const RecordLog& file) {
  std::uint64_t first = std::numeric_limits<std::uint64_t>::max();
  std::set<std::uint32_t> threads;
  file.read_chunks([&](const jcprof_log_chunk& chunk, std::span<const std::uint64_t> words) {
    const auto event = first_event(words);
    if (event != words.end() && threads.insert(chunk.thread).second)
      first = std::min(first, chunk.base + (*event >> 24U));
  });
  return first;
}

/// Keeps what passes in the window.
class Collector final : public WalkWatcher {
 public:
  Collector(const TimelineWish& wish, std::uint64_t first, double per_tick)
      : wish_(wish), first_(first), per_tick_(per_tick) {}

  void call(const PassedCall& call) override {
    const double inclusive = scaled(call.inclusive);
    if (inclusive < wish_.least) return;
    keep({.thread = call.thread,
          .fiber = fiber_of(call.thread, call.stack),
          .depth = static_cast<std::uint32_t>(call.depth),
          .id = call.key,
          .begin = at(call.begin),
          .end = at(call.end),
          .inclusive = inclusive,
          .exclusive = scaled(call.exclusive)});
  }
  void mark(const PassedMark& mark) override {
    keep_moment({.kind = Moment::Kind::mark,
                 .thread = mark.thread,
                 .fiber = fiber_of(mark.thread, mark.stack),
                 .id = mark.name,
                 .number = mark.payload},
                mark.tick);
  }
  void lost(std::uint32_t thread, std::uint64_t tick, std::uint64_t events) override {
    keep_moment({.kind = Moment::Kind::lost, .thread = thread, .number = events}, tick);
  }
  void pause(const LogPause& pause) {
    keep_moment({.kind = Moment::Kind::paused}, pause.begin);
    if (pause.end != std::numeric_limits<std::uint64_t>::max())
      keep_moment({.kind = Moment::Kind::resumed}, pause.end);
  }

  /// In order of time; a caller ahead of what it calls, and a loss ahead of the call that follows.
  std::vector<Moment> take() {
    std::ranges::stable_sort(moments_, {}, [](const Moment& m) {
      return std::tuple(m.begin, m.kind == Moment::Kind::call, -m.end, m.depth);
    });
    return std::move(moments_);
  }

 private:
  double scaled(std::uint64_t ticks) const { return static_cast<double>(ticks) * per_tick_; }
  double at(std::uint64_t tick) const {
    return tick >= first_ ? scaled(tick - first_) : -scaled(first_ - tick);
  }

  std::uint32_t fiber_of(std::uint32_t thread, std::uint64_t stack) {
    if (stack == 0) return 0;
    const auto number = static_cast<std::uint32_t>(fibers_.size() + 1);
    return fibers_.try_emplace({thread, stack}, number).first->second;
  }
  void keep_moment(Moment moment, std::uint64_t tick) {
    moment.begin = moment.end = at(tick);
    keep(moment);
  }
  void keep(const Moment& moment) {
    const bool is_over = moment.end < wish_.from || (moment.end == wish_.from && moment.begin < wish_.from);
    if (is_over || moment.begin >= wish_.to) return;
    if (moments_.size() >= wish_.most)
      throw UserError(Fault{.message = fmt::format("the time line would have more than {} calls", wish_.most),
                            .hint = "choose a part of the time with --from and --to, or leave short calls "
                                    "out with --min-time"});
    moments_.push_back(moment);
  }

  const TimelineWish& wish_;
  std::uint64_t first_;
  double per_tick_;
  std::vector<Moment> moments_;
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::uint32_t> fibers_;  // by thread and stack
};

/// Names for the keys of calls, each looked up once.
class CallNames {
 public:
  CallNames(const LogFacts& facts, const TrapTable& traps, const std::vector<std::filesystem::path>& elf)
      : facts_(facts), traps_(traps), symbols_(facts, elf) {}

  const StoredSymbol& of(FunctionKey key) {
    const auto [known, is_new] = names_.try_emplace(key);
    if (is_new)
      known->second =
          (key & of_traps) != 0 ? of_trap(key & ~of_traps) : symbol_of_hook(facts_, key, symbols_);
    return known->second;
  }
  std::string of_mark(std::uint32_t id) const {
    const auto name = facts_.mark_names.find(id);
    return name == facts_.mark_names.end() ? fmt::format("mark {}", id) : name->second;
  }
  std::string of_moment(const Moment& moment) const {
    switch (moment.kind) {
      case Moment::Kind::call:
        return {};
      case Moment::Kind::mark:
        return of_mark(moment.id);
      case Moment::Kind::lost:
        return "events lost";
      case Moment::Kind::paused:
        return "recording paused";
      case Moment::Kind::resumed:
        return "recording resumed";
    }
    return {};
  }

 private:
  StoredSymbol of_trap(std::uint32_t function) const {
    const TrapTable::Place& place = traps_.functions.at(function - 1);
    return {.name = place.function, .path = place.path, .line = place.line};
  }

  const LogFacts& facts_;
  const TrapTable& traps_;
  Symbols symbols_;
  std::unordered_map<FunctionKey, StoredSymbol> names_;
};

struct Drawn {
  const std::vector<Moment>& moments;
  const std::vector<ThreadTotals>& threads;
  const LogFacts& facts;
  ClockUnit unit;
};

bool has_number(const Moment& moment) {
  return moment.kind == Moment::Kind::mark || moment.kind == Moment::Kind::lost;
}

void write_text(const Drawn& drawn, CallNames& names, Out out) {
  const bool is_ns = drawn.unit == ClockUnit::ns;
  fmt::format_to(out, "{:>16} {:>14}  {:<8} {}\n", is_ns ? "begin (ms)" : "begin (ticks)",
                 is_ns ? "time (us)" : "time (ticks)", "thread", "call");
  for (const Moment& moment : drawn.moments) {
    const bool is_call = moment.kind == Moment::Kind::call;
    const std::string time = !is_call ? ""
                             : is_ns  ? fmt::format("{:.3f}", moment.inclusive / 1e3)
                                      : fmt::format("{:.0f}", moment.inclusive);
    const std::string thread = moment.thread == 0  ? "-"
                               : moment.fiber == 0 ? fmt::format("{}", moment.thread)
                                                   : fmt::format("{}/{}", moment.thread, moment.fiber);
    const std::string begin =
        fmt::format("{:.{}f}", is_ns ? moment.begin / 1e6 : moment.begin, is_ns ? 6 : 0);
    fmt::format_to(out, "{:>16} {:>14}  {:<8} ", begin, time, thread);
    if (!is_call) {
      fmt::format_to(out, "-- {}{}\n", harmless(names.of_moment(moment)),
                     has_number(moment) ? fmt::format(": {}", moment.number) : "");
      continue;
    }
    const StoredSymbol& symbol = names.of(moment.id);
    const std::string place = symbol.line == 0 ? "" : fmt::format("  {}:{}", symbol.path, symbol.line);
    fmt::format_to(out, "{}{}\n", std::string(2 * std::size_t{moment.depth}, ' '),
                   harmless(symbol.name + place));
  }
}

// ---- the trace

/// Rounded as a moment, so that the ends of nested calls stay nested. Microseconds, as the format has it; of
/// ticks, thousands.
std::string in_us(std::int64_t ns) {
  const auto size = static_cast<std::uint64_t>(ns < 0 ? -ns : ns);
  return fmt::format("{}{}.{:03}", ns < 0 ? "-" : "", size / 1000, size % 1000);
}

/// No log is longer, unless its ticks make no sense.
std::int64_t rounded(double ns) {
  return std::llround(std::clamp(ns, -4e18, 4e18));
}

/// Each fiber has a row of its own, behind those of all threads.
std::uint32_t row_of(const Moment& moment) {
  constexpr std::uint32_t first_fiber = 1'000'000;
  return moment.fiber == 0 ? moment.thread : first_fiber + moment.fiber;
}

std::string name_of_row(const Moment& moment, const LogFacts& facts) {
  const auto news = facts.threads.find(moment.thread);
  std::string name;
  if (news != facts.threads.end())
    name = " " + std::string(news->second.name, ::strnlen(news->second.name, sizeof news->second.name));
  return fmt::format("thread {}{}{}", moment.thread, name,
                     moment.fiber == 0 ? "" : fmt::format(", fiber {}", moment.fiber));
}

void write_trace(const Drawn& drawn, CallNames& names, Out out) {
  std::unordered_map<std::uint32_t, std::uint32_t> processes;
  for (const ThreadTotals& thread : drawn.threads) processes[thread.serial] = thread.process;
  fmt::format_to(out,
                 "{{\"displayTimeUnit\":\"ns\",\"otherData\":{{\"tool\":\"jcprof\",\"clock\":\"{}\"}},"
                 "\"traceEvents\":[",
                 drawn.unit == ClockUnit::ns ? "ns" : "ticks");
  std::set<std::uint32_t> rows;
  const char* comma = "\n";
  for (const Moment& moment : drawn.moments) {
    const std::uint32_t process = moment.thread == 0 && !drawn.threads.empty() ? drawn.threads.front().process
                                                                               : processes[moment.thread];
    const std::string place = fmt::format("\"pid\":{},\"tid\":{}", process, row_of(moment));
    if (moment.thread != 0 && rows.insert(row_of(moment)).second)
      fmt::format_to(out, "{}{{\"name\":\"thread_name\",\"ph\":\"M\",{},\"args\":{{\"name\":{}}}}}",
                     std::exchange(comma, ",\n"), place, json_string(name_of_row(moment, drawn.facts)));
    const std::int64_t begin = rounded(moment.begin);
    if (moment.kind == Moment::Kind::call) {
      const StoredSymbol& symbol = names.of(moment.id);
      fmt::format_to(
          out,
          "{}{{\"name\":{},\"ph\":\"X\",\"ts\":{},\"dur\":{},{},\"args\":{{\"time\":{:.3f},\"own\":{:.3f}",
          comma, json_string(symbol.name), in_us(begin), in_us(rounded(moment.end) - begin), place,
          moment.inclusive / 1e3, moment.exclusive / 1e3);
      if (symbol.line != 0)
        fmt::format_to(out, ",\"line\":{}", json_string(fmt::format("{}:{}", symbol.path, symbol.line)));
      fmt::format_to(out, "}}}}");
    } else {
      fmt::format_to(out, "{}{{\"name\":{},\"ph\":\"i\",\"s\":\"{}\",\"ts\":{},{}", comma,
                     json_string(names.of_moment(moment)), moment.thread == 0 ? 'g' : 't', in_us(begin),
                     place);
      // As text: a payload may have more bits than a number of JavaScript.
      if (has_number(moment)) fmt::format_to(out, ",\"args\":{{\"number\":\"{}\"}}", moment.number);
      fmt::format_to(out, "}}");
    }
    comma = ",\n";
  }
  fmt::format_to(out, "\n]}}\n");
}

}  // namespace

std::string timeline(const RecordedLog& log, const TimelineWish& wish) {
  const RecordLog file(log.file);
  const LogFacts& facts = file.facts();
  const TickScale scale = scale_of(facts.head.clock_hz, facts.pairs, log.unit);
  Walk walk = walk_of(log, facts, scale);
  Collector collector(wish, first_tick(file), scale.per_tick);
  walk.watcher = &collector;
  std::vector<Warning> warnings;  // those of the profile
  const std::vector<ThreadTotals> threads = walk_threads(file, walk, warnings);
  for (const LogPause& pause : facts.pauses) collector.pause(pause);
  const std::vector<Moment> moments = collector.take();
  CallNames names(facts, walk.traps, log.elf);
  fmt::memory_buffer text;
  const Drawn drawn{moments, threads, facts, scale.unit};
  (wish.format == TimelineFormat::text ? write_text : write_trace)(drawn, names, std::back_inserter(text));
  return fmt::to_string(text);
}

}  // namespace jcprof::annotator
