// SPDX-License-Identifier: Apache-2.0
// The options of the verbs as values. command_line.cpp makes them of words; no verb sees a word.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "harness/record/recording.hpp"
#include "programs/function_filter.hpp"
#include "src/core/error.hpp"
#include "src/core/name_table.hpp"

namespace jcprof::cli {

enum class ColourWish : std::uint8_t { automatic, always, never };
inline constexpr NameTable<ColourWish, 3> colour_wishes{
    {{ColourWish::automatic, "auto"}, {ColourWish::always, "always"}, {ColourWish::never, "never"}}};

/// Options that most verbs have.
struct CommonOptions {
  std::string project;  // PROJECT: jcprof.json or a folder that holds one
  std::string out;      // empty: jcprof-out beside the project file
  bool quiet = false;
  bool json = false;
  bool yes = false;  // programs of the project run without asking
  ColourWish colour = ColourWish::automatic;
};

struct InitOptions {
  std::string folder = ".";
  std::string entry = {};  // of the applet or program to take, where there are several
  std::string ta = {};     // the same, of trusted applications
  bool quiet = false;
  bool yes = false;
  bool no_try = false;  // the draft is not built and run
};

struct StripOptions {
  std::vector<std::string> paths;
  bool quiet = false;
};

/// The last five are hidden from users: jcprof profile asks for narrower scopes than that of the project
/// file.
struct GenOptions {
  CommonOptions common;
  bool records = false;
  bool why = false;
  bool functions_only = false;            // in place of the project's "level"
  std::vector<std::string> include;       // in place of the project's, where there are any; "" names nothing
  std::vector<std::string> exclude = {};  // beside the project's
  std::vector<std::string> without = {};  // keys of traps
  bool tells_if_tight = false;            // done_but_tight is an exit code
};

/// An exit code of jcprof-gen: the tree is made, and may be too large for a card.
inline constexpr ExitCode done_but_tight{5};

struct RunOptions {
  CommonOptions common;
  std::string transport;
  bool fresh = false;
  bool dry_run = false;
  std::optional<std::uint32_t> rounds;
  std::optional<double> absolute_points;
  std::optional<double> relative_percent;
  std::optional<double> zoom_percent;
  bool no_zoom = false;
  std::optional<std::uint64_t> max_shots;
  std::optional<std::uint64_t> max_time_ms;
  std::optional<std::uint64_t> seed;
  std::optional<std::uint32_t> sessions;  // of each build; nothing, without `interleave`: one run, no session
  std::string interleave = {};            // a project or an output folder, the other build; empty: none
  bool memory = false;                    // what the lines take of it, in place of their times
  bool is_new_build = false;              // no option: jcprof profile builds before it measures
  std::string devices = {};               // a file of several (docs/fleet.md); empty: one device
  // Hidden from users: one process of those that --devices starts.
  std::string as_device = {};  // its name; empty: this is none
  bool installs = false;       // and measures a new build
};

/// Sessions of each build, if --interleave is given without --sessions.
inline constexpr std::uint32_t usual_sessions = 3;

struct AnnotateOptions {
  CommonOptions common;
  std::string against;     // an older profile.jcprof; empty: none
  bool no_date = false;    // of the run, in the annotated sources
  bool shows = false;      // and writes nothing
  std::string place = {};  // that is shown; empty: the whole
};

enum class RefineWish : std::uint8_t { when_needed, always, never };

struct ProfileOptions {
  RunOptions run;
  RefineWish refine = RefineWish::when_needed;
};

inline constexpr NameTable<harness::RecordClock, 4> record_clocks{
    {{harness::RecordClock::own, "own"},
     {harness::RecordClock::fast, "fast"},
     {harness::RecordClock::published, "published"},
     {harness::RecordClock::counted, "counted"}}};

/// Recorded runs of a program without traps.
struct PlainRuns {
  std::vector<double> ns;    // of the processor behind the entry, ascending
  std::uint64_t events = 0;  // of each: its entry, and markers
};

/// Which calls of a log stand in a time line, and where that goes.
struct TimelineOptions {
  std::string file;  // empty: none is made
  double from_ns = 0;
  double to_ns = std::numeric_limits<double>::infinity();
  double least_ns = 0;
};

struct RecordOptions {
  std::vector<std::string> command;
  std::string out;
  harness::LogOptions log;
  std::string traps;
  std::string analyze;
  FunctionFilter filter;
  TimelineOptions timeline;
  std::string project;
  std::uint32_t runs = 1;
  std::vector<std::string> elf;
  std::string summary;  // the file; empty: none
  bool quiet = false;
  bool yes = false;
  bool no_preload = false;
  // No options: jcprof profile asks for them.
  std::string note;  // a warning that the profile keeps; empty: none
  bool functions_only = false;
  std::vector<std::string> exclude;  // functions, beside those of the project
  PlainRuns plain;                   // runs_without_traps()
  bool tells_profile = true;         // on standard error, with its warnings
};

enum class ExportFormat : std::uint8_t {
  json,
  csv,
  folded,
  speedscope,
  callgrind,
  pprof,
  sarif,
  markdown,
  openmetrics,
  firefox,
  perf,
  gmon,
  parquet
};
inline constexpr NameTable<ExportFormat, 13> export_formats{{{ExportFormat::json, "json"},
                                                             {ExportFormat::csv, "csv"},
                                                             {ExportFormat::folded, "folded"},
                                                             {ExportFormat::speedscope, "speedscope"},
                                                             {ExportFormat::callgrind, "callgrind"},
                                                             {ExportFormat::pprof, "pprof"},
                                                             {ExportFormat::sarif, "sarif"},
                                                             {ExportFormat::markdown, "markdown"},
                                                             {ExportFormat::openmetrics, "openmetrics"},
                                                             {ExportFormat::firefox, "firefox"},
                                                             {ExportFormat::perf, "perf"},
                                                             {ExportFormat::gmon, "gmon"},
                                                             {ExportFormat::parquet, "parquet"}}};

struct ExportOptions {
  std::vector<std::string> projects;  // or profiles; none: the current folder
  ExportFormat format = ExportFormat::json;
  std::string elf;
  std::string out;  // empty: standard output; of parquet a folder
};

struct ImportOptions {
  std::string file;
  std::string out;  // empty: jcprof-out
  std::string elf;  // the program, for formats that hold addresses; empty: not given
  bool quiet = false;
};

struct QueryOptions {
  std::vector<std::string> words;  // projects or profiles, none for the current folder, then SQL
  bool json = false;
};

struct DiffOptions {
  std::string before;  // a profile, a project, or a folder of profiles
  std::string after;
  bool json = false;
  bool markdown = false;
  bool github = false;
  bool strict = false;  // what is unresolved is a failure
  ColourWish colour = ColourWish::automatic;
};

struct FleetOptions {
  std::string fleet = ".";  // a fleet.json, its folder, its project, or a folder with one for each device
  bool json = false;
  bool markdown = false;
  bool strict = false;  // a device that is not compared is a failure
  ColourWish colour = ColourWish::automatic;
};

enum class CheckFormat : std::uint8_t { text, json, junit, github, sarif, bencher, action_benchmark };
inline constexpr NameTable<CheckFormat, 7> check_formats{
    {{CheckFormat::text, "text"},
     {CheckFormat::json, "json"},
     {CheckFormat::junit, "junit"},
     {CheckFormat::github, "github"},
     {CheckFormat::sarif, "sarif"},
     {CheckFormat::bencher, "bencher"},
     {CheckFormat::action_benchmark, "action-benchmark"}}};

struct CheckOptions {
  std::string profile;                   // a profile, a project, or a folder of profiles
  std::vector<std::string> budget;       // SUBJECT <= LIMIT
  std::string budgets;                   // a file of them
  std::string against;                   // as profile
  std::optional<double> max_regression;  // percent
  std::optional<double> devices_share;   // percent of a fleet that has to keep a budget; nothing: all
  std::string history;                   // a file that gets an entry; empty: none
  std::string label;                     // of that entry
  CheckFormat format = CheckFormat::text;
  ColourWish colour = ColourWish::automatic;
};

struct HistoryOptions {
  std::string file;
  std::string html;  // a page; empty: none
  bool json = false;
  ColourWish colour = ColourWish::automatic;
};

struct LeakOptions {
  CommonOptions common;
  std::string transport;
  bool sweep = false;
  std::optional<std::uint64_t> shots;
  std::optional<std::uint64_t> max_shots;
  std::optional<std::uint64_t> max_time_ms;
  std::optional<std::uint64_t> seed;
};

struct LayersOptions {
  CommonOptions common;  // PROJECT may be a FILE.ts
  std::optional<std::uint32_t> rounds;
  std::optional<double> hz;
};
inline constexpr std::uint32_t usual_layers_rounds = 100;

struct DoctorOptions {
  CommonOptions common;
  std::string agent;  // that is examined; empty: none
  bool selftest = false;
  std::string transport;  // of the self-test
};

/// A command line asks for one of these. ExitCode: it has been answered already.
using Request =
    std::variant<ExitCode, InitOptions, GenOptions, RunOptions, AnnotateOptions, ProfileOptions,
                 RecordOptions, ImportOptions, ExportOptions, QueryOptions, DiffOptions, CheckOptions,
                 FleetOptions, HistoryOptions, LeakOptions, LayersOptions, DoctorOptions, StripOptions>;

}  // namespace jcprof::cli
