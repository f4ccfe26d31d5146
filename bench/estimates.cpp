// SPDX-License-Identifier: Apache-2.0
// How long estimates of a large profile take, beside SQLite reading the same samples: a profile is made, then
// both are timed in turns.
#include <algorithm>
#include <chrono>
#include <random>
#include <vector>

#include <fmt/format.h>
#include <sys/resource.h>
#include <CLI/CLI.hpp>

#include "annotator/estimate/estimates.hpp"
#include "src/core/sqlite.hpp"
#include "tests/annotator/trap_maps.hpp"

namespace jcprof::bench {
namespace {

constexpr double bar = 2;
constexpr double widely = 3;  // beyond this it fails: a busy machine alone must not
constexpr double bar_mib = 200;

struct Size {
  std::uint32_t events = 1000;
  std::uint32_t rounds = 1000;
};

struct Made {
  TrapMap map;
  std::vector<Event> path;
};

/// A loop of ten passes over as many statements as it takes.
Made program(const Size& size) {
  constexpr std::uint32_t passes = 10;
  const std::uint32_t statements = std::max(1U, (size.events - 3) / passes);
  annotator::MapMaker maker;
  maker.trap(TrapKind::entry0, "p", 1).trap(TrapKind::entry, "p", 1);
  maker.trap(TrapKind::before, "p", 2, statements + 2);
  maker.trap(TrapKind::loop_body, "p", 3);
  for (std::uint32_t i = 1; i < statements; ++i) maker.trap(TrapKind::before, "p", i + 3);
  std::vector<std::uint32_t> traps{1, 2, 3};
  for (std::uint32_t i = 0; traps.size() < size.events; ++i) traps.push_back(4 + i % statements);
  return {maker.map(), annotator::path_of(traps)};
}

void write_profile(const std::filesystem::path& file, const Size& size) {
  const Made made = program(size);
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  std::lognormal_distribution<double> skewed(5, 0.6);
  Store store(file, OpenMode::fresh);
  const std::int64_t run = store.begin_run(
      {.state = RunState::complete, .started = "2026-01-02T03:04:05Z", .device = "card"}, made.map, {{}});
  store.add_path(run, {.events = made.path});
  std::vector<double> reached{9e6};
  for (std::uint32_t i = 0; i < size.events; ++i) reached.push_back(reached.back() + 100 * skewed(random));
  std::uint64_t sequence = 0;
  for (std::uint32_t round = 1; round <= size.rounds; ++round) {
    const double gain = 1 + 0.01 * normal(random);
    store.begin();
    for (std::uint32_t i = 0; i <= size.events; ++i)
      store.add_sample(run, {.sequence = sequence++,
                             .round = round,
                             .asked = i < size.events ? made.path[i] : Event{},
                             .ticks = static_cast<Ticks>(gain * reached[i] + 1000 * skewed(random)),
                             .outcome = i < size.events ? Outcome::stopped : Outcome::ended,
                             .status = i < size.events ? std::nullopt : std::optional(0x9000U)});
    store.commit();
  }
}

template <class Work>
double seconds_of(Work work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// Every column of every sample, nothing done with it.
std::int64_t read_samples(const std::filesystem::path& file) {
  const sqlite::Database database(file, sqlite::Access::read_only);
  sqlite::Statement row = database.prepare("SELECT * FROM sample ORDER BY sequence");
  std::int64_t sum = 0;
  while (row.step())
    for (int column = 0; column < 10; ++column)
      sum += column == 7 ? static_cast<std::int64_t>(row.text_view(column).size()) : row.integer(column);
  return sum;
}

double mebibytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

struct Times {
  std::vector<double> read;
  std::vector<double> load;
  std::vector<double> estimate;
};

double median(std::vector<double> values) {
  return engine::median(std::move(values));
}

int compare(const std::filesystem::path& file, const Size& size, int pairs) {
  const double write = seconds_of([&] { write_profile(file, size); });
  const double before = mebibytes();
  Times times;
  for (int i = 0; i < pairs; ++i) {
    times.read.push_back(seconds_of([&] { (void)read_samples(file); }));
    std::optional<annotator::RunData> data;
    times.load.push_back(
        seconds_of([&] { data = annotator::load_newest_run(Store(file, OpenMode::read_only)); }));
    times.estimate.push_back(seconds_of([&] { (void)annotator::estimate(*data); }));
  }
  std::vector<double> ratios;
  for (std::size_t i = 0; i < times.read.size(); ++i) ratios.push_back(times.estimate[i] / times.read[i]);
  const double ratio = median(ratios);
  const double memory = mebibytes();
  fmt::print("estimates of {} events in {} rounds: medians of {} pairs\n", size.events, size.rounds, pairs);
  fmt::print("writing them  | {:7.0f} ms, once\n", 1e3 * write);
  fmt::print("SQLite reads  | {:7.0f} ms\n", 1e3 * median(times.read));
  fmt::print("loading them  | {:7.0f} ms\n", 1e3 * median(times.load));
  fmt::print("estimates     | {:7.0f} ms\n", 1e3 * median(times.estimate));
  fmt::print("ratio         | {:7.2f}      pairs from {:.2f} to {:.2f}, bar {} {}\n", ratio,
             std::ranges::min(ratios), std::ranges::max(ratios), bar, ratio < bar ? "met" : "MISSED");
  fmt::print("memory        | {:7.0f} MiB   at most, {:.0f} before; bar {} {}\n", memory, before, bar_mib,
             memory < bar_mib ? "met" : "MISSED");
  return ratio < widely && memory < bar_mib ? 0 : 1;
}

}  // namespace
}  // namespace jcprof::bench

int main(int argc, char** argv) {
  CLI::App app{"Times estimates against SQLite reading the samples.", "bench-estimates"};
  jcprof::bench::Size size;
  std::string out;
  int pairs = 5;
  app.add_option("--out", out, "folder for the profile")->required();
  app.add_option("--events", size.events, "of the path")->check(CLI::Range(10, 60000));
  app.add_option("--rounds", size.rounds, "each of as many shots, and one more");
  app.add_option("--pairs", pairs, "how often both are timed");
  CLI11_PARSE(app, argc, argv);
  return jcprof::bench::compare(std::filesystem::path(out) / "profile.jcprof", size, pairs);
}
