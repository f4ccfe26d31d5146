// SPDX-License-Identifier: Apache-2.0
#include "harness/calibration.hpp"

#include <array>

#include "harness/median.hpp"

namespace jcprof::harness {
namespace {

constexpr std::uint64_t first_passes = 1000;
constexpr int pilot_pairs = 7;
// A JIT compiles the loops after some hundred commands; the slope of the interpreter is not the one that is
// wanted. So much of the target's time is enough for that, and on a card without one it is a single command.
constexpr Ticks warm_up_ns = 60'000'000;
constexpr int warm_up_commands = 2000;
constexpr double clear_in_sigmas = 3;

constexpr std::array kinds{CalibrationKind::empty, CalibrationKind::unarmed, CalibrationKind::counting};

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

void warm_up(Transport& transport, CalibrationKind kind, const std::function<bool()>& goes_on) {
  Ticks spent = 0;
  for (int i = 0; i < warm_up_commands && spent < warm_up_ns && goes_on(); ++i)
    spent += transport.calibrate(kind, first_passes).second;
}

}  // namespace

std::vector<CalibrationTime> calibrate(Transport& transport, const CalibrationSettings& settings,
                                       const std::function<bool()>& goes_on) {
  for (const CalibrationKind kind : kinds) warm_up(transport, kind, goes_on);
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
