// SPDX-License-Identifier: Apache-2.0
// How long rewriting takes: the examples against javac compiling them, turn about within one run, and whether
// the time per line stays what it is up to 100,000 lines.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "programs/main_guard.hpp"
#include "rewriter/generate.hpp"
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

constexpr double bar = 20;          // times faster than javac
constexpr double growth_bar = 1.5;  // time per line of 100,000 lines to that of 10,000
// Beyond these it is not the machine's noise any more.
constexpr double wide_miss = 14;
constexpr double wide_growth = 2.0;

constexpr int warm_rounds = 300;
constexpr int warm_rounds_counted = 50;
constexpr std::size_t lines_a_file = 500;
// Fewer have no interval.
constexpr int growth_rounds = 7;

struct Options {
  std::vector<std::string> examples;
  std::string out;
  std::uint32_t pairs = 15;
};

template <typename Work>
double milliseconds(const Work& work) {
  const Clock::time_point start = Clock::now();
  work();
  return Milliseconds(Clock::now() - start).count();
}

std::string run(const std::vector<std::string>& argv, const fs::path& out) {
  const fs::path log = out / "log";
  const ProcessResult result =
      run_and_wait({.argv = argv, .cwd = out}, {.file = log}, std::chrono::minutes{5});
  if (result.exit_status != 0)
    throw environment_error(
        fmt::format("\"{}\" failed with status {}\n{}", argv.front(), result.exit_status, result.tail));
  return read_file(log);
}

/// An example as it is, but for the compile check: that runs javac itself.
struct Example {
  std::string name;
  fs::path project;
  fs::path out;
  std::vector<std::string> javac;  // its arguments
};

Example prepare(const fs::path& folder, const fs::path& out) {
  const Project project = read_project(folder);
  Example example{
      .name = project.name, .project = out / project.name, .out = out / (project.name + ".out"), .javac = {}};
  for (const fs::path& old : {example.project, example.out}) fs::remove_all(old);
  fs::copy(project.root, example.project, fs::copy_options::recursive);
  fs::remove_all(example.project / "jcprof-out");
  static const std::regex compile_check(R"re("compile":\s*\{[^}]*\},)re");
  const std::string text = read_file(project.file);
  const std::string without = std::regex_replace(text, compile_check, "");
  check(without != text, "the example has a compile check");
  write_file(example.project / "jcprof.json", without);
  fs::create_directories(example.out / "classes");
  example.javac = {"--release", "8", "-nowarn", "-Xlint:-options", "-cp", {}, "-d", example.out / "classes"};
  for (const std::string& entry : project.compile.classpath)
    example.javac[5] += (project.root / entry).lexically_normal().string() + ":";
  for (const fs::directory_entry& source : fs::directory_iterator(example.project / "src"))
    example.javac.push_back(source.path());
  return example;
}

struct Times {
  std::vector<double> gen;      // the whole process
  std::vector<double> library;  // generate() in this one
  std::vector<double> javac;
  std::vector<double> ratio;  // javac to gen, pair by pair
  double warm = 0;            // javac in a warmed JVM
};

double warm_javac(const Example& example) {
  std::vector<std::string> argv{"java", JCPROF_BENCH_DIR "/WarmJavac.java", std::to_string(warm_rounds)};
  argv.insert(argv.end(), example.javac.begin(), example.javac.end());
  std::istringstream lines(run(argv, example.out));
  std::vector<double> rounds;
  for (double time = 0; lines >> time;) rounds.push_back(time);
  check(rounds.size() == warm_rounds, "each round is printed");
  return engine::median({rounds.end() - warm_rounds_counted, rounds.end()});
}

Times measure(const Example& example, std::uint32_t pairs) {
  std::vector<std::string> javac{"javac"};
  javac.insert(javac.end(), example.javac.begin(), example.javac.end());
  const std::vector<std::string> gen{sibling("jcprof-gen"), example.project, "--out", example.out, "--quiet"};
  const Project project = read_project(example.project);
  Times times;
  for (std::uint32_t pair = 0; pair < pairs; ++pair) {
    const auto compile = [&] { times.javac.push_back(milliseconds([&] { run(javac, example.out); })); };
    if (pair % 2 == 1) compile();
    times.gen.push_back(milliseconds([&] { run(gen, example.out); }));
    times.library.push_back(milliseconds([&] { rewriter::generate(project, example.out); }));
    if (pair % 2 == 0) compile();
    times.ratio.push_back(times.javac.back() / times.gen.back());
  }
  times.warm = warm_javac(example);
  return times;
}

/// True unless the bar is missed widely.
bool compare_with_javac(const Options& options, const fs::path& out) {
  fmt::print("rewriting against compiling: medians of {} pairs, ms\n", options.pairs);
  fmt::print("{:<16} | {:>10} | {:>10} | {:>7} | {:>11} | {:>6}   {}\n", "example", "jcprof-gen",
             "generate()", "javac", "javac, warm", "ratio", "95 % interval");
  bool good = true;
  for (const std::string& folder : options.examples) {
    const Example example = prepare(fs::absolute(folder), out);
    const Times times = measure(example, options.pairs);
    const engine::Interval ratio = engine::sign_interval(times.ratio, 0.05);
    fmt::print(
        "{:<16} | {:>10.1f} | {:>10.1f} | {:>7.0f} | {:>11.1f} | {:>6.0f}   {:.0f} to {:.0f}, bar {:.0f} "
        "{}\n",
        example.name, engine::median(times.gen), engine::median(times.library), engine::median(times.javac),
        times.warm, ratio.value, ratio.low, ratio.high, bar, ratio.value >= bar ? "met" : "MISSED");
    good &= ratio.value >= wide_miss;
  }
  return good;
}

// Methods as applets have them, in turn; 0 stands for the method's number.
constexpr std::string_view methods = R"java(
    /** The sum of the bytes from an offset on, as a short. */
    private short sum0(byte[] data, short offset, short length) {
        short sum = 0;
        for (short i = offset; i < (short) (offset + length); i++) {
            sum += (short) (data[i] & 0xFF);
        }
        return sum;
    }

    private void verify0(byte[] buffer, short tries) {
        if (buffer[0] == (byte) tries && buffer[1] != 0) {
            buffer[2] = (byte) 0x0C;
        } else if (tries > 3) {
            ISOException.throwIt((short) 0x6983);
        } else {
            tries--;
            memory[tries] = buffer[(short) (tries + 1)];
        }
    }

    boolean dispatch0(byte[] buffer) {
        switch (buffer[1]) {
            case 1:
                verify0(buffer, (short) 3);
                break;
            case 2:
                memory[1] = (byte) sum0(buffer, (short) 5, (short) 8);
                // The next one holds for this one as well.
            case 3:
                memory[2] ^= memory[1];
                return true;
            default:
                return false;
        }
        return memory[0] == 0;
    }

    private short guarded0(byte[] data) {
        short i = 0;
        try {
            while (i < (short) data.length) {
                if (data[i] == 0) break;
                i++;
            }
            // PM_CHECK guarded0
            verify0(data, i);
        } catch (ISOException e) {
            return e.getReason();
        } finally {
            memory[3] = (byte) i;
        }
        return sum0(data, (short) 0, i);
    }
)java";

/// A source of about that many lines; the lines are counted afterwards.
std::string source(const std::string& name, std::size_t lines) {
  static const std::regex number("(sum|verify|dispatch|guarded)0");
  std::string text = "import javacard.framework.*;\n\npublic class " + name +
                     " extends Applet {\n    private byte[] memory;\n\n" +
                     "    public void process(APDU apdu) {\n        memory = apdu.getBuffer();\n    }\n";
  const auto lines_of_methods = static_cast<std::size_t>(std::ranges::count(methods, '\n'));
  for (std::size_t i = 0; i * lines_of_methods < lines; ++i)
    text += std::regex_replace(std::string(methods), number, fmt::format("$1_{}_{}", name, i));
  return text + "}\n";
}

/// Sources of one size, and what rewriting them took.
struct Size {
  std::size_t files = 0;
  std::size_t lines = 0;  // together
  Project project = {};
  fs::path out = {};
  std::size_t traps = 0;
  std::vector<double> per_line = {};  // µs, a round each
};

Size prepare(std::size_t files, std::size_t lines, const fs::path& out) {
  Size size{.files = files};
  size.out = out / fmt::format("{}.{}", lines, files);
  fs::remove_all(size.out);
  size.project.root = size.out / "project";
  size.project.file = size.project.root / "jcprof.json";
  size.project.sources = {"*.java"};
  size.project.entry = {"A0.process"};
  // A class of constants holds 32,700 traps: at 100,000 lines not all statements can have them.
  size.project.profile.level = TrapLevel::block;
  size.project.profile.exclude = {"*.guarded_*", "*.dispatch_*"};
  for (std::size_t i = 0; i < files; ++i) {
    const std::string name = fmt::format("A{}", i);
    const std::string text = source(name, lines / files);
    size.lines += static_cast<std::size_t>(std::ranges::count(text, '\n'));
    write_file(size.project.root / (name + ".java"), text);
  }
  return size;
}

/// Small ones as often as it takes to rewrite as many lines as the largest has.
void rewrite(Size& size, std::size_t most_lines) {
  const std::size_t times = std::max<std::size_t>(1, most_lines / size.lines / 3);
  const double time = milliseconds([&] {
    for (std::size_t i = 0; i < times; ++i)
      size.traps = rewriter::generate(size.project, size.out).map.traps.size();
  });
  size.per_line.push_back(1000 * time / static_cast<double>(times * size.lines));
}

/// True unless the time per line grows by far more than it may.
bool is_linear(const Size& small, const Size& large, std::string_view what) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < small.per_line.size(); ++i)
    ratios.push_back(large.per_line[i] / small.per_line[i]);
  const engine::Interval ratio = engine::sign_interval(ratios, 0.05);
  fmt::print("a line of {} to one of {} in {}: {:.2f}, 95 % interval {:.2f} to {:.2f}, bar {:.1f} {}\n",
             large.lines, small.lines, what, ratio.value, ratio.low, ratio.high, growth_bar,
             ratio.value <= growth_bar ? "met" : "MISSED");
  return ratio.value <= wide_growth;
}

bool compare_sizes(const fs::path& out) {
  std::vector<Size> many;
  std::vector<Size> one;
  for (const std::size_t lines : {1'000, 3'000, 10'000, 30'000, 100'000})
    many.push_back(prepare(lines / lines_a_file, lines, out));
  for (const std::size_t lines : {1'000, 10'000, 100'000}) one.push_back(prepare(1, lines, out));
  for (int round = 0; round < growth_rounds; ++round)
    for (std::vector<Size>* sizes : {&many, &one})
      for (Size& size : *sizes) rewrite(size, sizes->back().lines);
  fmt::print("generate() on larger sources: medians of {} rounds\n", growth_rounds);
  fmt::print("{:>7} | {:>5} | {:>6} | {:>11}\n", "lines", "files", "traps", "µs per line");
  for (const std::vector<Size>* sizes : {&many, &one})
    for (const Size& size : *sizes)
      fmt::print("{:>7} | {:>5} | {:>6} | {:>11.2f}\n", size.lines, size.files, size.traps,
                 engine::median(size.per_line));
  const bool files = is_linear(many[2], many.back(), fmt::format("files of {}", lines_a_file));
  return is_linear(one[1], one.back(), "one file") && files;
}

ExitCode compare(const Options& options) {
  const fs::path out = fs::absolute(options.out);
  fs::create_directories(out);
  const bool fast = compare_with_javac(options, out);
  fmt::print("\n");
  return compare_sizes(out) && fast ? ExitCode::done : ExitCode::check_failed;
}

}  // namespace
}  // namespace jcprof::bench

int main(int argc, char** argv) {
  // Rows come minutes apart: into a file or pipe too each at once.
  std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);
  CLI::App app{"How long rewriting takes, against javac, and how it grows.", "bench-rewriting"};
  jcprof::bench::Options options;
  app.add_option("EXAMPLE", options.examples, "projects to rewrite and compile")->required();
  app.add_option("--out", options.out, "where to work")->required();
  app.add_option("--pairs", options.pairs, "of one rewriting and one compilation")
      ->check(CLI::Range(7U, 1000U))
      ->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  return jcprof::cli::guarded([&] { return jcprof::bench::compare(options); });
}
