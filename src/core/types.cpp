// SPDX-License-Identifier: Apache-2.0
#include "src/core/types.hpp"

#include <array>
#include <utility>

namespace jcprof {
namespace {

constexpr std::array<std::pair<TrapKind, std::string_view>, 9> trap_kinds{{
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

constexpr std::array<std::pair<Outcome, std::string_view>, 5> outcomes{{
    {Outcome::stopped, "stopped"},
    {Outcome::ended, "ended"},
    {Outcome::refused, "refused"},
    {Outcome::timed_out, "timed_out"},
    {Outcome::lost, "lost"},
}};

constexpr std::array<std::pair<ClockUnit, std::string_view>, 3> clock_units{{
    {ClockUnit::ns, "ns"},
    {ClockUnit::cycles, "cycles"},
    {ClockUnit::instructions, "instructions"},
}};

template <class Table, class Value>
std::string_view name_in(const Table& table, Value value) {
  for (const auto& [candidate, name] : table)
    if (candidate == value) return name;
  return "?";
}

template <class Table>
auto value_in(const Table& table, std::string_view name)
    -> std::optional<typename Table::value_type::first_type> {
  for (const auto& [value, candidate] : table)
    if (candidate == name) return value;
  return std::nullopt;
}

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

}  // namespace jcprof
