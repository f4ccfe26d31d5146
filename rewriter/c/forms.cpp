// SPDX-License-Identifier: Apache-2.0
#include "rewriter/c/forms.hpp"

#include <fmt/format.h>

namespace jcprof::rewriter {
namespace {

constexpr std::string_view head = "JCPROF_TRAP";
constexpr std::string_view number = "({id}";

/// Takes `prefix` off `text`.
bool take(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

}  // namespace

std::string text_of(const CTrapForm& form) {
  const bool keeps = !form.kept.empty();
  return fmt::format("{}{}{}{}{}{}{})", head, form.declares || keeps ? "_" : "", form.declares ? "D" : "",
                     keeps ? "V" : "", number, keeps ? "," : "", form.kept);
}

std::optional<CTrapText> trap_in(std::string_view text) {
  const std::size_t at = text.find(head);
  if (at == std::string_view::npos) return std::nullopt;
  CTrapText found{.in_front = std::string(text.substr(0, at)), .form = {}, .behind = {}};
  text.remove_prefix(at + head.size());
  const bool is_special = take(text, "_");
  found.form.declares = is_special && take(text, "D");
  const bool keeps = is_special && take(text, "V");
  if (is_special != (found.form.declares || keeps) || !take(text, number)) return std::nullopt;
  if (keeps && take(text, ",")) {
    found.form.kept = text.substr(0, text.find(')'));
    text.remove_prefix(found.form.kept.size());
  }
  if (!take(text, ")")) return std::nullopt;
  found.behind = text;
  return found;
}

CTrapForm common_form(const CTrapForm& a, const CTrapForm& b) {
  return {.declares = a.declares || b.declares, .kept = a.kept == b.kept ? a.kept : std::string{}};
}

}  // namespace jcprof::rewriter
