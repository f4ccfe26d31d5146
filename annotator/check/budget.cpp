// SPDX-License-Identifier: Apache-2.0
#include "annotator/check/budget.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "src/core/object_reader.hpp"
#include "src/core/text.hpp"

namespace jcprof::annotator {
namespace {

constexpr std::string_view budget_format = "jcprof-budget";
constexpr std::uint64_t budget_version = 1;
constexpr std::string_view form =
    "a budget is SUBJECT <= LIMIT, such as \"PinApplet.verify <= 40ms\", \"total <= +3%\" or "
    "\"src/Pin.java:40 <= 4 hits\"";

struct UnitName {
  std::string_view name;
  BudgetUnit unit;
  double factor;
};

constexpr std::array units{UnitName{"ns", BudgetUnit::ns, 1},
                           UnitName{"us", BudgetUnit::ns, 1e3},
                           UnitName{"µs", BudgetUnit::ns, 1e3},
                           UnitName{"ms", BudgetUnit::ns, 1e6},
                           UnitName{"s", BudgetUnit::ns, 1e9},
                           UnitName{"cycles", BudgetUnit::cycles, 1},
                           UnitName{"instructions", BudgetUnit::instructions, 1},
                           UnitName{"hits", BudgetUnit::hits, 1},
                           UnitName{"calls", BudgetUnit::hits, 1},
                           UnitName{"%", BudgetUnit::share, 0.01}};

[[noreturn]] void refuse(std::string_view text, const std::string& why) {
  throw UserError(Fault{.message = fmt::format("\"{}\": {}", text, why), .hint = std::string(form)});
}

/// The number in front of a unit.
std::pair<double, std::string_view> number_in(std::string_view limit, std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(limit.data(), limit.data() + limit.size(), number);
  if (error != std::errc() || !std::isfinite(number) || number < 0)
    refuse(text, fmt::format("\"{}\" does not begin with a number", limit));
  return {number, trimmed(limit.substr(static_cast<std::size_t>(end - limit.data())))};
}

void read_budgets(const JsonNode& node, std::vector<Budget>& to, JsonFaults& faults) {
  if (!is_kind(node, JsonKind::array, faults)) return;
  for (const JsonNode& element : node.elements) {
    std::string text;
    read_string(element, text, faults);
    if (text.empty()) continue;
    try {
      to.push_back(parse_budget(text));
    } catch (const UserError& error) {
      faults.add(element, error.faults().front().message, error.faults().front().hint);
    }
  }
}

}  // namespace

std::string_view name_of(BudgetUnit unit) {
  constexpr std::array<std::string_view, 6> names{"ns", "cycles", "instructions", "hits", "share", "change"};
  return names.at(static_cast<std::size_t>(unit));
}

Budget parse_budget(std::string_view text) {
  constexpr std::string_view own = "own ";
  const std::size_t sign = text.rfind("<=");  // of "operator<= <= 3ms" the second
  if (sign == std::string_view::npos) refuse(text, "there is no \"<=\"");
  Budget budget{.text = std::string(trimmed(text))};
  std::string_view subject = trimmed(text.substr(0, sign));
  budget.is_own = subject.starts_with(own);
  if (budget.is_own) subject = trimmed(subject.substr(own.size()));
  if (subject.empty()) refuse(text, "nothing stands in front of \"<=\"");
  budget.subject = subject;
  std::string_view limit = trimmed(text.substr(sign + 2));
  const bool is_change = limit.starts_with('+');
  if (is_change) limit.remove_prefix(1);
  const auto [number, name] = number_in(limit, text);
  for (const UnitName& unit : units)
    if (name == unit.name) {
      if (is_change && unit.unit != BudgetUnit::share) refuse(text, "a change is in %, such as \"+3%\"");
      budget.unit = is_change ? BudgetUnit::change : unit.unit;
      budget.limit = number * unit.factor;
      return budget;
    }
  refuse(text, name.empty() ? "the limit has no unit" : fmt::format("unknown unit \"{}\"", name));
}

std::vector<Budget> parse_budgets(const std::string& file, std::string_view text) {
  JsonFaults faults(file, text);
  const JsonNode root = parse_json(text, faults);
  ObjectReader object(root, faults);
  std::vector<Budget> budgets;
  read_heading(object, root, {.name = budget_format, .version = budget_version, .kind = "file of budgets"},
               faults);
  object.required("budgets", budgets, read_budgets);
  object.refuse_the_rest();
  faults.throw_if_any();
  return budgets;
}

}  // namespace jcprof::annotator
