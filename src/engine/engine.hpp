// SPDX-License-Identifier: Apache-2.0
// Decides which shots come next and when enough is known. A state machine without a clock or a device: ask
// for a batch, make its shots, hand the readings back, until it is done. The same seed and readings give the
// same batches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "src/engine/assumptions.hpp"
#include "src/engine/batch.hpp"
#include "src/engine/columns.hpp"
#include "src/engine/look.hpp"
#include "src/engine/memory.hpp"
#include "src/engine/more_passes.hpp"
#include "src/engine/pilot.hpp"
#include "src/engine/schedule.hpp"
#include "src/engine/settlement.hpp"
#include "src/engine/times.hpp"
#include "src/engine/zoom.hpp"

namespace jcprof::engine {

struct Settings {
  std::size_t stops = 0;                   // of the path, the end of the command included; at least 2
  std::vector<std::uint32_t> groups = {};  // of each block; see look()
  std::vector<bool> alone = {};            // of each block: zoom is not to leave it in a segment
  // Of each block: blocks of one number are passes of one edge, those of 0 hold several. Empty: all differ.
  std::vector<std::uint32_t> edges = {};
  // Each stop's sample. Rounds begin with the stops of sample 0. A stop of another sample joins once a figure
  // needs more passes of its edge. Empty: all stops are measured.
  std::vector<std::uint32_t> samples = {};
  Precision precision = {};
  std::uint64_t seed = 1;
  std::uint32_t most_rounds = 1000;  // beside those of earlier calls
  bool fixed = false;                // each stop in so many rounds, earlier ones included, whatever is known
  std::optional<double> zoom = {};   // find the blocks of at least this share first, and measure those
  double ns_per_tick = 1;            // 0: ticks are not time, and nothing is paused
  bool exact = false;                // the clock repeats itself
  FigureSource figures = {};         // that are to be settled; nothing: blocks are
};

/// The measurement of this path so far, by engines of earlier calls. Their seed, precision and zoom do not
/// matter, and neither do the stops that they asked for.
struct EarlierRounds {
  Pilot pilot = {};
  Clock clock = {};                        // by the newest look: rounds under a coarse one were paused for it
  std::vector<RoundReadings> rounds = {};  // from round 1 on. Rounds 2n - 1 and 2n are twins; one without
                                           // readings was not made, and keeps its place
  std::size_t prepared_from = no_round;    // before each stop of these there was a whole command
  static constexpr std::size_t no_round = std::numeric_limits<std::size_t>::max();
};

class Engine {
 public:
  explicit Engine(Settings settings);

  /// The same until `take`; Phase::done once nothing more is wanted.
  const Batch& next() const { return batch_; }
  /// One reading a shot of next(), in its order.
  void take(std::span<const Reading> readings);

  /// That stop cannot be measured: it is left out from now on.
  void give_up(std::size_t stop);
  /// The target may have cooled down between the rounds so far and the next one.
  void warm_up_again();
  /// Measures, though nobody has seen the target steady: there is no time left to wait for that.
  void give_up_warm_up();
  /// Instead of the first warm-up, before anything is taken. The table of times is made of these rounds as if
  /// they had been taken here. Looks come after as many rounds as ever, so that instalments add none. Only
  /// the newest of them says whether this is enough.
  void resume_from(const EarlierRounds& earlier);

  /// Everything is done, and this call may make further rounds.
  bool can_look_again() const;
  /// Looks once more at the readings so far, whose figures are known better by now: what seemed out of reach
  /// may be measured after all.
  void look_again();

  /// The findings of the first warm-up; nothing before its end.
  const std::optional<Pilot>& pilot() const { return pilot_; }
  /// One was given up from outside.
  bool has_cut_warm_up() const { return has_cut_warm_up_; }
  /// The newest look, if there was one. Once everything is done it is one at the rounds from first_round()
  /// on, but for a zoom that was broken off, and its blocks lie between those stops() that it knew.
  const std::optional<Look>& look() const { return look_; }
  /// What that look knows of the lines and functions; nothing where none are asked for, and while it zooms.
  const std::vector<FigureLook>& figures() const { return figures_; }
  /// True if a whole command comes before each stop of the rounds to come. Measuring begins again in that
  /// way once the command before moves times. It stays so, and the command before is always the same. It may
  /// take `most_rounds` beside the rounds before.
  bool is_prepared() const { return is_prepared_; }
  /// What these rounds say against that which measuring takes for granted; nothing before the first look.
  Assumptions assumptions() const;
  /// How many there were, in all phases.
  std::size_t looks() const { return looks_; }
  /// Shots until everything is settled, by what the newest look knows; 0 before it. Half widths shrink with
  /// the root of the rounds.
  std::uint64_t shots_left() const;
  /// How the times of the rounds from first_round() on are to be read.
  Clock clock() const { return clock_; }
  /// Earlier rounds were for finding out: they are not part of the result. Rounds of the zoom are part of it
  /// until there is a look at those behind it.
  std::uint32_t first_round() const { return first_round_; }
  /// The stops that rounds of this level of the zoom, or behind it, are made of, ascending.
  const std::vector<std::size_t>& stops() const { return columns_.stops; }
  /// The readings of these rounds at these stops.
  const Times& times() const { return columns_.times; }

 private:
  void begin_warm_up();
  void end_warm_up();
  void begin_measuring(const Pilot& pilot);
  void begin_level();
  void begin_again();
  void end_warm_up_again();
  bool is_known(const EarlierRounds& earlier, std::size_t round) const;
  void join_those_of(const RoundReadings& round);
  void enter(const RoundReadings& round);
  void take_warm_up(std::span<const Reading> readings);
  void take_round(std::span<const Reading> readings);
  void take_look();
  bool is_settled() const;
  bool is_fully_measured() const;
  bool is_last_round() const;
  std::uint32_t rounds_of_call() const;
  double rounds_left() const;
  double shot_overhead() const;
  double shots_a_stop() const { return is_prepared_ ? 1 + wholes_a_stop : 1; }
  bool finds_coarse_clock();
  std::uint32_t each_wanted() const;
  std::uint32_t looks_from() const;
  bool is_look_due() const;
  std::uint32_t rounds_of_joining() const;
  bool can_passes_join() const;
  void note_more_passes(std::vector<Figure>& figures) const;
  std::vector<std::size_t> wanted_passes(std::span<const FigureLook> figures) const;
  void count_wanted_passes();
  void join_passes();
  void join(const std::vector<std::size_t>& stops);
  void renumber_figures(const std::vector<std::size_t>& before);
  void note_far_twins(const RoundReadings& round);
  void note_wholes_ahead(const RoundReadings& round);
  Memory found_memory() const;
  bool needs_prepared() const { return memory_.moves > 0 && !is_prepared_; }
  void begin_prepared();
  void take_zoom();
  void open_unsettled();
  void open_unfinished();
  void open_for_gain();
  std::optional<std::size_t> preparing_stop(std::span<const std::size_t> wanted, std::size_t at) const;
  void plan();
  std::size_t first_stop() const;
  std::int64_t draw_pause();

  Settings settings_;
  Phase phase_ = Phase::warm_up;
  Phase resumed_ = Phase::rounds;  // after a warm-up between rounds
  Batch batch_;

  PilotRun pilot_run_;
  std::optional<Pilot> pilot_;
  bool has_cut_warm_up_ = false;
  double longest_pause_ = 0;  // ticks
  std::uint64_t pauses_ = 0;  // drawn

  Clock clock_;
  MorePasses passes_;
  std::optional<Zoom> zoom_;
  std::set<std::size_t> gone_;  // stops that cannot be measured
  std::uint32_t round_ = 0;     // the last one
  std::uint32_t earlier_ = 0;   // rounds of earlier calls, and those before prepared ones
  bool is_resuming_ = false;    // they are being entered
  bool is_enough_ = false;      // by the newest look at this level
  bool is_prepared_ = false;    // a whole command comes before each stop
  std::vector<FarTwin> far_twins_;
  std::map<std::size_t, PreparedReading> first_twin_;  // by stop
  std::vector<double> longer_behind_one_;              // by pair of twins
  Memory memory_;                                      // by the newest look
  std::uint32_t first_round_ = 1;
  std::uint32_t first_of_level_ = 1;
  std::uint32_t next_look_ = first_look;
  std::optional<Look> look_;
  std::vector<FigureLook> figures_;
  std::size_t looks_ = 0;
  std::vector<double> raw_;  // the first readings, in which a tick of the clock shows
  Columns columns_;
};

}  // namespace jcprof::engine
