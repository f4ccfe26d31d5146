// SPDX-License-Identifier: Apache-2.0
#include "annotator/report/report.hpp"

#include <algorithm>
#include <map>
#include <sstream>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "annotator/estimate/quantity.hpp"
#include "annotator/report/json.hpp"
#include "annotator/report/rows.hpp"
#include "annotator/report/tree.hpp"
#include "annotator/tables.hpp"
#include "annotator/tree_walk.hpp"

namespace jcprof::annotator {
namespace {

// The largest share of the report that each part may take. Distributions, and calls that cost next to
// nothing, take what the others have left.
constexpr double for_file_names = 0.04;
constexpr double for_facts = 0.02;  // and warnings, each; twice where there is a comparison
constexpr double for_lines = 0.26;
constexpr double for_functions = 0.1;
constexpr double for_edges = 0.05;
constexpr double for_others = 0.02;   // loops, paths, threads, lines that were not reached: each
constexpr double for_changes = 0.06;  // of lines, and of functions
constexpr double for_tree = 0.14;
constexpr double for_texts = 0.4;

constexpr double least_share_of_calls = 0.0001;

using Facts = std::vector<std::pair<std::string, std::string>>;  // name and value

std::string clock_of(const RunInfo& run) {
  std::string text(name_of(run.unit));
  if (run.unit == ClockUnit::cycles && run.hz > 0) text += fmt::format(" at {:g} MHz", run.hz / 1e6);
  if (run.resolution != 1) text += fmt::format(", a tick is {:g} {}", run.resolution, name_of(run.unit));
  return text;
}

std::string_view name_of_state(RunState state) {
  switch (state) {
    case RunState::running:
      return "ended early, or still running";
    case RunState::interrupted:
      return "interrupted; jcprof run resumes it";
    case RunState::complete:
      return "";
  }
  return "";
}

void add_measured(const Profile& profile, Facts& facts) {
  const RunInfo& run = profile.run;
  facts.emplace_back("rounds", fmt::format("{}", profile.rounds));
  facts.emplace_back("shots", fmt::format("{}", profile.shots));
  facts.emplace_back("precision asked for", fmt::format("{:g} points of share, or {:g} % of a block",
                                                        100 * run.absolute, 100 * run.relative));
  if (run.zoom) facts.emplace_back("looked for blocks from", percent(*run.zoom));
  facts.emplace_back("seed", fmt::format("{}", run.seed));
  facts.emplace_back("paths", fmt::format("{}", profile.paths.size()));
  if (profile.trap_cost.pass.value > 0)
    facts.emplace_back("a trap takes", quantity(profile.trap_cost.pass, run.unit).value + ", taken off");
  facts.emplace_back("traps take", percent(profile.trap_share) + " of what is measured");
}

void add_recorded(const Profile& profile, Facts& facts) {
  facts.emplace_back("threads", fmt::format("{}", profile.recorded->threads));
  facts.emplace_back("events", fmt::format("{}", profile.recorded->events));
  facts.emplace_back("events lost", fmt::format("{}", profile.recorded->lost));
  if (std::ranges::any_of(profile.sources, &std::string::empty, &SourceDigest::sha256))
    facts.emplace_back("sources", "as they are now where no digest of the build is known");
}

/// In the order in which people are told; unknown facts are left out.
Facts facts(const Profile& profile) {
  const RunInfo& run = profile.run;
  Facts facts{{"device", run.device},
              {"simulated", run.simulated ? "SIMULATED: no real device" : ""},
              {"transport", run.transport},
              {"agent", run.agent},
              {"reader", run.reader},
              {"protocol", run.protocol},
              {"ATR", run.atr},
              {"clock", clock_of(run)},
              {"begun", run.started},
              {"state", std::string(name_of_state(run.state))}};
  if (profile.recorded)
    add_recorded(profile, facts);
  else
    add_measured(profile, facts);
  facts.emplace_back("measured by", run.tool);
  facts.emplace_back("report by", "jcprof " JCPROF_VERSION);
  facts.emplace_back("project file", run.project_digest.substr(0, 12));
  facts.emplace_back("build", run.trap_digest.substr(0, 12));
  std::erase_if(facts, [](const auto& fact) { return fact.second.empty(); });
  return facts;
}

/// The bytes that a report may still take, and what found no room in them.
class Room {
 public:
  explicit Room(std::size_t bytes) : most_(bytes), left_(bytes) {}

  std::size_t left() const { return left_; }
  std::size_t part(double share) const {
    return static_cast<std::size_t>(share * static_cast<double>(most_));
  }
  std::size_t up_to(double share) const { return std::min(left_, part(share)); }
  void take(std::size_t bytes) { left_ -= std::min(left_, bytes); }
  void note_left_out(std::size_t count, const char* what) {
    if (count > 0) left_out_ += fmt::format("{}{} {}", left_out_.empty() ? "" : ", ", count, what);
  }
  const std::string& left_out() const { return left_out_; }

 private:
  std::size_t most_;
  std::size_t left_;
  std::string left_out_;
};

struct ListPart {
  const char* what;
  double share;
};

template <class Items, class RowOf>
std::string list(Room& room, const ListPart& part, const Items& items, const RowOf& row_of) {
  BoundedList result(room.up_to(part.share));
  // Rows behind the first that found no room need not be made.
  for (const auto& item : items) result.add(result.left_out() == 0 ? row_of(item) : "");
  room.take(result.bytes());
  room.note_left_out(result.left_out(), part.what);
  return result.text();
}

/// Each without the bracket at its end.
std::vector<std::string> open_lines(const Profile& profile, ReportFiles& files, Room& room) {
  std::vector<std::string> rows;
  const std::size_t most = room.up_to(for_lines);
  std::size_t used = 2;
  for (const LineEstimate& line : profile.lines) {
    std::string row = open_row(line, files);
    used += row.size() + 2;
    if (used > most) break;
    rows.push_back(std::move(row));
  }
  room.take(used);
  room.note_left_out(profile.lines.size() - rows.size(), "lines");
  return rows;
}

/// The hottest lines get their distributions; null says that there was no room.
std::string with_distributions(std::vector<std::string> rows, const Profile& profile, Room& room) {
  constexpr std::string_view no_room = R"(,"rounds":null)";
  room.take(rows.size() * no_room.size());
  std::size_t missing = 0;
  std::string all;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::vector<double>& rounds = profile.lines[i].rounds;
    const auto known = missing == 0 ? distribution(rounds) : std::nullopt;
    const std::string text = known ? R"(,"rounds":)" + json(*known) : "";
    const bool has_no_room = text.size() > room.left() || (missing > 0 && !rounds.empty());
    if (has_no_room)
      ++missing;
    else
      room.take(text.size());
    all += fmt::format("{}{}{}}}", i == 0 ? "" : ",", rows[i], has_no_room ? no_room : text);
  }
  room.note_left_out(missing, "distributions of lines");
  return "[" + all + "]";
}

using FunctionPlace = std::tuple<std::string, std::string, std::size_t>;  // name, path, line

/// The slowest calls of each function. Functions of a recording have no number of their own; its symbols are
/// the first of the tree's.
std::map<FunctionPlace, std::string> slow_calls(const ReportSubject& subject) {
  std::map<FunctionPlace, std::string> result;
  if (subject.recording == nullptr) return result;
  const std::vector<CostFunction>& functions = subject.profile.tree.functions;
  std::map<std::uint32_t, std::size_t> place;  // of a thread, by serial
  for (const StoredThread& thread : subject.recording->threads) place.emplace(thread.serial, place.size());
  for (const StoredSlow& slow : subject.recording->slow) {
    const auto thread = place.find(slow.thread);
    if (slow.symbol >= functions.size() || thread == place.end()) continue;
    const CostFunction& function = functions[slow.symbol];
    std::string& calls = result[{function.name, function.path, function.line}];
    calls += fmt::format("{}[{},{},{}]", calls.empty() ? "" : ",", thread->second, json_number(slow.at),
                         json_number(slow.ticks));
  }
  return result;
}

std::string functions_of(const ReportSubject& subject, ReportFiles& files, Room& room) {
  const std::map<FunctionPlace, std::string> slow = slow_calls(subject);
  return list(room, {"functions", for_functions}, subject.profile.functions, [&](const FunctionEstimate& f) {
    const auto found = slow.find({f.function, f.path, f.line});
    return row(f, found == slow.end() ? "" : "[" + found->second + "]", files);
  });
}

std::string facts_of(const Profile& profile, std::size_t most_bytes) {
  BoundedList list(most_bytes);
  for (const auto& [name, value] : facts(profile))
    list.add(fmt::format("[{},{}]", json_name(name), json_name(value)));
  return list.text();
}

/// "null" where no command was seen to end.
std::string total_of(const Profile& profile) {
  return profile.recorded || was_measured(profile.total) ? json_ticks(profile.total) : "null";
}

/// Sentences, as on a terminal.
std::string hottest_of(const Profile& profile) {
  std::string list;
  std::istringstream sentences(hottest_text(profile, [](const std::string& name) { return name; }));
  for (std::string sentence; std::getline(sentences, sentence);)
    list += (list.empty() ? "" : ",") + json_name(sentence);
  return "[" + list + "]";
}

std::string against_of(const Against* against, ReportFiles& files, Room& room) {
  if (against == nullptr) return "null";
  const Comparison& comparison = against->comparison;
  const auto changes = [&](const ListPart& part, const std::vector<Change>& items, const char* member) {
    return list(room, part, items, [&](const Change& item) { return row(item, member, files); });
  };
  const std::string lines = changes({"compared lines", for_changes}, comparison.lines, "function");
  const std::string functions = changes({"compared functions", for_changes}, comparison.functions, "name");
  BoundedList warnings(room.part(for_facts));
  for (const std::string& warning : comparison.warnings) warnings.add(json_name(warning));
  return fmt::format(
      R"({{"project":{},"facts":{},"total":{},"speed":{},"warnings":{},"lines":{},"functions":{}}})",
      json_name(against->profile.run.project), facts_of(against->profile, room.part(for_facts)),
      total_of(against->profile), json_number(comparison.speed), warnings.text(), lines, functions);
}

/// The run's own warnings have their advice.
std::string warnings_of(const Profile& profile, const ReportTree& tree, const Room& room) {
  BoundedList list(room.part(for_facts));
  const auto add = [&](std::string_view text, std::string_view advice) {
    list.add(fmt::format(R"({{"text":{},"advice":{}}})", json_name(text), json_name(advice)));
  };
  if (!room.left_out().empty())
    add("the report leaves these out to stay below 10 MB, the coldest first: " + room.left_out(),
        "`jcprof export` and `jcprof query` have all of it");
  if (tree.too_deep() > 0)
    add(fmt::format("the report's call tree leaves out {} calls: they are more than {} deep", tree.too_deep(),
                    most_depth),
        "`jcprof query` knows them, in the view `call`");
  for (const Warning& warning : profile.noted) add(warning.text, warning.advice);
  for (std::size_t i = profile.noted.size(); i < profile.warnings.size(); ++i) add(profile.warnings[i], "");
  return list.text();
}

}  // namespace

std::string report_data(const ReportSubject& subject, std::size_t most_bytes) {
  const Profile& profile = subject.profile;
  Room room(most_bytes);
  ReportFiles files(room.part(for_file_names));
  ReportTree tree(profile.tree, files);
  const auto plain = [&](const auto& item) { return row(item, files); };
  room.take(room.part(for_file_names) + 4 * room.part(for_facts));
  // The more important comes first: it finds room.
  std::vector<std::string> rows = open_lines(profile, files, room);
  const std::string functions = functions_of(subject, files, room);
  const std::string unreached =
      list(room, {"lines that were not reached", for_others}, profile.unreached, plain);
  const std::string loops = list(room, {"loops", for_others}, profile.loops, plain);
  const std::string paths = list(room, {"paths", for_others}, profile.paths,
                                 [&](const PathEstimate& path) { return row(path, profile.inputs); });
  const std::string edges = list(room, {"pairs of traps", for_edges}, profile.edges, plain);
  const std::string threads = subject.recording == nullptr
                                  ? "[]"
                                  : list(room, {"threads", for_others}, subject.recording->threads,
                                         [](const StoredThread& thread) { return row(thread); });
  const std::string against = against_of(subject.against, files, room);
  room.take(tree.take(least_share_of_calls, room.up_to(for_tree)));
  const ReportFiles::Texts texts = files.texts(subject.sources, room.up_to(for_texts));
  room.take(texts.json.size());
  room.note_left_out(texts.left_out, "texts of sources");
  const std::string lines = with_distributions(std::move(rows), profile, room);
  room.take(tree.take(0, room.left()));
  room.note_left_out(tree.left_out(), "calls of the call tree");
  tree.take_arcs(room.left());
  room.note_left_out(tree.left_out_arcs(), "calls out of lines");

  const RunInfo& run = profile.run;
  const bool has_entry = !profile.recorded && was_measured(profile.entry);
  return fmt::format(
             R"({{"format":"jcprof-report","version":1,"project":{},"recorded":{},"unit":"{}","hz":{},"simulated":{},"language":{},)",
             json_name(run.project), profile.recorded.has_value(), name_of(run.unit), json_number(run.hz),
             run.simulated, json_name(profile.language)) +
         fmt::format(
             R"("headline":"{}","interval":{},"hottest":{},"facts":{},"warnings":{},"total":{},"entry":{},"between":{},"unattributed":{},)",
             headline_of(profile), json_name(interval_text(profile)), hottest_of(profile),
             facts_of(profile, room.part(for_facts)), warnings_of(profile, tree, room), total_of(profile),
             has_entry ? json(profile.entry.ticks) : "null",
             profile.between && was_measured(*profile.between) ? json(profile.between->ticks) : "null",
             has_entry && was_measured(profile.total) ? json(profile.unattributed) : "null") +
         fmt::format(
             R"("files":{},"functions":{},"lines":{},"unreached":{},"loops":{},"paths":{},"edges":{},"threads":{},)",
             texts.json, functions, lines, unreached, loops, paths, edges, threads) +
         fmt::format(R"("tree":{},"against":{}}})", tree.text(), against);
}

}  // namespace jcprof::annotator
