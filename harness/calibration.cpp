// SPDX-License-Identifier: Apache-2.0
#include "harness/calibration.hpp"

#include <array>

#include "harness/median.hpp"

namespace jcprof::harness {
namespace {

constexpr std::uint64_t first_passes = 1000;
constexpr int pilot_pairs = 7;
// HotSpot compiles a loop after 60,000 passes. Until then it interprets, which takes ten times as long as the
// same passes in the user's code: taken off there, that leaves less than nothing.
constexpr std::uint64_t warm_up_passes = 100'000;
constexpr double clear_in_sigmas = 3;

constexpr std::array kinds{CalibrationKind::empty, CalibrationKind::unarmed, CalibrationKind::counting};

/// Where the target is slow (and has no compiler), the time ends it: as long for each kind as one command may
/// be.
void warm_up(Transport& transport, const CalibrationSettings& settings,
             const std::function<bool()>& goes_on) {
  for (const CalibrationKind kind : kinds) {
    std::uint64_t passes = 0;
    Ticks spent = 0;
    while (passes < warm_up_passes && spent < settings.longest.count() && goes_on()) {
      const auto [made, ticks] = transport.calibrate(kind, first_passes);
      passes += made;
      spent += ticks;
    }
  }
}

/// Whether so many passes can be told from none.
bool is_clear(Transport& transport, std::uint64_t passes, Ticks& longest) {
  std::vector<double> differences;
  for (int i = 0; i < pilot_pairs; ++i) {
    const Ticks empty = transport.calibrate(CalibrationKind::empty, passes).second;
    const Ticks unarmed = transport.calibrate(CalibrationKind::unarmed, passes).second;
    differences.push_back(static_cast<double>(unarmed - empty));
    longest = std::max(longest, unarmed);
  }
  return median(differences) > 0 && median(differences) >= clear_in_sigmas * robust_sigma(differences);
}

}  // namespace

std::vector<CalibrationTime> calibrate(Transport& transport, const CalibrationSettings& settings,
                                       const std::function<bool()>& goes_on) {
  warm_up(transport, settings, goes_on);
  std::uint64_t passes = first_passes;
  Ticks longest = 0;
  while (goes_on() && !is_clear(transport, passes, longest) && 2 * passes <= settings.most_passes &&
         2 * longest <= settings.longest.count())
    passes *= 2;
  std::vector<CalibrationTime> times;
  for (std::uint32_t i = 0; i < settings.repetitions && goes_on(); ++i) {
    for (const CalibrationKind kind : kinds) {
      const auto [made, ticks] = transport.calibrate(kind, passes);
      times.push_back({.kind = kind, .passes = made, .ticks = ticks});
    }
  }
  return times;
}

}  // namespace jcprof::harness
