// SPDX-License-Identifier: Apache-2.0
// How long putting traps into C and C++ takes: against clang looking at the same units, turn about within one
// run, each as many units at a time as there are processors. The compile check stands apart. Then what
// unarmed traps cost a program.
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "rewriter/c_compile.hpp"
#include "rewriter/c_runtime.hpp"
#include "rewriter/compile_database.hpp"
#include "rewriter/edits.hpp"
#include "rewriter/plan.hpp"
#include "rewriter/project_tree.hpp"
#include "src/cli/main_guard.hpp"
#include "src/core/error.hpp"
#include "src/core/file.hpp"
#include "src/core/process.hpp"
#include "src/core/project.hpp"
#include "src/engine/statistics.hpp"

namespace jcprof::bench {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using Milliseconds = std::chrono::duration<double, std::milli>;
using namespace rewriter;

constexpr double bar = 1.5;        // of the time that clang takes
constexpr double wide_miss = 2.5;  // beyond it is not the machine's noise any more

struct Options {
  std::vector<std::string> projects;
  std::string out;
  std::string clang = "clang-19";
  std::uint32_t pairs = 7;
  std::vector<std::string> workload;  // without traps, with traps, arguments
};

template <typename Work>
double milliseconds(const Work& work) {
  const Clock::time_point start = Clock::now();
  work();
  return Milliseconds(Clock::now() - start).count();
}

/// Front end, plan and edits: what generate() does but for copying the project and for the compile check.
std::size_t rewrite(const Project& project, const std::vector<std::string>& sources, const fs::path& tree) {
  const std::vector<SourceModel> models =
      read_c(project.root, sources, compile_units(project, sources), Reach::program);
  const TrapPlan plan =
      plan_traps(models, {.entry = project.entry, .scope = project.profile, .language = SourceLanguage::c});
  std::size_t traps = 0;
  for (std::size_t i = 0; i < models.size(); ++i) {
    const Placeholders values{{"runtime", c_runtime_from(models[i].path)}};
    write_file(tree / models[i].path,
               apply_edits(models[i].text, edits_of(insertions_for(models[i], plan.files[i], values))));
    traps += plan.files[i].traps.size();
  }
  return traps;
}

void look_at(const std::vector<CompileUnit>& units, const fs::path& scratch) {
  for (const UnitAnswer& answer : SyntaxCheck(scratch).run(units))
    if (!answer.failure.empty()) throw environment_error(answer.failure);
}

struct Times {
  std::size_t traps = 0;
  std::vector<double> rewriting;
  std::vector<double> clang;
  std::vector<double> check;
  std::vector<double> ratio;
};

Times measure(const Project& project, const Options& options) {
  const fs::path out = fs::absolute(options.out) / project.name;
  const fs::path tree = out / "tree";
  fs::remove_all(out);
  const std::vector<std::string> files = project_files(project, out);
  const std::vector<std::string> sources = source_files(project, files);
  copy_files(project, files, tree);
  write_file(tree / c_runtime_file, c_runtime_source({.language = "c"}, Reach::program));
  const std::vector<CompileUnit> units = compile_units(project, sources);
  std::vector<CompileUnit> with_clang = units;
  for (CompileUnit& unit : with_clang) unit.arguments.front() = options.clang;
  std::vector<CompileUnit> written;
  for (const CompileUnit& unit : units) written.push_back(moved(unit, project.root, tree));
  Times times;
  for (std::uint32_t pair = 0; pair < options.pairs; ++pair) {
    const auto clang = [&] {
      times.clang.push_back(milliseconds([&] { look_at(with_clang, out / "logs"); }));
    };
    if (pair % 2 == 1) clang();
    times.rewriting.push_back(milliseconds([&] { times.traps = rewrite(project, sources, tree); }));
    if (pair % 2 == 0) clang();
    times.check.push_back(milliseconds([&] { look_at(written, out / "logs"); }));
    times.ratio.push_back(times.rewriting.back() / times.clang.back());
  }
  return times;
}

/// True unless the bar is missed widely.
bool compare_with_clang(const Options& options) {
  fmt::print("rewriting against {} -fsyntax-only: medians of {} pairs, ms\n", options.clang, options.pairs);
  fmt::print("{:<10} | {:>6} | {:>9} | {:>8} | {:>13} | {:>5}   {}\n", "project", "traps", "rewriting",
             "clang", "compile check", "ratio", "95 % interval");
  bool good = true;
  for (const std::string& folder : options.projects) {
    const Project project = read_project(folder);
    const Times times = measure(project, options);
    const engine::Interval ratio = engine::sign_interval(times.ratio, 0.05);
    fmt::print(
        "{:<10} | {:>6} | {:>9.0f} | {:>8.0f} | {:>13.0f} | {:>5.2f}   {:.2f} to {:.2f}, bar {:.1f} {}\n",
        project.name, times.traps, engine::median(times.rewriting), engine::median(times.clang),
        engine::median(times.check), ratio.value, ratio.low, ratio.high, bar,
        ratio.value <= bar ? "met" : "MISSED");
    good &= ratio.value <= wide_miss;
  }
  return good;
}

double run_ms(const std::string& program, const Options& options) {
  std::vector<std::string> argv{program};
  argv.insert(argv.end(), options.workload.begin() + 2, options.workload.end());
  return milliseconds([&] {
    const ProcessResult result =
        run_and_wait({.argv = argv, .cwd = fs::absolute(options.out)}, {}, std::chrono::minutes{5});
    if (result.exit_status != 0)
      throw environment_error(
          fmt::format("\"{}\" failed with status {}\n{}", program, result.exit_status, result.tail));
  });
}

/// The same program, built with traps and without, turn about.
void compare_workload(const Options& options) {
  std::vector<double> bare;
  std::vector<double> ratio;
  for (std::uint32_t pair = 0; pair < options.pairs; ++pair) {
    bare.push_back(run_ms(options.workload[0], options));
    ratio.push_back(run_ms(options.workload[1], options) / bare.back());
  }
  const engine::Interval interval = engine::sign_interval(ratio, 0.05);
  fmt::print(
      "unarmed traps: {:.0f} ms without, {:.2f} times as long with, 95 % interval {:.2f} to {:.2f} ({} "
      "pairs)\n",
      engine::median(bare), interval.value, interval.low, interval.high, options.pairs);
}

ExitCode compare(const Options& options) {
  fs::create_directories(options.out);
  const bool good = options.projects.empty() || compare_with_clang(options);
  if (options.workload.size() >= 2) compare_workload(options);
  return good ? ExitCode::done : ExitCode::check_failed;
}

}  // namespace
}  // namespace jcprof::bench

int main(int argc, char** argv) {
  CLI::App app{"How long rewriting C and C++ takes, against clang, and what unarmed traps cost.",
               "bench-rewriting-c"};
  jcprof::bench::Options options;
  app.add_option("PROJECT", options.projects, "projects to rewrite, as scripts/corpus makes them");
  app.add_option("--out", options.out, "where to work")->required();
  app.add_option("--clang", options.clang, "the rival")->capture_default_str();
  app.add_option("--workload", options.workload,
                 "a program without traps, the same with traps, and arguments");
  app.add_option("--pairs", options.pairs, "of one rewriting and one compilation")
      ->check(CLI::Range(7U, 1000U))
      ->capture_default_str();
  return jcprof::cli::guarded_main(app, argc, argv, [&] { return jcprof::bench::compare(options); });
}
