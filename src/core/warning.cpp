// SPDX-License-Identifier: Apache-2.0
#include "src/core/warning.hpp"

#include <fmt/format.h>

#include "src/core/name_table.hpp"

namespace jcprof {
namespace {

constexpr NameTable<WarningKind, 20> warning_kinds{{
    {WarningKind::answer, "answer"},
    {WarningKind::traced_answer, "traced answer"},
    {WarningKind::path_varies, "path varies"},
    {WarningKind::path_cut, "path cut"},
    {WarningKind::input, "input"},
    {WarningKind::unsteady, "unsteady"},
    {WarningKind::trend, "trend"},
    {WarningKind::grid, "grid"},
    {WarningKind::locked_grid, "locked grid"},
    {WarningKind::memory, "memory"},
    {WarningKind::prepared, "prepared"},
    {WarningKind::coarse_clock, "coarse clock"},
    {WarningKind::bimodal, "two speeds"},
    {WarningKind::precision, "precision"},
    {WarningKind::missed, "missed"},
    {WarningKind::lost, "lost"},
    {WarningKind::threads, "threads"},
    {WarningKind::trap_cost, "trap cost"},
    {WarningKind::changed, "changed by traps"},
    {WarningKind::other, "other"},
}};

}  // namespace

std::string_view name_of(WarningKind kind) {
  return name_in(warning_kinds, kind);
}
std::optional<WarningKind> warning_kind(std::string_view name) {
  return value_in(warning_kinds, name);
}

std::string to_text(const Warning& warning) {
  const std::string kind =
      warning.kind == WarningKind::other ? "" : fmt::format("{}: ", name_of(warning.kind));
  return kind + warning.text + (warning.advice.empty() ? "" : "; ") + warning.advice;
}

}  // namespace jcprof
