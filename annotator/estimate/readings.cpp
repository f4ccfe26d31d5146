// SPDX-License-Identifier: Apache-2.0
#include "annotator/estimate/readings.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "annotator/estimate/path_matcher.hpp"
#include "src/engine/more_passes.hpp"

namespace jcprof::annotator {
namespace {

using engine::is_missing;
using engine::missing;

// A cell of the table that was asked for, and not had.
constexpr double in_vain = -std::numeric_limits<double>::infinity();
// A stop whose last shots were lost so often was given up: it would only part what was measured whole.
constexpr std::uint32_t losses_to_give_up = 2;
// One or two in a long run may come elsewhere by chance.
constexpr std::size_t fewest_elsewhere = 3;
constexpr std::size_t one_in_elsewhere = 20;

bool is_loss(const StoredSample& sample) {
  return sample.outcome == Outcome::lost || sample.outcome == Outcome::timed_out;
}

/// Rounds in twins: row 2n is an odd round, counted from 1, row 2n + 1 the one after it.
class Rows {
 public:
  explicit Rows(std::span<const StoredSample* const> samples) {
    for (const StoredSample* sample : samples)
      if (is_timed(*sample) && (pairs_.empty() || pairs_.back() != pair_of(sample->round)))
        pairs_.push_back(pair_of(sample->round));
    std::ranges::sort(pairs_);
    const auto again = std::ranges::unique(pairs_);
    pairs_.erase(again.begin(), again.end());
  }

  std::size_t count() const { return 2 * pairs_.size(); }

  std::optional<std::size_t> row(std::uint32_t round) {
    const std::uint32_t pair = pair_of(round);
    if (last_ >= pairs_.size() || pairs_[last_] != pair)
      last_ = static_cast<std::size_t>(std::ranges::lower_bound(pairs_, pair) - pairs_.begin());
    if (last_ == pairs_.size() || pairs_[last_] != pair) return std::nullopt;
    return 2 * last_ + (round - 1) % 2;
  }

 private:
  static std::uint32_t pair_of(std::uint32_t round) { return (round - 1) / 2; }

  std::vector<std::uint32_t> pairs_;
  std::size_t last_ = 0;  // samples come round by round
};

/// The rounds that asked for a stop.
struct Tries {
  std::size_t joined_after = 0;  // rounds
  std::size_t rounds = 0;
  std::size_t had = 0;  // of them

  double rate() const { return rounds == 0 ? 0 : static_cast<double>(had) / static_cast<double>(rounds); }
};

Tries tries_in(const std::vector<double>& column) {
  Tries tries{.joined_after = engine::joined_after(column)};
  for (const double value : column) {
    tries.rounds += is_missing(value) ? 0 : 1;
    tries.had += is_missing(value) || value == in_vain ? 0 : 1;
  }
  return tries;
}

class Table {
 public:
  Table(std::span<const StoredSample* const> samples, const ReadingScope& scope)
      : scope_(scope),
        path_(scope.path),
        digest_(path_, samples),
        rows_(samples),
        columns_(path_.end() + 1),
        losses_(path_.end() + 1),
        was_vague_(path_.end() + 1),
        asked_(path_.end() + 1),
        elsewhere_(path_.end() + 1) {
    for (const std::uint32_t input : scope.inputs) add_matcher(input);
    find_status(samples);
    for (const StoredSample* sample : samples) take(*sample);
  }

  Readings readings() {
    result_.is_vague.resize(path_.end() + 1);
    choose_stops();
    for (std::size_t i = 0; i <= path_.end(); ++i) {
      result_.is_vague[i] = was_vague_[i] && tries_[i].had == 0;
      result_.is_elsewhere.push_back(elsewhere_[i] >= fewest_elsewhere &&
                                     one_in_elsewhere * elsewhere_[i] > asked_[i]);
    }
    std::vector<bool> is_measured(rows_.count());
    std::vector<std::vector<double>> columns;
    for (const std::size_t stop : result_.stops) {
      std::vector<double>& column = columns_[stop];
      column.resize(rows_.count(), missing);
      auto& lost = result_.lost.emplace_back();
      for (std::uint32_t r = 0; r < column.size(); ++r) {
        if (!std::isinf(column[r])) {
          if (!is_missing(column[r])) is_measured[r] = true;
          continue;
        }
        lost.push_back(r);
        column[r] = missing;
      }
      columns.push_back(std::move(column));
    }
    result_.rounds = static_cast<std::uint32_t>(std::ranges::count(is_measured, true));
    result_.times = engine::Times(std::move(columns));
    return std::move(result_);
  }

 private:
  using Others = std::vector<const TakenPath*>;

  void add_matcher(std::uint32_t input) {
    Others others;
    for (const TakenPath& other : scope_.paths)
      if (&other != &path_ && std::ranges::binary_search(other.inputs, input)) others.push_back(&other);
    const auto matcher = matchers_.try_emplace(others, path_, others, digest_).first;
    matcher_of_.emplace(input, &matcher->second);
  }

  Match match(const StoredSample& sample, std::size_t position) const {
    return matcher_of_.at(sample.input)->match(sample, position);
  }

  /// A shot that missed its stop says nothing of the status: what stops leave behind may have made it fail.
  void find_status(std::span<const StoredSample* const> samples) {
    std::map<std::optional<std::uint32_t>, std::size_t> counts;
    for (const StoredSample* sample : samples)
      if (sample->asked.trap == run_to_end && is_timed(*sample) &&
          match(*sample, path_.end()) == Match::this_path)
        ++counts[sample->status];
    const auto most = std::ranges::max_element(counts, {}, [](const auto& entry) { return entry.second; });
    if (most != counts.end()) status_ = most->first;
    result_.status = status_.value_or(0);
  }

  void take(const StoredSample& sample) {
    const auto position = path_.position(sample.asked);
    const auto row = rows_.row(sample.round);
    if (!position || !row) return;
    const bool timed = is_timed(sample);
    ++asked_[*position];
    if (sample.outcome == Outcome::elsewhere) ++elsewhere_[*position];
    losses_[*position] = is_loss(sample) ? losses_[*position] + 1 : 0;
    double value = in_vain;
    if (timed) {
      const Match came = match(sample, *position);
      if (came == Match::vague) {
        was_vague_[*position] = true;
        return;
      }
      if (came == Match::untraced) ++result_.untraced;
      const bool is_good = *position != path_.end() || sample.status == status_;
      if (came == Match::this_path && is_good) value = corrected(sample, *position);
      if (came == Match::this_path && !is_good) ++result_.other_status;
    }
    std::vector<double>& column = columns_[*position];
    column.resize(rows_.count(), missing);
    column[*row] = value;
  }

  double corrected(const StoredSample& sample, std::size_t position) {
    if (taken_off_.empty()) taken_off_.resize(path_.end() + 1, missing);
    double& traps = taken_off_[position];
    if (is_missing(traps)) traps = cost_of(traps_at(position, path_, scope_.unwinding), scope_.cost);
    return static_cast<double>(sample.ticks) - traps;
  }

  /// Leaves out a stop that has far fewer values than stops before and behind it: it would cost its
  /// neighbours their rounds. Only rounds that asked for it count, as later rounds leave stops out on
  /// purpose. A stop that too few rounds asked for, as the zoom was broken off there, would part what is
  /// known as a whole. So would one that joined at the newest look, until there are a quarter more rounds.
  void choose_stops() {
    for (const std::vector<double>& column : columns_) tries_.push_back(tries_in(column));
    std::vector<double> behind(tries_.size() + 1, 0);
    for (std::size_t i = tries_.size(); i-- > 0;) behind[i] = std::max(behind[i + 1], tries_[i].rate());
    double before = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < path_.end(); ++i) {
      const double rate = tries_[i].rate();
      const bool is_seldom = 2 * rate < std::min(before, behind[i + 1]);
      const bool is_given_up = losses_[i] >= losses_to_give_up;
      if (rate == 0 || is_remnant(tries_[i]) || is_seldom || is_given_up) continue;
      before = result_.stops.empty() ? rate : std::max(before, rate);
      result_.stops.push_back(i);
    }
    result_.stops.push_back(path_.end());
  }

  bool is_remnant(const Tries& tries) const {
    if (tries_.back().rounds < scope_.fewest_rounds) return false;
    const bool is_exact = scope_.fewest_rounds == 1;
    const bool was_looked_at = is_exact || tries.joined_after < scope_.looked_at;
    return tries.rounds < scope_.fewest_rounds ||
           (!was_looked_at && !engine::counts_late(tries.joined_after, rows_.count()));
  }

  const ReadingScope& scope_;
  const TakenPath& path_;
  Digest digest_;
  Rows rows_;
  std::map<Others, PathMatcher> matchers_;
  std::unordered_map<std::uint32_t, const PathMatcher*> matcher_of_;
  std::optional<std::uint32_t> status_;
  std::vector<std::vector<double>> columns_;  // by position, then row; empty where nothing was asked for
  std::vector<std::uint32_t> losses_;         // by position: in a row, up to now
  std::vector<bool> was_vague_;
  std::vector<std::size_t> asked_;      // by position: shots,
  std::vector<std::size_t> elsewhere_;  // and those of them that stopped elsewhere
  std::vector<double> taken_off_;
  std::vector<Tries> tries_;  // by position
  Readings result_;
};

}  // namespace

Samples::Samples(const std::vector<StoredSample>& samples) : all_(samples) {
  for (std::uint32_t i = 0; i < samples.size(); ++i)
    if (samples[i].round != 0) by_input_[samples[i].input].push_back(i);
}

std::vector<const StoredSample*> Samples::of(std::span<const std::uint32_t> inputs,
                                             std::uint32_t first_round) const {
  std::vector<const StoredSample*> result;
  for (const std::uint32_t input : inputs)
    if (const auto found = by_input_.find(input); found != by_input_.end())
      for (const std::uint32_t i : found->second)
        if (all_[i].round >= first_round) result.push_back(&all_[i]);
  if (inputs.size() > 1) std::ranges::sort(result);
  return result;
}

Readings read(const Samples& samples, const ReadingScope& scope) {
  return Table(samples.of(scope.inputs, scope.first_round), scope).readings();
}

TrapCount traps_at(std::size_t position, const TakenPath& path, std::span<const Unwinding> unwinding) {
  // The armed trap counted its earlier passes; all others on the way passed unarmed.
  TrapCount result{.passes = static_cast<double>(position)};
  if (position == path.end()) return result;
  result.counted = path.events()[position].hit - 1;
  result.stops = 1;
  result.frames = unwinding[position].frames;
  result.guards = unwinding[position].guards;
  return result;
}

}  // namespace jcprof::annotator
