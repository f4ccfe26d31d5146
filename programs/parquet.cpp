// SPDX-License-Identifier: Apache-2.0
#include "programs/parquet.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <string>
#include <string_view>
#include <system_error>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "src/core/error.hpp"
#include "src/core/file.hpp"
#include "src/core/fleet_rows.hpp"
#include "src/core/process.hpp"
#include "src/core/text.hpp"

namespace jcprof::cli {
namespace {

namespace fs = std::filesystem;

/// What is being written; gone at the end, whatever it holds.
class PartFolder {
 public:
  explicit PartFolder(const fs::path& in) : path_(make_part_folder(in)) {}
  ~PartFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  PartFolder(const PartFolder&) = delete;
  PartFolder& operator=(const PartFolder&) = delete;

  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
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

/// As Hive, Spark and DuckDB have it. No name of ours needs an escape.
std::string partition(std::string_view key, std::string_view value) {
  return fmt::format("{}={}", key, value.empty() ? "__HIVE_DEFAULT_PARTITION__" : percent_encoded(value));
}

/// The table's rows as a file; false if there are none.
bool write_rows(const fs::path& profile, const FleetTable& table, const fs::path& file) {
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
  each_fleet_row(profile, table, [&](std::string_view row) {
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

/// `script` runs in `folder`, without its user's settings, and fetches nothing.
void run_duckdb(const fs::path& folder, const std::string& script) {
  const char* const named = std::getenv("JCPROF_DUCKDB");
  const std::string program = named == nullptr || *named == '\0' ? "duckdb" : named;
  const Command command{.argv = {program, "-batch", "-bail", "-init", "/dev/null", "-c",
                                 "SET autoinstall_known_extensions = false;\n" + script},
                        .cwd = folder};
  ProcessResult result;
  try {
    result = run_and_wait(command, {}, std::chrono::hours{1});
  } catch (const UserError& error) {
    throw environment_error(error.faults().front().message, no_duckdb);
  }
  if (result.timed_out || result.exit_status != 0)
    throw environment_error(fmt::format("{} failed with {}: {}", program, result.exit_status,
                                        plain_line(trimmed(result.tail, "\n"))),
                            no_duckdb);
}

void add_profile(const fs::path& profile, const fs::path& folder) {
  const FleetRun run = fleet_run(profile);
  const PartFolder part(folder);
  std::string script;
  std::vector<std::string> written;
  for (const FleetTable& table : fleet_tables())
    if (write_rows(profile, table, part.path() / (table.name + ".json"))) {
      script += copy_statement(table);
      written.push_back(table.name);
    }
  run_duckdb(part.path(), script);
  // A profile that comes again takes the place of its earlier files.
  const std::string name =
      fmt::format("{}-{}.parquet", percent_encoded(run.started), sha256(profile.string()).substr(0, 8));
  for (const FleetTable& table : fleet_tables()) {
    const fs::path to = folder / table.name / partition("project", run.project) /
                        partition("build", run.build) / partition("device", run.device) / name;
    if (is_one_of(table.name, written)) {
      fs::create_directories(to.parent_path());
      fs::rename(part.path() / (table.name + ".parquet"), to);
    } else {
      fs::remove(to);
    }
  }
}

bool has_files(const fs::path& folder) {
  if (!fs::exists(folder)) return false;
  return std::ranges::any_of(fs::recursive_directory_iterator(folder),
                             [](const fs::directory_entry& entry) { return entry.is_regular_file(); });
}

/// Names of `jcprof query` for DuckDB, relative to the folder.
std::string views(const fs::path& folder) {
  std::string text = "-- In this folder: duckdb -init views.sql\n";
  for (const FleetTable& table : fleet_tables()) {
    text += fmt::format("CREATE OR REPLACE VIEW \"{}\" AS ", table.view);
    if (has_files(folder / table.name)) {
      text += fmt::format(
          "FROM read_parquet('{}/*/*/*/*.parquet', hive_partitioning = true, hive_types_autocast = false, "
          "union_by_name = true);\n",
          table.name);
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

}  // namespace

void write_parquet(const std::vector<fs::path>& profiles, const fs::path& folder) {
  try {
    fs::create_directories(folder);
    const fs::path known = fs::canonical(folder);
    for (const fs::path& profile : profiles) add_profile(profile, known);
    write_file(known / "views.sql", views(known));
  } catch (const fs::filesystem_error& error) {
    throw environment_error(
        fmt::format("cannot write to \"{}\": {}", folder.string(), error.code().message()),
        "-o names the folder");
  }
}

}  // namespace jcprof::cli
