// SPDX-License-Identifier: Apache-2.0
// The tables of profile.jcprof: of each its columns in the order of the file. store_rows.hpp makes CREATE,
// INSERT and SELECT of them. A change here, or to the views, means a new version_of_store.
#pragma once

#include <concepts>
#include <tuple>
#include <type_traits>

#include "src/core/store.hpp"

namespace jcprof {

/// "jcpr" in SQLite's header: what `file` and other programs know a profile by.
inline constexpr int store_application_id = 0x6A637072;
/// SQLite's user_version.
inline constexpr int version_of_store = 11;

/// The statements that make all tables and views.
std::string store_schema();
/// The names of the tables.
std::vector<std::string> store_tables();

std::string_view name_of(RunState state);
std::string_view name_of(EstimateScope scope);
std::string_view name_of(Hot hot);

// ---- rows that store.hpp has in another form

struct RunRow {
  RunInfo info;
  std::string language = {};
  std::uint32_t build = 0;
  CardArming card = {};
};

/// Rows that one digest is of: sequences of a batch of samples, input and variant of a path, else 0.
struct Seal {
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  std::uint32_t round = 0;  // of samples
};

struct DigestRow {
  std::string part;  // the table
  Seal seal;
  std::string sha256;
};

struct PathRow {
  std::uint32_t input = 0;
  std::uint32_t variant = 0;
  std::uint64_t position = 0;
  Event event;
  std::uint64_t runs = 0;
  std::uint32_t signature = 0;
};

struct CallRow {
  StoredCall call;
  std::uint32_t depth = 0;  // from 0
  bool outermost = true;    // no call of the same function is further up
};

// ---- descriptions

/// A row's first column is its run, in the table of runs too.
struct Table {
  const char* name = "";
  std::size_t keys = 1;           // columns of the primary key, behind the run's
  const char* counter = nullptr;  // the first of these, where it counts the rows and is in no struct
};

/// How a value lies in its column, where its type does not say all.
enum class Cell : std::uint8_t {
  plain,
  bits_64,   // any 64 bits, above 2^63 as negative numbers
  bits_32,   // fits 32 bits
  low_end,   // NULL: minus infinity
  high_end,  // NULL: infinity
  nullable,  // NULL: 0
};

template <class T>
struct Column {
  const char* name;
  T& value;
  Cell cell = Cell::plain;
};
template <class T>
Column<T> column(const char* name, T& value, Cell cell = Cell::plain) {
  return {name, value, cell};
}

template <class Row, class Described>
concept RowOf = std::same_as<std::remove_const_t<Row>, Described>;

auto columns(RowOf<RunRow> auto& row) {
  auto& run = row.info;
  return std::tuple(
      Table{"run"}, column("state", run.state), column("started", run.started), column("tool", run.tool),
      column("project", run.project), column("project_digest", run.project_digest),
      column("trap_digest", run.trap_digest), column("transport", run.transport), column("agent", run.agent),
      column("reader", run.reader), column("protocol", run.protocol), column("device", run.device),
      column("atr", run.atr), column("simulated", run.simulated), column("unit", run.unit),
      column("hz", run.hz), column("resolution", run.resolution), column("seed", run.seed, Cell::bits_64),
      column("rounds", run.rounds), column("absolute", run.absolute), column("relative", run.relative),
      column("zoom", run.zoom), column("hot", run.hot), column("language", row.language),
      column("build", row.build), column("cla", row.card.cla), column("ins", row.card.ins),
      column("stop_status", row.card.stop_status));
}

auto columns(RowOf<DigestRow> auto& row) {
  return std::tuple(Table{"digest", 3}, column("part", row.part),
                    column("first", row.seal.first, Cell::bits_64),
                    column("last", row.seal.last, Cell::bits_64), column("round", row.seal.round),
                    column("sha256", row.sha256));
}

auto columns(RowOf<SourceDigest> auto& row) {
  return std::tuple(Table{"source", 1, "position"}, column("path", row.path), column("sha256", row.sha256));
}

auto columns(RowOf<Trap> auto& row) {
  return std::tuple(Table{"trap"}, column("id", row.id), column("key", row.key), column("name", row.name),
                    column("kind", row.kind), column("function", row.function), column("path", row.path),
                    column("line", row.line, Cell::bits_32), column("column", row.column, Cell::bits_32),
                    column("offset", row.offset, Cell::bits_32),
                    column("end_line", row.end_line, Cell::bits_32),
                    column("end_offset", row.end_offset, Cell::bits_32), column("guards", row.guards));
}

auto columns(RowOf<StoredInput> auto& row) {
  return std::tuple(Table{"input"}, column("number", row.index), column("bytes", row.bytes),
                    column("class", row.input_class));
}

auto columns(RowOf<PathRow> auto& row) {
  return std::tuple(Table{"path", 3}, column("input", row.input), column("variant", row.variant),
                    column("position", row.position), column("trap", row.event.trap),
                    column("hit", row.event.hit), column("runs", row.runs),
                    column("signature", row.signature));
}

auto columns(RowOf<StoredSample> auto& row) {
  return std::tuple(Table{"sample"}, column("sequence", row.sequence), column("round", row.round),
                    column("trap", row.asked.trap), column("hit", row.asked.hit), column("input", row.input),
                    column("ticks", row.ticks), column("outcome", row.outcome), column("status", row.status),
                    column("signature", row.signature));
}

auto columns(RowOf<StoredCalibration> auto& row) {
  return std::tuple(Table{"calibration", 1, "number"}, column("kind", row.kind), column("passes", row.passes),
                    column("ticks", row.ticks));
}

auto columns(RowOf<StoredLook> auto& row) {
  return std::tuple(Table{"look"}, column("number", row.number), column("input", row.input),
                    column("rounds", row.rounds), column("first_round", row.first_round),
                    column("method", row.method), column("tick", row.tick), column("grid", row.grid),
                    column("folded", row.folded), column("blocks", row.blocks),
                    column("settled", row.settled), column("shots", row.shots), column("whole", row.whole),
                    column("sigma", row.sigma), column("shot", row.shot));
}

auto columns(RowOf<Warning> auto& row) {
  return std::tuple(Table{"warning", 1, "number"}, column("kind", row.kind), column("text", row.text),
                    column("advice", row.advice));
}

auto columns(RowOf<StoredEstimate> auto& row) {
  return std::tuple(
      Table{"estimate", 2}, column("scope", row.scope), column("position", row.position),
      column("from_trap", row.from.trap), column("from_hit", row.from.hit), column("to_trap", row.to.trap),
      column("to_hit", row.to.hit), column("function", row.function), column("path", row.path),
      column("line", row.line, Cell::bits_32), column("rounds", row.rounds), column("hits", row.hits),
      column("entries", row.entries), column("raw", row.raw, Cell::nullable),
      column("ticks", row.ticks, Cell::nullable), column("low", row.low, Cell::low_end),
      column("high", row.high, Cell::high_end), column("share", row.share, Cell::nullable),
      column("share_low", row.share_low, Cell::low_end), column("share_high", row.share_high, Cell::high_end),
      column("inclusive", row.inclusive, Cell::nullable),
      column("inclusive_low", row.inclusive_low, Cell::low_end),
      column("inclusive_high", row.inclusive_high, Cell::high_end), column("resolved", row.resolved),
      column("rate", row.rate), column("mean", row.mean), column("mean_low", row.mean_low),
      column("mean_high", row.mean_high), column("median", row.median), column("median_low", row.median_low),
      column("median_high", row.median_high), column("q05", row.q05), column("q95", row.q95),
      column("hot", row.hot), column("hottest", row.hottest), column("least", row.least),
      column("most", row.most), column("q50", row.q50), column("q99", row.q99));
}

auto columns(RowOf<StoredSymbol> auto& row) {
  return std::tuple(Table{"symbol"}, column("number", row.number), column("name", row.name),
                    column("module", row.module), column("build_id", row.build_id),
                    column("address", row.address, Cell::bits_64), column("path", row.path),
                    column("line", row.line, Cell::bits_32));
}

auto columns(RowOf<StoredThread> auto& row) {
  return std::tuple(Table{"recorded_thread"}, column("serial", row.serial), column("process", row.process),
                    column("tid", row.tid), column("name", row.name), column("events", row.events),
                    column("lost", row.lost), column("unmatched", row.unmatched), column("first", row.first),
                    column("last", row.last), column("recorded", row.recorded),
                    column("overhead", row.overhead), column("paused", row.paused), column("gap", row.gap),
                    column("outside", row.outside), column("away", row.away), column("running", row.running),
                    column("waiting", row.waiting));
}

auto columns(RowOf<CallRow> auto& row) {
  auto& call = row.call;
  return std::tuple(Table{"call_node"}, column("id", call.id), column("parent", call.parent),
                    column("depth", row.depth), column("outermost", row.outermost),
                    column("thread", call.thread), column("symbol", call.symbol), column("count", call.count),
                    column("inclusive", call.inclusive), column("exclusive", call.exclusive),
                    column("away", call.away), column("least", call.least), column("most", call.most),
                    column("q50", call.q50), column("q95", call.q95), column("q99", call.q99));
}

auto columns(RowOf<StoredCallLine> auto& row) {
  return std::tuple(Table{"call_line", 3}, column("call", row.call), column("path", row.path),
                    column("line", row.line, Cell::bits_32), column("ticks", row.ticks));
}

auto columns(RowOf<StoredArc> auto& row) {
  return std::tuple(Table{"call_arc", 1, "number"}, column("caller", row.caller),
                    column("callee", row.callee), column("path", row.path),
                    column("line", row.line, Cell::bits_32), column("count", row.count),
                    column("inclusive", row.inclusive));
}

auto columns(RowOf<StoredSlow> auto& row) {
  return std::tuple(Table{"slow_call", 1, "number"}, column("symbol", row.symbol),
                    column("thread", row.thread), column("at", row.at), column("ticks", row.ticks));
}

auto columns(RowOf<StoredMark> auto& row) {
  return std::tuple(Table{"recorded_mark", 1, "number"}, column("name", row.name),
                    column("payload", row.payload, Cell::bits_64), column("thread", row.thread),
                    column("call", row.call), column("at", row.at));
}

}  // namespace jcprof
