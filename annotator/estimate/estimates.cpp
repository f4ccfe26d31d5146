// SPDX-License-Identifier: Apache-2.0
#include "annotator/estimate/estimates.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/format.h>

namespace jcprof::annotator {
namespace {

// Of all blocks together; less may be what calibration leaves open of dear stops.
constexpr double negative_share = 0.05;

class Estimator {
 public:
  Estimator(const RunData& data, double alpha)
      : data_(data),
        ways_(ways_of(data.paths)),
        samples_(data.samples),
        cost_(trap_cost(data.calibrations, alpha)),
        run_{.map = data.map,
             .ways = ways_,
             .samples = samples_,
             .cost = cost_,
             .looks = data.looks,
             .alpha = alpha},
        usual_(run_, ways_.front(), ways_.front().inputs),
        stretches_(usual_.stretches()),
        attribution_(usual_.attribution()) {}

  Profile profile() {
    Profile profile{.run = data_.run,
                    .shots = data_.samples.size(),
                    .rounds = usual_.about().rounds,
                    .trap_cost = cost_,
                    .total = usual_.total(),
                    .entry = usual_.entry(),
                    .unreached = unreached(),
                    .sources = data_.map.sources,
                    .language = data_.map.language,
                    .inputs = data_.inputs,
                    .noted = data_.warnings};
    for (const Warning& warning : data_.warnings) profile.warnings.push_back(to_text(warning));
    blocks(profile);
    lines(profile);
    functions(profile);
    loops(profile);
    profile.tree = cost_tree(usual_, known_blocks());
    paths(profile);
    whole(profile);
    edges(profile);
    warn(profile);
    return profile;
  }

 private:
  /// By no way; nothing is known of what lies behind a path's cut.
  std::vector<UnreachedLine> unreached() const {
    if (data_.is_cut) return {};
    std::set<std::pair<std::string, std::size_t>> passed;
    for (const Way& way : ways_)
      for (const Event& event : way.events()) {
        const Trap& trap = data_.map.at(event.trap);
        passed.emplace(trap.path, trap.line);
      }
    std::vector<UnreachedLine> lines = attribution_.unreached;
    std::erase_if(lines, [&](const UnreachedLine& line) { return passed.contains({line.path, line.line}); });
    return lines;
  }

  Estimate with_share(Estimate estimate) const {
    // Medians do not add up exactly: a part may come out larger than the sum of all.
    const auto share = [this](double ticks) { return std::min(1.0, ticks / shared_); };
    estimate.share = {share(estimate.ticks.value), share(estimate.ticks.low), share(estimate.ticks.high)};
    return estimate;
  }

  Estimate estimate_of(const Parts& parts) const {
    return with_share(usual_.estimate_of(usual_.sum_of(parts)));
  }

  void blocks(Profile& profile) {
    const std::vector<Event>& path = usual_.way().events();
    for (std::size_t s = 0; s < known_stretches(); ++s) {
      const Stretch& stretch = stretches_.all()[s];
      const Block& owner = attribution_.blocks[main_block(stretch)];
      const OwnedLine& line = attribution_.lines[owner.line];
      profile.blocks.push_back({.from = path[stretch.begin],
                                .to = stretch.end < path.size() ? path[stretch.end] : Event{},
                                .function = attribution_.functions[owner.function].name,
                                .path = line.path,
                                .line = line.line,
                                .passed = stretch.end - stretch.begin,
                                .cost = usual_.stretch(s)});
      whole_ += profile.blocks.back().cost.raw;
    }
    // Where all blocks together drown in the noise, they are a part of the command at least.
    shared_ = whole_ > 0 ? whole_ : std::max(1.0, profile.total.raw);
    // Of the whole command, though most of it may lie behind the cut.
    if (known_stretches() < stretches_.all().size())
      shared_ = std::max(shared_, profile.total.raw - profile.entry.raw);
    for (std::size_t s = 0; s < profile.blocks.size(); ++s) {
      profile.blocks[s].cost = with_share(profile.blocks[s].cost);
      if (whole_ > 0) profile.blocks[s].hot = stretches_.hotness(s, data_.run.hot, shared_);
    }
  }

  /// All, but of a path that was cut the one to the end: what runs there is not known.
  std::size_t known_stretches() const {
    const std::vector<Stretch>& all = stretches_.all();
    const bool is_open = data_.is_cut && !all.empty() && all.back().end == usual_.way().events().size();
    return all.size() - (is_open ? 1 : 0);
  }

  std::size_t known_blocks() const {
    const std::size_t known = known_stretches();
    return known < stretches_.all().size() ? stretches_.all()[known].begin : usual_.way().end();
  }

  /// The path's blocks from `begin` on, before `end` and what is not known.
  void add_blocks(Parts& parts, std::size_t begin, std::size_t end) const {
    end = std::min(end, known_blocks());
    if (begin < end) usual_.add_blocks(parts, begin, end);
  }

  /// One of the line that most of a stretch belongs to.
  std::size_t main_block(const Stretch& stretch) const {
    std::map<std::uint32_t, double> by_line;
    std::size_t best = stretch.begin;
    for (std::size_t i = stretch.begin; i < stretch.end; ++i) {
      double& line = by_line[attribution_.blocks[i].line];
      line += usual_.division().weight(i, i + 1).value;
      if (line > by_line[attribution_.blocks[best].line]) best = i;
    }
    return best;
  }

  void lines(Profile& profile) {
    std::vector<Parts> parts(attribution_.lines.size());
    exclusive_.resize(attribution_.functions.size());
    for (std::size_t s = 0; s < known_stretches(); ++s) {
      for (std::size_t i = stretches_.all()[s].begin; i < stretches_.all()[s].end; ++i) {
        usual_.add_block(parts[attribution_.blocks[i].line], s, i);
        usual_.add_block(exclusive_[attribution_.blocks[i].function], s, i);
      }
    }
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const OwnedLine& line = attribution_.lines[i];
      Sum sum = usual_.sum_of(parts[i]);
      profile.lines.push_back({.path = line.path,
                               .line = line.line,
                               .function = line.function,
                               .hits = line.hits,
                               .cost = with_share(usual_.estimate_of(sum)),
                               .rounds = std::move(sum.rounds)});
    }
    sort_by_cost(profile.lines);
  }

  void functions(Profile& profile) {
    std::vector<Parts> inclusive(attribution_.functions.size());
    for (const Invocation& call : attribution_.invocations)
      if (call.outermost) add_blocks(inclusive[call.function], call.begin, call.end);
    for (std::size_t i = 0; i < inclusive.size(); ++i) {
      const PassedFunction& function = attribution_.functions[i];
      const Estimate exclusive = estimate_of(exclusive_[i]);
      profile.functions.push_back({.function = function.name,
                                   .path = function.path,
                                   .line = function.line,
                                   .calls = function.calls,
                                   .exclusive = exclusive,
                                   .inclusive = at_least(estimate_of(inclusive[i]), exclusive)});
    }
    std::ranges::stable_sort(profile.functions, [](const FunctionEstimate& a, const FunctionEstimate& b) {
      return std::tie(b.exclusive.ticks.value, a.function) < std::tie(a.exclusive.ticks.value, b.function);
    });
  }

  /// With its calls a function takes no less than without, whatever noise says of the calls.
  Estimate at_least(Estimate inclusive, const Estimate& exclusive) const {
    Interval& ticks = inclusive.ticks;
    ticks.value = std::max(ticks.value, exclusive.ticks.value);
    ticks.low = std::max(ticks.low, exclusive.ticks.low);
    ticks.high = std::max(ticks.high, ticks.value);
    inclusive.resolved = is_resolved(ticks);
    return with_share(inclusive);
  }

  void edges(Profile& profile) const {
    Edges edges(run_);
    edges.take_all(usual_);
    profile.edges = edges.estimates();
    for (EdgeEstimate& edge : profile.edges) edge.cost = with_share(edge.cost);
    sort_by_cost(profile.edges);
    for (std::string& warning : edges.warnings()) profile.warnings.push_back(std::move(warning));
  }

  void loops(Profile& profile) {
    std::vector<Parts> parts(attribution_.loops.size());
    for (const LoopRun& run : attribution_.loop_runs)
      if (run.outermost) add_blocks(parts[run.loop], run.begin, run.end);
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const PassedLoop& loop = attribution_.loops[i];
      profile.loops.push_back({.function = loop.function,
                               .path = loop.path,
                               .line = loop.line,
                               .entries = loop.entries,
                               .passes = loop.passes,
                               .cost = estimate_of(parts[i])});
    }
    sort_by_cost(profile.loops);
  }

  template <class Item>
  static void sort_by_cost(std::vector<Item>& items) {
    std::ranges::stable_sort(items, [](const Item& a, const Item& b) {
      return std::tie(b.cost.ticks.value, a.path, a.line) < std::tie(a.cost.ticks.value, b.path, b.line);
    });
  }

  void paths(Profile& profile) const {
    for (const Way& way : ways_)
      profile.paths.push_back(
          {.rate = way.rate,
           .events = way.end(),
           .inputs = way.inputs,
           .total = &way == &ways_.front() ? profile.total : MeasuredWay(run_, way, way.inputs).total()});
  }

  void whole(Profile& profile) const {
    profile.total = with_share(profile.total);
    profile.entry = with_share(profile.entry);
    if (profile.total.rounds == 0 || profile.entry.rounds == 0) return;
    const double rest = profile.total.ticks.value - profile.entry.ticks.value - whole_;
    const Interval spread = usual_.between();
    profile.unattributed = {rest, rest + (spread.low - spread.value), rest + (spread.high - spread.value)};
  }

  void warn_of_ways(std::vector<std::string>& warnings) const {
    const Readings& about = usual_.about();
    std::set<std::uint32_t> traced;
    for (const Way& way : ways_) traced.insert(way.inputs.begin(), way.inputs.end());
    const auto untraced = std::ranges::count_if(
        data_.inputs, [&](const StoredInput& input) { return !traced.contains(input.index); });
    if (ways_.size() > 1)
      warnings.push_back(fmt::format(
          "the command takes {} paths: lines and functions are of the most frequent one, {:.0f} % "
          "of the traced runs; edges are of all",
          ways_.size(), 100 * ways_.front().rate));
    if (untraced > 0)
      warnings.push_back(
          fmt::format("{} of {} inputs have no path and are left out", untraced, data_.inputs.size()));
    if (about.untraced > 0)
      warnings.push_back(
          fmt::format("{} shots came on a path that no traced run took and are left out", about.untraced));
    if (about.other_status > 0)
      warnings.push_back(fmt::format("{} commands ended with another status than {:04X} and are left out",
                                     about.other_status, about.status));
  }

  /// A stop may leave the target so that the next ones get to their places sooner (a file stays open, and
  /// cannot be opened again). On the same path nothing else shows it.
  void warn_of_negative(Profile& profile) const {
    const auto is_beyond_noise = [&](const BlockEstimate& block) {
      const double half = block.cost.ticks.high;  // nothing more is left of what came out negative
      return std::isfinite(half) && -block.cost.raw > std::max(3 * half, negative_share * whole_);
    };
    const auto first = std::ranges::find_if(profile.blocks, is_beyond_noise);
    if (first == profile.blocks.end()) return;
    profile.warnings.push_back(fmt::format(
        "{} blocks came out negative far beyond their noise, first the one at {}:{}: a stop there seems to "
        "change what the next commands do, and times from there on are wrong; a session that undoes it "
        "(before_each, reset) may help",
        std::ranges::count_if(profile.blocks, is_beyond_noise), first->path, first->line));
  }

  void warn(Profile& profile) const {
    std::vector<std::string>& warnings = profile.warnings;
    warn_of_ways(warnings);
    warn_of_negative(profile);
    const std::size_t events = usual_.way().end();
    if (events == 0)
      warnings.emplace_back("the run has no path: nothing but the whole command is known");
    else if (std::ranges::all_of(profile.blocks, [](const auto& b) { return b.cost.rounds == 0; }))
      warnings.emplace_back("no block was measured yet");
    else if (std::ranges::all_of(profile.blocks, [](const auto& b) { return std::isinf(b.cost.ticks.high); }))
      warnings.push_back(
          fmt::format("{} rounds are too few for intervals; go on with `jcprof run`", profile.rounds));
    if (!profile.blocks.empty() && stretches_.all().front().begin > 0)
      warnings.emplace_back("the path's first events were not measured: what runs there counts as entry");
    const bool unwound = std::ranges::any_of(
        data_.calibrations, [](const auto& c) { return c.kind == "frames" || c.kind == "unwind"; });
    // There a stop is a longjmp, or the end of the process.
    const bool leaps = data_.map.language == "c" || data_.map.language == "c++";
    if (!data_.calibrations.empty() && !unwound && !leaps)
      warnings.emplace_back(
          "what a stop unwinds could not be calibrated: it makes lines in deep calls dear, and those behind "
          "them cheap");
    const double traps = static_cast<double>(events) * cost_.pass.value;
    if (whole_ > 0) profile.trap_share = traps / (whole_ + traps);
    if (profile.trap_share > dear_traps)
      warnings.push_back(
          fmt::format("the traps themselves take {:.0f} % of what is measured: profile fewer functions, or "
                      "a coarser level",
                      100 * profile.trap_share));
  }

  const RunData& data_;
  std::vector<Way> ways_;
  Samples samples_;
  TrapCost cost_;
  RunView run_;
  MeasuredWay usual_;  // the most frequent one
  const Stretches& stretches_;
  const Attribution& attribution_;
  std::vector<Parts> exclusive_;  // by function
  double whole_ = 0;              // sum of the blocks as measured
  double shared_ = 1;             // what shares are of
};

}  // namespace

Profile estimate(const RunData& data, double alpha) {
  return Estimator(data, alpha).profile();
}

}  // namespace jcprof::annotator
