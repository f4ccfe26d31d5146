// SPDX-License-Identifier: Apache-2.0
// An interval in the JSON of exports: {"value": 4, "low": 3.5, "high": 4.5}, null for ends that are not
// known.
#pragma once

#include <cmath>

#include <nlohmann/json.hpp>

#include "annotator/estimate/estimates.hpp"

namespace jcprof::annotator {

inline nlohmann::ordered_json finite_json(double value) {
  return std::isfinite(value) ? nlohmann::ordered_json(value) : nlohmann::ordered_json(nullptr);
}

inline nlohmann::ordered_json interval_json(const Interval& interval) {
  return {
      {"value", interval.value}, {"low", finite_json(interval.low)}, {"high", finite_json(interval.high)}};
}

/// "ticks", "share" and "resolved" for an item. An unreliable one has no values, and says so.
inline void add_cost(nlohmann::ordered_json& item, const Estimate& cost) {
  item["ticks"] = interval_json(cost.ticks);
  item["share"] = interval_json(cost.share);
  item["resolved"] = cost.resolved;
  if (!cost.unreliable) return;
  item["ticks"]["value"] = item["share"]["value"] = nullptr;
  item["unreliable"] = true;
}

}  // namespace jcprof::annotator
