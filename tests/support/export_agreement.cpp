// SPDX-License-Identifier: Apache-2.0
#include "tests/support/export_agreement.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tests/support/export_readers.hpp"

namespace jcprof::test {
namespace {

using Json = nlohmann::json;
using Cells = std::vector<std::string>;
using Sums = std::map<std::string, double>;

constexpr double rounding = 1e-9;  // of sums of doubles, as a part of the whole

double or_nothing(const Json& value) {
  return value.is_number() ? value.get<double>() : 0;
}

// ---- numbers as text

/// "40.2 ms" as ticks, and what one unit of its last digit is.
struct Printed {
  double ticks = 0;
  double digit = 0;
};

std::optional<Printed> read_number(const std::string& text, double factor) {
  std::size_t used = 0;
  double value = 0;
  try {
    value = std::stod(text, &used);
  } catch (const std::exception&) {
    return std::nullopt;
  }
  if (used != text.size()) return std::nullopt;
  const std::size_t point = text.find('.');
  const auto decimals = point == std::string::npos ? 0.0 : static_cast<double>(text.size() - point - 1);
  return Printed{value * factor, factor * std::pow(10, -decimals)};
}

/// Ticks in the unit behind the number: "ns" to "s", or thousands of what the clock counts.
double factor_of(const std::string& unit) {
  static const std::map<std::string, double> times{{"ns", 1}, {"µs", 1e3}, {"ms", 1e6}, {"s", 1e9}};
  if (const auto found = times.find(unit); found != times.end()) return found->second;
  static const std::map<std::string, double> thousands{{"k ", 1e3}, {"M ", 1e6}, {"G ", 1e9}};
  const auto found = thousands.find(unit.substr(0, 2));
  return found == thousands.end() ? 1 : found->second;
}

/// Rounded to its last digit, to the nearest or upwards.
bool is_rounded(const std::optional<Printed>& printed, double value) {
  return printed && std::abs(printed->ticks - value) <= printed->digit * (0.5 + 1e-6) + rounding * value;
}

bool is_rounded_up(const std::optional<Printed>& printed, double value) {
  return printed && printed->ticks >= value * (1 - rounding) - 1e-6 * printed->digit &&
         printed->ticks < value + printed->digit * (1 + 1e-6);
}

/// The cells of a table that say what `item` takes, from `cells[at]` on.
bool says_cost(const Cells& cells, std::size_t at, const Json& item, bool has_half_width) {
  const auto cell = [&](std::size_t i) { return i < cells.size() ? cells[i] : std::string(); };
  const Json& ticks = item.at("ticks");
  if (ticks.at("value").is_null())
    return cell(at).starts_with(item.value("unreliable", false) ? "unreliable" : "not measured");
  const bool is_bound = !item.at("resolved").get<bool>();
  if (is_bound != cell(at).starts_with("< ")) return false;
  const std::string text = cell(at).substr(is_bound ? 2 : 0);
  const std::size_t blank = text.find(' ');
  if (blank == std::string::npos) return false;
  const double factor = factor_of(text.substr(blank + 1));
  const std::optional<Printed> value = read_number(text.substr(0, blank), factor);
  if (is_bound) return is_rounded_up(value, ticks.at("high").get<double>());
  const double middle = ticks.at("value").get<double>();
  if (ticks.at("low").is_null()) return is_rounded(value, middle) && !cell(at + 1).starts_with("±");
  const double half =
      std::max(ticks.at("high").get<double>() - middle, middle - ticks.at("low").get<double>());
  const bool says_half = !has_half_width || (cell(at + 1).starts_with("±") &&
                                             is_rounded(read_number(cell(at + 1).substr(2), factor), half));
  return says_half && is_rounded(value, middle);
}

bool says_share(const std::string& cell, const Json& item) {
  const Json& share = item.at("share");
  if (share.at("value").is_null()) return cell == "?";
  const bool is_bound = !item.at("resolved").get<bool>();
  if (is_bound != cell.starts_with("< ") || !cell.ends_with(" %")) return false;
  const std::string text = cell.substr(is_bound ? 2 : 0);
  return is_rounded(read_number(text.substr(0, text.size() - 2), 0.01),
                    share.at(is_bound ? "high" : "value").get<double>());
}

// ---- the check

class Agreement {
 public:
  explicit Agreement(const Exported& exported)
      : exported_(exported),
        json_(Json::parse(exported.json)),
        is_recorded_(json_.contains("recorded")),
        stacks_(stacks_in_speedscope(exported.speedscope)) {
    for (const Stack& stack : stacks_) whole_ += stack.cost;
    const double total = std::max(whole_, or_nothing(json_.at("total").at("value")));
    slack_ = rounding * std::max(1.0, total);
  }

  std::vector<std::string> check() {
    check_csv();
    check_table(json_.at("lines"), exported_.lines, [](const Json& line) -> const Json& { return line; });
    check_table(json_.at("functions"), exported_.functions,
                [](const Json& function) -> const Json& { return function.at("exclusive"); });
    check_total();
    check_lines();
    check_functions();
    check_whole_ticks();
    return std::move(found_);
  }

 private:
  void expect(bool holds, const std::string& what) {
    if (!holds) found_.push_back(what);
  }

  void expect_equal(double a, double b, const std::string& what) {
    expect(std::abs(a - b) <= slack_, fmt::format("{}: {} and {}", what, a, b));
  }

  static bool is_cell(const std::string& cell, const Json& value) {
    if (value.is_boolean()) return cell == (value.get<bool>() ? "1" : "0");
    return value.is_number() ? !cell.empty() && std::stod(cell) == value.get<double>() : cell.empty();
  }

  /// The cells of an item from `at` on are its values at these places, or empty.
  void check_cells(const Cells& row, std::size_t at, const Json& item, const Cells& pointers) {
    for (const std::string& pointer : pointers) {
      const Json::json_pointer place(pointer);
      const Json value = item.contains(place) ? item.at(place) : Json();
      expect(at < row.size() && is_cell(row[at], value),
             fmt::format("CSV has \"{}\", JSON {} at {} of {}:{}", at < row.size() ? row[at] : "no cell",
                         value.dump(), pointer, item.at("path").dump(), item.at("line").dump()));
      ++at;
    }
  }

  void check_csv() {
    const bool has_lines = !(is_recorded_ && json_.at("lines").empty());
    const Json& items = json_.at(has_lines ? "lines" : "functions");
    const std::vector<Cells> rows = rows_in_csv(exported_.csv);
    expect(rows.size() == items.size(), "CSV and JSON have different numbers of rows");
    for (std::size_t i = 0; i < std::min(rows.size(), items.size()); ++i)
      if (has_lines) {
        check_cells(rows[i], 1, items[i], {"/line"});
        check_cells(rows[i], 3, items[i], {"/hits"});
        check_cells(rows[i], 5, items[i],
                    {"/ticks/value", "/ticks/low", "/ticks/high", "/share/value", "/share/low", "/share/high",
                     "/resolved", "/mean/value", "/mean/low", "/mean/high", "/median/value", "/median/low",
                     "/median/high", "/q05", "/q95"});
      } else {
        check_cells(rows[i], 1, items[i], {"/line"});
        check_cells(rows[i], 3, items[i],
                    {"/calls", "/exclusive/ticks/value", "/exclusive/share/value", "/inclusive/ticks/value",
                     "/each/average", "/each/least", "/each/q50", "/each/q95", "/each/q99", "/each/most"});
      }
  }

  void check_table(const Json& items, const std::string& table,
                   const std::function<const Json&(const Json&)>& cost_of) {
    const std::vector<Cells> rows = rows_in_table(table);
    expect(rows.size() == items.size(), "a table and JSON have different numbers of rows");
    for (std::size_t i = 0; i < std::min(rows.size(), items.size()); ++i) {
      const Cells& row = rows[i];
      const Json& cost = cost_of(items[i]);
      const auto share = std::ranges::find_if(
          row, [](const std::string& cell) { return cell == "?" || cell.ends_with(" %"); });
      bool holds = share != row.end() && says_cost(row, 0, cost, true) && says_share(*share, cost);
      if (holds && items[i].contains("inclusive"))
        holds = says_cost(row, static_cast<std::size_t>(share - row.begin()) + 1, items[i].at("inclusive"),
                          false);
      const Json& count = items[i].at(items[i].contains("hits") ? "hits" : "calls");
      holds = holds && std::ranges::find(row, "×" + count.dump()) != row.end();
      expect(holds, fmt::format("the table has \"{}\", JSON {}", fmt::join(row, " | "), items[i].dump()));
    }
  }

  double sum_of(const char* items, const char* pointer) const {
    double sum = 0;
    for (const Json& item : json_.at(items)) sum += or_nothing(item.at(Json::json_pointer(pointer)));
    return sum;
  }

  /// What has no value takes nothing here: it is part of what is unattributed.
  void check_total() {
    const double lines =
        is_recorded_ ? sum_of("functions", "/exclusive/ticks/value") : sum_of("lines", "/ticks/value");
    const Json& between = json_.at("between");
    const double apart = between.is_null() ? 0 : or_nothing(between.at("value"));
    const bool is_known = json_.at("total").at("value").is_number() &&
                          (is_recorded_ || json_.at("entry").at("value").is_number());
    if (!is_known) return;
    expect_equal(json_.at("total").at("value").get<double>(),
                 or_nothing(json_.at("entry").at("value")) + apart + lines +
                     or_nothing(json_.at("unattributed").at("value")),
                 "total, and before + between + lines + unattributed");
    expect(json_.at("unattributed").at("value").is_number(), "the rest is not told");
  }

  static std::string key_of(const std::string& file, const std::string& place) { return file + " " + place; }

  static std::string line_key(const Json& item) {
    const auto path = item.at("path").get<std::string>();
    return key_of(path, common_place(path, item.at("line").get<std::int64_t>()));
  }

  static std::string function_key(const Json& item) {
    return common_name(item.at("function").get<std::string>()) + " " + line_key(item);
  }

  static std::string function_key(const Frame& call) {
    return call.name + " " + key_of(call.file, call.place);
  }

  static bool is_row_of_its_own(const Frame& call) {
    return call.file.empty() &&
           (call.name == "after_the_last_trap" || call.name == "(lost)" || call.name.starts_with("thread_"));
  }

  bool is_deep() const {
    constexpr std::size_t most = 499;  // deeper calls are part of their callers
    return std::ranges::any_of(stacks_, [](const Stack& stack) { return stack.calls.size() >= most; });
  }

  /// Each item that has a value has that sum; items of one key are one.
  void check_sums(const char* kind, const std::map<std::string, std::optional<double>>& values,
                  const Sums& sums) {
    for (const auto& [key, value] : values)
      if (value) expect_equal(*value, sums.contains(key) ? sums.at(key) : 0, fmt::format("{} {}", kind, key));
    for (const auto& [key, sum] : sums)
      if (!values.contains(key)) expect_equal(0, sum, fmt::format("{} {} is in stacks alone", kind, key));
  }

  template <class KeyOf>
  std::map<std::string, std::optional<double>> values_of(const char* items, const char* pointer,
                                                         const KeyOf& key_of_item) const {
    std::map<std::string, std::optional<double>> values;
    for (const Json& item : json_.at(items)) {
      const Json& value = item.at(Json::json_pointer(pointer));
      auto& known = values.try_emplace(key_of_item(item), 0.0).first->second;
      if (value.is_null())
        known.reset();
      else if (known)
        *known += value.get<double>();
    }
    return values;
  }

  void check_lines() {
    if (is_deep() || (is_recorded_ && json_.at("lines").empty())) return;
    Sums lines;
    for (const Stack& stack : stacks_)
      if (!stack.line.name.empty()) lines[key_of(stack.line.file, stack.line.place)] += stack.cost;
    check_sums("line", values_of("lines", "/ticks/value", [](const Json& item) { return line_key(item); }),
               lines);
    double between = 0;
    for (const Stack& stack : stacks_)
      if (stack.line.name.empty() && stack.calls.front().name == "after_the_last_trap") between += stack.cost;
    const Json& row = json_.at("between");
    expect_equal(row.is_null() ? 0 : or_nothing(row.at("value")), between, "after the last trap");
  }

  void check_functions() {
    if (is_deep()) return;
    Sums own;
    Sums with_calls;
    for (const Stack& stack : stacks_) {
      if (!is_row_of_its_own(stack.calls.back())) own[function_key(stack.calls.back())] += stack.cost;
      std::set<std::string> under_way;
      for (const Frame& call : stack.calls)
        if (!is_row_of_its_own(call)) under_way.insert(function_key(call));
      for (const std::string& function : under_way) with_calls[function] += stack.cost;
    }
    const auto key = [](const Json& item) { return function_key(item); };
    check_sums("own cost of", values_of("functions", "/exclusive/ticks/value", key), own);
    check_sums("cost with calls of", values_of("functions", "/inclusive/ticks/value", key), with_calls);
    for (const Json& function : json_.at("functions"))
      if (function.at("inclusive").at("ticks").at("value").is_number())
        expect(or_nothing(function.at("inclusive").at("ticks").at("value")) + slack_ >=
                   or_nothing(function.at("exclusive").at("ticks").at("value")),
               "without calls more than with them: " + function_key(function));
    if (!is_recorded_) add_up_lines();
  }

  /// Rows of lines name one function. Where several share a line, nothing is said of these.
  void add_up_lines() {
    std::map<std::string, std::set<std::string>> lines_of;
    std::map<std::string, std::set<std::string>> owners_of;
    for (const Stack& stack : stacks_) {
      const std::string line = key_of(stack.line.file, stack.line.place);
      lines_of[function_key(stack.calls.back())].insert(line);
      owners_of[line].insert(function_key(stack.calls.back()));
    }
    Sums of_line;
    for (const Json& line : json_.at("lines"))
      of_line[line_key(line)] += or_nothing(line.at("ticks").at("value"));
    for (const Json& function : json_.at("functions")) {
      const Json& value = function.at("exclusive").at("ticks").at("value");
      const std::string key = function_key(function);
      const auto is_shared = [&](const std::string& line) { return owners_of[line].size() > 1; };
      if (value.is_null() || std::ranges::any_of(lines_of[key], is_shared)) continue;
      double sum = 0;
      for (const std::string& line : lines_of[key]) sum += of_line[line];
      expect_equal(value.get<double>(), sum, "lines of " + key);
    }
  }

  /// Folded, callgrind and pprof have the same whole numbers, which are never off by more than a half in all.
  void check_whole_ticks() {
    WholeTicks folded;
    WholeTicks called;
    double passed = 0;
    auto exact = stacks_.begin();
    double before = 0;
    std::int64_t total = 0;
    for (const Stack& stack : stacks_in_folded(exported_.folded)) {
      const Frame& function = stack.calls.back();
      const std::string& place = stack.line.name.empty() ? function.place : stack.line.place;
      const auto cost = static_cast<std::int64_t>(stack.cost);
      folded[{function.name, place}] += cost;
      total += cost;
      std::set<std::pair<std::string, std::string>> under_way;
      for (const Frame& call : stack.calls) under_way.insert({call.name, call.place});
      under_way.erase({stack.calls.front().name, stack.calls.front().place});
      for (const auto& call : under_way) called[call] += cost;
      // Stacks below a tick may be left out, and several have the same text where lines call.
      before += stack.cost;
      bool is_found = false;
      for (; exact != stacks_.end() && !is_found; ++exact) {
        passed += exact->cost;
        is_found = is_same_stack(*exact, stack) && std::abs(before - passed) <= 0.5 + slack_;
      }
      if (!is_found)
        return expect(false,
                      fmt::format("folded has other ticks than speedscope at {} {}", function.name, place));
    }
    expect(std::abs(static_cast<double>(total) - whole_) <= 0.5 + slack_,
           fmt::format("folded has {} ticks of {}", total, whole_));
    const Callgrind callgrind = read_callgrind(exported_.callgrind);
    expect(callgrind.summary == total && callgrind.totals == total, "callgrind has another total");
    expect_same("pprof", own_costs_in_pprof(exported_.pprof), folded);
    if (is_deep()) return;
    expect_same("callgrind", callgrind.own, folded);
    expect_same("calls in callgrind", callgrind.called, called);
  }

  /// Speedscope has threads as profiles of their own, not as frames.
  static bool is_same_stack(const Stack& exact, const Stack& folded) {
    const auto is_same = [](const Frame& a, const Frame& b) {
      return a.name == b.name && a.place == b.place;
    };
    const std::size_t threads = folded.calls.size() - exact.calls.size();
    return threads <= 1 && exact.line.place == folded.line.place &&
           std::equal(exact.calls.begin(), exact.calls.end(),
                      folded.calls.begin() + static_cast<std::ptrdiff_t>(threads), is_same);
  }

  void expect_same(const char* format, const WholeTicks& ticks, const WholeTicks& wanted) {
    std::map<std::pair<std::string, std::string>, std::pair<std::int64_t, std::int64_t>> both;
    for (const auto& [key, cost] : ticks) both[key].first = cost;
    for (const auto& [key, cost] : wanted) both[key].second = cost;
    for (const auto& [key, costs] : both)
      expect(costs.first == costs.second, fmt::format("{}: {} {} has {}, folded {}", format, key.first,
                                                      key.second, costs.first, costs.second));
  }

  const Exported& exported_;
  Json json_;
  bool is_recorded_;
  std::vector<Stack> stacks_;  // of speedscope, whose costs are not rounded
  double whole_ = 0;
  double slack_ = 0;
  std::vector<std::string> found_;
};

}  // namespace

std::vector<std::string> disagreements(const Exported& exported) {
  return Agreement(exported).check();
}

}  // namespace jcprof::test
