// SPDX-License-Identifier: Apache-2.0
// profile.jcprof: an SQLite file that holds runs, their trap maps, inputs, paths and every raw sample.
// store_tables.hpp describes the tables, store_schema.cpp the views; docs/formats.md explains both.
#pragma once

#include <ctime>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "src/core/trap_map.hpp"
#include "src/core/types.hpp"
#include "src/core/warning.hpp"

namespace jcprof {

enum class RunState : std::uint8_t { running, interrupted, complete };

/// As RunInfo::started has it.
std::string utc(std::time_t time);
std::string utc_now();

/// Transports of profiles that another tool made begin so; the file follows.
inline constexpr std::string_view import_prefix = "import:";

/// What a run was: one row of table `run`.
struct RunInfo {
  std::int64_t id = 0;
  RunState state = RunState::running;
  std::string started;  // ISO 8601, UTC
  std::string tool;     // "jcprof 0.1.0"
  std::string project;  // its name
  std::string project_digest;
  std::string trap_digest;
  std::string transport;
  std::string agent;
  std::string reader;    // empty where jcprof is the reader
  std::string protocol;  // "T=1"
  std::string device;
  std::string atr;
  bool simulated = false;
  ClockUnit unit = ClockUnit::ns;
  double hz = 0;
  double resolution = 1;
  std::uint64_t seed = 1;
  std::uint32_t rounds = 0;  // asked for
  // How good is good enough: half width of a share, or this part of it, whichever is larger.
  double absolute = 0.005;
  double relative = 0.05;
  std::optional<double> zoom = {};  // share from which blocks are looked for on long paths
  double hot = 0.01;                // the share from which a block is called hot
};

inline bool is_imported(const RunInfo& run) {
  return run.transport.starts_with(import_prefix);
}

struct StoredInput {
  std::uint32_t index = 0;
  Bytes bytes;
  std::string input_class;
};

/// One way that an input was seen to go.
struct StoredPath {
  std::uint32_t input = 0;
  std::uint32_t variant = 0;  // of this input's ways
  std::uint64_t runs = 1;     // of the traced ones, that went this way
  std::uint32_t signature = 0;
  std::vector<Event> events;
  bool operator==(const StoredPath&) const = default;
};

/// One row of table `sample`.
struct StoredSample {
  std::uint64_t sequence = 0;
  std::uint32_t round = 0;  // from 1; 0: the warm-up
  Event asked;
  std::uint32_t input = 0;
  Ticks ticks = 0;
  Outcome outcome = Outcome::lost;
  std::optional<std::uint32_t> status = {};
  std::optional<std::uint32_t> signature = {};  // of the events before `asked`, where the target tells it
};

/// What was known after the warm-up (number 0) or after a look at the rounds. Ticks are the run's.
struct StoredLook {
  std::uint32_t number = 0;
  std::uint32_t input = 0;  // the first of those whose path it is about
  std::uint32_t rounds = 0;
  std::uint32_t first_round = 1;  // that the result is made of
  Method method = Method::fine;
  double tick = 0;      // of the clock
  double grid = 0;      // on which answers come; 0: none
  bool folded = false;  // twin rounds count as one
  std::uint64_t blocks = 0;
  std::uint64_t settled = 0;
  std::uint64_t shots = 0;
  double whole = 0;  // the sum of the blocks; after the warm-up T(end) - T(first stop),
  double sigma = 0;  // robust standard deviation of a block; after the warm-up of that difference
  double shot = 0;   // of the warm-up only: T(end)
  bool operator==(const StoredLook&) const = default;
};

struct StoredCalibration {
  std::string kind;
  std::uint64_t passes = 0;
  Ticks ticks = 0;
};

/// What an estimate is about; the names in the store are the same.
enum class EstimateScope : std::uint8_t {
  total,
  entry,
  between,
  unattributed,
  block,
  edge,
  line,
  function,
  loop
};

/// One number that the annotator published; the views named after scopes show these rows, so that
/// a query and a report agree. Infinite ends of intervals are NULL in the file.
struct StoredEstimate {
  EstimateScope scope = EstimateScope::block;
  std::uint32_t position = 0;  // blocks: along the path; the others: hottest first
  Event from;                  // blocks; edges, without a hit
  Event to;
  std::string function;
  std::string path;
  std::size_t line = 0;
  std::uint32_t rounds = 0;
  std::uint64_t hits = 0;     // functions: calls; loops: passes; edges: how often gone
  std::uint64_t entries = 0;  // loops: how often begun
  double raw = 0;             // as measured; noise may make it negative
  double ticks = 0, low = 0, high = 0;
  double share = 0, share_low = 0, share_high = 0;
  double inclusive = 0, inclusive_low = 0, inclusive_high = 0;  // functions only
  bool resolved = false;
  std::optional<double> rate = {};  // edges only: part of the traced runs that go it
  // Of the rounds: edges, lines, functions by themselves, loops, the whole command. From mean_low to
  // median_high: not edges.
  std::optional<double> mean = {};
  std::optional<double> mean_low = {};
  std::optional<double> mean_high = {};
  std::optional<double> median = {};
  std::optional<double> median_low = {};
  std::optional<double> median_high = {};
  std::optional<double> q05 = {};
  std::optional<double> q95 = {};
  std::optional<Hot> hot = {};
  std::optional<bool> hottest = {};  // lines and functions: may take most of all, at 95 %
  // Of record mode, of one call or pass: functions with what they call, lines by themselves.
  std::optional<double> least = {};
  std::optional<double> most = {};
  std::optional<double> q50 = {};
  std::optional<double> q99 = {};
  bool operator==(const StoredEstimate&) const = default;
};

// ---- what record mode adds; docs/record.md. Times are in the run's unit, moments since the first event.

/// A function that was seen, by hook or by trap. Number 0 is "(lost)": time that belongs to nobody known.
struct StoredSymbol {
  std::uint32_t number = 0;
  std::string name;    // demangled; "0x1234" where it has none
  std::string module;  // file; empty for functions of traps
  std::string build_id;
  std::uint64_t address = 0;  // of its first byte as the module's file has it; 0: unknown
  std::string path;           // of the source; empty: unknown
  std::size_t line = 0;
  bool operator==(const StoredSymbol&) const = default;
};

struct StoredThread {
  std::uint32_t serial = 0;  // from 1, in the order of the first event
  std::uint32_t process = 0;
  std::uint32_t tid = 0;  // 0: unknown
  std::string name;
  std::uint64_t events = 0;
  std::uint64_t lost = 0;       // events
  std::uint64_t unmatched = 0;  // returns whose call was not seen
  double first = 0;             // moments of its first and last event
  double last = 0;
  double recorded = 0;                 // between these, without pauses, lost time, own cost
  double overhead = 0;                 // own cost that was taken off
  double paused = 0;                   // and what lies in pauses,
  double gap = 0;                      // and where events were lost,
  double outside = 0;                  // and between the calls of an enclave or a TA
  std::optional<double> away = {};     // off a processor, not in pauses; where the log tells
  std::optional<double> running = {};  // on a processor, ns; where the system tells
  std::optional<double> waiting = {};  // ready but without one, ns
  bool operator==(const StoredThread&) const = default;
};

/// A node of a thread's call tree: all calls of a function that came by the same way.
struct StoredCall {
  std::uint32_t id = 0;      // from 1, parents first
  std::uint32_t parent = 0;  // 0: none
  std::uint32_t thread = 0;  // its serial
  std::uint32_t symbol = 0;  // its number
  std::uint64_t count = 0;
  double inclusive = 0;
  double exclusive = 0;
  double away = 0;  // off a processor, in the call itself: in neither of these
  double least = 0, most = 0, q50 = 0, q95 = 0, q99 = 0;  // of one call, inclusive
  bool operator==(const StoredCall&) const = default;
};

/// What of a node's exclusive time a line has.
struct StoredCallLine {
  std::uint32_t call = 0;  // its id
  std::string path;
  std::size_t line = 0;
  double ticks = 0;
  bool operator==(const StoredCallLine&) const = default;
};

/// All calls out of a line into a function, of an imported profile that has no call tree.
struct StoredArc {
  std::uint32_t caller = 0;  // symbol's number
  std::uint32_t callee = 0;
  std::string path;  // of the line that calls; empty: unknown
  std::size_t line = 0;
  std::uint64_t count = 0;
  std::optional<double> inclusive = {};  // of these calls; where it is known
  bool operator==(const StoredArc&) const = default;
};

/// One of the slowest calls of its function.
struct StoredSlow {
  std::uint32_t symbol = 0;
  std::uint32_t thread = 0;
  double at = 0;
  double ticks = 0;  // inclusive
  bool operator==(const StoredSlow&) const = default;
};

struct StoredMark {
  std::string name;
  std::uint64_t payload = 0;
  std::uint32_t thread = 0;
  std::uint32_t call = 0;  // node under way; 0: none
  double at = 0;
  bool operator==(const StoredMark&) const = default;
};

/// All that is known of a recorded run beside its estimates (total, functions, lines).
struct StoredRecording {
  std::vector<StoredSymbol> symbols;       // by number
  std::vector<StoredThread> threads;       // by serial
  std::vector<StoredCall> calls;           // by id
  std::vector<StoredCallLine> call_lines;  // by call; none where no traps were recorded
  std::vector<StoredArc> arcs;             // where calls have no callers: these take their place
  std::vector<StoredSlow> slow;            // by symbol, slowest first
  std::vector<StoredMark> marks;           // in time
  bool operator==(const StoredRecording&) const = default;
};

/// read_write opens what is there or makes a new file; fresh makes a new one in any case, when its first run
/// begins: until then it leaves what is there as it is.
enum class OpenMode : std::uint8_t { read_only, read_write, fresh };

class Store {
 public:
  /// UserError when the file is not a profile, is newer than this jcprof, or is damaged.
  Store(const std::filesystem::path& file, OpenMode mode);
  ~Store();
  Store(Store&&) noexcept;
  Store& operator=(Store&&) noexcept;

  /// The newest run.
  std::optional<RunInfo> last_run() const;
  /// All of them, newest first.
  std::vector<RunInfo> runs() const;
  /// Adds a run with everything that is known before the first shot; `info.id` is not looked at.
  std::int64_t begin_run(const RunInfo& info, const TrapMap& map, const std::vector<StoredInput>& inputs);
  void set_state(std::int64_t run, RunState state);
  /// The run info.id is running again, for the rounds, precision and zoom of `info`. Where there are newer
  /// ones it becomes the newest: the result is its id from here on.
  std::int64_t resume_run(const RunInfo& info);
  /// Replaces that variant of that input. A path without events leaves no trace in the file.
  void add_path(std::int64_t run, const StoredPath& path);
  /// Replaces the look with that number.
  void add_look(std::int64_t run, const StoredLook& look);
  void replace_warnings(std::int64_t run, const std::vector<Warning>& warnings);

  /// Everything between begin and commit lands together or not at all. A full disk or a failing one is a
  /// UserError (environment); what was committed before it stays.
  void begin();
  void add_sample(std::int64_t run, const StoredSample& sample);
  void add_calibrations(std::int64_t run, std::span<const StoredCalibration> calibrations);
  void commit();

  void replace_estimates(std::int64_t run, const std::vector<StoredEstimate>& estimates);
  void replace_recording(std::int64_t run, const StoredRecording& recording);

  TrapMap traps(std::int64_t run) const;
  std::vector<StoredInput> inputs(std::int64_t run) const;
  std::vector<StoredPath> paths(std::int64_t run) const;      // by input, then variant
  std::vector<StoredSample> samples(std::int64_t run) const;  // in sequence
  std::vector<StoredLook> looks(std::int64_t run) const;      // by number
  std::vector<StoredCalibration> calibrations(std::int64_t run) const;
  std::vector<Warning> warnings(std::int64_t run) const;
  std::vector<StoredEstimate> estimates(std::int64_t run) const;
  StoredRecording recording(std::int64_t run) const;  // empty of a run that was no recording

  /// Leaves WAL mode, so that the profile is one plain file. Drops what was begun and not committed. The
  /// destructor does the same but keeps failures to itself.
  void close();

 private:
  /// With OpenMode::fresh: from here on the new profile stands in the place of the old one.
  void replace_old();

  struct State;
  std::unique_ptr<State> state_;
};

enum class CellKind : std::uint8_t { text, number };

/// One answer of `jcprof query`: column names, then rows of text (nullopt for NULL), and what each cell is.
struct QueryResult {
  std::vector<std::string> columns;
  std::vector<std::vector<std::optional<std::string>>> rows;
  std::vector<std::vector<CellKind>> kinds;
};

/// Runs one read-only statement on a profile. UserError with SQLite's own message for bad SQL. Reals are
/// printed with 15 significant digits, blobs as hex.
QueryResult query(const std::filesystem::path& file, const std::string& sql);

/// The same over any number of profiles: each table and view holds the rows of all, behind a first column
/// `profile`, the path as given.
QueryResult query_together(const std::vector<std::filesystem::path>& files, const std::string& sql);

}  // namespace jcprof
