// SPDX-License-Identifier: Apache-2.0
// callgrind.out, of valgrind and of others that write it ("Callgrind Format Specification" in its manual).
#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <ranges>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "annotator/import/flat.hpp"
#include "annotator/import/formats.hpp"
#include "annotator/import/scanner.hpp"
#include "src/core/name_table.hpp"
#include "src/core/text.hpp"

namespace jcprof::annotator {
namespace {

using Number = std::uint32_t;

/// The events that jcprof has a unit for, the best first.
constexpr NameTable<ClockUnit, 4> known_events{{{ClockUnit::instructions, "Ir"},
                                                {ClockUnit::instructions, "instructions"},
                                                {ClockUnit::ns, "ns"},
                                                {ClockUnit::cycles, "cycles"}}};

/// "(3) name" gives a name to 3, "(3)" means it.
class CompressedNames {
 public:
  Number at(std::string_view text, const Scanner& scanner) {
    text = trimmed(text);
    const std::size_t close = text.find(')');
    const bool may_be_number = text.starts_with('(') && close != std::string_view::npos;
    const auto number = may_be_number ? whole_number<std::uint64_t>(text.substr(1, close - 1))
                                      : std::optional<std::uint64_t>();
    if (!number) return place_of(text);
    const std::string_view name = trimmed(text.substr(close + 1));
    if (!name.empty()) return numbers_[*number] = place_of(name);
    const auto known = numbers_.find(*number);
    if (known == numbers_.end()) scanner.refuse(fmt::format("\"({})\" has no name yet", *number));
    return known->second;
  }
  const std::string& operator[](Number place) const { return names_[place]; }

 private:
  Number place_of(std::string_view name) {
    if (name == "???") name = "";
    const auto [found, is_new] = places_.try_emplace(std::string(name), static_cast<Number>(names_.size()));
    if (is_new) names_.emplace_back(name);
    return found->second;
  }

  std::vector<std::string> names_{""};
  std::unordered_map<std::string, Number> places_{{"", 0}};
  std::unordered_map<std::uint64_t, Number> numbers_;
};

/// The text behind "name:", which the line begins with. Nothing where it does not.
std::optional<std::string_view> header(std::string_view line, std::string_view name) {
  if (!line.starts_with(name) || !line.substr(name.size()).starts_with(':')) return std::nullopt;
  return trimmed(line.substr(name.size() + 1));
}

/// "+4", "-4", "*", "0x40" or "64", where the last one was `last`.
std::optional<std::uint64_t> position_in(std::string_view word, std::uint64_t last) {
  if (word == "*") return last;
  const bool is_further = word.starts_with('+');
  const bool is_back = word.starts_with('-');
  if (is_further || is_back) word.remove_prefix(1);
  const bool is_hex = word.starts_with("0x");
  const auto number = whole_number<std::uint64_t>(word.substr(is_hex ? 2 : 0), is_hex ? 16 : 10);
  if (!number) return std::nullopt;
  return is_further ? last + *number : is_back ? last - *number : *number;
}

class CallgrindParser {
 public:
  CallgrindParser(const std::string& file, std::string_view text)
      : scanner_(file, text, "jcprof reads version 1 of the callgrind format, as valgrind writes it") {
    profile_.info.agent = "callgrind";
    profile_.info.project = std::filesystem::path(file).filename().string();
  }

  FlatProfile read() && {
    while (scanner_.next()) {
      const std::string_view line = trimmed(scanner_.line());
      if (line.empty() || line.starts_with('#')) continue;
      if (std::string_view("0123456789+-*").find(line.front()) != std::string_view::npos)
        read_cost(line);
      else if (line[std::min(line.find_first_of("=:"), line.size() - 1)] == '=')
        read_name(line);
      else
        read_header(line);
    }
    if (call_) scanner_.refuse("the file ends in a call");
    if (!has_events_) scanner_.refuse("the file has no \"events:\"");
    return finish();
  }

 private:
  struct Call {
    Number callee = 0;
    std::uint64_t count = 0;
  };

  void read_header(std::string_view line) {
    const std::string_view key = line.substr(0, line.find(':'));
    if (key.size() == line.size() || !is_one_of(key, header_keys))
      scanner_.refuse("this is no line of the callgrind format");
    if (const auto version = header(line, "version"); version && *version != "1")
      scanner_.refuse(fmt::format("this is version {} of the callgrind format", *version));
    if (const auto creator = header(line, "creator")) profile_.info.agent = *creator;
    if (auto command = header(line, "cmd"))
      if (const std::string_view program = take_word(*command); !program.empty())
        profile_.info.project = std::filesystem::path(program).filename().string();
    if (const auto totals = header(line, "totals")) add_total(*totals, totals_);
    if (const auto summary = header(line, "summary")) add_total(*summary, summary_);
    if (const auto positions = header(line, "positions")) read_positions(*positions);
    if (const auto events = header(line, "events")) read_events(*events);
  }

  void read_positions(std::string_view text) {
    last_.clear();
    line_place_.reset();
    for (auto word = take_word(text); !word.empty(); word = take_word(text)) {
      if (!is_one_of(word, {"instr", "bb", "line"}) || last_.size() == most_positions)
        scanner_.refuse(fmt::format("\"{}\" is no kind of position", word));
      if (word == "line") line_place_ = last_.size();
      last_.push_back(0);
    }
    if (last_.empty()) scanner_.refuse("\"positions:\" names none");
    if (line_place_ || std::exchange(is_without_lines_, true)) return;
    profile_.warnings.push_back(
        {.text = "the file has positions that are no lines: jcprof shows its functions only"});
  }

  void read_events(std::string_view text) {
    std::vector<std::string_view> names;
    for (auto word = take_word(text); !word.empty(); word = take_word(text)) {
      if (names.size() == most_events)
        scanner_.refuse(fmt::format("there are more than {} events", most_events));
      names.push_back(word);
    }
    const auto known = std::ranges::find_if(known_events, [&](const auto& event) {
      return std::ranges::find(names, event.second) != names.end();
    });
    if (known == known_events.end())
      scanner_.refuse(
          fmt::format("none of the events is instructions, cycles or ns: \"{}\"", few(names, " ")));
    if (has_events_ && known->first != profile_.info.unit)
      scanner_.refuse("the parts of the file have different events");
    const auto place = std::ranges::find(names, known->second);
    event_ = static_cast<std::size_t>(place - names.begin());
    names.erase(place);
    if (!has_events_ && !names.empty())
      profile_.warnings.push_back(
          {.text = fmt::format("the events {} of the file are left out: this profile has {}",
                               few(names, ", "), known->second)});
    profile_.info.unit = known->first;
    has_events_ = true;
  }

  /// The first names, and how many more there are.
  static std::string few(const std::vector<std::string_view>& names, std::string_view between) {
    constexpr std::size_t most = 8;
    const std::size_t shown = std::min(names.size(), most);
    const std::string text = fmt::format("{}", fmt::join(names | std::views::take(shown), between));
    return names.size() > shown ? fmt::format("{} and {} more", text, names.size() - shown) : text;
  }

  void add_total(std::string_view text, std::optional<double>& sum) {
    sum = sum.value_or(0) + static_cast<double>(cost_in(text));
  }

  /// That of the event. Costs that a line leaves out at its end are 0.
  std::uint64_t cost_in(std::string_view text) const {
    std::string_view word = take_word(text);
    for (std::size_t i = 0; i < event_ && !word.empty(); ++i) word = take_word(text);
    return word.empty() ? 0 : count_in(word, "cost");
  }

  std::uint64_t count_in(std::string_view word, std::string_view what) const {
    const auto count = whole_number<std::uint64_t>(word);
    if (!count) scanner_.refuse(fmt::format("\"{}\" is no {}", word, what));
    if (*count > most_count) scanner_.refuse(fmt::format("the {} {} is above 2^62", what, word));
    return *count;
  }

  void read_name(std::string_view line) {
    const std::size_t equals = line.find('=');
    const std::string_view key = line.substr(0, equals);
    const std::string_view value = line.substr(equals + 1);
    if (call_) scanner_.refuse("a call has no cost");
    if (key == "ob") module_ = modules_.at(value, scanner_);
    if (!is_one_of(key, name_keys)) scanner_.refuse("this is no line of the callgrind format");
    if (key == "jfi") files_.at(value, scanner_);
    if (key == "jfn") names_.at(value, scanner_);
    if (is_one_of(key, {"fl", "fi", "fe"})) file_ = files_.at(value, scanner_);
    if (key == "fn") function_ = function_at(module_, file_, names_.at(value, scanner_));
    if (key == "cob") called_module_ = modules_.at(value, scanner_);
    if (is_one_of(key, {"cfi", "cfl"})) called_file_ = files_.at(value, scanner_);
    if (key == "cfn") {
      callee_ = function_at(called_module_.value_or(module_), called_file_.value_or(file_),
                            names_.at(value, scanner_));
      called_module_.reset();
      called_file_.reset();
    }
    if (key == "calls") read_calls(value);
    is_jump_ = is_one_of(key, {"jump", "jcnd"});
  }

  /// "calls=COUNT POSITION": the position is where the callee begins.
  void read_calls(std::string_view value) {
    if (!callee_ || !function_) scanner_.refuse("a call of no function");
    const std::uint64_t count = count_in(take_word(value), "number of calls");
    calls_ += count;
    if (calls_ > most_count) scanner_.refuse("the numbers of calls add up to more than 2^62");
    std::size_t& line = profile_.functions[*callee_].symbol.line;
    const Number target = line_of(positions(value));
    if (line == 0) line = target;
    call_ = Call{.callee = *callee_, .count = count};
    callee_.reset();
  }

  std::vector<std::uint64_t> positions(std::string_view& text) const {
    std::vector<std::uint64_t> result;
    for (const std::uint64_t last : last_) {
      const std::string_view word = take_word(text);
      const std::optional<std::uint64_t> position = position_in(word, last);
      if (!position) scanner_.refuse(fmt::format("\"{}\" is no position", word));
      result.push_back(*position);
    }
    if (line_place_ && result[*line_place_] > most_line) scanner_.refuse("this is no line of a source");
    return result;
  }

  /// 0: the file does not tell.
  Number line_of(const std::vector<std::uint64_t>& positions) const {
    return line_place_ ? static_cast<Number>(positions[*line_place_]) : 0;
  }

  void read_cost(std::string_view line) {
    if (!has_events_) scanner_.refuse("a cost stands in front of \"events:\"");
    last_ = positions(line);
    if (std::exchange(is_jump_, false)) return;
    if (!function_) scanner_.refuse("a cost belongs to no function");
    const auto cost = static_cast<double>(cost_in(line));
    const Number at = line_of(last_);
    if (call_) {
      StoredArc& arc = arcs_[{*function_, call_->callee, file_, at}];
      arc.count += call_->count;
      arc.inclusive = arc.inclusive.value_or(0) + cost;
      call_.reset();
      return;
    }
    profile_.functions[*function_].own += cost;
    if (at > 0 && file_ > 0) lines_[{*function_, file_, at}] += cost;
  }

  Number function_at(Number module, Number file, Number name) {
    const auto [found, is_new] =
        functions_.try_emplace({module, file, name}, static_cast<Number>(profile_.functions.size()));
    if (is_new)
      profile_.functions.push_back({.symbol = {.name = name == 0 ? "(unknown)" : names_[name],
                                               .module = modules_[module],
                                               .path = files_[file]}});
    return found->second;
  }

  FlatProfile finish() {
    double sum = 0;
    for (const FlatFunction& function : profile_.functions) sum += function.own;
    const std::optional<double> total = totals_ ? totals_ : summary_;
    if (!total)
      profile_.warnings.push_back(
          {.kind = WarningKind::lost, .text = "the file has no \"totals:\": its end may be missing"});
    else if (*total != sum)
      scanner_.refuse(fmt::format("the costs add up to {}, and the file's {} are {}", sum,
                                  totals_ ? "totals" : "sums in \"summary:\"", *total));
    for (auto& [key, arc] : arcs_) {
      const auto& [caller, callee, file, line] = key;
      profile_.arcs.push_back({.caller = caller,
                               .callee = callee,
                               .path = line > 0 ? files_[file] : "",
                               .line = line,
                               .count = arc.count,
                               .inclusive = arc.inclusive});
    }
    for (const auto& [key, own] : lines_) {
      const auto& [function, file, line] = key;
      profile_.lines.push_back({.function = function, .path = files_[file], .line = line, .own = own});
      // No call may have told where it begins: that is not behind its first line.
      StoredSymbol& symbol = profile_.functions[function].symbol;
      if (symbol.line == 0 && files_[file] == symbol.path) symbol.line = line;
    }
    return std::move(profile_);
  }

  static constexpr std::uint64_t most_line = 1U << 30U;
  static constexpr std::uint64_t most_count = std::uint64_t{1} << 62U;
  static constexpr std::size_t most_events = 1000;
  static constexpr std::size_t most_positions = 3;
  static constexpr auto header_keys =
      std::to_array<std::string_view>({"version", "creator", "cmd", "pid", "thread", "part", "desc", "arch",
                                       "positions", "event", "events", "summary", "totals"});
  static constexpr auto name_keys = std::to_array<std::string_view>(
      {"ob", "fl", "fi", "fe", "fn", "cob", "cfi", "cfl", "cfn", "calls", "jfi", "jfn", "jump", "jcnd"});

  Scanner scanner_;
  FlatProfile profile_;
  CompressedNames modules_, files_, names_;
  std::map<std::tuple<Number, Number, Number>, Number> functions_;
  std::map<std::tuple<Number, Number, Number, Number>, StoredArc> arcs_;  // caller, callee, file, line
  std::map<std::tuple<Number, Number, Number>, double> lines_;            // function, file, line
  std::vector<std::uint64_t> last_{0};                                    // positions
  std::optional<std::size_t> line_place_ = 0;                             // of the line among them
  std::size_t event_ = 0;                                                 // place of its cost
  bool has_events_ = false;
  bool is_jump_ = false;
  bool is_without_lines_ = false;
  std::uint64_t calls_ = 0;
  Number module_ = 0, file_ = 0;
  std::optional<Number> function_, callee_, called_module_, called_file_;
  std::optional<Call> call_;
  std::optional<double> totals_, summary_;
};

}  // namespace

bool is_callgrind(std::string_view text) {
  const std::string_view head = text.substr(0, 4096);
  return text.starts_with("# callgrind format") || head.starts_with("events:") ||
         head.find("\nevents:") != std::string_view::npos;
}

RecordedRun read_callgrind(const std::string& name, std::string_view text) {
  return recorded_run(CallgrindParser(name, text).read());
}

}  // namespace jcprof::annotator
