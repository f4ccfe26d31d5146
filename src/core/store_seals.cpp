// SPDX-License-Identifier: Apache-2.0
// Digests over what carries numbers into estimates: made of the rows as they came to lie in the file, in the
// transaction that wrote them, and compared when they are read. They are against failing disks and hasty
// hands, not against forgers.
#include <algorithm>

#include <sha256.h>

#include "src/core/store_state.hpp"

namespace jcprof {
namespace {

using sqlite::Atomically;
using sqlite::Statement;

struct Rows {
  std::string digest;
  std::int64_t count = 0;
};

std::string sealed_rows(std::string_view part) {
  std::string_view where = "run = ?1 AND ?2 = ?3";
  if (part == "run") where = "id = ?1 AND ?2 = ?3";
  if (part == "sample") where = "run = ?1 AND sequence BETWEEN ?2 AND ?3";
  if (part == "path") where = "run = ?1 AND input = ?2 AND variant = ?3";
  return selection(part, where);
}

Rows rows_in(Statement& select, std::int64_t run, const Seal& seal) {
  constexpr std::size_t enough = std::size_t{1} << 16;
  SHA2_CTX state;
  SHA256Init(&state);
  Rows rows;
  std::string bytes;
  const auto flush = [&] {
    SHA256Update(&state, reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
    bytes.clear();
  };
  for (select.bind(run, seal.first, seal.last); select.step(); ++rows.count) {
    select.append_row(bytes);
    if (bytes.size() >= enough) flush();
  }
  flush();
  rows.digest.resize(SHA256_DIGEST_STRING_LENGTH);
  SHA256End(&state, rows.digest.data());
  rows.digest.resize(SHA256_DIGEST_STRING_LENGTH - 1);
  return rows;
}

std::string in_words(std::string_view part, std::int64_t run, const Seal& seal) {
  if (part != "sample") return fmt::format("\"{}\" of run {} is not as it was stored", part, run);
  const std::string round = seal.round == 0 ? "the warm-up" : fmt::format("round {}", seal.round);
  return fmt::format("{} of run {} is not as it was measured (samples {} to {})", round, run, seal.first,
                     seal.last);
}

}  // namespace

void Store::State::seal(std::int64_t run, const std::string& part, const Seal& seal) const {
  Statement select = database.prepare(sealed_rows(part));
  Statement digest = insertion<DigestRow>(database, "OR REPLACE");
  insert(digest, run, DigestRow{.part = part, .seal = seal, .sha256 = rows_in(select, run, seal).digest});
}

void Store::State::renumber(std::int64_t from, std::int64_t to) const {
  const std::vector<std::string> tables = store_tables();
  std::vector<DigestRow> sealed;
  Statement seals = database.prepare(selection("digest", "run = ?"));
  for (seals.bind(from); seals.step();) sealed.push_back(row_in<DigestRow>(seals));
  // The file may name anything there.
  std::erase_if(sealed, [&](const DigestRow& row) { return std::ranges::count(tables, row.part) == 0; });
  for (const std::string& table : tables)
    if (std::ranges::count(sealed, table, &DigestRow::part) > 0) verify(from, table);
  for (const std::string& table : tables)
    database
        .prepare(fmt::format("UPDATE {0} SET {1} = ? WHERE {1} = ?", table, table == "run" ? "id" : "run"))
        .bind(to, from)
        .run();
  for (const DigestRow& row : sealed) seal(to, row.part, row.seal);
}

void Store::State::take(std::int64_t run, const StoredSample& added) {
  // Between the samples of a round there may be some that belong to none.
  const bool is_of_batch = batch && (batch->round == added.round || batch->round == 0 || added.round == 0);
  const bool goes_on = is_of_batch && batch_run == run && batch->last + 1 == added.sequence;
  if (!goes_on) {
    seal_batch();
    batch_run = run;
    batch = Seal{.first = added.sequence, .last = added.sequence, .round = added.round};
  }
  batch->last = added.sequence;
  batch->round = std::max(batch->round, added.round);
  if (!database.in_transaction()) seal_batch();
}

void Store::State::seal_batch() {
  if (batch) seal(batch_run, "sample", *batch);
  batch.reset();
}

void verify_seals(const sqlite::Database& database, std::int64_t run, const std::string& part) {
  Atomically steadily(database, "BEGIN");  // somebody may be writing
  Statement seals = database.prepare(selection("digest", "run = ? AND part = ?"));
  Statement select = database.prepare(sealed_rows(part));
  std::int64_t sealed = 0;
  for (seals.bind(run, part); seals.step();) {
    const auto [name, seal, sha256] = row_in<DigestRow>(seals);
    const Rows rows = rows_in(select, run, seal);
    if (rows.digest != sha256) sqlite::damaged(database.file(), in_words(part, run, seal));
    sealed += rows.count;
  }
  Statement count = database.prepare(
      fmt::format("SELECT count(*) FROM {} WHERE {} = ?", part, part == "run" ? "id" : "run"));
  count.bind(run).step();
  if (count.integer(0) != sealed)
    sqlite::damaged(database.file(), fmt::format("\"{}\" holds {} rows of run {}; {} were stored", part,
                                                 count.integer(0), run, sealed));
}

void verify_seals(const sqlite::Database& database, std::int64_t run) {
  for (const std::string& table : store_tables())
    if (table != layout<DigestRow>().table.name) verify_seals(database, run, table);
}

void Store::State::verify(std::int64_t run, const std::string& part) const {
  verify_seals(database, run, part);
}

}  // namespace jcprof
