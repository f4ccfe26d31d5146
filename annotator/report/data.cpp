// SPDX-License-Identifier: Apache-2.0
#include "annotator/report/data.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "annotator/report/facts.hpp"
#include "annotator/report/json.hpp"
#include "annotator/report/rows.hpp"
#include "annotator/report/tree.hpp"
#include "annotator/tree_walk.hpp"

namespace jcprof::annotator {
namespace {

// How much of the report each part may take at most. Distributions, and calls that cost next to nothing, take
// what the others have left.
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

std::string json_of_facts(const Profile& profile, std::size_t most_bytes) {
  BoundedList list(most_bytes);
  for (const auto& [name, value] : facts(profile))
    list.add(fmt::format("[{},{}]", json_name(name), json_name(value)));
  return list.text();
}

class DataWriter {
 public:
  DataWriter(const ReportSubject& subject, std::size_t most_bytes)
      : subject_(subject),
        profile_(subject.profile),
        most_bytes_(most_bytes),
        left_(most_bytes),
        files_(part(for_file_names)),
        tree_(profile_.tree, files_) {
    left_ -= part(for_file_names) + 4 * part(for_facts);
  }

  /// The more important comes first: it finds room.
  std::string text() {
    take_lines();
    take_lists();
    if (subject_.against != nullptr) take_changes(subject_.against->comparison);
    left_ -= tree_.take(least_share_of_calls, room(for_tree));
    const ReportFiles::Texts texts = files_.texts(subject_.sources, room(for_texts));
    left_ -= std::min(left_, texts.json.size());
    note_left_out("texts of sources", texts.left_out);
    add_distributions();
    tree_.take(0, left_);
    note_left_out("calls of the call tree", tree_.left_out());
    return assembled(texts.json);
  }

 private:
  std::size_t part(double share) const {
    return static_cast<std::size_t>(share * static_cast<double>(most_bytes_));
  }
  std::size_t room(double share) const { return std::min(left_, part(share)); }

  void note_left_out(const char* what, std::size_t count) {
    if (count == 0) return;
    left_out_ += fmt::format("{}{} {}", left_out_.empty() ? "" : ", ", count, what);
  }

  template <class Items, class RowOf>
  std::string list(const char* what, double share, const Items& items, const RowOf& row_of) {
    BoundedList result(room(share));
    for (const auto& item : items) {
      // What comes behind the first that found no room need not be made.
      if (result.left_out() == 0)
        result.add(row_of(item));
      else
        result.add("");
    }
    left_ -= std::min(left_, result.bytes());
    note_left_out(what, result.left_out());
    return result.text();
  }

  void take_lines() {
    const std::size_t most = room(for_lines);
    std::size_t used = 2;
    for (const LineEstimate& line : profile_.lines) {
      std::string row = open_row(line, files_);
      used += row.size() + 2;
      if (used > most) break;
      lines_.push_back(std::move(row));
    }
    left_ -= std::min(used, left_);
    note_left_out("lines", profile_.lines.size() - lines_.size());
  }

  void take_lists() {
    index_slow_calls();
    const auto plain = [this](const auto& item) { return row(item, files_); };
    functions_ = list("functions", for_functions, profile_.functions, [this](const FunctionEstimate& f) {
      const auto slow = slow_.find({f.function, f.path, f.line});
      return row(f, slow == slow_.end() ? "" : "[" + slow->second + "]", files_);
    });
    unreached_ = list("lines that were not reached", for_others, profile_.unreached, plain);
    loops_ = list("loops", for_others, profile_.loops, plain);
    paths_ = list("paths", for_others, profile_.paths,
                  [this](const PathEstimate& path) { return row(path, profile_.inputs); });
    edges_ = list("pairs of traps", for_edges, profile_.edges, plain);
    if (subject_.recording != nullptr)
      threads_ = list("threads", for_others, subject_.recording->threads,
                      [](const StoredThread& thread) { return row(thread); });
  }

  void take_changes(const Comparison& comparison) {
    const auto change_of = [this](const char* member) {
      return [this, member](const Change& item) { return row(item, member, files_); };
    };
    changed_lines_ = list("compared lines", for_changes, comparison.lines, change_of("function"));
    changed_functions_ = list("compared functions", for_changes, comparison.functions, change_of("name"));
  }

  /// Functions of a recording have no number of their own; its symbols are the first of the tree's.
  void index_slow_calls() {
    if (subject_.recording == nullptr) return;
    std::map<std::uint32_t, std::size_t> place;  // of a thread, by serial
    for (const StoredThread& thread : subject_.recording->threads) place.emplace(thread.serial, place.size());
    for (const StoredSlow& slow : subject_.recording->slow) {
      const auto thread = place.find(slow.thread);
      if (slow.symbol >= profile_.tree.functions.size() || thread == place.end()) continue;
      const CostFunction& function = profile_.tree.functions[slow.symbol];
      std::string& calls = slow_[{function.name, function.path, function.line}];
      calls += fmt::format("{}[{},{},{}]", calls.empty() ? "" : ",", thread->second, json_number(slow.at),
                           json_number(slow.ticks));
    }
  }

  /// Of the hottest lines; null says that there was no room.
  void add_distributions() {
    constexpr std::string_view no_room = R"(,"rounds":null)";
    left_ -= std::min(left_, lines_.size() * no_room.size());
    std::size_t missing = 0;
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      const std::vector<double>& rounds = profile_.lines[i].rounds;
      const auto known = missing == 0 ? distribution(rounds) : std::nullopt;
      const std::string text = known ? R"(,"rounds":)" + json(*known) : "";
      if (text.size() > left_ || (missing > 0 && !rounds.empty())) {
        ++missing;
        lines_[i] += no_room;
      } else {
        left_ -= text.size();
        lines_[i] += text;
      }
      lines_[i] += '}';
    }
    note_left_out("distributions of lines", missing);
  }

  /// Those of the run have their advice.
  std::string warnings() const {
    BoundedList list(part(for_facts));
    const auto add = [&](std::string_view text, std::string_view advice) {
      list.add(fmt::format(R"({{"text":{},"advice":{}}})", json_name(text), json_name(advice)));
    };
    if (!left_out_.empty())
      add("to stay below 10 MB the report leaves out, the coldest first: " + left_out_,
          "`jcprof export` and `jcprof query` have all of it");
    if (tree_.too_deep() > 0)
      add(fmt::format("{} calls are more than {} deep: the report's call tree leaves them out",
                      tree_.too_deep(), most_depth),
          "`jcprof query` knows them, in the view `call`");
    for (const Warning& warning : profile_.noted) add(warning.text, warning.advice);
    for (std::size_t i = profile_.noted.size(); i < profile_.warnings.size(); ++i)
      add(profile_.warnings[i], "");
    return list.text();
  }

  std::string against() const {
    if (subject_.against == nullptr) return "null";
    const Profile& before = subject_.against->profile;
    const Comparison& comparison = subject_.against->comparison;
    BoundedList warnings(part(for_facts));
    for (const std::string& warning : comparison.warnings) warnings.add(json_name(warning));
    return fmt::format(
        R"({{"project":{},"facts":{},"total":{},"speed":{},"warnings":{},"lines":{},"functions":{}}})",
        json_name(before.run.project), json_of_facts(before, part(for_facts)), total_of(before),
        json_number(comparison.speed), warnings.text(), changed_lines_, changed_functions_);
  }

  /// "null" where no command was seen to end.
  static std::string total_of(const Profile& profile) {
    return profile.recorded || profile.total.rounds > 0 ? json(profile.total.ticks) : "null";
  }

  std::string assembled(const std::string& texts) const {
    const RunInfo& run = profile_.run;
    const auto known = [](bool is_known, const Interval& ticks) { return is_known ? json(ticks) : "null"; };
    const bool is_measured = !profile_.recorded;
    std::string all = fmt::format(
        R"({{"format":"jcprof-report","version":1,"project":{},"recorded":{},"unit":"{}","hz":{},"simulated":{},"language":{},)",
        json_name(run.project), !is_measured, name_of(run.unit), json_number(run.hz), run.simulated,
        json_name(profile_.language));
    all += fmt::format(
        R"("facts":{},"warnings":{},"total":{},"entry":{},"unattributed":{},)",
        json_of_facts(profile_, part(for_facts)), warnings(), total_of(profile_),
        known(is_measured && profile_.entry.rounds > 0, profile_.entry.ticks),
        known(is_measured && profile_.total.rounds > 0 && profile_.entry.rounds > 0, profile_.unattributed));
    all += fmt::format(R"("files":{},"functions":{},"lines":[)", texts, functions_);
    for (const std::string& line : lines_) all += (&line == &lines_.front() ? "" : ",") + line;
    all += fmt::format(R"(],"unreached":{},"loops":{},"paths":{},"edges":{},"threads":{},)", unreached_,
                       loops_, paths_, edges_, threads_);
    return all + fmt::format(R"("tree":{},"against":{}}})", tree_.text(), against());
  }

  const ReportSubject& subject_;
  const Profile& profile_;
  std::size_t most_bytes_;
  std::size_t left_;
  ReportFiles files_;
  ReportTree tree_;
  std::string left_out_;                                                           // of what how much
  std::map<std::tuple<std::string, std::string, std::size_t>, std::string> slow_;  // by name and place
  std::vector<std::string> lines_;
  std::string functions_;
  std::string unreached_;
  std::string loops_;
  std::string paths_;
  std::string edges_;
  std::string threads_ = "[]";
  std::string changed_lines_;
  std::string changed_functions_;
};

}  // namespace

std::string report_data(const ReportSubject& subject, std::size_t most_bytes) {
  return DataWriter(subject, most_bytes).text();
}

}  // namespace jcprof::annotator
