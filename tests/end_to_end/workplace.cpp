// SPDX-License-Identifier: Apache-2.0
#include "tests/end_to_end/workplace.hpp"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <exception>
#include <thread>

#include <fmt/format.h>
#include <catch2/catch.hpp>

#include "annotator/record/profile.hpp"
#include "src/core/error.hpp"
#include "src/core/file.hpp"
#include "src/core/sqlite.hpp"
#include "src/core/store.hpp"
#include "tests/support/export_agreement.hpp"
#include "tests/support/processes.hpp"

namespace jcprof::test {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

// Hung tests must end before ctest ends them, so that what they started goes too.
constexpr auto longest = 240s;

// Nothing that is tested may depend on the locale of who tests.
const std::pair<std::string, std::string> plainest_locale{"LC_ALL", "C"};

std::vector<std::string> with_folder(std::vector<std::string> argv) {
  if (argv.front().starts_with("jcprof")) argv.front() = (fs::path(JCPROF_BIN_DIR) / argv.front()).string();
  return argv;
}

std::vector<std::string> through_shell(const std::string& script, const std::vector<std::string>& argv) {
  std::vector<std::string> result{"sh", "-c", script};
  const std::vector<std::string> program = with_folder(argv);
  result.insert(result.end(), program.begin(), program.end());
  return result;
}

void replace_all(std::string& text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
}

/// Nothing where jcprof refuses the file, or where no run in it has measured anything yet.
std::optional<annotator::Profile> profile_in(const fs::path& file) {
  try {
    const Store store(file, OpenMode::read_only);
    return annotator::newest_run(store).profile;
  } catch (const UserError&) {
    return std::nullopt;
  }
}

void check_profiles_in(const fs::path& folder) {
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != ".jcprof" || !entry.is_regular_file()) continue;
    const std::optional<annotator::Profile> profile = profile_in(entry.path());
    if (!profile) continue;
    for (const std::string& text : disagreements(exported(*profile)))
      FAIL_CHECK(entry.path().string() << ": " << text);
  }
}

}  // namespace

Running::Running(const Command& command, fs::path pid_file) : process_(command, {}) {
  const bool has_started = becomes_true([&] {
    std::error_code error;
    return fs::file_size(pid_file, error) > 0 && !error;
  });
  REQUIRE(has_started);
  pid_ = std::stoi(read_file(pid_file));
}

int Running::wait() {
  std::optional<int> status;
  becomes_true([&] { return (status = process_.ended()).has_value(); });
  INFO(process_.tail());
  REQUIRE(status.has_value());
  return *status;
}

std::string Running::said() const {
  return process_.tail();
}

const std::string java_virtual_time = R"(
    private static final java.nio.ByteBuffer time = openTime();

    private static java.nio.ByteBuffer openTime() {
        try (java.io.RandomAccessFile file = new java.io.RandomAccessFile(System.getenv("JCPROF_TEST_TIME"), "rw")) {
            return file.getChannel().map(java.nio.channels.FileChannel.MapMode.READ_WRITE, 0, 8)
                .order(java.nio.ByteOrder.nativeOrder());
        } catch (java.io.IOException error) {
            throw new IllegalStateException(error);
        }
    }

    static void passTime(long ns) {
        time.putLong(0, time.getLong(0) + ns);
    }
)";

Workplace::Workplace(const std::string& name, TestClock clock)
    : folder_(fs::path(JCPROF_BINARY_DIR) / "end_to_end" / fmt::format("{}-{}", name, ::getpid())),
      environment_{plainest_locale} {
  fs::remove_all(folder_);
  fs::create_directories(folder_ / "lib");
  REQUIRE(fs::exists(JCPROF_JCARDSIM));
  fs::create_symlink(JCPROF_JCARDSIM, folder_ / "lib/jcardsim.jar");
  if (clock == TestClock::real) return;
  write_file(folder_ / "time", std::string(sizeof(std::int64_t), '\0'));
  environment_.emplace_back("JCPROF_TEST_TIME", (folder_ / "time").string());
  environment_.emplace_back("LD_PRELOAD", JCPROF_VIRTUAL_CLOCK);
}

Workplace::~Workplace() {
  try {
    if (std::uncaught_exceptions() == 0) check_profiles_in(folder_);
  } catch (const std::exception& error) {
    FAIL_CHECK("the profiles of the workplace cannot be checked: " << error.what());
  }
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

fs::path Workplace::example(const std::string& name, const std::string& as) const {
  const fs::path from = fs::path(JCPROF_SOURCE_DIR) / "examples" / name;
  const fs::path to = folder_ / (as.empty() ? name : as);
  fs::create_directories(to);
  fs::copy_file(from / "jcprof.json", to / "jcprof.json");
  fs::copy(from / "src", to / "src", fs::copy_options::recursive);
  return to;
}

fs::path Workplace::copied(const fs::path& folder, const std::string& as) const {
  const fs::path to = folder_ / (as.empty() ? folder.filename().string() : as);
  fs::copy(JCPROF_SOURCE_DIR / folder, to,
           fs::copy_options::recursive | fs::copy_options::overwrite_existing);
  return to;
}

void Workplace::build(const fs::path& project) const {
  const Said said = run({"javac", "-J-XX:TieredStopAtLevel=1", "--release", "8", "-encoding", "UTF-8",
                         "-nowarn", "-Xlint:-options", "-cp", JCPROF_JCARDSIM, "-sourcepath", "src", "-d",
                         "../classes", "src/PinApplet.java", "src/PM.java", "src/PMC.java"},
                        (project / "jcprof-out/tree").string());
  INFO(said.err);
  REQUIRE(said.status == 0);
}

Said Workplace::run(const std::vector<std::string>& argv, const std::string& cwd) const {
  const fs::path out = folder_ / "stdout.txt";
  const fs::path err = folder_ / "stderr.txt";
  const std::string redirected = fmt::format("exec \"$0\" \"$@\" 2>\"{}\"", err.string());
  const Command command{.argv = through_shell(redirected, argv),
                        .cwd = cwd.empty() ? folder_ : fs::path(cwd),
                        .environment = environment_};
  const ProcessResult result =
      run_and_wait(command, {.file = out, .keep_bytes = std::size_t{1} << 26}, longest);
  INFO(read_file(out) << read_file(err));
  REQUIRE_FALSE(result.timed_out);
  return {.status = result.exit_status, .out = plain(read_file(out)), .err = plain(read_file(err))};
}

Running Workplace::start(const std::vector<std::string>& argv) const {
  const fs::path pid_file = folder_ / "pid.txt";
  fs::remove(pid_file);
  const std::string noted = fmt::format("echo $$ >\"{}\"; exec \"$0\" \"$@\"", pid_file.string());
  const Command command{.argv = through_shell(noted, argv), .cwd = folder_, .environment = environment_};
  return {command, pid_file};
}

std::vector<pid_t> Workplace::processes(const std::string& program) const {
  std::vector<pid_t> found;
  for (const auto& [pid, line] : command_lines()) {
    const std::string first = line.substr(0, line.find('\0'));
    if (fs::path(first).filename() == program && line.find(folder_.string()) != std::string::npos)
      found.push_back(pid);
  }
  return found;
}

std::string Workplace::plain(std::string text) const {
  replace_all(text, folder_.string(), "@");
  return text;
}

bool becomes_true(const std::function<bool()>& condition, std::chrono::milliseconds patience) {
  const auto deadline = std::chrono::steady_clock::now() + patience;
  while (!condition()) {
    if (std::chrono::steady_clock::now() >= deadline) return false;
    std::this_thread::sleep_for(10ms);
  }
  return true;
}

void replace_in(const fs::path& file, const std::string& from, const std::string& to) {
  std::string text = read_file(file);
  const std::size_t at = text.find(from);
  INFO(file << ": " << from);
  REQUIRE(at != std::string::npos);
  write_file(file, text.replace(at, from.size(), to));
}

std::optional<std::string> value_of(const fs::path& profile, const std::string& sql) {
  try {
    const QueryResult result = query(profile, sql);
    return result.rows.empty() ? std::nullopt : result.rows.front().front();
  } catch (const UserError&) {
    return std::nullopt;  // not there yet, or just being made
  }
}

std::string integrity_of(const fs::path& profile) {
  const sqlite::Database database(profile, sqlite::Access::read_only);
  sqlite::Statement check = database.prepare("PRAGMA integrity_check");
  return check.step() ? check.text(0) : "nothing";
}

bool is_sound(const fs::path& profile) {
  if (fs::exists(profile.string() + "-wal") || fs::exists(profile.string() + "-shm")) return false;
  return integrity_of(profile) == "ok";
}

}  // namespace jcprof::test
