// SPDX-License-Identifier: Apache-2.0
#include "harness/transport.hpp"

#include <fmt/format.h>

#include "src/core/name_table.hpp"

namespace jcprof::harness {
namespace {

constexpr NameTable<CalibrationKind, 10> kinds{{
    {CalibrationKind::empty, "empty"},
    {CalibrationKind::unarmed, "unarmed"},
    {CalibrationKind::counting, "counting"},
    {CalibrationKind::returned, "returned"},
    {CalibrationKind::stop, "stop"},
    {CalibrationKind::calls, "calls"},
    {CalibrationKind::frames, "frames"},
    {CalibrationKind::guards, "guards"},
    {CalibrationKind::unwind, "unwind"},
    {CalibrationKind::sites, "sites"},
}};

}  // namespace

std::string_view name_of(CalibrationKind kind) {
  return name_in(kinds, kind);
}

std::optional<CalibrationKind> calibration_kind(std::string_view name) {
  return value_in(kinds, name);
}

std::string in_words(Event event) {
  return event.trap == run_to_end ? "the end" : fmt::format("trap {}, hit {}", number(event.trap), event.hit);
}

void mark_if_elsewhere(Event asked, Sample& sample) {
  const bool is_said = sample.outcome == Outcome::elsewhere;
  if (!is_said && (sample.outcome != Outcome::stopped || sample.reached == asked)) return;
  sample.outcome = asked.trap == run_to_end ? Outcome::refused : Outcome::elsewhere;
  sample.ticks = 0;
  if (is_said && (!sample.why.empty() || !sample.reached)) return;
  if (sample.reached == asked)
    sample.why = "it stopped there in another command of the trigger";
  else
    sample.why = fmt::format("it stopped at {}{}", in_words(*sample.reached),
                             asked.trap == run_to_end ? ", though nothing was armed" : " instead");
}

}  // namespace jcprof::harness
