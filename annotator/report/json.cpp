// SPDX-License-Identifier: Apache-2.0
#include "annotator/report/json.hpp"

#include <cmath>

#include <fmt/format.h>

#include "src/core/json_text.hpp"
#include "src/core/text.hpp"

namespace jcprof::annotator {
namespace {

constexpr std::size_t longest_name = 2000;

std::string_view escape_of(std::string_view rest) {
  if (rest.front() == '<') return "\\u003c";
  if (rest.front() == '>') return "\\u003e";
  if (rest.front() == '&') return "\\u0026";
  if (rest.starts_with("\xE2\x80\xA8")) return "\\u2028";
  if (rest.starts_with("\xE2\x80\xA9")) return "\\u2029";
  return {};
}

}  // namespace

std::string json_number(double value) {
  return std::isfinite(value) ? fmt::format("{:.7g}", value) : "null";
}

std::string json(const Interval& interval) {
  // Without an interval there is no value.
  if (std::isinf(interval.low) && std::isinf(interval.high)) return "[null,null,null]";
  return fmt::format("[{},{},{}]", json_number(interval.value), json_number(interval.low),
                     json_number(interval.high));
}

std::string json_ticks(const Estimate& estimate) {
  return json(shown_part(estimate, &Estimate::ticks));
}

std::string json(const Estimate& estimate) {
  constexpr std::string_view unknown = "[null,null,null]";
  return fmt::format(R"({{"ticks":{},"share":{},"resolved":{}{}}})", json_ticks(estimate),
                     was_measured(estimate) ? json(shown_part(estimate, &Estimate::share)) : unknown,
                     estimate.resolved, estimate.unreliable ? R"(,"unreliable":true)" : "");
}

std::string json_text(std::string_view text) {
  const std::string plain = json_string(text);
  std::string result;
  result.reserve(plain.size());
  for (std::size_t i = 0; i < plain.size(); ++i) {
    const std::string_view escape = escape_of(std::string_view(plain).substr(i));
    if (escape.empty()) {
      result += plain[i];
      continue;
    }
    result += escape;
    if (plain[i] == '\xE2') i += 2;
  }
  return result;
}

std::string json_name(std::string_view name) {
  if (name.size() <= longest_name) return json_text(name);
  std::size_t end = longest_name;
  // Not within a character.
  while (end > 0 && (static_cast<unsigned char>(name[end]) & 0xC0U) == 0x80U) --end;
  return json_text(std::string(name.substr(0, end)) + "…");
}

bool BoundedList::add(std::string_view item) {
  if (left_out_ > 0 || bytes() + item.size() + 1 > most_bytes_) {
    ++left_out_;
    return false;
  }
  if (!items_.empty()) items_ += ',';
  items_ += item;
  return true;
}

}  // namespace jcprof::annotator
