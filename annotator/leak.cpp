// SPDX-License-Identifier: Apache-2.0
#include "annotator/leak.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "annotator/estimate/attribution.hpp"
#include "annotator/estimate/quantity.hpp"
#include "annotator/interval_json.hpp"
#include "src/core/text.hpp"

namespace jcprof::annotator {
namespace {

using engine::ClassedTime;
using engine::Interval;
using engine::LeakFindings;
using engine::LeakingBlock;
using engine::LeakPair;
using engine::LeakRun;
using engine::Parting;
using engine::StopLook;
using nlohmann::ordered_json;

constexpr double alpha = 0.05;
constexpr std::uint64_t least_shots = 100;
constexpr std::array quantiles{0.05, 0.25, 0.5, 0.75, 0.95};

struct Place {
  std::string path;  // empty: none
  std::size_t line = 0;
  std::string function;
};

std::string in_words(const Place& place) {
  return fmt::format("{}:{} ({})", plain_line(place.path), place.line, plain_line(place.function));
}

Place place_of(const TrapMap& map, TrapId id) {
  const Trap& trap = map.at(id);
  return {.path = trap.path, .line = trap.line, .function = trap.function};
}

/// Words for one run and its trap map.
class Teller {
 public:
  Teller(const LeakRun& run, const TrapMap& map)
      : run_(run), map_(map), attribution_(attribute(map, run.path)) {}

  /// The code in front of stop `end`, from the stop before it on; no place where that is no line of ours.
  Place place_of_block(std::size_t begin) const {
    if (begin == 0 || begin > run_.path.size() || attribution_.blocks[begin - 1].is_between()) return {};
    const OwnedLine& line = attribution_.lines[attribution_.blocks[begin - 1].line];
    return {.path = line.path, .line = line.line, .function = line.function};
  }

  std::string stop_in_words(std::size_t stop) const {
    if (stop == 0) return "the start of the command";
    if (stop > run_.path.size()) return "the end of the command";
    const Event event = run_.path[stop - 1];
    const std::string hit = event.hit == 1 ? "" : fmt::format(", hit {}", event.hit);
    return in_words(place_of(map_, event.trap)) + hit;
  }

  std::string block_in_words(const LeakingBlock& block) const {
    const bool is_last = block.end > run_.path.size();
    if (block.begin == 0 && block.end == 1)
      return run_.path.empty() ? "the command" : "in front of the first trap";
    if (is_last && !run_.is_whole)
      return fmt::format("behind {}, where {}", stop_in_words(block.begin),
                         run_.partings.empty() ? "the known path ends" : "paths part");
    if (block.end - block.begin > 1)
      return fmt::format("between {} and {}", stop_in_words(block.begin), stop_in_words(block.end));
    const Place place = place_of_block(block.begin);
    if (place.path.empty())
      return is_last ? "behind the last trap, in the answer" : "between two commands of the trigger";
    const Event event = run_.path[block.begin - 1];
    return in_words(place) + (event.hit == 1 ? "" : fmt::format(", hit {}", event.hit));
  }

  /// "wrong takes 3.2 µs ±0.4 longer than right"
  std::string shift_in_words(const Interval& shift, std::size_t second) const {
    const bool is_longer = shift.value >= 0;
    const Interval longer = is_longer ? shift : Interval{-shift.value, -shift.high, -shift.low};
    const std::string& slow = run_.classes[is_longer ? second : 0];
    const std::string& fast = run_.classes[is_longer ? 0 : second];
    return fmt::format("{} takes {} longer than {}", plain_line(slow), amount(longer), plain_line(fast));
  }

  std::string amount(const Interval& ticks) const {
    if (ticks.value < 0) return "-" + amount({-ticks.value, -ticks.high, -ticks.low});
    const Quantity text = quantity(ticks, run_.run.unit);
    return text.half_width == "?" ? text.value : text.value + " ±" + text.half_width;
  }

  std::string parting_in_words(const Parting& parting) const {
    std::string text =
        parting.last == run_to_end ? "at the first trap" : "behind " + in_words(place_of(map_, parting.last));
    const char* sign = ": ";
    for (std::size_t c = 0; c < run_.classes.size(); ++c) {
      std::size_t all = 0;
      for (const engine::Way& way : parting.ways) all += way.inputs[c];
      for (const engine::Way& way : parting.ways) {
        if (way.inputs[c] == 0) continue;
        text += fmt::format("{}{} goes to {} ({} of {} inputs)", sign, plain_line(run_.classes[c]),
                            way.next == run_to_end ? "the end" : in_words(place_of(map_, way.next)),
                            way.inputs[c], all);
        sign = "; ";
      }
    }
    return text;
  }

  const LeakRun& run() const { return run_; }

 private:
  const LeakRun& run_;
  const TrapMap& map_;
  Attribution attribution_;
};

std::vector<double> times_of(const StopLook& look, bool is_second) {
  std::vector<double> times;
  for (const ClassedTime& time : look.times)
    if (time.is_second == is_second) times.push_back(time.ticks);
  return times;
}

/// The end of the first confirmed block, or the whole command: there the difference shows best.
const StopLook& telling_look(const LeakFindings& findings) {
  const auto block = std::ranges::find_if(findings.blocks, &LeakingBlock::is_confirmed);
  if (block != findings.blocks.end())
    if (const auto look = std::ranges::find(findings.looks, block->end, &StopLook::stop);
        look != findings.looks.end())
      return *look;
  return findings.looks.front();
}

std::vector<const StopLook*> along_path(const LeakFindings& findings) {
  std::vector<const StopLook*> looks;
  for (const StopLook& look : findings.looks) looks.push_back(&look);
  std::ranges::sort(looks, {}, &StopLook::stop);
  return looks;
}

std::string path_table(const LeakPair& pair, const Teller& tell, const TableStyle& style) {
  std::vector<Row> rows;
  for (const StopLook* look : along_path(pair.findings))
    rows.push_back({tell.stop_in_words(look->stop), tell.amount(engine::class_shift(look->times, alpha)),
                    fmt::format("{}", look->times.size())});
  TableStyle all = style;
  all.rows = rows.size();
  return table({{.title = "up to", .align = Align::left}, {.title = "difference"}, {.title = "shots"}}, rows,
               all);
}

/// "+2.1 µs"
std::string offset(double ticks, ClockUnit unit) {
  return ticks == 0 ? "0" : (ticks < 0 ? "-" : "+") + each(std::abs(ticks), unit);
}

/// Quantiles of both classes: the two distributions, as far as they differ from the middle of the first.
std::string time_table(const LeakPair& pair, const Teller& tell, const TableStyle& style) {
  const StopLook& look = telling_look(pair.findings);
  const std::array classes{times_of(look, false), times_of(look, true)};
  if (classes[0].empty() || classes[1].empty()) return "";
  const ClockUnit unit = tell.run().run.unit;
  const double middle = engine::median(classes[0]);
  std::vector<Column> columns{
      {.title = fmt::format("{} up to {}", each(middle, unit), tell.stop_in_words(look.stop)),
       .align = Align::left}};
  for (const double quantile : quantiles)
    columns.push_back({.title = fmt::format("{:.0f} %", 100 * quantile)});
  std::vector<Row> rows;
  for (std::size_t c = 0; c < classes.size(); ++c) {
    Row& row = rows.emplace_back(Row{plain_line(tell.run().classes[c == 0 ? 0 : pair.second])});
    for (const double quantile : quantiles)
      row.push_back(offset(engine::quantile(classes.at(c), quantile) - middle, unit));
  }
  return "\n" + table(columns, rows, style);
}

/// Empty where the blocks may be all of the difference.
std::string rest_text(const LeakFindings& findings) {
  Interval blocks{0, 0, 0};
  for (const LeakingBlock& block : findings.blocks) {
    blocks.low += block.shift.low;
    blocks.high += block.shift.high;
  }
  const bool is_all = blocks.low <= findings.whole.high && findings.whole.low <= blocks.high;
  return is_all ? "" : "the whole command differs by another amount: --sweep looks for further places\n";
}

/// Rounded up to one digit.
std::string at_most(double p) {
  if (p >= 1) return "1";
  const double digit = std::pow(10, std::floor(std::log10(p)));
  return fmt::format("{:.0e}", std::ceil(p / digit * (1 - 1e-9)) * digit);
}

std::string place_text(const LeakPair& pair, const Teller& tell) {
  const LeakFindings& findings = pair.findings;
  std::string text;
  for (const LeakingBlock& block : findings.blocks)
    if (block.is_confirmed)
      text += fmt::format("leak: {}: {}\n", tell.block_in_words(block),
                          tell.shift_in_words(block.shift, pair.second));
  if (!text.empty()) return text + rest_text(findings);
  const std::string why =
      findings.is_spent ? "the shots did not suffice to find its place" : "its place is not confirmed";
  text = fmt::format("leak: the time of the command depends on the class; {}", why);
  for (const LeakingBlock& block : findings.blocks)
    text += fmt::format("; it is likely {}", tell.block_in_words(block));
  return text + "\n";
}

/// Empty where there is a leak, or no evidence of one.
std::string why_unresolved(const LeakFindings& findings) {
  if (findings.is_uneven)
    return "shots of one class come to their stop less often than those of the other, so that their times "
           "cannot be compared";
  if (findings.is_found) return "";
  if (findings.shots < least_shots) return fmt::format("fewer than {} shots", least_shots);
  if (findings.is_cut_sweep) return "the budget ended before all stops were looked at";
  if (!std::isfinite(findings.findable))
    return "noise would have hidden any difference: more --shots may tell";
  return "";
}

std::string whole_text(const Interval& shift, std::size_t second, const Teller& tell) {
  if (shift.low > 0 || shift.high < 0) return tell.shift_in_words(shift, second);
  if (shift.low == 0 && shift.high == 0) return "the classes do not differ by a tick in the middle";
  return "the classes are within " + upper_bound(std::max(-shift.low, shift.high), tell.run().run.unit);
}

std::string no_evidence_text(const LeakFindings& findings, const Teller& tell) {
  const bool has_parting = std::ranges::any_of(tell.run().partings, &Parting::is_of_class);
  const bool was_swept = findings.looks.size() > 1;
  return fmt::format("no{} evidence{}: a difference of {} or more would have been found (99 %)\n{}",
                     has_parting ? " further" : "", has_parting ? " beside the path" : "",
                     upper_bound(findings.findable, tell.run().run.unit),
                     was_swept ? "" : "--sweep also finds differences that cancel out before the end\n");
}

std::string pair_text(const LeakPair& pair, const Teller& tell, const TableStyle& style) {
  const LeakFindings& findings = pair.findings;
  const std::string names = fmt::format("{} against {}", plain_line(tell.run().classes[pair.second]),
                                        plain_line(tell.run().classes.front()));
  std::string text = fmt::format("{}: {} shots, p <= {}, Welch's t {:.1f}\n", names, findings.shots,
                                 at_most(findings.p), engine::largest_welch_t(findings.looks.front().times));
  if (std::isfinite(engine::half_width(findings.whole)))
    text += "whole command: " + whole_text(findings.whole, pair.second, tell) + "\n";
  if (const std::string why = why_unresolved(findings); !why.empty())
    text += "unresolved: " + why + "\n";
  else if (findings.is_found)
    text += place_text(pair, tell);
  else
    text += no_evidence_text(findings, tell);
  if (findings.leaves_behind)
    text += "warning: times depend on the class of the command before: something of it is left behind\n";
  text += time_table(pair, tell, style);
  if (findings.looks.size() > 1) text += "\n" + path_table(pair, tell, style);
  return text;
}

bool is_leak(const LeakPair& pair) {
  return pair.findings.is_found && why_unresolved(pair.findings).empty();
}

ordered_json place_json(const Place& place) {
  return {{"path", place.path}, {"line", place.line}, {"function", place.function}};
}

ordered_json json_of(const Parting& parting, const Teller& tell, const TrapMap& map) {
  ordered_json json{{"events", parting.events}, {"of_class", parting.is_of_class}};
  json["behind"] = parting.last == run_to_end ? ordered_json() : place_json(place_of(map, parting.last));
  json["ways"] = ordered_json::array();
  for (const engine::Way& way : parting.ways) {
    ordered_json inputs = ordered_json::object();
    for (std::size_t c = 0; c < way.inputs.size(); ++c) inputs[tell.run().classes[c]] = way.inputs[c];
    json["ways"].push_back(
        {{"to", way.next == run_to_end ? ordered_json() : place_json(place_of(map, way.next))},
         {"inputs", std::move(inputs)}});
  }
  return json;
}

ordered_json json_of(const LeakPair& pair, const Teller& tell) {
  const LeakFindings& findings = pair.findings;
  ordered_json json{{"first", tell.run().classes.front()},
                    {"second", tell.run().classes[pair.second]},
                    {"found", findings.is_found},
                    {"p", std::min(1.0, findings.p)},
                    {"shots", findings.shots},
                    {"budget_spent", findings.is_spent},
                    {"why_unresolved", why_unresolved(findings)},
                    {"left_behind", findings.leaves_behind},
                    {"welch_t", engine::largest_welch_t(findings.looks.front().times)},
                    {"whole", known_interval_json(findings.whole)},
                    {"findable", findings.is_found ? ordered_json() : finite_json(findings.findable)}};
  json["blocks"] = ordered_json::array();
  for (const LeakingBlock& block : findings.blocks) {
    ordered_json item{{"where", tell.block_in_words(block)}, {"confirmed", block.is_confirmed}};
    const Place place = tell.place_of_block(block.begin);
    if (block.end - block.begin == 1 && !place.path.empty()) item.update(place_json(place));
    item["difference"] = known_interval_json(block.shift);
    json["blocks"].push_back(std::move(item));
  }
  json["stops"] = ordered_json::array();
  for (const StopLook* look : along_path(findings)) {
    ordered_json item{{"stop", look->stop},
                      {"up_to", tell.stop_in_words(look->stop)},
                      {"shots", look->times.size()},
                      {"difference", known_interval_json(engine::class_shift(look->times, alpha))}};
    for (const bool is_second : {false, true}) {
      const std::vector<double> times = times_of(*look, is_second);
      ordered_json& list = item[is_second ? "second" : "first"] = ordered_json::array();
      for (const double quantile : quantiles) list.push_back(finite_json(engine::quantile(times, quantile)));
    }
    json["stops"].push_back(std::move(item));
  }
  return json;
}

}  // namespace

std::string_view name_of(LeakVerdict verdict) {
  constexpr std::array<std::string_view, 3> names{"leak", "unresolved", "none"};
  return names.at(static_cast<std::size_t>(verdict));
}

LeakVerdict verdict_of(const LeakRun& run) {
  if (std::ranges::any_of(run.partings, &Parting::is_of_class) || std::ranges::any_of(run.pairs, is_leak))
    return LeakVerdict::leak;
  const bool are_all = run.pairs.size() + 1 == run.classes.size();
  const bool are_told = std::ranges::all_of(
      run.pairs, [](const LeakPair& pair) { return why_unresolved(pair.findings).empty(); });
  return are_all && are_told ? LeakVerdict::none : LeakVerdict::unresolved;
}

std::string leak_text(const LeakRun& run, const TrapMap& map, const TableStyle& style) {
  const Teller tell(run, map);
  std::string text = fmt::format("{} on {}{}: ", plain_line(run.run.project), plain_line(run.run.device),
                                 run.run.simulated ? " (SIMULATED)" : "");
  for (std::size_t c = 0; c < run.classes.size(); ++c)
    text += fmt::format("{}{} ({} input{})", c == 0 ? "" : ", ", plain_line(run.classes[c]), run.inputs.at(c),
                        run.inputs.at(c) == 1 ? "" : "s");
  text += "\n";
  for (const Parting& parting : run.partings)
    text += fmt::format("{}: {}\n", parting.is_of_class ? "leak: the path depends on the class" : "path",
                        tell.parting_in_words(parting));
  for (const LeakPair& pair : run.pairs) text += "\n" + pair_text(pair, tell, style);
  for (std::size_t c = run.pairs.size() + 1; c < run.classes.size(); ++c)
    text += fmt::format("\n{} against {}: unresolved: the search ended before\n", plain_line(run.classes[c]),
                        plain_line(run.classes.front()));
  for (const Warning& warning : run.warnings)
    text += painted("warning:", yellow, style) + " " + plain_line(to_text(warning)) + "\n";
  return text;
}

ordered_json leak_json(const LeakRun& run, const TrapMap& map) {
  const Teller tell(run, map);
  ordered_json json{{"format", "jcprof-leak"},        {"version", 1},
                    {"project", run.run.project},     {"device", run.run.device},
                    {"simulated", run.run.simulated}, {"started", run.run.started},
                    {"unit", name_of(run.run.unit)},  {"verdict", name_of(verdict_of(run))},
                    {"stops", run.path.size() + 1}};
  json["classes"] = ordered_json::array();
  for (std::size_t c = 0; c < run.classes.size(); ++c)
    json["classes"].push_back({{"name", run.classes[c]}, {"inputs", run.inputs.at(c)}});
  json["partings"] = ordered_json::array();
  for (const Parting& parting : run.partings) json["partings"].push_back(json_of(parting, tell, map));
  json["pairs"] = ordered_json::array();
  for (const LeakPair& pair : run.pairs) json["pairs"].push_back(json_of(pair, tell));
  json["warnings"] = ordered_json::array();
  for (const Warning& warning : run.warnings) json["warnings"].push_back(to_text(warning));
  return json;
}

}  // namespace jcprof::annotator
