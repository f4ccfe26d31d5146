// SPDX-License-Identifier: Apache-2.0
#include "src/core/sqlite.hpp"

#include <cmath>

#include <fmt/format.h>
#include <sqlite3.h>
#include <sys/resource.h>

#include "src/core/error.hpp"

namespace jcprof::sqlite {
namespace {

// A second jcprof commits once a round: waiting longer than this means that it is stuck, not slow.
constexpr int busy_ms = 3000;
// Far above every cell of ours; a cell of a profile from elsewhere may claim 1 GB.
constexpr int longest_cell = 256 << 20;

UserError about(const std::string& file, std::string message, std::string hint, ExitCode code) {
  return {Fault{.message = std::move(message), .place = {.file = file}, .hint = std::move(hint)}, code};
}

/// Opening a pipe waits for whoever writes into it, and SQLite opens the files beside a profile too.
void refuse_pipes(const std::string& file) {
  for (const char* suffix : {"", "-wal", "-shm", "-journal"}) {
    std::error_code error;
    const std::filesystem::file_status status = std::filesystem::status(file + suffix, error);
    if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status))
      throw about(file + suffix, "a pipe, device or folder where a profile is expected", "move it away",
                  ExitCode::user_mistake);
  }
}

/// Without links, which SQLite is told not to follow. Whoever only reads may name the file by one.
std::string opened_name(const std::filesystem::path& file, Access access) {
  if (file.empty()) return {};
  const std::filesystem::path absolute = std::filesystem::absolute(file);
  if (access == Access::read_only) return std::filesystem::canonical(absolute).string();
  return (std::filesystem::weakly_canonical(absolute.parent_path()) / absolute.filename()).string();
}

/// SQLite does not keep what the system said of a write.
bool is_size_limited() {
  rlimit limit{};
  return ::getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
}

}  // namespace

void CloseDatabase::operator()(sqlite3* database) const {
  sqlite3_close_v2(database);
}
void FinalizeStatement::operator()(sqlite3_stmt* statement) const {
  sqlite3_finalize(statement);
}

void damaged(const std::string& file, std::string_view what) {
  throw about(file, fmt::format("the profile is damaged: {}", what), damaged_hint, ExitCode::user_mistake);
}

void fail(sqlite3* database, const std::string& file) {
  const std::string why = sqlite3_errmsg(database);
  const std::string kept = "earlier results are safe; the same command resumes there";
  switch (sqlite3_errcode(database)) {
    case SQLITE_NOTADB:
      throw about(file, "not a profile (not even an SQLite file)", "`jcprof run` writes profiles",
                  ExitCode::user_mistake);
    case SQLITE_FULL:
      throw about(file, "the disk is full", "make room; " + kept, ExitCode::environment);
    case SQLITE_IOERR:
      if (is_size_limited())
        throw about(file, fmt::format("cannot be written or read: {}; the size of files is limited", why),
                    "raise it (`ulimit -f unlimited`); " + kept, ExitCode::environment);
      throw about(file, "cannot be written or read: " + why, kept, ExitCode::environment);
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_PROTOCOL:
    case SQLITE_CONSTRAINT:  // rows of another's were there first
      throw about(file, "in use by another program", "wait for the other jcprof, or end it; " + kept,
                  ExitCode::environment);
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_CANTOPEN:
      throw about(file, fmt::format("cannot be opened: {}", why),
                  "is the file, and the folder it lies in, yours to read and write?", ExitCode::environment);
    case SQLITE_NOMEM:
      throw about(file, "out of memory", "", ExitCode::environment);
    case SQLITE_CORRUPT:
    case SQLITE_ERROR:  // of our own statements: a table or a column is not there
    case SQLITE_SCHEMA:
    case SQLITE_MISMATCH:
      damaged(file, why);
    default:
      throw about(file, "SQLite says: " + why, kept, ExitCode::environment);
  }
}

Statement::Statement(sqlite3* database, const std::string& file, std::string_view sql)
    : database_(database), file_(file) {
  sqlite3_stmt* statement = nullptr;
  const int code = sqlite3_prepare_v3(database, sql.data(), static_cast<int>(sql.size()),
                                      SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
  statement_.reset(statement);
  if (code != SQLITE_OK) fail(database, file);
}

bool Statement::step() {
  const int code = sqlite3_step(statement_.get());
  if (code == SQLITE_ROW) return true;
  if (code != SQLITE_DONE) {
    // Reset gives the error again, and leaves the statement fit for another try.
    sqlite3_reset(statement_.get());
    fail(database_, file_);
  }
  sqlite3_reset(statement_.get());
  sqlite3_clear_bindings(statement_.get());
  return false;
}

void Statement::set(int index, std::int64_t value) {
  check(sqlite3_bind_int64(statement_.get(), index, value) == SQLITE_OK, "binding an integer");
}
void Statement::set(int index, double value) {
  if (!std::isfinite(value)) return;
  check(sqlite3_bind_double(statement_.get(), index, value) == SQLITE_OK, "binding a real");
}
void Statement::set(int index, std::string_view value) {
  check(sqlite3_bind_text64(statement_.get(), index, value.data(), value.size(), SQLITE_TRANSIENT,
                            SQLITE_UTF8) == SQLITE_OK,
        "binding a text");
}
void Statement::set(int index, const Bytes& value) {
  // An empty vector's data() may be null, which SQLite would take for NULL.
  const void* data = value.empty() ? static_cast<const void*>("") : value.data();
  check(sqlite3_bind_blob64(statement_.get(), index, data, value.size(), SQLITE_TRANSIENT) == SQLITE_OK,
        "binding a blob");
}

std::int64_t Statement::integer(int column) const {
  return sqlite3_column_int64(statement_.get(), column);
}
double Statement::real(int column, double if_null) const {
  return is_null(column) ? if_null : sqlite3_column_double(statement_.get(), column);
}
std::string_view Statement::text_view(int column) const {
  const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement_.get(), column));
  if (text == nullptr) return {};
  return {text, static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column))};
}
std::string Statement::text(int column) const {
  return std::string(text_view(column));
}
Bytes Statement::blob(int column) const {
  const auto* data = static_cast<const std::uint8_t*>(sqlite3_column_blob(statement_.get(), column));
  if (data == nullptr) return {};
  return {data, data + sqlite3_column_bytes(statement_.get(), column)};
}
bool Statement::is_null(int column) const {
  return sqlite3_column_type(statement_.get(), column) == SQLITE_NULL;
}
std::int64_t Statement::integer_in(int column, std::int64_t low, std::int64_t high) const {
  const std::int64_t value = integer(column);
  if (sqlite3_column_type(statement_.get(), column) != SQLITE_INTEGER || value < low || value > high)
    damaged(file_, fmt::format("\"{}\" in column \"{}\"", text(column),
                               sqlite3_column_name(statement_.get(), column)));
  return value;
}

void Statement::append_row(std::string& bytes) const {
  const auto append = [&](const auto& value) {
    bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
  };
  for (int i = 0; i < sqlite3_column_count(statement_.get()); ++i) {
    const int type = sqlite3_column_type(statement_.get(), i);
    bytes += static_cast<char>(type);
    if (type == SQLITE_INTEGER) append(sqlite3_column_int64(statement_.get(), i));
    if (type == SQLITE_FLOAT) append(sqlite3_column_double(statement_.get(), i));
    if (type != SQLITE_TEXT && type != SQLITE_BLOB) continue;
    const void* data = sqlite3_column_blob(statement_.get(), i);  // text as it lies there, too
    const int size = sqlite3_column_bytes(statement_.get(), i);
    append(size);
    bytes.append(static_cast<const char*>(data == nullptr ? "" : data), static_cast<std::size_t>(size));
  }
}

Database::Database(const std::filesystem::path& file, Access access) : file_(file.string()) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(file, error);
  if (access == Access::read_only && !std::filesystem::exists(status))
    throw about(file_, "there is no such profile", "`jcprof run` writes one", ExitCode::user_mistake);
  if (std::filesystem::is_directory(status))
    throw about(file_, "a folder, not a profile", "name the file: " + (file / "profile.jcprof").string(),
                ExitCode::user_mistake);
  refuse_pipes(file_);
  sqlite3* handle = nullptr;
  const int flags =
      access == Access::read_only ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
  const int code =
      sqlite3_open_v2(opened_name(file, access).c_str(), &handle, flags | SQLITE_OPEN_NOFOLLOW, nullptr);
  handle_.reset(handle);
  if (code != SQLITE_OK) fail(handle, file_);
  sqlite3_busy_timeout(handle, busy_ms);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
  sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, longest_cell);
  execute("PRAGMA cell_size_check = ON");
}

void Database::execute(const char* sql) const {
  if (sqlite3_exec(handle_.get(), sql, nullptr, nullptr, nullptr) != SQLITE_OK) fail(handle_.get(), file_);
}

std::int64_t Database::integer(std::string_view sql) const {
  Statement statement = prepare(sql);
  return statement.step() ? statement.integer(0) : 0;
}

bool Database::in_transaction() const {
  return sqlite3_get_autocommit(handle_.get()) == 0;
}

std::unique_ptr<sqlite3_stmt, FinalizeStatement> raw_statement(const Database& database,
                                                               const std::string& sql) {
  sqlite3_stmt* statement = nullptr;
  const int code = sqlite3_prepare_v2(database.handle(), sql.c_str(), -1, &statement, nullptr);
  std::unique_ptr<sqlite3_stmt, FinalizeStatement> owned(statement);
  if (code != SQLITE_OK) fail(database.handle(), database.file());
  return owned;
}

Atomically::Atomically(const Database& database, const char* begin)
    : database_(database), open_(!database.in_transaction()) {
  if (open_) database_.execute(begin);
}
Atomically::~Atomically() {
  if (open_ && database_.in_transaction())
    sqlite3_exec(database_.handle(), "ROLLBACK", nullptr, nullptr, nullptr);
}
void Atomically::commit() {
  if (open_) database_.execute("COMMIT");
  open_ = false;
}

}  // namespace jcprof::sqlite
