// SPDX-License-Identifier: Apache-2.0
// How long calls take from one component to the next, from the timestamps of OP-TEE's benchmark framework.
// Timestamps name no session: their order on each core tells which belong together.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "annotator/hops/benchmark_stamps.hpp"

namespace jcprof::annotator {

/// How often calls made a hop, and in how many cycles.
struct HopTimes {
  std::map<std::uint32_t, std::vector<double>> cycles;  // by core; of hops that stayed on it
  std::uint64_t crossings = 0;                          // ended on another core, whose counter is another
};

struct Hop {
  Component from = Component::other;
  Component to = Component::other;
  HopTimes times;
};

struct Hops {
  std::vector<Hop> hops;         // in the order in which calls make them
  HopTimes round_trip;           // from libteec to libteec
  std::uint64_t stamps = 0;      // all that were read
  std::uint64_t repeated = 0;    // of these: read twice, as a core's buffer was overrun
  std::uint64_t unpaired = 0;    // of these: of calls whose beginning or end is missing
  std::uint64_t unknown = 0;     // of these: of a component that the framework does not know
  std::uint64_t steps_back = 0;  // of a core's counter: it wrapped, or its buffer was overrun
};

/// Takes one timestamp after the other, in the order of the file. A call goes from libteec to the next
/// libteec on the same core, each timestamp one component deeper, higher, or in the same. One that is broken
/// off there and goes on on another core, where nothing else can be meant, has crossed over.
class HopTally {
 public:
  void take(const Stamp& stamp);
  /// Calls under way have no end then. Checks that each timestamp was counted once.
  Hops finish();

 private:
  struct Step {
    Component from = Component::other;
    Component to = Component::other;
    std::uint32_t core = 0;
    std::optional<double> cycles = {};  // nothing: it came from another core
  };
  struct Call {
    Stamp first;
    Stamp last;
    std::vector<Step> steps = {};
    int depth = 0;  // of the last component that is known
  };
  // The size of a core's buffer: after an overrun the same timestamp is read again so many later.
  static constexpr std::size_t buffer_size = 32;
  struct Core {
    std::array<Stamp, buffer_size> newest = {};  // a ring
    std::uint64_t taken = 0;
    bool is_in_step = false;  // a call was seen from its beginning
    std::optional<Call> call = {};
  };

  static bool may_follow(const Call& call, const Stamp& stamp);
  static void go_on(Call& call, const Stamp& stamp);
  void take_libteec(Core& core, const Stamp& stamp);
  void take_deeper(Core& core, const Stamp& stamp);
  std::optional<Call>* only_call_elsewhere(const Stamp& stamp);
  void lose_step(Core& core);
  void drop(std::optional<Call>& call);
  void complete(std::optional<Call>& call, const Stamp& stamp);
  HopTimes& times_of(const Step& step);

  std::map<std::uint32_t, Core> cores_;
  Hops hops_;
};

}  // namespace jcprof::annotator
