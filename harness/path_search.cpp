// SPDX-License-Identifier: Apache-2.0
#include "harness/path_search.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "src/core/path_signature.hpp"

namespace jcprof::harness {
namespace {

// A choice that was never seen cannot be tried: to meet one is worth more than the bits of a choice.
constexpr double bits_of_surprise = 8;
// Pieces less likely than these bits are not tried; about a second of a desktop computer.
constexpr std::array<double, 7> bits_tried{3, 8, 12, 15, 17, 19, 21};
constexpr std::uint64_t steps_of_decision = 10;
constexpr std::uint64_t most_steps = 3'000'000;
// A choice less likely than this is not tried: a loop would have one at each pass.
constexpr double least_chance = 1.0 / 256;
constexpr double least_cost = 1e-9;  // of a choice, in bits
// Repetitions are foretold as one where no other choice is tried.
constexpr std::uint32_t least_repetitions = 2;

/// Goes along a model; what is certain goes by itself.
class Way {
 public:
  struct LastChoice {
    std::uint32_t place = 0;
    std::int32_t frame = 0;
    std::size_t choice = 0;
    std::size_t at = 0;  // events before it
  };
  struct Mark {
    PathWalk::Mark walk;
    std::size_t events = 0;
    std::uint32_t signature = 0;
    LastChoice last;
  };

  Way(const PathModel& model, PathWalk& walk, std::uint64_t most_events, std::uint32_t signature)
      : model_(model), walk_(walk), most_(most_events), signature_(signature) {}

  Mark mark() const { return {walk_.mark(), events_.size(), signature_, last_}; }
  void undo_to(const Mark& mark) {
    walk_.undo_to(mark.walk);
    events_.resize(mark.events);
    signature_ = mark.signature;
    last_ = mark.last;
  }

  bool is_over() const { return events_.size() == most_; }
  std::size_t choices() const { return model_.choices_at(walk_); }
  double surprise() const { return model_.surprise(walk_); }
  PathModel::Chances chances() const { return model_.chances(walk_); }
  const std::vector<TrapId>& events() const { return events_; }
  std::uint32_t signature() const { return signature_; }
  std::uint64_t taken() const { return taken_; }

  void follow() {
    take(model_.choice(walk_, 0));
    model_.follow(walk_);
  }

  void choose(std::size_t n, double chance) {
    last_ = {.place = walk_.place(), .frame = walk_.frame(), .choice = n, .at = events_.size()};
    take(model_.choice(walk_, n));
    model_.choose(walk_, n, chance);
  }

  /// Goes round a loop as often as it was gone round before, if it has just gone round once with no other
  /// choice, and at most `most` times. Returns how often.
  std::uint32_t repeat(std::size_t n, double most) {
    if (last_.place != walk_.place() || last_.frame != walk_.frame() || last_.choice != n) return 0;
    const std::size_t pass = events_.size() - last_.at;
    const std::uint64_t room = (most_ - events_.size()) / pass;
    const auto times = static_cast<std::uint32_t>(
        std::min({static_cast<double>(room), most, static_cast<double>(model_.repetitions(walk_, n))}));
    if (times < least_repetitions) return 0;
    for (std::size_t i = 0; i < pass * times; ++i) take(events_[events_.size() - pass]);
    last_.at = events_.size() - pass;
    model_.repeat(walk_, n, times);
    return times;
  }

 private:
  void take(TrapId event) {
    ++taken_;
    events_.push_back(event);
    signature_ = path_signature({&event, 1}, signature_);
  }

  const PathModel& model_;
  PathWalk& walk_;
  std::uint64_t most_;
  std::vector<TrapId> events_;
  std::uint32_t signature_;
  std::uint64_t taken_ = 0;  // events in all
  LastChoice last_;
};

std::size_t likeliest(const PathModel::Chances& chances) {
  return static_cast<std::size_t>(std::ranges::max_element(chances) - chances.begin());
}

double entropy_of(const PathModel::Chances& chances) {
  double bits = 0;
  for (const double chance : chances)
    if (chance > 0) bits -= chance * std::log2(chance);
  return bits;
}

/// All pieces of a length that are likely enough, depth first.
class Enumeration {
 public:
  Enumeration(Way& way, const Piece& piece) : way_(way), piece_(piece) {}

  Search run(double depth) {
    search_ = {};
    depth_ = depth;
    spent_ = 0;
    branches_.clear();
    const Way::Mark start = way_.mark();
    for (bool goes_on = true; goes_on && !is_exhausted() && search_.tried <= piece_.most_tried;) {
      descend();
      goes_on = back();
    }
    way_.undo_to(start);
    return std::move(search_);
  }
  bool is_exhausted() const { return way_.taken() + steps_of_decision * decisions_ >= most_steps; }

 private:
  struct Alternative {
    std::size_t choice = 0;
    double chance = 0;
  };
  struct Branch {
    Way::Mark mark;
    double spent = 0;
    std::vector<Alternative> left;  // the likeliest last
  };

  /// To the end of a piece, or to where none goes on.
  void descend() {
    while (!way_.is_over()) {
      if (is_exhausted()) return;
      const std::size_t choices = way_.choices();
      if (choices == 0) return;
      if (choices == 1) {
        way_.follow();
        continue;
      }
      ++decisions_;
      if (!decide()) return;
    }
    ++search_.tried;
    if (way_.signature() != piece_.behind.signature) return;
    ++search_.of_signature;
    const bool is_mixed = piece_.before.mix && piece_.behind.mix;
    if (!is_mixed || path_mix(way_.events(), *piece_.before.mix) == *piece_.behind.mix)
      search_.found.push_back(way_.events());
  }

  bool decide() {
    const PathModel::Chances chances = way_.chances();
    std::vector<Alternative> allowed;
    for (std::size_t n = 0; n < chances.size(); ++n)
      if (chances[n] > least_chance && spent_ - std::log2(chances[n]) <= depth_)
        allowed.push_back({n, chances[n]});
    if (allowed.empty()) return false;
    std::ranges::sort(allowed, {}, &Alternative::chance);
    const Alternative first = allowed.back();
    allowed.pop_back();
    if (allowed.empty()) {
      if (const std::uint32_t times =
              way_.repeat(first.choice, (depth_ - spent_) / std::max(-std::log2(first.chance), least_cost));
          times > 0) {
        spent_ -= times * std::log2(first.chance);
        return true;
      }
    } else {
      branches_.push_back({way_.mark(), spent_, std::move(allowed)});
    }
    take(first);
    return true;
  }

  void take(const Alternative& one) {
    spent_ -= std::log2(one.chance);
    way_.choose(one.choice, one.chance);
  }

  bool back() {
    if (branches_.empty()) return false;
    Branch& branch = branches_.back();
    way_.undo_to(branch.mark);
    spent_ = branch.spent;
    const Alternative next = branch.left.back();
    branch.left.pop_back();
    if (branch.left.empty()) branches_.pop_back();
    take(next);
    return true;
  }

  Way& way_;
  const Piece& piece_;
  double depth_ = 0;
  double spent_ = 0;
  std::uint64_t decisions_ = 0;
  std::vector<Branch> branches_;
  Search search_;
};

}  // namespace

Outlook look_ahead(const PathModel& model, PathWalk& walk, std::uint64_t most_events, double bits) {
  const PathWalk::Mark start = walk.mark();
  Way way(model, walk, most_events, 0);
  Outlook outlook;
  while (!way.is_over() && way.choices() > 0) {
    double doubt = bits_of_surprise * way.surprise();
    if (way.choices() == 1) {
      if (outlook.bits + doubt > bits) break;
      way.follow();
    } else {
      const PathModel::Chances chances = way.chances();
      const std::size_t n = likeliest(chances);
      doubt += entropy_of(chances);
      if (outlook.bits + doubt > bits) break;
      const std::uint32_t times = way.repeat(n, (bits - outlook.bits) / doubt);
      doubt *= std::max(times, 1U);
      if (times == 0) way.choose(n, chances[n]);
    }
    outlook.bits += doubt;
  }
  outlook.events = way.events().size();
  walk.undo_to(start);
  return outlook;
}

Search search(const PathModel& model, PathWalk& walk, const Piece& piece) {
  Way way(model, walk, piece.events, piece.before.signature);
  Enumeration enumeration(way, piece);
  Search search;
  for (const double depth : bits_tried) {
    search = enumeration.run(depth);
    if (!search.found.empty() || search.tried > piece.most_tried || enumeration.is_exhausted()) break;
  }
  return search;
}

}  // namespace jcprof::harness
