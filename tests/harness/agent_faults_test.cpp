// SPDX-License-Identifier: Apache-2.0
// 200 runs with an agent that does something wrong. Whatever it does, what is stored is whole and true.
#include <array>
#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>
#include <catch2/catch.hpp>

#include "harness/measure.hpp"
#include "src/core/error.hpp"
#include "src/core/sqlite.hpp"
#include "src/engine/random.hpp"
#include "tests/core/temporary_folder.hpp"
#include "tests/support/agents.hpp"

namespace jcprof {
namespace {

using namespace harness;

constexpr Ticks ticks_an_event = 1'000'000;
constexpr Ticks end_of_command = 50;
constexpr int for_ever = 1'000'000;

const std::vector<std::string> faults{"shot_crashes",         "shot_exits",       "shot_hangs",
                                      "shot_closes_output",   "shot_late",        "shot_is_cut_off",
                                      "shot_truncated",       "shot_garbage",     "shot_blank",
                                      "shot_zeros",           "shot_list",        "shot_deep",
                                      "shot_huge_line",       "shot_swallowed",   "shot_early_ok",
                                      "shot_error",           "shot_floods_log",  "shot_twice",
                                      "shot_wrong_id",        "shot_text_id",     "shot_no_id",
                                      "shot_wrong_n",         "shot_text_ticks",  "shot_fractional_ticks",
                                      "shot_negative_ticks",  "shot_huge_ticks",  "shot_no_ticks",
                                      "shot_nan_ticks",       "shot_elsewhere",   "shot_nowhere",
                                      "shot_unknown_outcome", "shot_sample_list", "shot_odd_reply",
                                      "shot_big_status",      "shot_lost",        "shot_timed_out",
                                      "shot_refused",         "end_dies",         "end_hangs",
                                      "end_one_too_many",     "hello_dies",       "hello_hangs",
                                      "hello_garbage",        "hello_version",    "hello_error",
                                      "trace_dies",           "trace_hangs",      "trace_garbage",
                                      "trace_unknown",        "trace_endless",    "trace_error",
                                      "calibrate_dies",       "calibrate_hangs",  "calibrate_garbage",
                                      "calibrate_error",      "calibrate_text"};

struct Case {
  std::string fault;
  int times = 1;  // for_ever: always at the same trap
  int shot = 1;   // of each start; or of the batch's end
  int trap = 0;
  AgentLife life = AgentLife::run;
  bool calibrates = false;

  std::string options(const std::string& memory) const {
    const std::string where = trap > 0 ? fmt::format("\"trap\":{}", trap) : fmt::format("\"shot\":{}", shot);
    // A fault at the second hello needs a second start: the agent sees to that.
    return fmt::format(R"({{"fault":"{}","times":{},{},"start":{},"memory":"{}"}})", fault, times, where,
                       fault.starts_with("hello") ? shot % 2 + 1 : 1, memory);
  }
};

Case case_of(std::uint32_t number) {
  const auto drawn = [number](std::uint64_t what, std::uint64_t below) {
    return static_cast<int>(engine::draw(6, number, what, below));
  };
  Case made{.fault = faults[number % faults.size()], .times = 1 + drawn(1, 3), .shot = 1 + drawn(2, 60)};
  const std::uint32_t lap = number / static_cast<std::uint32_t>(faults.size());
  if (lap == 0) made.times = 1;
  // A line that comes twice costs the next shot, whichever that is: no end of that would be no end of losses.
  if (lap == 1 && made.fault.starts_with("shot_") && made.fault != "shot_twice") {
    made.times = for_ever;
    made.trap = 1 + drawn(3, 4);
  }
  if (lap == 2 && number % 2 == 0) made.life = AgentLife::batch;
  // The warm-up of a calibration takes longer than all rounds.
  made.calibrates = (lap == 3 && !JCPROF_SANITIZED) || made.fault.starts_with("calibrate");
  return made;
}

TrapMap four_traps() {
  TrapMap map{.language = "c"};
  const std::array kinds{TrapKind::entry0, TrapKind::entry, TrapKind::before, TrapKind::exit};
  for (std::uint32_t i = 0; i < kinds.size(); ++i)
    map.traps.push_back({.id = TrapId{i + 1},
                         .key = fmt::format("{}", i),
                         .name = fmt::format("TRAP_{}", i + 1),
                         .kind = kinds[i],
                         .function = "f",
                         .path = "f.c",
                         .line = i + 1,
                         .column = 1,
                         .end_line = i + 1});
  return map;
}

struct Result {
  std::optional<Measured> measured;
  std::string error;
};

Result run_case(const Case& tried, const test::TemporaryFolder& folder,
                const std::filesystem::path& profile) {
  AgentSetup setup = test::faulty_agent(tried.options((folder.path() / "memory").string()));
  setup.settings.log.file = folder.path() / "agent.log";
  setup.settings.life = tried.life;
  setup.settings.timeout = std::chrono::milliseconds{100};
  setup.settings.start_timeout = std::chrono::milliseconds{300};
  Project project;
  project.name = "faults";
  project.session.timeout = setup.settings.timeout;
  const std::unique_ptr<Transport> transport = make_agent_transport(setup, nullptr);
  Store store(profile, OpenMode::fresh);
  const std::uint32_t calibrations = tried.calibrates ? 1 : 0;
  Result result;
  try {
    result.measured =
        measure(project, four_traps(), *transport, store, {.rounds = 4, .calibrations = calibrations});
  } catch (const UserError& error) {
    result.error = error.what();
    CHECK(error.exit_code() == ExitCode::environment);
  }
  store.close();
  return result;
}

Ticks events_before(Event event) {
  static const std::map<Event, Ticks> order{{{TrapId{1}, 1}, 1}, {{TrapId{2}, 1}, 2}, {{TrapId{3}, 1}, 3},
                                            {{TrapId{2}, 2}, 4}, {{TrapId{3}, 2}, 5}, {{TrapId{4}, 1}, 6}};
  return order.at(event);
}

/// Every time in the store is that of the event it stands at, and none is there twice.
std::size_t check_samples(const std::filesystem::path& profile) {
  const Store store(profile, OpenMode::read_only);
  const std::optional<RunInfo> run = store.last_run();
  if (!run) return 0;
  const std::vector<StoredSample> samples = store.samples(run->id);
  std::set<std::pair<std::uint32_t, Event>> seen;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const StoredSample& sample = samples[i];
    CHECK(sample.sequence == i);
    if (sample.round > 0) CHECK(seen.emplace(sample.round, sample.asked).second);
    if (sample.outcome == Outcome::stopped)
      CHECK(sample.ticks / ticks_an_event == events_before(sample.asked));
    if (sample.outcome == Outcome::ended) {
      CHECK(sample.asked.trap == run_to_end);
      CHECK(sample.ticks / ticks_an_event == end_of_command);
    }
    if (sample.outcome != Outcome::stopped && sample.outcome != Outcome::ended) CHECK(sample.ticks == 0);
  }
  return samples.size();
}

std::string integrity(const std::filesystem::path& profile) {
  const sqlite::Database database(profile, sqlite::Access::read_only);
  sqlite::Statement statement = database.prepare("PRAGMA integrity_check");
  statement.step();
  return statement.text(0);
}

// A sanitizer's processes take seven times as long to start and end: there each third fault is tried, of all
// kinds.
constexpr std::uint32_t step = JCPROF_SANITIZED ? 3 : 1;

void check_cases(std::uint32_t first, std::uint32_t end) {
  // In memory where that can be: a disk takes longer to make and drop 200 files than all runs together.
  const std::filesystem::path memory = "/dev/shm";
  const std::filesystem::path parent =
      std::filesystem::is_directory(memory) ? memory : std::filesystem::temp_directory_path();
  std::size_t measured = 0;
  for (std::uint32_t number = first; number < end; number += step) {
    const Case tried = case_of(number);
    const test::TemporaryFolder folder(parent);
    const std::filesystem::path profile = folder.path() / "profile.jcprof";
    INFO(number << ": " << tried.options("") << (tried.life == AgentLife::batch ? " per batch" : ""));
    const Result result = run_case(tried, folder, profile);
    INFO(result.error);
    // A run that never began leaves no profile.
    const bool has_begun = std::filesystem::exists(profile);
    if (has_begun) CHECK(integrity(profile) == "ok");
    const std::size_t samples = has_begun ? check_samples(profile) : 0;
    if (result.measured) {
      ++measured;
      CHECK(result.measured->shots == samples);
      CHECK(result.measured->run.state == RunState::complete);
    }
    CHECK(result.error.empty() == result.measured.has_value());
    // One fault while a run is under way never ends it.
    const bool is_minor =
        tried.times == 1 && (tried.fault.starts_with("shot_") || tried.fault.starts_with("end_"));
    if (is_minor && tried.life == AgentLife::run) CHECK(result.measured.has_value());
    CHECK(std::filesystem::file_size(folder.path() / "agent.log") < (std::size_t{1} << 20U) + 100);
  }
  CHECK(measured > (end - first) / step * 3 / 4);
}

// In two halves, which ctest runs side by side.
TEST_CASE("whatever an agent does wrong, a run ends with a profile that is whole and true") {
  check_cases(0, 99);
}
TEST_CASE("whatever an agent does wrong, also later and for longer, a profile is whole and true") {
  check_cases(99, 200);
}

}  // namespace
}  // namespace jcprof
