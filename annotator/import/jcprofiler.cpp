// SPDX-License-Identifier: Apache-2.0
// measurements.csv of JCProfilerNext. Each row has the differences of one trap to the one before it, by
// round.
#include <algorithm>
#include <filesystem>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "annotator/import/formats.hpp"
#include "annotator/import/scanner.hpp"
#include "src/core/file.hpp"
#include "src/core/hex.hpp"
#include "src/core/text.hpp"

namespace jcprof::annotator {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view jcprofiler_head = "# mode,type#signature,";

/// A cell may stand in quotation marks, and two of them mean one in it.
std::vector<std::string> cells_of(const Scanner& scanner) {
  std::vector<std::string> cells{""};
  bool is_quoted = false;
  for (const char c : scanner.line()) {
    if (c == '"') {
      is_quoted = !is_quoted;
    } else if (c == ',' && !is_quoted) {
      cells.emplace_back();
    } else {
      cells.back() += c;
    }
  }
  if (is_quoted) scanner.refuse("a cell has no end");
  return cells;
}

/// The next row that is no comment.
std::optional<std::vector<std::string>> next_row(Scanner& scanner) {
  while (scanner.next())
    if (!scanner.line().empty() && !scanner.line().starts_with('#')) return cells_of(scanner);
  return std::nullopt;
}

using TrapPlaces = std::map<std::string, std::pair<std::string, std::size_t>, std::less<>>;

/// By name, in the sources with traps that JCProfilerNext leaves beside its measurements.
TrapPlaces trap_places(const fs::path& folder, std::vector<SourceDigest>& sources) {
  constexpr std::string_view call = "PM.check(PMC.";
  TrapPlaces places;
  std::error_code missing;
  for (const fs::directory_entry& entry :
       fs::recursive_directory_iterator(folder / "sources_instr", missing)) {
    if (entry.path().extension() != ".java" || !entry.is_regular_file(missing)) continue;
    const std::string text = read_file(entry.path());
    const std::string path = fs::relative(entry.path(), folder).generic_string();
    std::size_t number = 0;
    for (const std::string_view line : lines_of(text)) {
      ++number;
      const std::size_t at = line.find(call);
      if (at == std::string_view::npos) continue;
      const std::string_view name = line.substr(at + call.size());
      places.try_emplace(std::string(name.substr(0, name.find(')'))), path, number);
    }
    sources.push_back({.path = path, .sha256 = sha256(text)});
  }
  std::ranges::sort(sources, {}, &SourceDigest::path);
  return places;
}

/// The inputs of the rounds, each once.
std::vector<std::uint32_t> read_inputs(const std::vector<std::string>& cells, const Scanner& scanner,
                                       RunData& data) {
  std::map<std::string, std::uint32_t> known;
  std::vector<std::uint32_t> input_of;
  for (const std::string& cell : cells) {
    const auto [found, is_new] = known.try_emplace(cell, static_cast<std::uint32_t>(known.size()));
    input_of.push_back(found->second);
    if (!is_new) continue;
    const std::optional<Bytes> bytes = parse_hex(cell);
    if (!bytes) scanner.refuse(fmt::format("the input \"{}\" is not hexadecimal", cell));
    data.inputs.push_back({.index = found->second, .bytes = *bytes});
  }
  return input_of;
}

struct TrapRow {
  std::string name;
  std::size_t line = 0;                           // of the file
  std::vector<std::optional<Ticks>> differences;  // by round; nothing: the command did not reach it
};

std::vector<TrapRow> read_traps(Scanner& scanner, std::size_t rounds) {
  std::vector<TrapRow> traps;
  while (const auto cells = next_row(scanner)) {
    TrapRow& trap = traps.emplace_back(TrapRow{.name = cells->front(), .line = scanner.number()});
    if (cells->size() != rounds + 1)
      scanner.refuse(fmt::format("the trap has {} measurements for {} inputs: the file may be cut off",
                                 cells->size() - 1, rounds));
    for (auto cell = cells->begin() + 1; cell != cells->end(); ++cell) {
      constexpr Ticks most = Ticks{1} << 52;  // some weeks: sums stay far from overflow
      const std::optional<Ticks> difference = whole_number<Ticks>(*cell);
      if (!cell->empty() && (!difference || *difference > most || *difference < -most))
        scanner.refuse(fmt::format("\"{}\" is no time in ns", *cell));
      trap.differences.push_back(cell->empty() ? std::nullopt : difference);
    }
    if (traps.size() > 1000) scanner.refuse("there are more than 1000 traps");
  }
  if (traps.empty()) scanner.refuse("the file has no traps");
  return traps;
}

/// Absolute times again: those from the begin of the command to each trap that a round reached.
void add_rounds(const std::vector<TrapRow>& traps, const std::vector<std::uint32_t>& input_of,
                RunData& data) {
  std::map<std::uint32_t, std::map<std::vector<Event>, std::uint64_t>> paths;  // by input
  for (std::size_t round = 0; round < input_of.size(); ++round) {
    StoredSample sample{.round = static_cast<std::uint32_t>(round + 1), .input = input_of[round]};
    sample.outcome = Outcome::stopped;
    std::vector<Event> path;
    for (std::size_t trap = 0; trap < traps.size(); ++trap) {
      const std::optional<Ticks> difference = traps[trap].differences[round];
      if (!difference) continue;
      sample.sequence = data.samples.size() + 1;
      sample.asked = {.trap = TrapId{static_cast<std::uint32_t>(trap + 1)}};
      sample.ticks += *difference;
      path.push_back(sample.asked);
      data.samples.push_back(sample);
    }
    ++paths[sample.input][path];
  }
  for (const auto& [input, variants] : paths) {
    std::uint32_t variant = 0;
    for (const auto& [events, runs] : variants)
      if (!events.empty())
        data.paths.push_back({.input = input, .variant = variant++, .runs = runs, .events = events});
  }
}

}  // namespace

bool is_jcprofiler(std::string_view text) {
  return text.starts_with(jcprofiler_head);
}

RunData read_jcprofiler(const std::string& name, std::string_view text) {
  Scanner scanner(name, text, "jcprof reads measurements.csv of JCProfilerNext, in its mode \"time\"");
  RunData data{.run = {.agent = "JCProfilerNext", .unit = ClockUnit::ns}};
  const auto facts = next_row(scanner);
  if (!facts || facts->size() < 3) scanner.refuse("the file has no mode, signature and ATR");
  if (facts->front() != "time")
    scanner.refuse(fmt::format("these are no times: the mode is \"{}\"", facts->front()));
  std::string function = (*facts)[1].substr(0, (*facts)[1].find('('));
  replace_all(function, "#", ".");
  data.run.project = function;
  data.run.atr = (*facts)[2];
  const auto inputs = next_row(scanner);
  if (!inputs) scanner.refuse("the file has no inputs");
  const std::vector<std::uint32_t> input_of = read_inputs(*inputs, scanner, data);
  data.run.rounds = static_cast<std::uint32_t>(input_of.size());
  const std::vector<TrapRow> traps = read_traps(scanner, input_of.size());
  data.map.language = "java";
  const TrapPlaces places = trap_places(fs::absolute(name).parent_path(), data.map.sources);
  for (const TrapRow& row : traps) {
    const auto place = places.find(row.name);
    const bool has_place = place != places.end();
    const std::size_t number = data.map.traps.size() + 1;
    data.map.traps.push_back({.id = TrapId{static_cast<std::uint32_t>(number)},
                              .key = row.name,
                              .name = row.name,
                              .kind = number == 1              ? TrapKind::entry
                                      : number == traps.size() ? TrapKind::exit
                                                               : TrapKind::before,
                              .function = function,
                              .path = has_place ? place->second.first : fs::path(name).filename().string(),
                              .line = has_place ? place->second.second : row.line,
                              .column = 1,
                              .offset = number,
                              .end_line = has_place ? place->second.second : row.line,
                              .end_offset = number});
  }
  if (places.empty())
    data.warnings.push_back(
        {.text = "there is no folder sources_instr beside the file: lines are those of the file, "
                 "a trap each, with the time from there to the next trap"});
  add_rounds(traps, input_of, data);
  return data;
}

}  // namespace jcprof::annotator
