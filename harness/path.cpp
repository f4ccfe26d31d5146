// SPDX-License-Identifier: Apache-2.0
#include "harness/path.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "src/core/error.hpp"
#include "src/core/path_signature.hpp"

namespace jcprof::harness {
namespace {

/// The link between the windows of a series.
enum class Link : std::uint8_t {
  checked,   // each begins with the signature of what was joined before it
  unchecked  // the signatures are of another algorithm
};

// A path of no more windows than this is read: there is little to foretell.
constexpr std::size_t few_windows = 4;

/// Windows of as many runs, one behind the other.
struct Series {
  std::vector<TraceWindow> windows;  // of a foretold path only the first
  std::vector<TrapId> traps;         // of all of them
  Link link = Link::checked;
  bool is_foretold = false;
  bool is_of_several_runs = false;  // its windows are
  int runs = 1;

  const TraceWindow& first() const { return windows.front(); }
  bool is_whole() const { return is_foretold ? traps.size() == first().run->events : !windows.back().more; }
  std::uint64_t start_of_last() const { return traps.size() - windows.back().traps.size(); }
};

bool same(const TraceWindow& a, const TraceWindow& b) {
  return a.traps == b.traps && a.more == b.more && a.before == b.before && a.run == b.run;
}

std::optional<std::uint64_t> total_of(const TraceWindow& window) {
  return window.run ? window.run->events : window.total;
}

class Tracer {
 public:
  Tracer(Transport& transport, std::uint32_t input, const TraceLimits& limits, PathMemory& memory)
      : transport_(transport), input_(input), limits_(limits), memory_(memory) {}

  /// A path put together, or nothing when its windows were of different runs.
  std::optional<TracedPath> path() {
    std::optional<Series> series = read_series();
    if (!series) return std::nullopt;
    const std::optional<PathState> state = judge(*series);
    if (!state) return std::nullopt;
    const bool is_whole = series->is_whole() && series->traps.size() <= limits_.events;
    if (series->traps.size() > limits_.events) series->traps.resize(limits_.events);
    transport_.set_path(input_, series->traps);
    const std::optional<WholeRun>& run = series->first().run;
    return TracedPath{.events = events_of(series->traps),
                      .signature = run ? run->digest.signature : path_signature(series->traps),
                      .state = is_whole ? *state : PathState::cut,
                      .total = is_whole ? series->traps.size() : total_of(series->first()),
                      .end = series->first().end};
  }

  /// The beginning of the path that one run took.
  TracedPath beginning() {
    const TraceWindow first = window(0);
    return {.events = events_of(first.traps),
            .signature = first.run ? first.run->digest.signature : path_signature(first.traps),
            .state = PathState::cut,
            .total = total_of(first),
            .end = first.end};
  }

  /// How often which path is taken. Runs whose windows do not fit together are not counted.
  std::vector<Variant> variants() {
    std::vector<Variant> seen;
    for (int i = 0; i < limits_.runs_of_varying; ++i) {
      const std::optional<Series> series = read_series();
      if (!series || !series->is_whole() || (series->windows.size() > 1 && series->link == Link::unchecked))
        continue;
      std::vector<Event> events = events_of(series->traps);
      const auto known = std::ranges::find(seen, events, &Variant::events);
      if (known != seen.end())
        ++known->runs;
      else
        seen.push_back({.events = std::move(events), .signature = path_signature(series->traps)});
    }
    std::ranges::stable_sort(seen, std::ranges::greater(), &Variant::runs);
    return seen;
  }

  std::uint32_t runs() const { return runs_; }

 private:
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

  std::optional<Series> read_series() {
    Series series;
    if (!join(series, window(0))) return std::nullopt;
    const std::optional<WholeRun> run = series.first().run;
    if (run && series.link == Link::checked && series.traps.size() < limits_.events &&
        run->events > few_windows * series.traps.size()) {
      if (std::optional<Series> foretold = foretell(series)) return foretold;
      if (series.is_of_several_runs) return std::nullopt;
    }
    while (!series.is_whole() && series.traps.size() < limits_.events)
      if (!join(series, window(series.traps.size()))) return std::nullopt;
    // A target that knows the whole run uses our algorithm: its windows are of different runs here.
    if (series.link == Link::unchecked && series.first().run) return std::nullopt;
    return series;
  }

  /// False where the window is of another run.
  static bool join(Series& series, TraceWindow next) {
    if (next.more && next.traps.empty())
      throw environment_error("the target keeps no trace: it passed traps and logged none",
                              "it may have no memory left for the window of 8 to 1024 events");
    if (!series.windows.empty() && next.run != series.first().run) return false;
    if (next.before.signature != path_signature(series.traps)) series.link = Link::unchecked;
    series.traps.insert(series.traps.end(), next.traps.begin(), next.traps.end());
    series.windows.push_back(std::move(next));
    series.runs = static_cast<int>(series.windows.size());
    return true;
  }

  /// The path from its first window, by few others. Nothing where one is of another run, which marks
  /// `series`, or where they contradict each other.
  std::optional<Series> foretell(Series& series) {
    const WholeRun run = *series.first().run;
    SeenBeginning beginning{.traps = series.traps, .events = run.events, .digest = run.digest};
    const auto see = [&](std::uint64_t first) -> std::optional<SeenWindow> {
      TraceWindow seen = window(first);
      ++series.runs;
      if (seen.run == run) return SeenWindow{.before = seen.before, .traps = std::move(seen.traps)};
      series.is_of_several_runs = true;
      return std::nullopt;
    };
    if (run.events > limits_.events) {
      const std::optional<SeenWindow> end = see(limits_.events);
      if (!end) return std::nullopt;
      beginning.events = limits_.events;
      beginning.digest = end->before;
    }
    std::optional<std::vector<TrapId>> traps = memory_.known(beginning);
    if (!traps) traps = predict_path(memory_.model, beginning, see);
    if (!traps) return std::nullopt;
    memory_.keep(beginning, *traps);
    return Series{
        .windows = series.windows, .traps = std::move(*traps), .is_foretold = true, .runs = series.runs};
  }

  /// Steady or varying; nothing when windows that may not belong together would have to be joined.
  std::optional<PathState> judge(const Series& series) {
    const bool is_one_run = series.windows.size() == 1;
    if (is_one_run || series.first().run) {
      // Further runs show whether the command takes the same path again.
      for (int i = series.runs; i < 1 + limits_.agreements_of_runs; ++i) {
        const TraceWindow again = window(0);
        const bool is_taken_again =
            series.first().run ? again.run == series.first().run : same(again, series.first());
        if (!is_taken_again) return PathState::varying;
      }
      return PathState::steady;
    }
    // No digest at all, if it does not depend on what was passed.
    const auto is_as_first = [&](const TraceWindow& window) {
      return window.before == series.first().before;
    };
    if (std::ranges::count_if(series.windows, is_as_first) > 1) return std::nullopt;
    const std::optional<Series> again = read_series();
    const bool is_again = again && std::ranges::equal(again->windows, series.windows, same);
    if (series.link == Link::checked) return is_again ? PathState::steady : PathState::varying;
    return is_again && agree(series) ? std::optional(PathState::steady) : std::nullopt;
  }

  /// The last window stands for the whole run: its signature is that of all before it. A path that varies
  /// gives the same windows twice by chance, but hardly that often.
  bool agree(const Series& series) {
    for (int i = 0; i < limits_.agreements; ++i)
      if (!same(window(0), series.first()) || !same(window(series.start_of_last()), series.windows.back()))
        return false;
    return true;
  }

  Transport& transport_;
  std::uint32_t input_;
  TraceLimits limits_;
  PathMemory& memory_;
  std::uint32_t runs_ = 0;
};

}  // namespace

std::vector<Event> events_of(std::span<const TrapId> traps) {
  std::map<TrapId, std::uint32_t> hits;
  std::vector<Event> events;
  events.reserve(traps.size());
  for (const TrapId trap : traps) events.push_back({.trap = trap, .hit = ++hits[trap]});
  return events;
}

std::vector<TrapId> traps_of(std::span<const Event> events) {
  std::vector<TrapId> traps;
  traps.reserve(events.size());
  for (const Event& event : events) traps.push_back(event.trap);
  return traps;
}

TracedPath trace_path(Transport& transport, std::uint32_t input, const TraceLimits& limits) {
  PathMemory memory;
  return trace_path(transport, input, limits, memory);
}

TracedPath trace_path(Transport& transport, std::uint32_t input, const TraceLimits& limits,
                      PathMemory& memory) {
  Tracer tracer(transport, input, limits, memory);
  std::optional<TracedPath> path = tracer.path();
  for (int attempt = 1; !path && attempt < limits.attempts; ++attempt) path = tracer.path();
  if (!path) path = tracer.beginning();
  if (path->state == PathState::varying) path->variants = tracer.variants();
  if (path->state == PathState::steady && limits.is_suspected) {
    path->variants = tracer.variants();
    if (path->variants.size() > 1)
      path->state = PathState::varying;
    else
      path->variants.clear();
  }
  if (!path->variants.empty()) {
    path->events = path->variants.front().events;
    path->signature = path->variants.front().signature;
    path->total = path->events.size();
  }
  path->runs = tracer.runs();
  return std::move(*path);
}

}  // namespace jcprof::harness
