// SPDX-License-Identifier: Apache-2.0
#include "src/core/types.hpp"

#include "src/core/name_table.hpp"

namespace jcprof {
namespace {

constexpr NameTable<TrapKind, 9> trap_kinds{{
    {TrapKind::entry0, "entry0"},
    {TrapKind::entry, "entry"},
    {TrapKind::before, "before"},
    {TrapKind::after, "after"},
    {TrapKind::loop_body, "loop body"},
    {TrapKind::handler, "handler"},
    {TrapKind::returns, "return"},
    {TrapKind::exit, "exit"},
    {TrapKind::marker, "marker"},
}};

constexpr NameTable<Outcome, 6> outcomes{{
    {Outcome::stopped, "stopped"},
    {Outcome::ended, "ended"},
    {Outcome::refused, "refused"},
    {Outcome::elsewhere, "elsewhere"},
    {Outcome::timed_out, "timed_out"},
    {Outcome::lost, "lost"},
}};

constexpr NameTable<ClockUnit, 3> clock_units{{
    {ClockUnit::ns, "ns"},
    {ClockUnit::cycles, "cycles"},
    {ClockUnit::instructions, "instructions"},
}};

constexpr NameTable<Method, 3> methods{{
    {Method::fine, "fine"},
    {Method::coarse, "coarse"},
    {Method::exact, "exact"},
}};

}  // namespace

std::string_view name_of(TrapKind kind) {
  return name_in(trap_kinds, kind);
}
std::optional<TrapKind> trap_kind(std::string_view name) {
  return value_in(trap_kinds, name);
}
std::string_view name_of(Outcome outcome) {
  return name_in(outcomes, outcome);
}
std::optional<Outcome> outcome_named(std::string_view name) {
  return value_in(outcomes, name);
}
std::string_view name_of(ClockUnit unit) {
  return name_in(clock_units, unit);
}
std::optional<ClockUnit> clock_unit(std::string_view name) {
  return value_in(clock_units, name);
}
std::string_view name_of(Method method) {
  return name_in(methods, method);
}
std::optional<Method> method_named(std::string_view name) {
  return value_in(methods, name);
}

}  // namespace jcprof
