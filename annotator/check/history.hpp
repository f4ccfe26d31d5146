// SPDX-License-Identifier: Apache-2.0
// Series of a history file, and where their levels change. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "annotator/check/check.hpp"
#include "src/core/history.hpp"
#include "src/engine/statistics.hpp"

namespace jcprof::annotator {

/// The values that a history keeps of sessions of one build: the mean of each subject over the sessions that
/// know it.
/// The intervals tell the noise within sessions alone.
std::vector<HistoryValue> history_values(const std::vector<std::vector<Checked>>& sessions);

struct HistoryPoint {
  std::string started;
  std::string label;
  std::uint32_t build = 0;
  Interval measured;  // 95 %, in the unit of the series
};

struct LevelChange {
  std::size_t entry = 0;  // the first point of the new level
  double before = 0;      // means of the levels
  double after = 0;
  Interval change;  // 95 %, a part of `before`; NaN if that is 0
};

/// One subject on one device, in one unit. All points belong to one level up to the first change.
struct HistorySeries {
  std::string project;
  std::string device;
  bool simulated = false;
  std::string subject;
  std::string unit;
  std::vector<HistoryPoint> points;  // in the order of their starts
  double scatter = 0;                // standard deviation beyond the intervals, a part of the mean
  std::vector<LevelChange> changes;
};

/// Binary segmentation (Scott & Knott 1974; Vostrikova 1981) by weighted means, with a permutation test of
/// each division (Matteson & James 2014). In simulations in which nothing changes, less than one history in
/// twenty names a change in any of sixty looks, one after each entry. Entries of a level must differ at
/// random. Series without any noise change wherever two values differ.
std::vector<HistorySeries> series_in(const std::vector<HistoryEntry>& entries);

}  // namespace jcprof::annotator
