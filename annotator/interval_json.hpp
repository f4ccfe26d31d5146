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

/// The same of `estimate`'s ticks or share.
inline nlohmann::ordered_json known_interval_json(const Estimate& estimate, Interval Estimate::* part) {
  return known_interval_json(shown_part(estimate, part));
}

/// "mean", "median", "q05", "q95", and "mean_differs" where that is so. Nothing where they are not known.
inline void add_averages(nlohmann::ordered_json& item, const Estimate& cost) {
  if (!cost.averages) return;
  item["mean"] = known_interval_json(cost.averages->mean);
  item["median"] = known_interval_json(cost.averages->median);
  item["q05"] = cost.averages->q05;
  item["q95"] = cost.averages->q95;
  if (cost.averages->differs) item["mean_differs"] = true;
}

/// The list is called `places`.
inline nlohmann::ordered_json hottest_json(const Hottest& hottest, const char* places) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const HotPlace& place : hottest.among)
    list.push_back({{"path", place.path}, {"line", place.line}, {"function", place.function}});
  nlohmann::ordered_json json{{places, list}, {"confidence", nullptr}};
  if (!hottest.among.empty()) json["confidence"] = hottest.confidence;
  return json;
}

/// "ticks", "share" and "resolved" for an item, with averages. An unreliable one says so.
inline void add_cost(nlohmann::ordered_json& item, const Estimate& cost) {
  item["ticks"] = known_interval_json(cost, &Estimate::ticks);
  item["share"] = known_interval_json(cost, &Estimate::share);
  item["resolved"] = cost.resolved;
  if (cost.unreliable) item["unreliable"] = true;
  add_averages(item, cost);
}

}  // namespace jcprof::annotator
