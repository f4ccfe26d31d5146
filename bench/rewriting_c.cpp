// SPDX-License-Identifier: Apache-2.0
// How long putting traps into C and C++ takes: against clang looking at the same units, turn about within one
// run. Processor time of both, so that neither the number of processors nor what else they do decides. The
// compile check stands apart.
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "bench/processor_time.hpp"
#include "programs/main_guard.hpp"
#include "rewriter/c/compile.hpp"
#include "rewriter/c/compile_database.hpp"
#include "rewriter/c/runtime.hpp"
#include "rewriter/edits.hpp"
#include "rewriter/plan.hpp"
#include "rewriter/project_tree.hpp"
#include "src/core/error.hpp"
#include "src/core/file.hpp"
#include "src/core/project.hpp"
#include "src/engine/statistics.hpp"

namespace jcprof::bench {
namespace {

namespace fs = std::filesystem;
using namespace rewriter;

constexpr double bar = 1.5;        // of the time that clang takes
constexpr double wide_miss = 2.5;  // beyond it is not the machine's noise any more

struct Options {
  std::vector<std::string> projects;
  std::string out;
  std::string clang = "clang-19";
  std::uint32_t pairs = 7;
};

/// Front end, plan and edits: what generate() does but for copying the project and for the compile check.
std::size_t rewrite(const Project& project, const std::vector<std::string>& sources, const fs::path& tree) {
  const std::vector<SourceModel> models =
      read_c(project.root, sources, compile_units(project, sources, tree.parent_path()), {Reach::program})
          .models;
  const TrapPlan plan =
      plan_traps(models, {.entry = project.entry, .scope = project.profile, .language = SourceLanguage::c});
  std::size_t traps = 0;
  for (std::size_t i = 0; i < models.size(); ++i) {
    const Placeholders values{{"runtime", c_runtime_from(models[i].path)}};
    write_file(tree / models[i].path, rewritten_source(models[i], plan.files[i], values).text);
    traps += plan.files[i].traps.size();
  }
  return traps;
}

void look_at(SyntaxCheck& compilers, const std::vector<CompileUnit>& units) {
  for (const UnitAnswer& answer : compilers.run(units))
    if (!answer.failure.empty()) throw environment_error(answer.failure);
}

struct Times {
  std::size_t traps = 0;
  std::vector<double> rewriting;
  std::vector<double> clang;
  std::vector<double> ratio;
  double check = 0;
};

Times measure(const Project& project, const Options& options) {
  const fs::path out = fs::absolute(options.out) / project.name;
  const fs::path tree = out / "tree";
  fs::remove_all(out);
  const std::vector<std::string> files = project_files(project, out);
  const std::vector<std::string> sources = source_files(project, files);
  copy_files(project, files, tree);
  write_file(tree / c_runtime_file, c_runtime_source({.language = "c"}, Reach::program));
  const std::vector<CompileUnit> units = compile_units(project, sources, out);
  std::vector<CompileUnit> with_clang = units;
  for (CompileUnit& unit : with_clang) unit.arguments.front() = options.clang;
  SyntaxCheck compilers(out / "logs");
  look_at(compilers, {with_clang.front(), units.front()});  // asks each compiler once for the flags it takes
  Times times;
  for (std::uint32_t pair = 0; pair < options.pairs; ++pair) {
    const auto clang = [&] {
      times.clang.push_back(milliseconds_of_children([&] { look_at(compilers, with_clang); }));
    };
    if (pair % 2 == 1) clang();
    times.rewriting.push_back(milliseconds_of_this([&] { times.traps = rewrite(project, sources, tree); }));
    if (pair % 2 == 0) clang();
    times.ratio.push_back(times.rewriting.back() / times.clang.back());
  }
  std::vector<CompileUnit> written;
  for (const CompileUnit& unit : units) written.push_back(moved(unit, project.root, tree));
  times.check = milliseconds_of_children([&] { look_at(compilers, written); });
  return times;
}

ExitCode compare(const Options& options) {
  fs::create_directories(options.out);
  fmt::print("rewriting against {} -fsyntax-only: medians of {} pairs, ms of processor time\n", options.clang,
             options.pairs);
  fmt::print("{:<10} | {:>6} | {:>9} | {:>8} | {:>13} | {:>5}   {}\n", "project", "traps", "rewriting",
             "clang", "compile check", "ratio", "95 % interval");
  bool good = true;
  for (const std::string& folder : options.projects) {
    const Project project = read_project(folder);
    const Times times = measure(project, options);
    const engine::Interval ratio = engine::sign_interval(times.ratio, 0.05);
    fmt::print(
        "{:<10} | {:>6} | {:>9.0f} | {:>8.0f} | {:>13.0f} | {:>5.2f}   {:.2f} to {:.2f}, bar {:.1f} {}\n",
        project.name, times.traps, engine::median(times.rewriting), engine::median(times.clang), times.check,
        ratio.value, ratio.low, ratio.high, bar, ratio.value <= bar ? "met" : "MISSED");
    good &= ratio.value <= wide_miss;
  }
  return good ? ExitCode::done : ExitCode::check_failed;
}

}  // namespace
}  // namespace jcprof::bench

int main(int argc, char** argv) {
  // Rows come minutes apart: into a file or pipe too each at once.
  std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);
  CLI::App app{"How long rewriting C and C++ takes, against clang.", "bench-rewriting_c"};
  jcprof::bench::Options options;
  app.add_option("PROJECT", options.projects, "projects to rewrite, as scripts/corpus makes them")
      ->required();
  app.add_option("--out", options.out, "where to work")->required();
  app.add_option("--clang", options.clang, "the rival")->capture_default_str();
  app.add_option("--pairs", options.pairs, "of one rewriting and one compilation")
      ->check(CLI::Range(7U, 1000U))
      ->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  return jcprof::cli::guarded([&] { return jcprof::bench::compare(options); });
}
