// SPDX-License-Identifier: Apache-2.0
#include "annotator/estimate/estimates.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <tuple>
#include <utility>

#include "annotator/estimate/estimate_warnings.hpp"
#include "annotator/estimate/estimated_run.hpp"
#include "src/engine/speed.hpp"

namespace jcprof::annotator {
namespace {

/// Lines that no path passes. Where paths were cut nobody knows.
std::vector<UnreachedLine> unreached(const Run& run) {
  if (run.data.is_cut) return {};
  std::set<std::pair<std::string, std::size_t>> passed;
  for (const TakenPath& path : run.paths)
    for (const Event& event : path.events()) {
      const Trap& trap = run.data.map.at(event.trap);
      passed.emplace(trap.path, trap.line);
    }
  std::vector<UnreachedLine> lines = run.usual.attribution().unreached;
  std::erase_if(lines, [&](const UnreachedLine& line) { return passed.contains({line.path, line.line}); });
  return lines;
}

// ---- the most frequent path

/// The stretches of the usual path. Where that was cut the one to the end is left out: nobody knows what runs
/// there.
std::span<const Stretch> known_stretches(const Run& run) {
  const std::vector<Stretch>& all = run.usual.stretches().all();
  const bool is_open = run.data.is_cut && !all.empty() && all.back().end == run.usual.path().events().size();
  return std::span(all).first(all.size() - (is_open ? 1 : 0));
}

std::size_t known_blocks(const Run& run) {
  const std::vector<Stretch>& all = run.usual.stretches().all();
  const std::size_t known = known_stretches(run).size();
  return known < all.size() ? all[known].begin : run.usual.path().end();
}

/// Adds the path's blocks from `begin` on, before `end` and the unknown ones.
void add_blocks(const Run& run, Parts& parts, std::size_t begin, std::size_t end) {
  end = std::min(end, known_blocks(run));
  if (begin < end) run.usual.add_blocks(parts, begin, end);
}

/// A block of the line that most of a stretch belongs to.
std::size_t main_block(const MeasuredPath& path, const Stretch& stretch) {
  const std::vector<Block>& blocks = path.attribution().blocks;
  std::map<std::uint32_t, double> by_line;
  std::size_t best = stretch.begin;
  for (std::size_t i = stretch.begin; i < stretch.end; ++i) {
    double& line = by_line[blocks[i].line];
    line += path.division().weight(i, i + 1).value;
    if (line > by_line[blocks[best].line]) best = i;
  }
  return best;
}

std::vector<BlockEstimate> blocks(const Run& run) {
  const std::vector<Event>& path = run.usual.path().events();
  const Attribution& attribution = run.usual.attribution();
  std::vector<BlockEstimate> result;
  for (const Stretch& stretch : known_stretches(run)) {
    result.push_back({.from = path[stretch.begin],
                      .to = stretch.end < path.size() ? path[stretch.end] : Event{},
                      .passed = stretch.end - stretch.begin,
                      .cost = run.usual.stretch(result.size())});
    const Block& owner = attribution.blocks[main_block(run.usual, stretch)];
    if (owner.is_between()) continue;
    const OwnedLine& line = attribution.lines[owner.line];
    result.back().function = attribution.functions[owner.function].name;
    result.back().path = line.path;
    result.back().line = line.line;
  }
  return result;
}

/// Nothing where all time behind the first trap is some line's.
std::optional<Estimate> behind_commands(const Run& run) {
  Parts parts;
  for (std::size_t s = 0; s < known_stretches(run).size(); ++s) {
    const Stretch& stretch = run.usual.stretches().all()[s];
    for (std::size_t i = stretch.begin; i < stretch.end; ++i)
      if (run.usual.attribution().blocks[i].is_between()) run.usual.add_block(parts, s, i);
  }
  if (parts.empty()) return std::nullopt;
  return run.usual.estimate_of(run.usual.sum_of(parts));
}

double ticks_of(const std::optional<Estimate>& estimate) {
  return estimate ? estimate->ticks.value : 0;
}

/// `profile` has its total, entry, blocks, and the time behind commands, which is no part of the whole.
Whole whole_of(const Run& run, const Profile& profile) {
  Whole whole;
  for (std::size_t i = 0; i < known_blocks(run); ++i)
    if (!run.usual.attribution().blocks[i].is_between()) whole.blocks += run.usual.costs()[i];
  // Where all blocks together drown in the noise, they are a part of the command at least.
  whole.shared = whole.blocks > 0 ? whole.blocks : std::max(1.0, profile.total.raw);
  // Shares are of the whole command where a part of it is not known, though most of it may lie there.
  const bool is_cut = known_stretches(run).size() < run.usual.stretches().all().size();
  if (is_cut ||
      !std::ranges::all_of(profile.blocks, [](const auto& block) { return was_measured(block.cost); }))
    whole.shared = std::max(
        whole.shared, profile.total.ticks.value - profile.entry.ticks.value - ticks_of(profile.between));
  whole.drift = engine::speed_doubt(run.usual.stretches().gains());
  whole.lines = run.usual.attribution().lines.size();
  return whole;
}

/// Resolved estimates come first, then those with an upper end only, last those that were not measured.
std::pair<int, double> place_of(const Estimate& estimate) {
  if (estimate.resolved) return {0, -estimate.ticks.value};
  return {was_measured(estimate) ? 1 : 2, -estimate.ticks.high};
}

template <class Item>
void sort_by_cost(std::vector<Item>& items) {
  std::ranges::stable_sort(items, [](const Item& a, const Item& b) {
    return std::tuple(place_of(a.cost), std::tie(a.path, a.line)) <
           std::tuple(place_of(b.cost), std::tie(b.path, b.line));
  });
}

void sort_by_cost(std::vector<FunctionEstimate>& functions) {
  std::ranges::stable_sort(functions, [](const FunctionEstimate& a, const FunctionEstimate& b) {
    return std::pair(place_of(a.exclusive), std::string_view(a.function)) <
           std::pair(place_of(b.exclusive), std::string_view(b.function));
  });
}

/// The blocks that each of `count` lines or functions owns.
std::vector<Parts> parts_by(const Run& run, std::uint32_t Block::* owner, std::size_t count) {
  std::vector<Parts> parts(count);
  for (std::size_t s = 0; s < known_stretches(run).size(); ++s) {
    const Stretch& stretch = run.usual.stretches().all()[s];
    for (std::size_t i = stretch.begin; i < stretch.end; ++i) {
      const Block& block = run.usual.attribution().blocks[i];
      if (!block.is_between()) run.usual.add_block(parts[block.*owner], s, i);
    }
  }
  return parts;
}

/// What each line takes, in the order in which they first own a block.
Contest lines_with_sums(const Run& run) {
  Contest result;
  const std::vector<OwnedLine>& owned = run.usual.attribution().lines;
  for (const Parts& parts : parts_by(run, &Block::line, owned.size())) {
    const OwnedLine& line = owned[result.sums.size()];
    result.places.push_back({line.path, line.line, line.function});
    result.sums.push_back(run.usual.sum_of(parts));
  }
  return result;
}

/// What each function takes by itself.
Contest functions_with_sums(const Run& run) {
  Contest result;
  const std::vector<PassedFunction>& functions = run.usual.attribution().functions;
  for (const Parts& parts : parts_by(run, &Block::function, functions.size())) {
    const PassedFunction& function = functions[result.sums.size()];
    result.places.push_back({function.path, function.line, function.name});
    result.sums.push_back(run.usual.sum_of(parts));
  }
  return result;
}

/// No part takes longer than its whole. That bounds what the noise hides; a resolved part keeps an interval
/// that lies round its value.
Estimate within(const Estimate& whole, Estimate part) {
  if (part.resolved || !was_measured(whole) || !was_measured(part)) return part;
  part.ticks.high = std::max(part.ticks.value, std::min(part.ticks.high, whole.ticks.high));
  part.share.high = std::max(part.share.value, std::min(part.share.high, whole.share.high));
  return part;
}

/// By line: the function that all of its blocks are in.
std::vector<std::optional<std::uint32_t>> only_functions(const Attribution& attribution) {
  std::vector<std::set<std::uint32_t>> all(attribution.lines.size());
  for (const Block& block : attribution.blocks)
    if (!block.is_between()) all[block.line].insert(block.function);
  std::vector<std::optional<std::uint32_t>> result;
  for (const std::set<std::uint32_t>& one : all)
    result.push_back(one.size() == 1 ? std::optional(*one.begin()) : std::nullopt);
  return result;
}

/// `functions`: in the order of their numbers.
std::vector<LineEstimate> lines(const Run& run, const Contest& all, const Whole& whole,
                                const std::vector<FunctionEstimate>& functions) {
  const std::vector<std::optional<std::uint32_t>> only = only_functions(run.usual.attribution());
  std::vector<LineEstimate> result;
  for (std::size_t i = 0; i < all.sums.size(); ++i) {
    result.push_back({.path = all.places[i].path,
                      .line = all.places[i].line,
                      .function = all.places[i].function,
                      .hits = run.usual.attribution().lines[i].hits,
                      .cost = published(run.usual, all.sums[i], whole),
                      .rounds = all.sums[i].rounds});
    if (only[i]) result.back().cost = within(functions[*only[i]].exclusive, result.back().cost);
    if (result.back().cost.unreliable) result.back().rounds.clear();
  }
  return result;
}

/// The calls with what the lines cost in them. Where a line was not measured, nothing is known of its blocks.
CostTree tree(const Run& run, const std::vector<LineEstimate>& lines) {
  std::vector<double> costs = run.usual.costs();
  costs.resize(known_blocks(run));
  for (std::size_t i = 0; i < costs.size(); ++i) {
    const Block& block = run.usual.attribution().blocks[i];
    if (block.is_between() || !was_measured(lines[block.line].cost)) costs[i] = engine::missing;
  }
  return cost_tree(run.usual.attribution(), costs);
}

/// In the order of their numbers.
std::vector<FunctionEstimate> functions(const Run& run, const Contest& own, const Whole& whole,
                                        const Estimate& total) {
  const Attribution& attribution = run.usual.attribution();
  std::vector<Parts> inclusive(own.sums.size());
  for (const Invocation& call : attribution.invocations)
    if (call.outermost) add_blocks(run, inclusive[call.function], call.begin, call.end);
  std::vector<FunctionEstimate> result;
  for (std::size_t i = 0; i < own.sums.size(); ++i) {
    const PassedFunction& function = attribution.functions[i];
    const Estimate with_calls = within(total, published(run.usual, run.usual.sum_of(inclusive[i]), whole));
    result.push_back({.function = function.name,
                      .path = function.path,
                      .line = function.line,
                      .calls = function.calls,
                      .exclusive = within(with_calls, published(run.usual, own.sums[i], whole)),
                      .inclusive = with_calls});
  }
  return result;
}

std::vector<LoopEstimate> loops(const Run& run, const Whole& whole, const Estimate& total) {
  const Attribution& attribution = run.usual.attribution();
  std::vector<Parts> parts(attribution.loops.size());
  for (const LoopRun& pass : attribution.loop_runs)
    if (pass.outermost) add_blocks(run, parts[pass.loop], pass.begin, pass.end);
  std::vector<LoopEstimate> result;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const PassedLoop& loop = attribution.loops[i];
    result.push_back({.function = loop.function,
                      .path = loop.path,
                      .line = loop.line,
                      .entries = loop.entries,
                      .passes = loop.passes,
                      .cost = within(total, published(run.usual, run.usual.sum_of(parts[i]), whole))});
  }
  sort_by_cost(result);
  return result;
}

/// `profile` has all but that. Its lines rest on fewer shots of each stop than the whole command does, and on
/// costs of edges: what both leave open is open here.
Interval unattributed(const Run& run, const Profile& profile) {
  if (!was_measured(profile.total) || !was_measured(profile.entry)) return {};
  double rest = profile.total.ticks.value - profile.entry.ticks.value - ticks_of(profile.between);
  for (const LineEstimate& line : profile.lines) rest -= line.cost.ticks.value;
  Parts parts;
  add_blocks(run, parts, 0, known_blocks(run));
  const Sum known = run.usual.sum_of(parts);
  const Interval all =
      estimate_from(known.raw, known.known,
                    {.division_low = known.doubt.division_low, .division_high = known.doubt.division_high})
          .ticks;
  const Interval spread = run.usual.behind_entry();
  return {rest, rest - std::hypot(spread.value - spread.low, all.high - all.value),
          rest + std::hypot(spread.high - spread.value, all.value - all.low)};
}

// ---- all paths

std::vector<PathEstimate> paths(const Run& run) {
  std::vector<PathEstimate> result;
  for (const TakenPath& path : run.paths)
    result.push_back({.rate = path.rate,
                      .events = path.end(),
                      .inputs = path.inputs,
                      .total = &path == &run.paths.front()
                                   ? run.usual.total()
                                   : MeasuredPath(run.view, path, path.inputs).total()});
  return result;
}

double trap_share(const Run& run, const Whole& whole) {
  const double traps = static_cast<double>(run.usual.path().end()) * run.cost.pass.value;
  return whole.blocks > 0 ? traps / (whole.blocks + traps) : 0;
}

}  // namespace

std::string_view headline_of(const Profile& profile) {
  return profile.recorded ? "recorded" : "typical";
}

Profile estimate(const RunData& data, double alpha) {
  const Run run(data, alpha);
  Profile profile{.run = data.run,
                  .shots = data.samples.size(),
                  .rounds = run.usual.about().rounds,
                  .paths = paths(run),
                  .trap_cost = run.cost,
                  .total = run.usual.total(),
                  .entry = run.usual.entry(),
                  .blocks = blocks(run),
                  .unreached = unreached(run),
                  .sources = data.map.sources,
                  .language = data.map.language,
                  .inputs = data.inputs,
                  .noted = data.warnings};
  profile.between = behind_commands(run);
  const Whole whole = whole_of(run, profile);
  for (std::size_t s = 0; s < profile.blocks.size(); ++s) {
    BlockEstimate& block = profile.blocks[s];
    block.cost = published(block.cost, whole);
    if (whole.blocks > 0 && !block.function.empty() && !block.cost.unreliable)
      block.hot = run.usual.hotness(s, data.run.hot * whole.shared);
  }
  const Contest all_lines = lines_with_sums(run);
  const Contest all_functions = functions_with_sums(run);
  profile.hottest_lines = hottest(run.usual, all_lines, alpha);
  profile.hottest_functions = hottest(run.usual, all_functions, alpha);
  profile.total = published_total(run.usual, whole);
  profile.functions = functions(run, all_functions, whole, profile.total);
  profile.lines = lines(run, all_lines, whole, profile.functions);
  profile.tree = tree(run, profile.lines);
  profile.loops = loops(run, whole, profile.total);
  sort_by_cost(profile.lines);
  sort_by_cost(profile.functions);
  profile.entry = published(profile.entry, {.shared = whole.shared});
  if (profile.between) profile.between = published(*profile.between, whole);
  profile.drift = whole.drift;
  profile.unattributed = unattributed(run, profile);
  profile.trap_share = trap_share(run, whole);
  EdgeEstimates edges = edge_estimates(run.view, run.usual);
  for (EdgeEstimate& edge : edges.edges) edge.cost = published(edge.cost, whole);
  sort_by_cost(edges.edges);
  profile.edges = std::move(edges.edges);

  for (const Warning& warning : data.warnings) profile.warnings.push_back(to_text(warning));
  std::ranges::move(edges.warnings, std::back_inserter(profile.warnings));
  std::ranges::move(estimate_warnings(run, profile, whole), std::back_inserter(profile.warnings));
  return profile;
}

}  // namespace jcprof::annotator
