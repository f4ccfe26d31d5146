// SPDX-License-Identifier: Apache-2.0
// What a large profile costs beside its shots: the measuring loop with engine and store, on a target that
// answers at once with the times of shots of a millisecond. Nothing is ever settled, so all rounds are made.
#include <algorithm>
#include <chrono>
#include <ctime>
#include <filesystem>
#include <random>
#include <vector>

#include <fmt/format.h>
#include <sys/resource.h>
#include <CLI/CLI.hpp>

#include "bench/bars.hpp"
#include "harness/measure.hpp"
#include "harness/path.hpp"
#include "src/core/error.hpp"
#include "src/core/path_signature.hpp"
#include "tests/annotator/trap_maps.hpp"

namespace jcprof::bench {
namespace {

constexpr double ns_of_shot = 1e6;
constexpr double bar_percent = 1;
constexpr double bar_mb = 200;
constexpr double unreachable = 1e-9;

/// Passes a straight path; the first stop comes after nine tenths of a shot.
class InstantTarget final : public harness::Transport {
 public:
  explicit InstantTarget(std::uint32_t events) {
    std::lognormal_distribution<double> skewed(0, 0.6);
    std::vector<double> blocks;
    double whole = 0;
    for (std::uint32_t i = 0; i < events; ++i) {
      path_.push_back(TrapId{i + 1});
      blocks.push_back(skewed(random_));
      whole += blocks.back();
    }
    reached_.push_back(0.9 * ns_of_shot);
    for (const double block : blocks) reached_.push_back(reached_.back() + 0.1 * ns_of_shot * block / whole);
  }

  harness::Description describe() override {
    return {.transport = "none", .agent = "bench", .device = "nothing", .simulated = true};
  }
  void set_inputs(std::vector<Bytes>) override {}

  void measure(std::span<const Shot> shots, const harness::ShotSink& sink) override {
    const double gain = 1 + 0.001 * noise_(random_);
    for (const Shot& shot : shots) {
      const bool is_end = shot.stop.trap == run_to_end;
      const double reached = is_end ? reached_.back() : reached_.at(number(shot.stop.trap) - 1);
      Sample sample = is_end ? whole() : Sample{.outcome = Outcome::stopped};
      sample.ticks = static_cast<Ticks>(gain * reached + 1000 * noise_(random_));
      virtual_ns_ += static_cast<double>(sample.ticks);
      if (!sink(shot, sample)) return;
    }
  }

  harness::TraceWindow trace(std::uint32_t, std::uint64_t from, std::uint32_t count) override {
    const std::span<const TrapId> rest = std::span(path_).subspan(std::min<std::size_t>(from, path_.size()));
    const std::span<const TrapId> part = rest.first(std::min<std::size_t>(count, rest.size()));
    return {.traps = {part.begin(), part.end()},
            .more = part.size() < rest.size(),
            .before = {.signature = path_signature(std::span(path_).first(path_.size() - rest.size()))},
            .run = harness::WholeRun{.events = path_.size(), .digest = {.signature = path_signature(path_)}},
            .end = whole()};
  }

  std::optional<harness::CalibrationTime> calibrate(harness::CalibrationKind, std::uint64_t) override {
    return std::nullopt;
  }

  double virtual_seconds() const { return virtual_ns_ / 1e9; }

 private:
  static Sample whole() { return {.outcome = Outcome::ended, .status = 0x9000}; }

  std::mt19937_64 random_{1};
  std::normal_distribution<double> noise_;
  std::vector<TrapId> path_;
  std::vector<double> reached_;  // T by stop, the end last
  double virtual_ns_ = 0;
};

TrapMap straight_map(std::uint32_t events) {
  annotator::MapMaker maker;
  for (std::uint32_t i = 1; i <= events; ++i)
    maker.trap(i == 1 ? TrapKind::entry0 : TrapKind::before, "p", i);
  return maker.map();
}

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double peak_mb() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) * 1024 / 1e6;
}

int measure_cost(const std::filesystem::path& out, std::uint32_t events) {
  const TrapMap map = straight_map(events);
  InstantTarget target(events);
  std::uint64_t reports = 0;
  const harness::MeasureOptions options{
      .precision = {.absolute = unreachable, .relative = unreachable},
      .zoom = std::nullopt,
      .progress = [&](const harness::Progress&) { ++reports; },
  };
  std::filesystem::create_directories(out);
  const auto start = std::chrono::steady_clock::now();
  const double cpu_before = cpu_seconds();
  Store store(out / "profile.jcprof", OpenMode::fresh);
  const harness::Measured measured = harness::measure(Project{}, map, target, store, options);
  const std::vector<StoredLook> looks = store.looks(measured.run.id);
  store.close();
  const double cpu = cpu_seconds() - cpu_before;
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
  check(measured.run.state == RunState::complete, "all rounds were made");
  fmt::print("{} events, {} rounds, {} shots of {:.0f} s in all, {} looks\n", events, looks.back().rounds,
             measured.shots, target.virtual_seconds(), looks.size() - 1);
  fmt::print("beside the shots: {:.2f} s of processor time, {:.2f} s by the clock\n", cpu, wall.count());
  Bars bars;
  bars.at_most("processor time, % of the shots'", 100 * cpu / target.virtual_seconds(), bar_percent);
  bars.at_most("memory, MB", peak_mb(), bar_mb);
  return bars.missed() == 0 ? 0 : 1;
}

}  // namespace
}  // namespace jcprof::bench

int main(int argc, char** argv) {
  CLI::App app{"What a large profile costs beside its shots.", "bench-engine-cost"};
  std::string out;
  std::uint32_t events = 1000;
  app.add_option("--out", out, "folder for the profile")->required();
  app.add_option("--events", events, "of the path")->check(CLI::Range(10, 32'000))->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  return jcprof::bench::measure_cost(out, events);
}
