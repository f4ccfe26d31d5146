// SPDX-License-Identifier: Apache-2.0
// What is written while a run goes on and read back row by row.
#include <limits>

#include "src/core/error.hpp"
#include "src/core/name_table.hpp"
#include "src/core/store_state.hpp"

namespace jcprof {
namespace {

using sqlite::Atomically;
using sqlite::Database;
using sqlite::Statement;

constexpr double infinity = std::numeric_limits<double>::infinity();

constexpr NameTable<EstimateScope, 8> scopes{{
    {EstimateScope::total, "total"},
    {EstimateScope::entry, "entry"},
    {EstimateScope::unattributed, "unattributed"},
    {EstimateScope::block, "block"},
    {EstimateScope::edge, "edge"},
    {EstimateScope::line, "line"},
    {EstimateScope::function, "function"},
    {EstimateScope::loop, "loop"},
}};

constexpr NameTable<Hot, 3> hot_words{{
    {Hot::yes, "yes"},
    {Hot::no, "no"},
    {Hot::undecided, "undecided"},
}};

constexpr std::string_view insert_sample =
    "INSERT INTO sample (run, sequence, round, trap, hit, input, ticks, outcome, status, signature)"
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";

template <class Number>
std::optional<Number> number_if_any(const Statement& row, int column) {
  return row.is_null(column) ? std::nullopt : std::optional(row.number<Number>(column));
}

StoredEstimate estimate_in(const Database& database, const Statement& row) {
  return {.scope = known(database, row.text_view(1), value_in(scopes, row.text_view(1))),
          .position = row.number<std::uint32_t>(2),
          .from = {.trap = TrapId{row.number<std::uint32_t>(3)}, .hit = row.number<std::uint32_t>(4)},
          .to = {.trap = TrapId{row.number<std::uint32_t>(5)}, .hit = row.number<std::uint32_t>(6)},
          .function = row.text(7),
          .path = row.text(8),
          .line = row.number<std::uint32_t>(9),
          .rounds = row.number<std::uint32_t>(10),
          .hits = row.number<std::uint64_t>(11),
          .entries = row.number<std::uint64_t>(12),
          .raw = row.real(13),
          .ticks = row.real(14),
          .low = row.real(15, -infinity),
          .high = row.real(16, infinity),
          .share = row.real(17),
          .share_low = row.real(18, -infinity),
          .share_high = row.real(19, infinity),
          .inclusive = row.real(20),
          .inclusive_low = row.real(21, -infinity),
          .inclusive_high = row.real(22, infinity),
          .resolved = row.integer(23) != 0,
          .rate = row.real_if_any(24),
          .mean = row.real_if_any(25),
          .q05 = row.real_if_any(26),
          .q95 = row.real_if_any(27),
          .hot = row.is_null(28) ? std::nullopt
                                 : std::optional(known(database, row.text_view(28),
                                                       value_in(hot_words, row.text_view(28)))),
          .least = row.real_if_any(29),
          .most = row.real_if_any(30),
          .q50 = row.real_if_any(31),
          .q99 = row.real_if_any(32)};
}

}  // namespace

void Store::add_path(std::int64_t run, const StoredPath& path) {
  const Database& database = state_->database;
  Atomically atomically(database);
  database.prepare("DELETE FROM path WHERE run = ? AND input = ? AND variant = ?")
      .bind(run, path.input, path.variant)
      .run();
  Statement event = database.prepare("INSERT INTO path VALUES (?, ?, ?, ?, ?, ?, ?, ?)");
  for (std::size_t i = 0; i < path.events.size(); ++i)
    event
        .bind(run, path.input, path.variant, i, number(path.events[i].trap), path.events[i].hit, path.runs,
              path.signature)
        .run();
  state_->seal(run, "path", {.first = path.input, .last = path.variant});
  atomically.commit();
}

void Store::add_look(std::int64_t run, const StoredLook& look) {
  Atomically atomically(state_->database);
  state_->database.prepare("INSERT OR REPLACE INTO look VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
      .bind(run, look.number, look.input, look.rounds, look.first_round, name_of(look.method), look.tick,
            look.grid, look.folded, look.blocks, look.settled, look.shots, look.whole, look.sigma, look.shot)
      .run();
  state_->seal(run, "look");
  atomically.commit();
}

void Store::replace_warnings(std::int64_t run, const std::vector<Warning>& warnings) {
  const Database& database = state_->database;
  Atomically atomically(database);
  database.prepare("DELETE FROM warning WHERE run = ?").bind(run).run();
  Statement row = database.prepare("INSERT INTO warning VALUES (?, ?, ?, ?, ?)");
  for (std::size_t i = 0; i < warnings.size(); ++i)
    row.bind(run, i, name_of(warnings[i].kind), warnings[i].text, warnings[i].advice).run();
  state_->seal(run, "warning");
  atomically.commit();
}

void Store::begin() {
  replace_old();
  check(!state_->database.in_transaction(), "Store::begin() twice");
  state_->batch.reset();  // of one that came to nothing
  state_->database.execute("BEGIN IMMEDIATE");
}

void Store::add_sample(std::int64_t run, const StoredSample& sample) {
  if (!state_->sample) state_->sample.emplace(state_->database.prepare(insert_sample));
  state_->sample
      ->bind(run, sample.sequence, sample.round, number(sample.asked.trap), sample.asked.hit, sample.input,
             sample.ticks, name_of(sample.outcome), sample.status, sample.signature)
      .run();
  state_->take(run, sample);
}

void Store::add_calibration(std::int64_t run, const StoredCalibration& calibration) {
  Atomically atomically(state_->database);
  const std::int64_t next = state_->next_number("calibration", run);
  state_->database.prepare("INSERT INTO calibration VALUES (?, ?, ?, ?, ?)")
      .bind(run, next, calibration.kind, calibration.passes, calibration.ticks)
      .run();
  state_->seal(run, "calibration");
  atomically.commit();
}

void Store::commit() {
  check(state_->database.in_transaction(), "Store::commit() without begin()");
  state_->seal_batch();
  state_->database.execute("COMMIT");
}

void Store::replace_estimates(std::int64_t run, const std::vector<StoredEstimate>& estimates) {
  const Database& database = state_->database;
  Atomically atomically(database);
  database.prepare("DELETE FROM estimate WHERE run = ?").bind(run).run();
  Statement row = database.prepare(
      "INSERT INTO estimate VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, "
      "?, ?, ?, ?, ?, ?, ?, ?, ?)");
  const auto word = [](Hot hot) { return name_in(hot_words, hot); };
  for (const StoredEstimate& e : estimates)
    row.bind(run, name_in(scopes, e.scope), e.position, number(e.from.trap), e.from.hit, number(e.to.trap),
             e.to.hit, e.function, e.path, e.line, e.rounds, e.hits, e.entries, e.raw, e.ticks, e.low, e.high,
             e.share, e.share_low, e.share_high, e.inclusive, e.inclusive_low, e.inclusive_high, e.resolved,
             e.rate, e.mean, e.q05, e.q95, e.hot ? std::optional(word(*e.hot)) : std::nullopt, e.least,
             e.most, e.q50, e.q99)
        .run();
  state_->seal(run, "estimate");
  atomically.commit();
}

std::vector<StoredPath> Store::paths(std::int64_t run) const {
  state_->verify(run, "path");
  Statement row = state_->database.prepare(
      "SELECT input, variant, runs, signature, trap, hit FROM path WHERE run = ?"
      " ORDER BY input, variant, position");
  std::vector<StoredPath> paths;
  for (row.bind(run); row.step();) {
    const StoredPath head{.input = row.number<std::uint32_t>(0),
                          .variant = row.number<std::uint32_t>(1),
                          .runs = row.number<std::uint64_t>(2),
                          .signature = row.number<std::uint32_t>(3)};
    if (paths.empty() || paths.back().input != head.input || paths.back().variant != head.variant)
      paths.push_back(head);
    paths.back().events.push_back(
        {.trap = TrapId{row.number<std::uint32_t>(4)}, .hit = row.number<std::uint32_t>(5)});
  }
  return paths;
}

std::vector<StoredSample> Store::samples(std::int64_t run) const {
  state_->verify(run, "sample");
  const Database& database = state_->database;
  Statement row = database.prepare(
      "SELECT sequence, round, trap, hit, input, ticks, outcome, status, signature FROM sample"
      " WHERE run = ? ORDER BY sequence");
  std::vector<StoredSample> samples;
  for (row.bind(run); row.step();)
    samples.push_back(
        {.sequence = row.number<std::uint64_t>(0),
         .round = row.number<std::uint32_t>(1),
         .asked = {.trap = TrapId{row.number<std::uint32_t>(2)}, .hit = row.number<std::uint32_t>(3)},
         .input = row.number<std::uint32_t>(4),
         .ticks = row.number<std::int64_t>(5),
         .outcome = known(database, row.text_view(6), outcome_named(row.text_view(6))),
         .status = number_if_any<std::uint32_t>(row, 7),
         .signature = number_if_any<std::uint32_t>(row, 8)});
  return samples;
}

std::vector<StoredCalibration> Store::calibrations(std::int64_t run) const {
  state_->verify(run, "calibration");
  Statement row =
      state_->database.prepare("SELECT kind, passes, ticks FROM calibration WHERE run = ? ORDER BY number");
  std::vector<StoredCalibration> calibrations;
  for (row.bind(run); row.step();)
    calibrations.push_back(
        {.kind = row.text(0), .passes = row.number<std::uint64_t>(1), .ticks = row.number<std::int64_t>(2)});
  return calibrations;
}

std::vector<Warning> Store::warnings(std::int64_t run) const {
  state_->verify(run, "warning");
  const Database& database = state_->database;
  Statement row = database.prepare("SELECT kind, text, advice FROM warning WHERE run = ? ORDER BY number");
  std::vector<Warning> warnings;
  for (row.bind(run); row.step();)
    warnings.push_back({.kind = known(database, row.text_view(0), warning_kind(row.text_view(0))),
                        .text = row.text(1),
                        .advice = row.text(2)});
  return warnings;
}

std::vector<StoredLook> Store::looks(std::int64_t run) const {
  state_->verify(run, "look");
  const Database& database = state_->database;
  Statement row = database.prepare(
      "SELECT number, rounds, first_round, method, tick, grid, folded, blocks, settled, shots, whole, input, "
      "sigma, shot"
      " FROM look WHERE run = ? ORDER BY number");
  std::vector<StoredLook> looks;
  for (row.bind(run); row.step();)
    looks.push_back({.number = row.number<std::uint32_t>(0),
                     .input = row.number<std::uint32_t>(11),
                     .rounds = row.number<std::uint32_t>(1),
                     .first_round = row.number<std::uint32_t>(2),
                     .method = known(database, row.text_view(3), method_named(row.text_view(3))),
                     .tick = row.real(4),
                     .grid = row.real(5),
                     .folded = row.integer(6) != 0,
                     .blocks = row.number<std::uint64_t>(7),
                     .settled = row.number<std::uint64_t>(8),
                     .shots = row.number<std::uint64_t>(9),
                     .whole = row.real(10),
                     .sigma = row.real(12),
                     .shot = row.real(13)});
  return looks;
}

std::vector<StoredEstimate> Store::estimates(std::int64_t run) const {
  state_->verify(run, "estimate");
  const Database& database = state_->database;
  Statement row = database.prepare("SELECT * FROM estimate WHERE run = ? ORDER BY scope, position");
  std::vector<StoredEstimate> estimates;
  for (row.bind(run); row.step();) estimates.push_back(estimate_in(database, row));
  return estimates;
}

}  // namespace jcprof
