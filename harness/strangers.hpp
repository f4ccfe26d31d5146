// SPDX-License-Identifier: Apache-2.0
// Shots that came along no path that is known: they carry another signature, or ended where every known path
// stops. Where they are many the survey has missed a way that the command takes. Talks to nobody.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <vector>

#include "harness/survey.hpp"
#include "src/core/store.hpp"
#include "src/core/types.hpp"

namespace jcprof::harness {

class Strangers {
 public:
  /// Of shots at `stops` of the path, and of its variants.
  Strangers(const SurveyedPath& surveyed, std::span<const Event> stops);

  void take(std::span<const StoredSample> samples);
  /// Two shots at one of the stops, and one in twenty of those there.
  bool are_many() const;
  /// That they were made with.
  const std::set<std::uint32_t>& inputs() const { return inputs_; }
  /// Counts anew.
  void forget();

 private:
  struct Stop {
    std::set<std::uint32_t> signatures;  // that a shot may have, before the event and with it
    bool is_on_all_ways = true;
    std::uint64_t shots = 0;
    std::uint64_t strange = 0;
  };
  void note_way(const std::vector<Event>& way);
  bool is_strange(const Stop& stop, const StoredSample& sample);

  std::map<Event, Stop> stops_;
  Event first_;
  std::set<std::uint32_t> inputs_;
  bool are_signatures_ours_ = false;  // a digest that is not ours fits nowhere
};

}  // namespace jcprof::harness
