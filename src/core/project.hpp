// SPDX-License-Identifier: Apache-2.0
// The project file (jcprof.json) as values: what to profile and how to reach it. Strict: every fault of the
// file is found and reported together. docs/project-file.md explains each key.
#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "src/core/types.hpp"

namespace jcprof {

enum class TargetKind : std::uint8_t { applet, optee_ta, sgx_enclave, program };
/// As the project file writes it.
std::string_view name_of(TargetKind kind);
/// By which all commands of an OP-TEE application come in.
inline constexpr std::string_view ta_entry = "TA_InvokeCommandEntryPoint";
enum class TrapLevel : std::uint8_t { none, function, block, statement };  // none: markers only
/// As the project file writes it.
std::string_view name_of(TrapLevel level);

/// A command that is run as argv, never through a shell. Placeholders are filled in by fill_in().
struct Step {
  std::vector<std::string> run;
  std::string cwd = "{tree}";
  std::chrono::milliseconds timeout{120'000};
};

/// The device program that is started before the run and stopped after it.
struct StartStep {
  std::vector<std::string> run;
  std::string cwd = "{project}";
  std::string ready;  // text its output must hold before the run goes on; empty: the transport's own sign
  std::chrono::milliseconds timeout{60'000};
};

enum class ResetMode : std::uint8_t { never, warm, cold };

/// One step of a session script: a command with the status it must have, a reset, or a wait.
struct ApduStep {
  std::string apdu;    // hex with placeholders
  std::string expect;  // "9000", "63C?", alternatives by '|'; empty: the script's default
  bool operator==(const ApduStep&) const = default;
};
struct ResetStep {
  ResetMode mode = ResetMode::warm;
  bool operator==(const ResetStep&) const = default;
};
struct WaitStep {
  std::chrono::milliseconds time{0};
  bool operator==(const WaitStep&) const = default;
};
/// For programs: a command, which must end with status 0.
struct RunStep {
  std::vector<std::string> run;
  bool operator==(const RunStep&) const = default;
};
using ScriptStep = std::variant<ApduStep, ResetStep, WaitStep, RunStep>;
using Script = std::vector<ScriptStep>;

struct Session {
  Script once;         // after each start of the device
  Script before_each;  // before each shot is armed
  Script after_each;
  Script after_reset;                         // after each reset or reconnect, and once at the start
  ResetMode reset = ResetMode::never;         // before each shot
  std::chrono::milliseconds timeout{10'000};  // for one exchange
  std::vector<std::string> abort_on = {"63C?", "6983"};  // status words that end a run at once
  std::vector<std::string> exchange;                     // cards: argv of the hook; empty: none
  std::string object;                                    // agent: its JSON text, passed on in hello
};

/// What is read before and after a program.
enum class ProgramClock : std::uint8_t { wall, cpu };

/// The command under study. Which member is used follows from the target.
struct Trigger {
  std::vector<std::string> apdus;    // hex with placeholders; timed as their sum
  std::optional<std::uint32_t> le;   // 0: as many as there are
  std::optional<bool> counts_tries;  // a failure uses up a try of a PIN or key; none: as the INS says
  std::vector<std::string> run;      // exec:, and the three below
  std::string cwd = "{tree}";
  std::string input;  // what its standard input holds: a path, or "{input}" for the bytes; empty: nothing
  ProgramClock clock = ProgramClock::wall;
  std::string object;  // agent: JSON text passed on in hello
  std::string expect;  // right answers, as status_form.hpp has them; empty: success
};

struct FixedInput {
  std::string hex;
};
struct InputList {
  std::vector<std::string> hex;
};
struct InputFile {
  std::string path;
};  // one hex line each
struct InputPattern {
  std::string pattern;
};  // "00[0-9A-F]{2}"
struct RandomInput {
  std::uint32_t bytes = 0;
};
struct InputClasses;  // named classes of further inputs
struct InputSplit;    // one source of inputs, split into two classes by a property
using InputSpec = std::variant<std::monostate, FixedInput, InputList, InputFile, InputPattern, RandomInput,
                               std::shared_ptr<InputClasses>, std::shared_ptr<InputSplit>>;
struct InputClasses {
  std::vector<std::pair<std::string, InputSpec>> classes;
};
enum class SplitBy : std::uint8_t { hamming_weight, bit_length };
struct InputSplit {
  SplitBy by = SplitBy::hamming_weight;
  InputSpec of;
};

/// What traps of C and C++ do.
enum class TrapAction : std::uint8_t { stop, record };

struct ProfileScope {
  std::vector<std::string> include = {
      "*"};  // globs over functions ("PinApplet.*") and files ("src/x/*.java")
  std::vector<std::string> exclude;
  TrapLevel level = TrapLevel::statement;
  bool markers = true;
  std::vector<std::string> without = {};  // keys of traps that are left out; not of the file
};

struct CompileSettings {
  std::vector<std::string> classpath;
  std::vector<std::string> flags;
  std::vector<Step> prepare;  // C and C++: makes the database, and what else reading the sources needs
  std::string database;       // with placeholders
  std::string make;           // C and C++: folder of a makefile that is asked how it compiles
  std::string compiler;       // C and C++ without a database; empty: cc and c++
  std::string edl;            // enclaves; empty: the one that declares the entry
  std::vector<std::string> edl_search;
};

/// What concerns `agent:` transports only.
struct AgentOptions {
  bool per_batch = false;  // started anew for each batch, with all requests on its standard input
  std::string options;     // JSON text passed on in hello
};

struct MeasureSettings {
  double absolute_points = 0.5;  // target half width of a share, in points
  double relative_percent = 5;   // or in percent of the share, whichever is larger
  std::optional<std::chrono::milliseconds> max_time;
  std::optional<std::uint64_t> max_shots;
  std::uint64_t seed = 1;
};

struct Project {
  std::filesystem::path file;  // absolute
  std::filesystem::path root;  // the folder that holds it
  std::string digest;          // sha256 of all but `measure`: decides whether a run can be resumed

  std::string name;
  TargetKind target = TargetKind::applet;
  std::vector<std::string> sources;
  std::vector<std::string> exclude_from_tree;
  std::vector<std::string> entry;
  ProfileScope profile;
  TrapAction action = TrapAction::stop;  // not of the file: what the tree is made for
  CompileSettings compile;
  std::vector<Step> build;
  std::vector<Step> install;
  std::optional<StartStep> start;
  std::string transport;             // empty: none named
  std::string device;                // empty: from the ATR or the agent
  std::optional<CardArming> arming;  // "arming": {"cla": "80", "ins": "F4", "status": "6FB5"}; else chosen
  Session session;
  Trigger trigger;
  AgentOptions agent;
  InputSpec inputs;
  MeasureSettings measure;
};

/// Reads PROJECT, a file or a folder that holds jcprof.json. Throws UserError with all faults of the file.
Project read_project(const std::filesystem::path& file_or_folder);

/// The same from text; `file` is used for messages and for `root`.
Project parse_project(const std::filesystem::path& file, std::string_view text);

/// Values for {tree}, {out}, {port}, … ; see docs/project-file.md.
using Placeholders = std::map<std::string, std::string, std::less<>>;

/// Replaces each {name}; a UserError naming what is known for a name that is not in `values`.
std::string fill_in(std::string_view text, const Placeholders& values);

}  // namespace jcprof
