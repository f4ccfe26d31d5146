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

/// Without an interval there is no value: all three are null.
inline nlohmann::ordered_json known_interval_json(const Interval& interval) {
  nlohmann::ordered_json json = interval_json(interval);
  if (std::isinf(interval.low) && std::isinf(interval.high)) json["value"] = nullptr;
  return json;
}

/// "ticks", "share" and "resolved" for an item. An unreliable one says so.
inline void add_cost(nlohmann::ordered_json& item, const Estimate& cost) {
  item["ticks"] = known_interval_json(cost.ticks);
  item["share"] = known_interval_json(cost.share);
  item["resolved"] = cost.resolved;
  if (cost.unreliable) item["unreliable"] = true;
}

}  // namespace jcprof::annotator
