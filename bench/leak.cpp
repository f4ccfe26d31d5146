// SPDX-License-Identifier: Apache-2.0
// Leaks of time on devices whose truth is known: how often one is seen that is not there, and how many shots
// one takes that is, by jcprof's evidence and by dudect on the same samples.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "bench/bars.hpp"
#include "bench/dudect.hpp"
#include "src/engine/evidence.hpp"
#include "src/engine/leak_search.hpp"
#include "src/engine/random.hpp"
#include "src/engine/statistics.hpp"
#include "tests/support/parallel.hpp"
#include "tests/support/synthetic_device.hpp"

namespace jcprof::bench {
namespace {

using engine::ClassedTime;
using test::DeviceModel;
using test::SyntheticDevice;

constexpr double alpha = 1e-3;
constexpr std::size_t shots_between_looks = 50;  // of dudect; jcprof looks after each
constexpr std::uint64_t shots_without_leak = 4000;
/// A difference in deviations of a time from the one before it, and the shots that there are for it.
struct Planted {
  double deviations = 0;
  std::uint64_t most_shots = 0;
};
constexpr std::array planted{Planted{0.5, 4000}, Planted{0.2, 20000}};

struct Options {
  std::uint64_t runs = 200;
  std::uint64_t leaking_runs = 20;
  std::string only;  // device
};

struct NamedDevice {
  std::string name;
  DeviceModel model;
  double deviation = 0;  // in microseconds
  /// Its answers are seen at certain moments only, and these are locked to its commands: a small difference
  /// is not there. Its row is printed, and no bar holds for it.
  bool hides() const {
    const std::set<std::string_view> all{"card grid-1ms",  "card grid-15.6ms", "card sleep-1ms",
                                         "card timer-1ms", "card back-off",    "card capped-back-off"};
    return all.contains(name);
  }
};

enum Judge : std::size_t { ours, strong, authors };
constexpr std::size_t judges = 3;
constexpr std::array thresholds_of_t{4.5, 10.0};

/// The shots at one stop, as the judges see them.
class Watch {
 public:
  /// `doubt`: the part of alpha that this stop may take.
  explicit Watch(double doubt) : enough_(-std::log(doubt)) {}

  void add(const ClassedTime& time) {
    ++shots_;
    if (!found_.at(ours)) {
      evidence_.add(time);
      if (evidence_.most() >= enough_) found_.at(ours) = shots_;
    }
    dudect_.add(time);
    if (shots_ % shots_between_looks != 0) return;
    const double t = dudect_.t();
    for (const Judge judge : {strong, authors})
      if (!found_.at(judge) && t >= thresholds_of_t.at(judge - 1)) found_.at(judge) = shots_;
  }
  /// After so many shots.
  const std::array<std::optional<std::uint64_t>, judges>& found() const { return found_; }

 private:
  double enough_;
  std::uint64_t shots_ = 0;
  engine::Evidence evidence_;
  Dudect dudect_;
  std::array<std::optional<std::uint64_t>, judges> found_;
};

using Found = std::array<std::optional<std::uint64_t>, judges>;

double deviation_of(const DeviceModel& model) {
  constexpr int executions = 4000;
  SyntheticDevice device(model, 1);
  std::vector<double> differences;
  std::optional<double> before;
  for (int i = 0; i < executions; ++i) {
    const std::optional<double> now = device.execute(model.work, true);
    if (now && before) differences.push_back(*now - *before);
    before = now;
  }
  // The middle 68 % of normal times are two deviations wide. Steps of a grid are not smoothed.
  const double width = engine::quantile(differences, 0.84) - engine::quantile(differences, 0.16);
  return std::max(model.tick / 4, width / 2 / std::sqrt(2.0));
}

std::vector<NamedDevice> devices(const std::string& only) {
  std::vector<NamedDevice> all;
  for (const std::string_view name : test::device_names())
    all.push_back({std::string(name), test::device_named(name).value()});
  for (const std::string_view name : test::noise_names())
    all.push_back(
        {"card " + std::string(name), test::with_noise(test::device_named("card").value(), name).value()});
  for (const std::string_view name : test::situation_names()) {
    const DeviceModel model = test::situation_named(name).value();
    const test::Situation& at = model.situation;
    const bool is_of_blocks = at.hot_slow > 0 || at.leak > 0 || at.dear_rate > 0 || at.ramp > 0;
    if (!is_of_blocks) all.push_back({"card " + std::string(name), model});  // here blocks are alike
  }
  std::erase_if(all, [&](const NamedDevice& one) { return !only.empty() && one.name != only; });
  for (NamedDevice& one : all) one.deviation = deviation_of(one.model);
  return all;
}

struct Job {
  const NamedDevice* device = nullptr;
  std::uint64_t seed = 1;
  double deviations = 0;
  std::uint64_t shots = 0;
};

/// The time of a shot whose second class does so much more work.
std::optional<ClassedTime> shoot(SyntheticDevice& device, double work, double more, bool is_second,
                                 bool ends) {
  const std::optional<double> time = device.execute(work + (is_second ? more : 0), ends);
  if (!time) return std::nullopt;
  return ClassedTime{.ticks = std::round(*time * 1000), .is_second = is_second};
}

/// Two stops that do not depend on the class, and the end of the command, which does: what leaks behind a
/// stop and is left over for the next command is no leak of that stop. The first of both that is seen, by
/// each judge.
Found run_without_leak(const Job& job) {
  constexpr std::size_t stops = 2;
  const DeviceModel& model = job.device->model;
  SyntheticDevice device(model, job.seed);
  std::vector<Watch> watches(stops, Watch(alpha / stops));
  for (std::uint64_t i = 0; i < job.shots; ++i) {
    const std::uint64_t at = engine::draw(job.seed, 1, i, stops + 1);
    const double work = model.work * static_cast<double>(at + 1) / (stops + 1);
    const double more = at == stops ? job.deviations * job.device->deviation : 0;
    const auto time = shoot(device, work, more, engine::draw(job.seed, 2, i, 2) == 1, at == stops);
    if (time && at < stops) watches[at].add(*time);
  }
  Found found;
  for (const Watch& watch : watches)
    for (std::size_t judge = 0; judge < judges; ++judge)
      if (watch.found().at(judge)) found.at(judge) = watch.found().at(judge);
  return found;
}

/// The whole command, until all judges have seen the leak.
Found run_with_leak(const Job& job) {
  SyntheticDevice device(job.device->model, job.seed);
  Watch watch(alpha);
  const auto is_done = [&] {
    return std::ranges::all_of(watch.found(), [](const auto& one) { return one.has_value(); });
  };
  for (std::uint64_t i = 0; i < job.shots && !is_done(); ++i) {
    const auto time = shoot(device, job.device->model.work, job.deviations * job.device->deviation,
                            engine::draw(job.seed, 2, i, 2) == 1, true);
    if (time) watch.add(*time);
  }
  return watch.found();
}

struct Seen {
  double part = 0;   // of the runs
  double shots = 0;  // median; of a run without a finding all that there were
};

std::array<Seen, judges> summary(std::span<const Found> runs, std::uint64_t shots) {
  std::array<Seen, judges> seen;
  for (std::size_t judge = 0; judge < judges; ++judge) {
    std::vector<double> needed;
    for (const Found& run : runs) {
      needed.push_back(static_cast<double>(run.at(judge).value_or(shots)));
      if (run.at(judge)) seen.at(judge).part += 1 / static_cast<double>(runs.size());
    }
    seen.at(judge).shots = engine::median(needed);
  }
  return seen;
}

template <class Run>
std::vector<std::array<Seen, judges>> measure(const std::vector<NamedDevice>& devices, std::uint64_t runs,
                                              const Planted& leak, const Run& run) {
  std::vector<Job> jobs;
  for (const NamedDevice& device : devices)
    for (std::uint64_t seed = 1; seed <= runs; ++seed)
      jobs.push_back({&device, seed, leak.deviations, leak.most_shots});
  const std::vector<Found> found = test::parallel_map(jobs, run);
  std::vector<std::array<Seen, judges>> seen;
  for (std::size_t i = 0; i < devices.size(); ++i)
    seen.push_back(summary(std::span(found).subspan(i * runs, runs), leak.most_shots));
  return seen;
}

double mean_part(const std::vector<std::array<Seen, judges>>& rows, Judge judge) {
  std::vector<double> parts;
  for (const auto& row : rows) parts.push_back(row.at(judge).part);
  return engine::mean_of(parts);
}

/// Rows of the devices that do not hide leaks.
template <class Row>
std::vector<Row> shown(const std::vector<NamedDevice>& devices, const std::vector<Row>& rows) {
  std::vector<Row> some;
  const std::size_t each = rows.size() / devices.size();
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (!devices[i / each].hides()) some.push_back(rows[i]);
  return some;
}

std::string in_words(const Seen& seen) {
  return fmt::format("{:3.0f} % {:6.0f}", 100 * seen.part, seen.shots);
}

void print_false_alarms(const std::vector<NamedDevice>& devices,
                        const std::vector<std::array<Seen, judges>>& rows, const Options& options) {
  fmt::print("false alarms in {} runs of {} shots at two stops before a leak\n", options.runs,
             shots_without_leak);
  fmt::print("{:24} | jcprof | dudect, t 4.5 | t 10\n", "device");
  for (std::size_t i = 0; i < devices.size(); ++i) {
    const auto alarms = [&](Judge judge) {
      return std::llround(rows[i].at(judge).part * static_cast<double>(options.runs));
    };
    fmt::print("{:24} | {:6} | {:13} | {:4}\n", devices[i].name, alarms(ours), alarms(strong),
               alarms(authors));
  }
  fmt::print("{:24} | {:.1e} | {:13.1e} | {:.1e} a run\n\n", "all", mean_part(rows, ours),
             mean_part(rows, strong), mean_part(rows, authors));
}

void print_power(const std::vector<NamedDevice>& devices, const std::vector<std::array<Seen, judges>>& rows,
                 const Planted& leak, const Options& options) {
  fmt::print("a leak of {} deviations in {} runs: found within {} shots, and shots to find it (median)\n",
             leak.deviations, options.leaking_runs, leak.most_shots);
  fmt::print("{:24} | jcprof       | dudect, t 4.5 | t 10\n", "device");
  for (std::size_t i = 0; i < devices.size(); ++i)
    fmt::print("{:24} | {} | {}  | {}\n", devices[i].name, in_words(rows[i].at(ours)),
               in_words(rows[i].at(strong)), in_words(rows[i].at(authors)));
  fmt::print("\n");
}

/// Dudect's shots divided by jcprof's: the geometric mean over the devices.
double ratio_of_shots(const std::vector<std::array<Seen, judges>>& rows, Judge judge) {
  std::vector<double> logs;
  for (const auto& row : rows) logs.push_back(std::log(row.at(judge).shots / row.at(ours).shots));
  return std::exp(engine::mean_of(logs));
}

/// One search on a path whose blocks take the same work; one of them, drawn, leaks half a deviation.
struct Place {
  bool is_found = false;
  bool is_right = false;  // that block alone is confirmed
  double shots = 0;
};

constexpr std::size_t blocks = 37;

Place locate(const Job& job, bool sweeps) {
  const DeviceModel& model = job.device->model;
  SyntheticDevice device(model, job.seed);
  const std::size_t leaking = engine::draw(job.seed, 3, 0, blocks);
  std::uint64_t number = 0;
  const auto time_at = [&](std::size_t stop) {
    const double work = model.work * static_cast<double>(stop) / blocks;
    const double more = stop > leaking ? job.deviations * job.device->deviation : 0;
    const bool is_second = engine::draw(job.seed, 2, number++, 2) == 1;
    const auto time = shoot(device, work, more, is_second, stop == blocks);
    return time.value_or(ClassedTime{.ticks = engine::missing, .is_second = is_second});
  };
  const engine::LeakFindings findings =
      engine::search_leak({.stops = blocks, .alpha = alpha, .sweeps = sweeps, .seed = job.seed},
                          [&](std::span<const std::size_t> stops) {
                            std::vector<ClassedTime> times;
                            for (const std::size_t stop : stops) times.push_back(time_at(stop));
                            return times;
                          });
  Place place{.is_found = findings.is_found, .shots = static_cast<double>(findings.shots)};
  std::vector<std::size_t> confirmed;
  for (const engine::LeakingBlock& block : findings.blocks)
    for (std::size_t b = block.begin; b < block.end && block.is_confirmed; ++b) confirmed.push_back(b);
  place.is_right = confirmed == std::vector{leaking};
  return place;
}

struct Places {
  double found = 0;  // parts of the runs
  double right = 0;
  double shots = 0;  // mean
};

Places places(std::span<const Place> runs) {
  Places sum;
  const double part = 1 / static_cast<double>(runs.size());
  for (const Place& one : runs) {
    sum.found += one.is_found ? part : 0;
    sum.right += one.is_right ? part : 0;
    sum.shots += part * one.shots;
  }
  return sum;
}

void check_location(const std::vector<NamedDevice>& devices, const Options& options, Bars& bars) {
  std::vector<Job> jobs;
  for (const NamedDevice& device : devices)
    for (std::uint64_t seed = 1; seed <= options.leaking_runs; ++seed)
      jobs.push_back({&device, seed, planted.front().deviations});
  const auto all = test::parallel_map(jobs, [](const Job& job) { return locate(job, false); });
  const auto swept = test::parallel_map(jobs, [](const Job& job) { return locate(job, true); });
  fmt::print("a block of {} that leaks {} deviations, {} runs\n", blocks, planted.front().deviations,
             options.leaking_runs);
  fmt::print("{:24} | found | at its block |  shots | of a sweep | at its block\n", "device");
  for (std::size_t i = 0; i < devices.size(); ++i) {
    const std::size_t first = i * options.leaking_runs;
    const Places ours = places(std::span(all).subspan(first, options.leaking_runs));
    const Places sweep = places(std::span(swept).subspan(first, options.leaking_runs));
    fmt::print("{:24} | {:3.0f} % | {:10.0f} % | {:6.0f} | {:10.0f} | {:10.0f} %\n", devices[i].name,
               100 * ours.found, 100 * ours.right, ours.shots, sweep.shots, 100 * sweep.right);
  }
  fmt::print("\n");
  const std::vector<Place> some = shown(devices, all);
  if (some.empty()) return;
  bars.at_least("a leaking block: found at its place, %", 100 * places(some).right, 95);
  bars.at_most("shots to those of a sweep", places(some).shots / places(shown(devices, swept)).shots,
               1.0 / 3);
}

int run(const Options& options) {
  const std::vector<NamedDevice> all = devices(options.only);
  constexpr Planted large{.deviations = 5, .most_shots = shots_without_leak};
  const auto quiet = measure(all, options.runs, large, run_without_leak);
  print_false_alarms(all, quiet, options);
  Bars bars;
  std::vector<std::pair<Planted, std::vector<std::array<Seen, judges>>>> found;
  for (const Planted& leak : planted) {
    found.emplace_back(leak, measure(all, options.leaking_runs, leak, run_with_leak));
    print_power(all, found.back().second, leak, options);
  }
  const double runs = static_cast<double>(options.runs * all.size());
  bars.at_most(fmt::format("false alarms in {} runs, of one in {:.0f} and chance", runs, 1 / alpha),
               runs * mean_part(quiet, ours), alpha * runs + 3 * std::sqrt(alpha * runs));
  for (const auto& [leak, all_rows] : found) {
    const auto rows = shown(all, all_rows);
    if (rows.empty()) continue;
    const std::string name = fmt::format("a leak of {} deviations: ", leak.deviations);
    bars.at_least(name + "found, %", 100 * mean_part(rows, ours), 95);
    bars.at_least(name + "shots of dudect, t 10, to jcprof's", ratio_of_shots(rows, authors), 2);
    bars.at_least(name + "shots of dudect, t 4.5, to jcprof's", ratio_of_shots(rows, strong), 0.5);
  }
  check_location(all, options, bars);
  return bars.missed() == 0 ? 0 : 1;
}

}  // namespace
}  // namespace jcprof::bench

int main(int argc, char** argv) {
  jcprof::bench::Options options;
  CLI::App app("Leaks of time on synthetic devices: false alarms and shots to find one, beside dudect",
               "bench-leak");
  app.add_option("--runs", options.runs, "without a leak, on each device")->capture_default_str();
  app.add_option("--leaking-runs", options.leaking_runs, "of each size, on each device")
      ->capture_default_str();
  app.add_option("--only", options.only, "this device only");
  CLI11_PARSE(app, argc, argv);
  return jcprof::bench::run(options);
}
