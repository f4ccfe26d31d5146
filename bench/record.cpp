// SPDX-License-Identifier: Apache-2.0
// What recording costs and what analysing costs, against a bare loop and against uftrace, in one run: see
// bench/README.md.
#include <algorithm>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <sys/resource.h>
#include <CLI/CLI.hpp>

#include "annotator/record/recording.hpp"
#include "bench/bars.hpp"
#include "bench/processor_time.hpp"
#include "programs/main_guard.hpp"
#include "src/core/error.hpp"
#include "src/core/file.hpp"
#include "src/core/process.hpp"
#include "src/engine/statistics.hpp"
#include "templates/jcprof_log.h"

namespace jcprof::bench {
namespace {

namespace fs = std::filesystem;
using Argv = std::vector<std::string>;

/// Bars, and where a machine shared with others alone does not explain it any more.
struct Bar {
  double bar;
  double failing;
};
constexpr Bar event_bar{.bar = 1.15, .failing = 1.6};
constexpr Bar excess_bar{.bar = 0.35, .failing = 0.6};
constexpr Bar few_calls_bar{.bar = 1.02, .failing = 1.15};
constexpr Bar analysis_bar{.bar = 5, .failing = 3};
constexpr Bar memory_bar{.bar = 200, .failing = 200};  // MB

struct Options {
  std::string out;
  std::uint32_t pairs = 9;
  std::uint32_t words = 666'667;  // six calls each
  std::uint64_t log_mib = 2048;
  bool is_quick = false;
  std::string analyse;  // a log: what the child of a benchmark does
};

/// The numbers that the last line of its output consists of.
std::vector<double> numbers_of(const Argv& argv, const fs::path& out) {
  const ProcessResult result =
      run_and_wait({.argv = argv, .cwd = out}, {.file = out / "output"}, std::chrono::minutes{10});
  if (result.exit_status != 0)
    throw environment_error(fmt::format("\"{}\" failed with status {}\n{}", fmt::join(argv, " "),
                                        result.exit_status, result.tail));
  std::istringstream lines(read_file(out / "output"));
  std::vector<double> numbers;
  for (double number = 0; lines >> number;) numbers.push_back(number);
  return numbers;
}

Argv joined(Argv argv, const Argv& more) {
  argv.insert(argv.end(), more.begin(), more.end());
  return argv;
}

Argv recorded(const fs::path& out, const Argv& program) {
  return joined({sibling("jcprof-record").string(), "-q", "-o", (out / "jcprof").string(), "--"}, program);
}

Argv by_uftrace(const fs::path& out, const Argv& program) {
  return joined({"uftrace", "record", "-d", (out / "uftrace").string()}, program);
}

std::string range_of(std::vector<double> values) {
  std::ranges::sort(values);
  return fmt::format("pairs from {:.2f} to {:.2f}", values.front(), values.back());
}

/// Whether the bar was met, printed; false where it was missed by far.
bool at_most(Bars& bars, const std::string& what, double value, Bar bar) {
  bars.at_most(what, value, bar.bar);
  return value <= bar.failing;
}

bool events(const Options& options, Bars& bars) {
  const std::vector<double> numbers =
      numbers_of(recorded(options.out, {JCPROF_BENCH_EVENTS, "60"}), options.out);
  std::vector<double> bare;
  std::vector<double> hooks;
  std::vector<double> ratios;
  for (std::size_t i = 0; i + 1 < numbers.size(); i += 2) {
    bare.push_back(numbers[i]);
    hooks.push_back(numbers[i + 1]);
    ratios.push_back(hooks.back() / bare.back());
  }
  const double ratio = engine::median(ratios);
  fmt::print("event         | {:.1f} ns by hooks | {:.1f} ns bare | {:.2f} times   {}\n",
             engine::median(hooks), engine::median(bare), ratio, range_of(ratios));
  return at_most(bars, "an event / clock read and store", ratio, event_bar);
}

/// Of a program: on the clock on the wall, and on processors. Both in ns, as it prints them.
struct Times {
  double wall = 0;
  double processor = 0;
};

Times times_of(const Argv& argv, const fs::path& out) {
  const std::vector<double> numbers = numbers_of(argv, out);
  check(numbers.size() == 2, "the program prints two times");
  return {.wall = numbers[0], .processor = numbers[1]};
}

bool string_match(const Options& options, std::uint32_t workers, Bars& bars) {
  const Argv arguments{std::to_string(workers), std::to_string(options.words)};
  const std::vector<Argv> ways{joined({JCPROF_BENCH_STRING_MATCH_BARE}, arguments),
                               recorded(options.out, joined({JCPROF_BENCH_STRING_MATCH}, arguments)),
                               by_uftrace(options.out, joined({JCPROF_BENCH_STRING_MATCH}, arguments))};
  std::array<std::vector<double>, 3> processor;
  std::array<std::vector<double>, 3> wall;
  std::vector<double> ratios;
  for (std::uint32_t pair = 0; pair < options.pairs; ++pair) {
    for (std::size_t i = 0; i < ways.size(); ++i) {
      const std::size_t way = (i + pair) % ways.size();  // so that none always comes behind the same
      const Times times = times_of(ways[way], options.out);
      processor.at(way).push_back(times.processor);
      wall.at(way).push_back(times.wall);
    }
    ratios.push_back((processor[1].back() - processor[0].back()) /
                     (processor[2].back() - processor[0].back()));
  }
  const double ratio = engine::median(ratios);
  const auto row = [&](const char* name, std::size_t way) {
    fmt::print("{:<13} | {:7.1f} ms on processors, {:.2f} times | {:7.1f} ms on the wall\n", name,
               engine::median(processor.at(way)) / 1e6,
               engine::median(processor.at(way)) / engine::median(processor[0]),
               engine::median(wall.at(way)) / 1e6);
  };
  fmt::print("string match, {} worker{}, {} M calls\n", workers, workers == 1 ? "" : "s",
             6 * options.words / 1'000'000);
  row("bare", 0);
  row("jcprof", 1);
  row("uftrace", 2);
  fmt::print("excess        | {:.2f} of uftrace's   {}\n", ratio, range_of(ratios));
  return at_most(bars, fmt::format("excess / uftrace's, {} worker(s)", workers), ratio, excess_bar);
}

bool few_calls(const Options& options, Bars& bars) {
  std::vector<double> ratios;
  for (std::uint32_t pair = 0; pair < 3 * options.pairs; ++pair) {
    const auto run = [&](bool is_recorded) {
      const Argv program{is_recorded ? JCPROF_BENCH_FEW_CALLS : JCPROF_BENCH_FEW_CALLS_BARE};
      return times_of(is_recorded ? recorded(options.out, program) : program, options.out).wall;
    };
    const double first = run(pair % 2 == 0);
    const double second = run(pair % 2 != 0);
    ratios.push_back(pair % 2 == 0 ? first / second : second / first);
  }
  const double ratio = engine::median(ratios);
  fmt::print("few calls     | {:.3f} times on the wall   {}\n", ratio, range_of(ratios));
  return at_most(bars, "a program of a few calls / bare", ratio, few_calls_bar);
}

/// What `uftrace report` shows, twice: each call is two events. Lines are total, unit, self, unit, calls,
/// name.
std::uint64_t events_reported(const std::string& report) {
  std::istringstream lines(report);
  std::uint64_t events = 0;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream fields(line);
    std::string total;
    std::string total_unit;
    std::string self;
    std::string self_unit;
    std::string name;
    std::uint64_t calls = 0;
    if (fields >> total >> total_unit >> self >> self_unit >> calls >> name && !name.starts_with("linux:"))
      events += 2 * calls;
  }
  return events;
}

/// Of a log, in a process of its own: events, milliseconds of processor time, KiB of memory.
struct Analysis {
  std::uint64_t events = 0;
  double milliseconds = 0;
  double kib = 0;
};

Analysis analysis_of(const fs::path& log, const fs::path& out) {
  const std::vector<double> numbers =
      numbers_of({own_executable().string(), "--out", out.string(), "--analyse", log.string()}, out);
  check(numbers.size() == 3, "the child prints three numbers");
  return {.events = static_cast<std::uint64_t>(numbers[0]), .milliseconds = numbers[1], .kib = numbers[2]};
}

ExitCode analyse(const Options& options) {
  const annotator::RecordedRun run = annotator::analyze_log({.file = options.analyse});
  Store store(fs::path(options.out) / "analysed.jcprof", OpenMode::fresh);
  annotator::store_recording(store, run);
  store.close();
  rusage used = {};
  getrusage(RUSAGE_SELF, &used);
  fmt::print("{} {} {}\n", run.events, milliseconds_used(RUSAGE_SELF), used.ru_maxrss);
  return ExitCode::done;
}

bool analysis(const Options& options, Bars& bars) {
  const fs::path out = options.out;
  const Argv program{JCPROF_BENCH_STRING_MATCH, "1", std::to_string(options.words)};
  times_of(recorded(out, program), out);
  times_of(by_uftrace(out, program), out);
  std::vector<double> ours;
  std::vector<double> rival;
  std::vector<double> ratios;
  std::uint64_t events = 0;
  for (std::uint32_t pair = 0; pair < options.pairs; ++pair) {
    const auto we = [&] {
      const Analysis analysis = analysis_of(out / "jcprof/record.jcplog", out);
      events = analysis.events;
      ours.push_back(analysis.milliseconds);
    };
    if (pair % 2 == 0) we();
    rival.push_back(milliseconds_of_children([&] {
      const ProcessResult result =
          run_and_wait({.argv = {"uftrace", "report", "-d", (out / "uftrace").string()}, .cwd = out},
                       {.file = out / "report"}, std::chrono::minutes{10});
      check(result.exit_status == 0, "uftrace reports");
    }));
    if (pair % 2 == 1) we();
    ratios.push_back(rival.back() / ours.back());
  }
  const std::uint64_t events_of_rival = events_reported(read_file(out / "report"));
  const double ratio =
      engine::median(ratios) * static_cast<double>(events) / static_cast<double>(events_of_rival);
  fmt::print(
      "analysis      | {:.1f} M events/s of {} | uftrace report {:.1f} M events/s of {} | {:.1f} times   "
      "{}\n",
      static_cast<double>(events) / engine::median(ours) / 1e3, events,
      static_cast<double>(events_of_rival) / engine::median(rival) / 1e3, events_of_rival, ratio,
      range_of(ratios));
  bars.at_least("events analysed a second / uftrace report's", ratio, analysis_bar.bar);
  return ratio >= analysis_bar.failing;
}

/// One block of a log, with what follows it.
struct Block {
  jcprof_log_block head = {};
  std::string bytes;
};

bool read_block(std::istream& log, Block& block) {
  if (!log.read(reinterpret_cast<char*>(&block.head), sizeof block.head)) return false;
  block.bytes.resize(block.head.bytes);
  return static_cast<bool>(log.read(block.bytes.data(), block.head.bytes));
}

void write_block(std::ostream& log, const Block& block) {
  log.write(reinterpret_cast<const char*>(&block.head), sizeof block.head);
  log.write(block.bytes.data(), static_cast<std::streamsize>(block.bytes.size()));
}

/// The log's chunks again and again, each time later, with all that came before them once.
void repeat_log(const fs::path& from, const fs::path& to, std::uint64_t bytes) {
  std::ofstream out(to, std::ios::binary);
  std::uint64_t span = 0;                         // ticks that one pass takes
  std::map<std::uint32_t, std::uint32_t> chunks;  // of each thread, in one pass
  for (std::uint32_t pass = 0; pass == 0 || static_cast<std::uint64_t>(out.tellp()) < bytes; ++pass) {
    std::ifstream log(from, std::ios::binary);
    std::optional<std::uint64_t> first;
    for (Block block; read_block(log, block);) {
      if (block.head.kind == JCPROF_LOG_BLOCK_END) continue;
      if (block.head.kind == JCPROF_LOG_BLOCK_CHUNK) {
        jcprof_log_chunk chunk;
        std::memcpy(&chunk, block.bytes.data(), sizeof chunk);
        if (!first) first = chunk.base;
        if (pass == 0) {
          ++chunks[chunk.thread];
          // The next pass begins behind the last chunk's last record, which is well below this.
          span = chunk.base - *first + (1U << 30U);
        }
        chunk.base += pass * span;
        chunk.number += pass * chunks[chunk.thread];
        std::memcpy(block.bytes.data(), &chunk, sizeof chunk);
      } else if (pass > 0) {
        continue;
      }
      write_block(out, block);
    }
  }
  out.close();
  check(out.good(), "there is room for the log");
}

bool memory(const Options& options, Bars& bars) {
  const fs::path out = options.out;
  const fs::path log = out / "long.jcplog";
  repeat_log(out / "jcprof/record.jcplog", log, options.log_mib << 20U);
  const Analysis analysis = analysis_of(log, out);
  fs::remove(log);
  const double megabytes = analysis.kib * 1024 / 1e6;
  fmt::print("a log of {} MiB: {} M events, {:.1f} M/s, {:.0f} MB of memory\n", options.log_mib,
             analysis.events / 1'000'000, static_cast<double>(analysis.events) / analysis.milliseconds / 1e3,
             megabytes);
  return at_most(bars, "MB of memory to analyse it", megabytes, memory_bar);
}

ExitCode compare(Options options) {
  if (options.is_quick) {
    options.pairs = 3;
    options.log_mib = 256;
  }
  fs::remove_all(options.out);
  fs::create_directories(options.out);
  options.out = fs::canonical(options.out);
  Bars bars;
  bool is_good = events(options, bars);
  for (const std::uint32_t workers : {1U, 2U}) is_good &= string_match(options, workers, bars);
  is_good &= few_calls(options, bars);
  is_good &= analysis(options, bars);
  is_good &= memory(options, bars);
  return is_good ? ExitCode::done : ExitCode::check_failed;
}

}  // namespace
}  // namespace jcprof::bench

int main(int argc, char** argv) {
  CLI::App app{"Record mode against a bare loop and uftrace.", "bench-record"};
  jcprof::bench::Options options;
  app.add_option("--out", options.out, "folder for logs; emptied first")->required()->type_name("DIR");
  app.add_option("--pairs", options.pairs, "of each comparison")
      ->check(CLI::Range(3U, 1000U))
      ->capture_default_str();
  app.add_flag("--quick", options.is_quick, "three pairs, and a log of 256 MiB");
  app.add_option("--analyse", options.analyse,
                 "a log: print its events, the milliseconds it took and KiB of memory")
      ->type_name("FILE");
  CLI11_PARSE(app, argc, argv);
  return jcprof::cli::guarded([&] {
    return options.analyse.empty() ? jcprof::bench::compare(options) : jcprof::bench::analyse(options);
  });
}
