// SPDX-License-Identifier: Apache-2.0
#include "harness/path.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "src/core/error.hpp"

namespace jcprof::harness {
namespace {

/// One path put together; nothing when two of its windows were of different runs.
struct Joined {
  std::vector<TrapId> traps;
  TraceWindow last;
  bool is_whole = false;
};

class Tracer {
 public:
  Tracer(Transport& transport, std::uint32_t input, const TraceLimits& limits)
      : transport_(transport), input_(input), limits_(limits) {}

  TraceWindow window(std::uint64_t from) {
    std::string why;
    for (int attempt = 0; attempt < limits_.attempts; ++attempt) {
      TraceWindow window = transport_.trace(input_, from, limits_.window);
      ++runs_;
      if (window.end.outcome == Outcome::ended) return window;
      why = fmt::format("{}{}{}", name_of(window.end.outcome), window.end.why.empty() ? "" : ": ",
                        window.end.why);
    }
    throw environment_error(
        fmt::format("no run of the command could be traced ({})", why),
        "a traced run is longer than a plain one: a larger \"timeout\" in \"session\" may help");
  }

  std::optional<Joined> join(const TraceWindow& first) {
    Joined joined{.traps = first.traps, .last = first};
    while (joined.traps.size() < std::min(first.total, limits_.events)) {
      if (joined.last.traps.empty())
        throw environment_error("the target keeps no trace: it passed traps and logged none",
                                "it may have no memory left for the window of 8 to 1024 events");
      joined.last = window(joined.traps.size());
      const bool fits = joined.last.signature_before == signature_of(joined.traps) &&
                        joined.last.signature_total == first.signature_total &&
                        joined.last.total == first.total;
      if (!fits) return std::nullopt;
      joined.traps.insert(joined.traps.end(), joined.last.traps.begin(), joined.last.traps.end());
    }
    joined.is_whole = joined.traps.size() == first.total;
    return joined;
  }

  std::uint32_t runs() const { return runs_; }

 private:
  Transport& transport_;
  std::uint32_t input_;
  TraceLimits limits_;
  std::uint32_t runs_ = 0;
};

}  // namespace

std::uint32_t signature_of(std::span<const TrapId> traps, std::uint32_t before) {
  auto a = static_cast<std::uint16_t>(before >> 16U);
  auto b = static_cast<std::uint16_t>(before);
  for (const TrapId trap : traps) {
    a = static_cast<std::uint16_t>(a * 251U + number(trap));
    b = static_cast<std::uint16_t>(b + a);
  }
  return static_cast<std::uint32_t>(a) << 16U | b;
}

std::vector<Event> events_of(std::span<const TrapId> traps) {
  std::map<TrapId, std::uint32_t> hits;
  std::vector<Event> events;
  events.reserve(traps.size());
  for (const TrapId trap : traps) events.push_back({.trap = trap, .hit = ++hits[trap]});
  return events;
}

TracedPath trace_path(Transport& transport, std::uint32_t input, const TraceLimits& limits) {
  Tracer tracer(transport, input, limits);
  TraceWindow first = tracer.window(0);
  std::optional<Joined> joined = tracer.join(first);
  for (int attempt = 1; !joined && attempt < limits.attempts; ++attempt) {
    first = tracer.window(0);
    joined = tracer.join(first);
  }
  TracedPath path{.signature = first.signature_total, .total = first.total, .end = first.end};
  if (!joined) {
    path.events = events_of(first.traps);
    path.state = PathState::cut;
  } else {
    path.events = events_of(joined->traps);
    // One more run shows whether the command goes the same way again.
    const bool same = tracer.window(0).signature_total == first.signature_total;
    path.state = !joined->is_whole ? PathState::cut : same ? PathState::steady : PathState::varying;
  }
  path.runs = tracer.runs();
  return path;
}

}  // namespace jcprof::harness
