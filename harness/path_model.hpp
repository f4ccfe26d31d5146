// SPDX-License-Identifier: Apache-2.0
// A model of the order in which a command passes its traps: which one follows which, and what foretold the
// choice between several so far. Learns from paths that were seen. Asks nobody, and decides on nothing that
// is certain.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "src/core/trap_map.hpp"
#include "src/core/types.hpp"

namespace jcprof::harness {

/// The role of a trap in calls.
struct TrapRole {
  std::uint32_t function = 0;
  bool enters = false;
  bool leaves = false;
};
/// By number of trap, from 1 on.
std::vector<TrapRole> roles_of(const TrapMap& map);

class PathModel;

/// A way along a path. All steps behind a mark can be undone.
class PathWalk {
 public:
  struct Mark {
    std::int32_t top = -1;
    TrapId last = run_to_end;
    std::uint32_t place = 0;
    std::size_t frames = 0;
    std::size_t changes = 0;
    std::size_t choices = 0;
  };

  Mark mark() const { return {top_, last_, place_, frames_.size(), changes_.size(), choices_.size()}; }
  void undo_to(const Mark& mark);
  std::uint32_t place() const { return place_; }
  std::int32_t frame() const { return top_; }

 private:
  friend class PathModel;

  /// A call under way. Never changed: what is chosen in it makes another one.
  struct Frame {
    std::uint32_t function = 0;
    TrapId call = run_to_end;  // the event before its first one
    std::int32_t parent = -1;
    std::int32_t first = -1;   // the frame that it was at first
    std::uint32_t digest = 0;  // of the uncertain choices that were made in it
    std::uint32_t rare = 0;    // the last choice made in it that is seldom made
  };
  /// How long two choices at a place were not made: now, and before they were made the last two times.
  struct Gaps {
    std::array<std::uint32_t, 2> now{};
    std::array<std::uint32_t, 2> last{};
    std::array<std::uint32_t, 2> before{};
    std::int32_t call = -1;    // that was under way
    std::uint32_t visits = 0;  // during that call
    bool is_set = false;
  };
  struct Change {
    std::uint32_t place = 0;
    Gaps gaps;
  };

  const Frame& frame_at(std::int32_t at) const { return frames_[static_cast<std::size_t>(at)]; }

  std::int32_t top_ = -1;
  TrapId last_ = run_to_end;
  std::uint32_t place_ = 0;
  std::vector<Frame> frames_;
  std::vector<Gaps> gaps_;  // by place
  std::vector<Change> changes_;
  std::vector<std::uint32_t> choices_;  // uncertain ones
};

class PathModel {
 public:
  static constexpr std::size_t most_choices = 8;
  using Chances = std::array<double, most_choices>;

  explicit PathModel(std::vector<TrapRole> roles = {});

  /// One more event of a path that is known from its beginning on.
  void learn(PathWalk& walk, TrapId event);
  /// Events in a row; those before them are unknown.
  void learn_piece(std::span<const TrapId> events);

  /// The number of traps that may follow, where the walk is: 0 where none was seen to.
  std::size_t choices_at(const PathWalk& walk) const { return places_[walk.place_].choices.size(); }
  TrapId choice(const PathWalk& walk, std::size_t n) const { return places_[walk.place_].choices[n].next; }
  /// How likely each choice is; they sum to 1.
  Chances chances(const PathWalk& walk) const;
  /// How likely it is that something follows that was never seen there.
  double surprise(const PathWalk& walk) const;

  /// Goes on by the only choice that there is.
  void follow(PathWalk& walk) const { (void)enter(walk, choice(walk, 0)); }
  /// Goes on by one of several, which had this chance.
  void choose(PathWalk& walk, std::size_t n, double chance) const;
  /// How often the choice will be made again behind this time, if all is as it was the last two times.
  std::uint32_t repetitions(const PathWalk& walk, std::size_t n) const;
  /// Goes on as if the choice had been made that often, and had led back here.
  void repeat(PathWalk& walk, std::size_t n, std::uint32_t times) const;

 private:
  static constexpr std::uint32_t nowhere = 0;  // a place that has no choices
  static constexpr std::size_t experts = 13;
  using Keys = std::array<std::uint64_t, experts>;
  using Counts = std::array<std::uint16_t, most_choices>;

  struct Choice {
    TrapId next{};
    std::uint32_t seen = 0;
  };
  /// A trap, in calls from one place.
  struct Place {
    /// The less frequent of the first two choices. The time since it was made tells loops.
    std::size_t rarer() const { return choices[1].seen <= choices[0].seen ? 1 : 0; }

    std::uint64_t seen = 0;
    std::vector<Choice> choices = {};
    std::array<double, experts> costs{};  // bits that each expert needed lately
  };

  TrapRole role_of(TrapId trap) const;
  TrapId enter(PathWalk& walk, TrapId event) const;
  std::uint32_t new_place(TrapId trap, TrapId call);
  static std::size_t choice_of(Place& place, TrapId next);
  PathWalk::Gaps gaps_at(const PathWalk& walk) const;
  void note(PathWalk& walk, std::size_t n, double chance) const;
  Keys keys_of(const PathWalk& walk) const;
  static Chances plain_chances(const Place& place);
  Chances chances_by(const Chances& plain, std::uint64_t key) const;
  template <class By>
  static Chances weighed(const Place& place, By by);
  double judge_experts(const PathWalk& walk, std::size_t chosen);

  std::vector<TrapRole> roles_;
  std::vector<Place> places_;
  std::unordered_map<std::uint64_t, std::uint32_t> place_of_;  // by trap and call
  std::unordered_map<TrapId, std::vector<std::uint32_t>> places_of_trap_;
  std::unordered_map<TrapId, std::vector<TrapId>> followers_;
  std::unordered_map<std::uint64_t, Counts> counts_;  // of choices, by what an expert goes by
  double surprises_ = 1;                              // choices that were seen for the first time
  double surprises_due_ = 1;                          // if each place had one by the law of succession
};

}  // namespace jcprof::harness
