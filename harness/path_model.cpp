// SPDX-License-Identifier: Apache-2.0
#include "harness/path_model.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <string_view>
#include <utility>

namespace jcprof::harness {
namespace {

// A choice that was this likely tells nothing of the next ones.
constexpr double expected = 0.9;
// With each choice, an expert's record fades by this factor.
constexpr double memory = 0.95;
// An expert whose choices took this many more bits than those of the best one is not asked.
constexpr double far_behind = 6;
constexpr double furthest_behind = 20;
// So many sightings a choice has before it is seen (Krichevsky and Trofimov 1981 have 1/2).
constexpr double unseen = 0.4;
// How many of the last uncertain choices the last experts go by.
constexpr std::array<std::size_t, 6> orders{1, 2, 3, 4, 6, 9};
constexpr std::size_t first_order = 7;
constexpr std::int64_t longest_gap = 1'000;
constexpr std::uint16_t most_counted = 50'000;

std::uint64_t mixed(std::uint64_t seed, std::uint64_t value) {
  std::uint64_t z = (seed ^ value) * 0x9E3779B97F4A7C15ULL;
  z ^= z >> 32U;
  return z * 0xD6E8FEB86659FD93ULL ^ z >> 29U;
}

std::uint64_t pair_of(TrapId a, TrapId b) {
  return static_cast<std::uint64_t>(number(a)) << 32U | number(b);
}

std::uint64_t compared(std::int64_t a, std::int64_t b) {
  if (a == b) return 1;
  return a < b ? 0 : 2;
}

}  // namespace

std::vector<TrapRole> roles_of(const TrapMap& map) {
  std::map<std::pair<std::string_view, std::string_view>, std::uint32_t> functions;
  std::vector<TrapRole> roles;
  for (const Trap& trap : map.traps) {
    const auto function =
        functions.try_emplace({trap.path, trap.function}, static_cast<std::uint32_t>(functions.size()) + 1);
    roles.push_back({.function = function.first->second,
                     .enters = trap.kind == TrapKind::entry,
                     .leaves = trap.kind == TrapKind::returns || trap.kind == TrapKind::exit});
  }
  return roles;
}

void PathWalk::undo_to(const Mark& mark) {
  for (; changes_.size() > mark.changes; changes_.pop_back())
    gaps_[changes_.back().place] = changes_.back().gaps;
  frames_.resize(mark.frames);
  choices_.resize(mark.choices);
  top_ = mark.top;
  last_ = mark.last;
  place_ = mark.place;
}

PathModel::PathModel(std::vector<TrapRole> roles) : roles_(std::move(roles)), places_(1) {}

TrapRole PathModel::role_of(TrapId trap) const {
  const std::size_t at = number(trap) - 1;
  return at < roles_.size() ? roles_[at] : TrapRole{};
}

/// Returns the trap from which the event's call was made. Calls are known by the functions of traps: an
/// exception leaves several at once and passes no trap.
TrapId PathModel::enter(PathWalk& walk, TrapId event) const {
  const TrapRole role = role_of(event);
  std::int32_t at = role.enters ? -1 : walk.top_;
  while (at >= 0 && walk.frame_at(at).function != role.function) at = walk.frame_at(at).parent;
  if (at < 0) {
    at = static_cast<std::int32_t>(walk.frames_.size());
    walk.frames_.push_back({.function = role.function, .call = walk.last_, .parent = walk.top_, .first = at});
  }
  const PathWalk::Frame& frame = walk.frame_at(at);
  walk.top_ = role.leaves ? frame.parent : at;
  walk.last_ = event;
  const auto place = place_of_.find(pair_of(event, frame.call));
  walk.place_ = place == place_of_.end() ? nowhere : place->second;
  return frame.call;
}

std::uint32_t PathModel::new_place(TrapId trap, TrapId call) {
  const auto at = static_cast<std::uint32_t>(places_.size());
  place_of_.emplace(pair_of(trap, call), at);
  places_of_trap_[trap].push_back(at);
  Place& place = places_.emplace_back();
  // A return leads to where the call came from; all else is the same wherever that was.
  if (!role_of(trap).leaves)
    for (const TrapId next : followers_[trap]) (void)choice_of(place, next);
  return at;
}

std::size_t PathModel::choice_of(Place& place, TrapId next) {
  const auto found = std::ranges::find(place.choices, next, &Choice::next);
  if (found != place.choices.end()) return static_cast<std::size_t>(found - place.choices.begin());
  // The last choice stands for all beyond the limit.
  if (place.choices.size() == most_choices)
    place.choices.back().next = next;
  else
    place.choices.push_back({.next = next});
  return place.choices.size() - 1;
}

void PathModel::learn_piece(std::span<const TrapId> events) {
  for (std::size_t i = 1; i < events.size(); ++i) {
    const TrapId trap = events[i - 1];
    std::vector<TrapId>& followers = followers_[trap];
    if (std::ranges::find(followers, events[i]) != followers.end()) continue;
    followers.push_back(events[i]);
    if (role_of(trap).leaves) continue;
    for (const std::uint32_t place : places_of_trap_[trap]) (void)choice_of(places_[place], events[i]);
  }
}

void PathModel::learn(PathWalk& walk, TrapId event) {
  if (walk.place_ != nowhere) {
    learn_piece(std::array{walk.last_, event});
    Place& place = places_[walk.place_];
    const std::size_t chosen = choice_of(place, event);
    const bool is_surprise = place.choices[chosen].seen == 0;
    if (place.seen > 0) {
      surprises_due_ += 1.0 / static_cast<double>(place.seen + 1);
      surprises_ += is_surprise ? 1 : 0;
    }
    if (place.choices.size() > 1) note(walk, chosen, judge_experts(walk, chosen));
    ++place.choices[chosen].seen;
    ++place.seen;
  }
  const TrapId call = enter(walk, event);
  if (walk.place_ == nowhere) walk.place_ = new_place(event, call);
  walk.gaps_.resize(places_.size());
  walk.changes_.clear();
}

double PathModel::surprise(const PathWalk& walk) const {
  const Place& place = places_[walk.place_];
  const double rate = std::min(1.0, surprises_ / surprises_due_);
  return rate / static_cast<double>(place.seen + 1);
}

PathModel::Chances PathModel::plain_chances(const Place& place) {
  Chances chances{};
  const double all = static_cast<double>(place.seen) + unseen * static_cast<double>(place.choices.size());
  for (std::size_t i = 0; i < place.choices.size(); ++i) chances[i] = (place.choices[i].seen + unseen) / all;
  return chances;
}

/// By what was chosen whenever the key was the same.
PathModel::Chances PathModel::chances_by(const Chances& plain, std::uint64_t key) const {
  const auto counts = counts_.find(key);
  if (counts == counts_.end()) return plain;
  Chances chances{};
  const double all = 1 + std::accumulate(counts->second.begin(), counts->second.end(), 0.0);
  for (std::size_t i = 0; i < most_choices; ++i) chances[i] = (counts->second[i] + plain[i]) / all;
  return chances;
}

/// The keys by which experts look up choices.
PathModel::Keys PathModel::keys_of(const PathWalk& walk) const {
  const Place& place = places_[walk.place_];
  const PathWalk::Gaps gaps = gaps_at(walk);
  const std::size_t rare = place.rarer();
  const std::int64_t now = gaps.now[rare];
  const std::int64_t last = gaps.last[rare];
  const std::int64_t before = gaps.before[rare];
  const PathWalk::Frame frame = walk.top_ < 0 ? PathWalk::Frame{} : walk.frame_at(walk.top_);
  Keys keys{0,
            static_cast<std::uint64_t>(std::min<std::int64_t>(now, longest_gap)),
            compared(now, last),
            compared(now, 2 * last - before),
            gaps.call == frame.first ? gaps.visits : 0,
            frame.digest,
            frame.rare};
  std::uint64_t digest = 0;
  std::size_t taken = 0;
  for (std::size_t i = 0; i < orders.size(); ++i) {
    for (; taken < std::min(orders[i], walk.choices_.size()); ++taken)
      digest = mixed(digest, walk.choices_[walk.choices_.size() - 1 - taken]);
    keys[first_order + i] = digest;
  }
  for (std::size_t i = 0; i < experts; ++i) keys[i] = mixed(mixed(walk.place_ * experts + i, 1), keys[i]);
  return keys;
}

/// `by`: the chances by an expert. Experts that are far behind are not asked.
template <class By>
PathModel::Chances PathModel::weighed(const Place& place, By by) {
  const double best = std::ranges::min(place.costs);
  Chances mean{};
  double weights = 0;
  for (std::size_t i = 0; i < experts; ++i) {
    const double behind = place.costs[i] - best;
    if (behind > far_behind) continue;
    const double weight = std::exp2(-behind);
    const Chances chances = by(i);
    for (std::size_t n = 0; n < place.choices.size(); ++n) mean[n] += weight * chances[n];
    weights += weight;
  }
  for (double& chance : mean) chance /= weights;
  return mean;
}

PathModel::Chances PathModel::chances(const PathWalk& walk) const {
  const Place& place = places_[walk.place_];
  const Chances plain = plain_chances(place);
  const Keys keys = keys_of(walk);
  return weighed(place, [&](std::size_t i) { return i == 0 ? plain : chances_by(plain, keys[i]); });
}

/// Returns how likely it was by all experts together, before they learn of it.
double PathModel::judge_experts(const PathWalk& walk, std::size_t chosen) {
  Place& place = places_[walk.place_];
  const Chances plain = plain_chances(place);
  const Keys keys = keys_of(walk);
  std::array<Chances, experts> by;
  for (std::size_t i = 0; i < experts; ++i) by[i] = i == 0 ? plain : chances_by(plain, keys[i]);
  const double chance = weighed(place, [&](std::size_t i) { return by[i]; })[chosen];
  for (std::size_t i = 0; i < experts; ++i) {
    place.costs[i] = (chance > expected ? 1 : memory) * place.costs[i] - std::log2(by[i][chosen]);
    std::uint16_t& count = counts_[keys[i]][chosen];
    if (count < most_counted) ++count;
  }
  // An expert that was wrong for long can still recover.
  const double best = std::ranges::min(place.costs);
  for (double& cost : place.costs) cost = std::min(cost - best, furthest_behind);
  return chance;
}

PathWalk::Gaps PathModel::gaps_at(const PathWalk& walk) const {
  const PathWalk::Gaps& gaps = walk.gaps_[walk.place_];
  if (gaps.is_set) return gaps;
  // Nothing was noted while there was one choice.
  const std::vector<Choice>& choices = places_[walk.place_].choices;
  return {.now = {0, choices[1].seen == 0 ? choices[0].seen : 0}, .is_set = true};
}

void PathModel::note(PathWalk& walk, std::size_t n, double chance) const {
  walk.changes_.push_back({walk.place_, walk.gaps_[walk.place_]});
  PathWalk::Gaps gaps = gaps_at(walk);
  for (std::size_t i = 0; i < gaps.now.size(); ++i) {
    if (i != n) {
      ++gaps.now[i];
      continue;
    }
    gaps.before[i] = gaps.last[i];
    gaps.last[i] = gaps.now[i];
    gaps.now[i] = 0;
  }
  const std::int32_t call = walk.top_ < 0 ? -1 : walk.frame_at(walk.top_).first;
  gaps.visits = gaps.call == call ? gaps.visits + 1 : 1;
  gaps.call = call;
  walk.gaps_[walk.place_] = gaps;
  const bool is_expected = chance > expected;
  const bool is_rare = places_[walk.place_].choices[n].seen * std::uint64_t{2} < places_[walk.place_].seen;
  const auto made = static_cast<std::uint32_t>(std::uint64_t{walk.place_} * most_choices + n);
  if (!is_expected) walk.choices_.push_back(made);
  if (walk.top_ < 0 || (is_expected && !is_rare)) return;
  PathWalk::Frame frame = walk.frame_at(walk.top_);
  if (!is_expected) frame.digest = static_cast<std::uint32_t>(mixed(frame.digest, made));
  if (is_rare) frame.rare = made;
  walk.top_ = static_cast<std::int32_t>(walk.frames_.size());
  walk.frames_.push_back(frame);
}

void PathModel::choose(PathWalk& walk, std::size_t n, double chance) const {
  const TrapId next = choice(walk, n);
  note(walk, n, chance);
  (void)enter(walk, next);
}

std::uint32_t PathModel::repetitions(const PathWalk& walk, std::size_t n) const {
  const std::size_t rare = places_[walk.place_].rarer();
  const PathWalk::Gaps gaps = gaps_at(walk);
  const bool is_steady = gaps.last[rare] == gaps.before[rare];
  return n != rare && is_steady && gaps.last[rare] > gaps.now[rare] ? gaps.last[rare] - gaps.now[rare] - 1
                                                                    : 0;
}

void PathModel::repeat(PathWalk& walk, std::size_t n, std::uint32_t times) const {
  walk.changes_.push_back({walk.place_, walk.gaps_[walk.place_]});
  PathWalk::Gaps gaps = gaps_at(walk);
  for (std::size_t i = 0; i < gaps.now.size(); ++i)
    if (i != n) gaps.now[i] += times;
  gaps.visits += times;
  walk.gaps_[walk.place_] = gaps;
}

}  // namespace jcprof::harness
