// SPDX-License-Identifier: Apache-2.0
#include "programs/parquet.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <set>
#include <string>
#include <string_view>
#include <system_error>

#include <fcntl.h>
#include <sys/file.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "src/core/error.hpp"
#include "src/core/file.hpp"
#include "src/core/fleet_rows.hpp"
#include "src/core/process.hpp"
#include "src/core/text.hpp"
#include "src/core/unique_fd.hpp"

namespace jcprof::cli {
namespace {

namespace fs = std::filesystem;

UniqueFd locked(const fs::path& folder, int how) {
  UniqueFd lock(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (lock.get() >= 0 && ::flock(lock.get(), how) != 0) lock = UniqueFd();
  return lock;
}

/// Holds the others up who look for dead part folders, or change tables.
UniqueFd alone_in(const fs::path& folder) {
  UniqueFd lock = locked(folder, LOCK_EX);
  if (lock.get() < 0)
    throw environment_error(
        fmt::format("cannot lock \"{}\": {}", folder.string(), std::generic_category().message(errno)),
        "-o names the folder");
  return lock;
}

/// The folder of unfinished files. It goes at the end, and its export holds a lock on it.
class PartFolder {
 public:
  explicit PartFolder(const fs::path& in) {
    const UniqueFd alone = alone_in(in);
    remove_dead(in);
    path_ = make_part_folder(in);
    lock_ = alone_in(path_);
  }
  ~PartFolder() { remove(path_); }
  PartFolder(const PartFolder&) = delete;
  PartFolder& operator=(const PartFolder&) = delete;

  const fs::path& path() const { return path_; }

 private:
  static void remove(const fs::path& folder) {
    std::error_code ignored;
    fs::remove_all(folder, ignored);
  }
  /// Those of exports that were killed.
  static void remove_dead(const fs::path& in) {
    std::vector<fs::path> dead;
    for (const fs::directory_entry& entry : fs::directory_iterator(in))
      if (entry.path().filename().string().starts_with(part_prefix) &&
          locked(entry.path(), LOCK_EX | LOCK_NB).get() >= 0)
        dead.push_back(entry.path());
    std::ranges::for_each(dead, remove);
  }

  fs::path path_;
  UniqueFd lock_;
};

std::string_view type_name(FleetType type) {
  switch (type) {
    case FleetType::integer:
      return "BIGINT";
    case FleetType::real:
      return "DOUBLE";
    case FleetType::text:
      break;
  }
  return "VARCHAR";
}

/// A name of a file may have 255 bytes.
constexpr std::size_t longest_value = 200;

std::string in_a_name(std::string_view value) {
  std::string encoded = percent_encoded(value);
  if (encoded.size() <= longest_value) return encoded;
  for (std::size_t most = longest_value; encoded.size() > longest_value; --most)
    encoded = percent_encoded(beginning_of(value, most));
  return fmt::format("{}-{}", encoded, sha256(value).substr(0, 16));
}

/// Hive, Spark and DuckDB name folders so. No key of ours needs an escape.
std::string partition(std::string_view key, std::string_view value) {
  return fmt::format("{}={}", key, value.empty() ? "__HIVE_DEFAULT_PARTITION__" : in_a_name(value));
}

/// The table's rows as a file; false if there are none.
bool write_rows(const FleetProfile& profile, const FleetTable& table, const fs::path& file) {
  constexpr std::size_t at_once = 1 << 20;
  std::string text;
  UniqueFd out;
  const auto flush = [&] {
    if (out.get() < 0) out = open_own_file(file, OwnStart::empty);
    if (!write_all(out.get(), text))
      throw environment_error(
          fmt::format("cannot write \"{}\": {}", file.string(), std::generic_category().message(errno)),
          "the rows of a profile lie there as text for a moment");
    text.clear();
  };
  profile.each_row(table, [&](std::string_view row) {
    text += row;
    if (text.size() >= at_once) flush();
  });
  if (!text.empty()) flush();
  return out.get() >= 0;
}

std::string copy_statement(const FleetTable& table) {
  std::vector<std::string> columns;
  for (const FleetColumn& column : table.columns)
    columns.push_back(fmt::format("'{}': '{}'", column.name, type_name(column.type)));
  return fmt::format(
      "COPY (FROM read_json('{0}.json', format = 'newline_delimited', columns = {{{1}}}))"
      " TO '{0}.parquet' (FORMAT parquet, COMPRESSION zstd);\n",
      table.name, fmt::join(columns, ", "));
}

constexpr const char* no_duckdb =
    "jcprof writes Parquet by DuckDB's program: `pip install duckdb-cli` brings it, or JCPROF_DUCKDB names "
    "it";

std::string duckdb() {
  const char* const named = std::getenv("JCPROF_DUCKDB");
  const std::string program = named == nullptr || *named == '\0' ? "duckdb" : named;
  // It starts in another folder.
  return program.find('/') == std::string::npos ? program : fs::absolute(program).string();
}

/// `script` runs in `folder`, without its user's settings, and fetches nothing.
void run_duckdb(const fs::path& folder, const std::string& script) {
  const std::string program = duckdb();
  const Command command{.argv = {program, "-batch", "-bail", "-init", "/dev/null", "-c",
                                 "SET autoinstall_known_extensions = false;\n" + script},
                        .cwd = folder};
  ProcessResult result;
  try {
    result = run_and_wait(command, {}, std::chrono::hours{1});
  } catch (const UserError& error) {
    throw environment_error(error.faults().front().message, no_duckdb);
  }
  if (result.timed_out)
    throw environment_error(fmt::format("{} took more than an hour for one profile", program),
                            "is the machine short of memory, or the disk slow?");
  if (result.exit_status != 0)
    throw environment_error(fmt::format("{} failed with {}: {}", program, result.exit_status,
                                        plain_line(trimmed(result.tail, "\n"))),
                            "is it DuckDB 1.5 or newer, with memory and room on the disk?");
}

/// A finished file, and its way below the folder of all tables.
struct Staged {
  fs::path file;
  fs::path to;
};

/// The tables of one profile; nothing but `part` has changed afterwards.
void stage(const fs::path& profile, const fs::path& part, std::vector<Staged>& staged) {
  fs::create_directory(part);
  const FleetProfile opened(profile);
  const FleetRun& run = opened.run();
  const fs::path below = fs::path(partition("project", run.project)) / partition("build", run.build) /
                         partition("device", run.device) / (percent_encoded(run.id) + ".parquet");
  std::string script;
  std::vector<fs::path> rows;
  for (const FleetTable& table : fleet_tables()) {
    const fs::path json = part / (table.name + ".json");
    if (!write_rows(opened, table, json)) continue;
    script += copy_statement(table);
    rows.push_back(json);
    staged.push_back({.file = part / (table.name + ".parquet"), .to = table.name / below});
  }
  run_duckdb(part, script);
  for (const Staged& one : staged)
    if (!fs::is_regular_file(one.file))
      throw environment_error(fmt::format("{} wrote no \"{}\"", duckdb(), one.file.filename().string()),
                              "JCPROF_DUCKDB names DuckDB's program; is it that?");
  for (const fs::path& json : rows) fs::remove(json);
}

/// The files of a table, as views.sql looks for them.
constexpr const char* files_of_runs = "project=*/build=*/device=*/*.parquet";

std::vector<fs::path> files_in(const fs::path& table) {
  std::vector<fs::path> files;
  if (!fs::is_directory(table)) return files;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(table))
    if (entry.is_regular_file() &&
        glob_matches(files_of_runs, entry.path().lexically_relative(table).string()))
      files.push_back(entry.path());
  return files;
}

/// A run that comes again takes the place of its earlier files, wherever they lie.
void move_in(const std::vector<Staged>& staged, const fs::path& folder) {
  std::set<fs::path> names, places;
  for (const Staged& one : staged) {
    names.insert(one.to.filename());
    places.insert(folder / one.to);
  }
  for (const Staged& one : staged) {
    fs::create_directories((folder / one.to).parent_path());
    fs::rename(one.file, folder / one.to);
  }
  for (const FleetTable& table : fleet_tables())
    for (const fs::path& file : files_in(folder / table.name))
      if (names.contains(file.filename()) && !places.contains(file)) fs::remove(file);
}

/// Names of `jcprof query` for DuckDB, relative to the folder.
std::string views(const fs::path& folder) {
  std::string text = "-- In this folder: duckdb -init views.sql\n";
  for (const FleetTable& table : fleet_tables()) {
    text += fmt::format("CREATE OR REPLACE VIEW \"{}\" AS ", table.view);
    if (!files_in(folder / table.name).empty()) {
      text += fmt::format(
          "FROM read_parquet('{}/{}', hive_partitioning = true, hive_types_autocast = false, "
          "union_by_name = true);\n",
          table.name, files_of_runs);
      continue;
    }
    std::vector<std::string> columns;
    for (const FleetColumn& column : table.columns)
      columns.push_back(fmt::format("NULL::{} AS \"{}\"", type_name(column.type), column.name));
    for (const char* const key : {"build", "device", "project"})
      columns.push_back(fmt::format("NULL::VARCHAR AS {}", key));
    text += fmt::format("SELECT {} WHERE false;\n", fmt::join(columns, ", "));
  }
  return text;
}

/// Each profile once. UserError where one is damaged.
std::vector<fs::path> good_ones(const std::vector<fs::path>& profiles) {
  std::set<std::string> known;
  std::vector<fs::path> good;
  for (const fs::path& profile : profiles)
    if (known.insert(FleetProfile(profile).run().id).second) good.push_back(profile);
  return good;
}

}  // namespace

void write_parquet(const std::vector<fs::path>& profiles, const fs::path& folder) {
  const std::vector<fs::path> good = good_ones(profiles);
  try {
    fs::create_directories(folder);
    const fs::path known = fs::canonical(folder);
    const PartFolder part(known);
    std::vector<Staged> staged;
    for (std::size_t i = 0; i < good.size(); ++i) stage(good[i], part.path() / std::to_string(i), staged);
    const UniqueFd alone = alone_in(known);
    try {
      move_in(staged, known);
    } catch (const fs::filesystem_error&) {
      write_file(known / "views.sql", views(known));
      throw;
    }
    write_file(known / "views.sql", views(known));
  } catch (const fs::filesystem_error& error) {
    throw environment_error(
        fmt::format("cannot write to \"{}\": {}", folder.string(), error.code().message()),
        "-o names the folder");
  }
}

}  // namespace jcprof::cli
